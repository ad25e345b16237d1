package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/exchange"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// lectureFiles are the contents of the files of everyLecture by their names.
var lectureFiles = map[string]string{"a.mp3": "ID3\x04", "b.pdf": "%PDF-", "c.vtt": "WEBVTT\n\n"}

// everyLecture returns a chapter in which each field of a lecture is set somewhere, and each kind
// occurs. file returns the id of a file of lectureFiles.
func everyLecture(file func(name string) string) catalog.Chapter {
	dueAt := time.Date(2026, 3, 1, 12, 0, 0, 5e6, time.UTC)
	rubric := []catalog.Criterion{{Text: "Content", Points: 3}}
	list := []catalog.Lecture{
		{Kind: catalog.KindVideo, URL: "https://videos.example.org/1", PreviewFree: true},
		{Kind: catalog.KindAudio, FileID: file("a.mp3"), Minutes: 2.5,
			Captions: []catalog.Caption{{Language: "pt-BR", Label: "Português",
				FileID: file("c.vtt")}},
			Attachments: []catalog.Attachment{{Title: "Plan", FileID: file("b.pdf")}}},
		{Kind: catalog.KindText, Text: new("Text")},
		{Kind: catalog.KindFile, FileID: file("b.pdf")},
		{Kind: catalog.KindEmbed, URL: "https://vimeo.com/1"},
		{Kind: catalog.KindAssignment, Assignment: &catalog.Assignment{Instructions: "Write.",
			Rubric: rubric, DueAfterDays: new(2), LateDays: 1, Attempts: 3, Files: true}},
		{Kind: catalog.KindAssignment, Assignment: &catalog.Assignment{DueAt: dueAt}},
	}
	for i := range list {
		list[i].ID, list[i].Title, list[i].Order = string(rune('a'+i)), "Lecture", i+1
		if list[i].Text == nil {
			list[i].Text = new("")
		}
	}
	return catalog.Chapter{ID: "one", Title: "One", Order: 1, Lectures: list}
}

// shownFields are the fields of a lecture that the platform fills for those who read it.
var shownFields = []string{".Captions.URL", ".Attachments.Type", ".Attachments.Size",
	".Attachments.URL"}

// fieldsOf adds the fields in values of a type by their paths, and whether one of the values has
// them set. An invalid value has none.
func fieldsOf(path string, t reflect.Type, v reflect.Value, isSet map[string]bool) {
	switch {
	case t.Kind() == reflect.Pointer:
		if v.IsValid() {
			v = v.Elem()
		}
		fieldsOf(path, t.Elem(), v, isSet)
	case t.Kind() == reflect.Slice:
		fieldsOf(path, t.Elem(), reflect.Value{}, isSet)
		for i := 0; v.IsValid() && i < v.Len(); i++ {
			fieldsOf(path, t.Elem(), v.Index(i), isSet)
		}
	case t.Kind() == reflect.Struct && t != reflect.TypeFor[time.Time]():
		for f := range t.Fields() {
			var field reflect.Value
			if v.IsValid() {
				field = v.FieldByIndex(f.Index)
			}
			fieldsOf(path+"."+f.Name, f.Type, field, isSet)
		}
	default:
		isSet[path] = isSet[path] || v.IsValid() && !v.IsZero()
	}
}

// A lecture has several forms: stored, in a request, in an answer, in a package and in a catalogue.
// Each of them keeps each of its fields.
func TestLecture_KeepsEachFieldInEachForm(t *testing.T) {
	t.Parallel()
	k := learningtest.New(t)
	handler, err := httpapi.New(k.Platform)
	must(t, err)
	url := k.Serve(t, handler, "") + "/api/educator/courses/"
	teacher := k.Person(t, "teacher", core.Educator)
	names := map[string]string{} // of the files by their ids
	want := everyLecture(func(name string) string {
		f, err := k.Platform.Files.UploadFile(t.Context(), teacher, name,
			strings.NewReader(lectureFiles[name]))
		must(t, err)
		names[f.ID] = name
		return f.ID
	})
	isSet, kinds := map[string]bool{}, map[catalog.LectureKind]bool{}
	fieldsOf("", reflect.TypeFor[[]catalog.Lecture](), reflect.ValueOf(want.Lectures), isSet)
	for _, l := range want.Lectures {
		kinds[l.Kind] = true
	}
	for field, isSet := range isSet {
		if !isSet && !slices.Contains(shownFields, field) {
			t.Errorf("everyLecture sets %s nowhere: set it", field)
		}
	}
	if len(kinds) != len(catalog.LectureKinds) {
		t.Errorf("everyLecture has the kinds %v, want all of %v", kinds, catalog.LectureKinds)
	}

	// same compares the lectures of a course with want. What the platform fills does not count.
	same := func(form, id string, ignoresIDs bool) catalog.CourseWithContent {
		t.Helper()
		c, err := k.Platform.Catalog.EditableCourse(t.Context(), teacher, id)
		must(t, err)
		var got []catalog.Lecture
		for i, l := range c.Content[0].Lectures {
			if l.FileID != "" {
				l.URL = ""
			}
			for j := range l.Captions {
				l.Captions[j].URL = ""
			}
			for j, a := range l.Attachments {
				l.Attachments[j] = catalog.Attachment{Title: a.Title, FileID: a.FileID}
			}
			if ignoresIDs {
				l.ID = want.Lectures[i].ID
			}
			got = append(got, l)
		}
		if diff := cmp.Diff(want.Lectures, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: -want +got\n%s", form, diff)
		}
		return c
	}
	id, err := k.Platform.Catalog.AddCourse(t.Context(), teacher, catalog.NewCourse{Title: "Forms",
		Content: []catalog.Chapter{want}}, learningtest.Thumbnail(t))
	must(t, err)
	same("stored", id, false)

	// The answer is sent back as a request. The titles differ, so that the content is stored anew.
	token := k.Token(t, teacher.UserID)
	_, answer := call(t, http.MethodGet, url+id, token, "")
	chapter := answer["course"].(map[string]any)["courseContent"].([]any)[0].(map[string]any)
	shown := objects(chapter["chapterContent"])
	for i := range shown {
		shown[i]["lectureTitle"], want.Lectures[i].Title = "Renamed", "Renamed"
	}
	status, answer := call(t, http.MethodPatch, url+id, token, jsonText(t, map[string]any{
		"version": 1, "courseContent": []any{chapter}}))
	if status != http.StatusOK {
		t.Fatalf("status %d: %v", status, answer)
	}
	same("answer and request", id, false)

	var file bytes.Buffer
	p, err := k.Platform.Exchange.ExportCourse(t.Context(), teacher, id)
	must(t, err)
	must(t, p.Write(t.Context(), &file))
	copied, err := k.Platform.Exchange.ImportCourse(t.Context(), teacher,
		bytes.NewReader(file.Bytes()),
		int64(file.Len()))
	must(t, err)
	same("package", copied.CourseID, true)

	// A catalogue has the answer with the names of files in place of what answers say of them.
	named := func(m map[string]any, field string) {
		if id, isFile := m["fileId"].(string); isFile {
			m[field] = names[id]
		}
		for _, shown := range []string{"fileId", "url", "type", "size"} {
			delete(m, shown)
		}
	}
	for _, l := range shown {
		named(l, "lectureFile")
		for _, part := range append(objects(l["captions"]), objects(l["attachments"])...) {
			named(part, "file")
		}
	}
	catalogue, err := exchange.ParseCatalogue([]byte(jsonText(t, map[string]any{
		"courses": []any{map[string]any{
			"_id": "catalogue", "educatorId": "teacher", "courseTitle": "Forms", "coursePrice": 0,
			"courseContent": []any{map[string]any{"chapterTitle": "One", "chapterContent": shown}}},
		}})))
	must(t, err)
	files := fstest.MapFS{}
	for name, content := range lectureFiles {
		files[name] = &fstest.MapFile{Data: []byte(content)}
	}
	_, err = k.Platform.System().ImportCatalogue(t.Context(), catalogue, exchange.CatalogueFiles{
		FS: files, Picture: func(string) ([]byte, error) { return learningtest.Thumbnail(t), nil }})
	must(t, err)
	same("catalogue", "catalogue", false)
}

// jsonText returns the JSON of a value.
func jsonText(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	must(t, err)
	return string(b)
}

// must fails the test on an error.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
