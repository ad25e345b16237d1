package catalog

import (
	"reflect"
	"strings"
	"testing"
)

func TestLectureMaterial_OfEachKind(t *testing.T) {
	const web, tube = "https://example.org/a.mp4", "https://www.youtube.com/embed/a"
	hosts := map[string]bool{"www.youtube.com": true, "videos.example.org": true}
	caption := []Caption{{Language: "pt-BR", Label: "Português", FileID: "f"}}
	for name, test := range map[string]struct {
		sent  Lecture
		valid bool
		kind  LectureKind
		url   string
	}{
		"as before":             {Lecture{URL: web}, true, "", web},
		"as before, no URL":     {Lecture{}, false, "", ""},
		"as before, no web URL": {Lecture{URL: "javascript:alert(1)"}, false, "", ""},
		"no kind with a file":   {Lecture{FileID: "f"}, true, KindVideo, ""},
		"no kind with a text":   {Lecture{URL: web, Text: new("")}, true, KindVideo, web},
		"video with a URL":      {Lecture{Kind: KindVideo, URL: web}, true, KindVideo, web},
		"video without":         {Lecture{Kind: KindVideo}, false, "", ""},
		"file drops the URL": {Lecture{Kind: KindVideo, URL: web, FileID: "f"}, true, KindVideo,
			""},
		"audio with a file": {Lecture{Kind: KindAudio, FileID: "f"}, true, KindAudio, ""},
		"text":              {Lecture{Kind: KindText, Text: new("# A")}, true, KindText, ""},
		"text with a file":  {Lecture{Kind: KindText, FileID: "f"}, false, "", ""},
		"file":              {Lecture{Kind: KindFile, FileID: "f"}, true, KindFile, ""},
		"file without":      {Lecture{Kind: KindFile, URL: web}, false, "", ""},
		"embed":             {Lecture{Kind: KindEmbed, URL: tube}, true, KindEmbed, tube},
		"embed by http": {Lecture{Kind: KindEmbed, URL: "http://www.youtube.com/a"}, false, "",
			""},
		"embed of another host": {Lecture{Kind: KindEmbed, URL: web}, false, "", ""},
		"embed of a similar host": {Lecture{Kind: KindEmbed,
			URL: "https://www.youtube.com.evil.org/"},
			false, "", ""},
		"embed with a port": {Lecture{Kind: KindEmbed, URL: "https://www.youtube.com:444/"}, false,
			"", ""},
		"embed with a user": {Lecture{Kind: KindEmbed, URL: "https://a@www.youtube.com/"}, false,
			"", ""},
		"embed of an added host": {Lecture{Kind: KindEmbed, URL: "https://videos.example.org/"}, true,
			KindEmbed, "https://videos.example.org/"},
		"embed with a file": {Lecture{Kind: KindEmbed, URL: tube, FileID: "f"}, false, "", ""},
		"unknown kind":      {Lecture{Kind: "game", URL: web}, false, "", ""},
		"captions": {Lecture{Kind: KindVideo, URL: web, Captions: caption}, true, KindVideo,
			web},
		"caption, no file": {Lecture{URL: web, Captions: []Caption{{Language: "de", Label: "D"}}},
			false, "", ""},
		"caption, no tag": {Lecture{URL: web, Captions: []Caption{{Language: "d e", Label: "D",
			FileID: "f"}}}, false, "", ""},
		"attachment": {Lecture{URL: web, Attachments: []Attachment{{Title: "A", FileID: "f"}}},
			true, KindVideo, web},
		"attachment untitled": {Lecture{URL: web, Attachments: []Attachment{{FileID: "f"}}}, false,
			"",
			""},
		"too many attachments": {Lecture{URL: web,
			Attachments: make([]Attachment, MaxAttachments+1)}, false, "", ""},
		"long text": {Lecture{Kind: KindText, Text: new(strings.Repeat("é", MaxLectureText))}, true,
			KindText, ""},
		"too long text": {Lecture{Kind: KindText, Text: new(strings.Repeat("é", MaxLectureText+1))},
			false, "", ""},
	} {
		got, err := test.sent.material(hosts)
		valid := err == nil
		if valid != test.valid || valid && (got.Kind != test.kind || got.URL != test.url) {
			t.Errorf("%s: %v, kind %q, URL %q", name, valid, got.Kind, got.URL)
		}
	}
}

// An editor that does not know of material sends a lecture back without it.
func TestKeepMaterial_OfALectureWithoutAKind(t *testing.T) {
	stored := Lecture{ID: "l", Kind: KindFile, FileID: "f",
		Attachments: []Attachment{{Title: "A", FileID: "g"}}}
	kept := Lecture{ID: "l", Title: "New", URL: "https://learn.example.org/signed"}.keepMaterial(stored)
	if kept.Kind != KindFile || kept.FileID != "f" || len(kept.Attachments) != 1 ||
		kept.Title != "New" {
		t.Errorf("%+v", kept)
	}
	sent := Lecture{ID: "l", Kind: KindText}.keepMaterial(stored)
	if sent.FileID != "" || len(sent.Attachments) != 0 {
		t.Errorf("%+v", sent)
	}
}

func TestMayRead_Table(t *testing.T) {
	lectures := []Lecture{{ID: "preview", PreviewFree: true}, {ID: "locked"}, {ID: "open"}}
	for caller, want := range map[Caller][3]bool{
		Outsider: {true, false, false}, EnrolledStudent: {true, false, true},
		Editor: {true, true, true}, Caller(99): {true, false, false},
	} {
		a := Access{Caller: caller, Locks: map[string]Lock{"preview": {By: LockedByTime},
			"locked": {By: LockedByOrder}}}
		for i, l := range lectures {
			if got := a.MayRead(l); got != want[i] {
				t.Errorf("caller %d, lecture %s: %v", caller, l.ID, got)
			}
		}
	}
}

// Of a lecture that a caller may not read, nothing is shown but what the contract names, whatever
// fields lectures get.
func TestWithoutMaterial_ShowsOnlyWhatEveryoneMaySee(t *testing.T) {
	whole := Lecture{ID: "l", Order: 1, Title: "T", Minutes: 2, URL: "https://example.org",
		PreviewFree: true, Kind: KindAssignment, FileID: "f", Text: new("text"),
		Captions: []Caption{{FileID: "c"}}, Attachments: []Attachment{{FileID: "a"}},
		Assignment: &Assignment{Instructions: "Write."}}
	for i := range reflect.TypeFor[Lecture]().NumField() {
		if reflect.ValueOf(whole).Field(i).IsZero() {
			t.Errorf("the test leaves out the field %s", reflect.TypeFor[Lecture]().Field(i).Name)
		}
	}
	want := Lecture{ID: "l", Order: 1, Title: "T", Minutes: 2, PreviewFree: true,
		Kind: KindAssignment}
	if got := whole.withoutMaterial(); !reflect.DeepEqual(got, want) {
		t.Errorf("everyone sees %+v", got)
	}
}
