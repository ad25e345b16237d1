package coursepackage

import (
	"archive/zip"
	"bytes"
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/budget"
	"github.com/openlectern/openlectern/internal/safejson"
	"github.com/openlectern/openlectern/internal/safezip"
)

var testLists = []safejson.List{
	{Path: "chapters.lectures", All: 1_000, Name: "lectures", Advice: "split the course"},
	{Path: "chapters.quiz.questions", Each: 500, Name: "questions", Advice: "split the quiz"},
}

// read reads a package whose only entry has a name and a content.
func read(t *testing.T, name, content string) (Course, error) {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	out, err := w.CreateHeader(&zip.FileHeader{Name: name})
	if err == nil {
		_, err = out.Write([]byte(content))
	}
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	a, err := safezip.Open(bytes.NewReader(b.Bytes()), int64(b.Len()),
		safezip.Limits{Entries: 10, Bytes: 64 << 20, Ratio: 1000})
	if err != nil {
		t.Fatal(err)
	}
	return Read(budget.New(t.Context(), 64<<20), a, testLists)
}

func TestRead_WhatEncodeHasWritten(t *testing.T) {
	course := Course{Format: Format, Version: Version, Title: "<b>\u2028", Files: []File{},
		Price: Price{499_00, "INR"}, Discount: 12_50,
		Chapters: []Chapter{{Title: "A", Order: 1, Lectures: []Lecture{{Title: "B", Minutes: 0.1}},
			Quiz: &Quiz{Questions: []Question{
				{Question: "?", Options: []string{"a"}, CorrectIndex: new(0)},
				{Kind: "true-false", Question: "!", Answer: false, Points: 1}}}}}}
	text, err := Encode(course)
	if err != nil {
		t.Fatal(err)
	}
	got, err := read(t, Name, "\uFEFF"+string(text))
	if d := cmp.Diff(course, got); d != "" || err != nil {
		t.Errorf("-want +got\n%s\n%v", d, err)
	}
}

func TestRead_Refuses(t *testing.T) {
	const head = `{"format":"openlectern-course","version":1`
	for content, want := range map[string]string{
		"":                                 "not valid",
		"[]":                               "not valid",
		`{"version":1}`:                    "has not the format",
		head + `}{}`:                       "not valid",
		head + `,"new":1}`:                 "not valid",
		head + `,"chapters":[{"kind":1}]}`: "not valid",
		`{"format":"openlectern-course","version":2,"new":{}}`:              "update the platform",
		`{"format":"openlectern-course","version":0}`:                       "has not the format",
		strings.Repeat("[", 20_000):                                         "not valid",
		strings.Repeat("[", 21) + strings.Repeat("]", 21):                   "more than 20 deep",
		head + `,"title":"a","title":"b"}`:                                  `"title" twice`,
		head + `,"chapters":[{"lectures":[{"kind":1}]}]}`:                   "(chapters.lectures.kind must not be a JSON number)",
		head + `,"chapters":[{"lectures":[{"assignment":{"dueAt":"x"}}]}]}`: "(a value has another form",
		head + `,"chapters":[{"lectures":[{"assignment":{"dueAt":1}}]}]}`:   "(a value has another form",
	} {
		_, err := read(t, Name, content)
		refused, isRefused := errors.AsType[*safezip.Error](err)
		if !isRefused || !strings.Contains(refused.Reason, want) {
			t.Errorf("%.60s: %v, want a refusal with %q", content, err, want)
		}
	}
	if _, err := read(t, "folder/course.json", head+"}"); err == nil {
		t.Error("a package in a folder is read")
	}
}

// A list that is too long is refused by its name, before it costs more memory than its text allows:
// 64 MB, and 20 bytes for each of its bytes. So are values of which there are too many.
func TestRead_LongListsAreRefusedBeforeTheyAreBuilt(t *testing.T) {
	const size = 6 << 20
	list := func(element string) string {
		return strings.Repeat(element+",", size/(len(element)+1)) + element
	}
	for before, test := range map[string]struct{ element, after, want string }{
		`"chapters":[{"lectures":[`:                      {`{}`, "]}]", "more than 1,000 lectures: split the course"},
		`"chapters":[`:                                   {`{"lectures":[{}]}`, "]", "more than 1,000 lectures"},
		`"chapters": [`:                                  {`{}`, "]", "too many values"},
		`"Chapters":[{"quiz":{"QUESTIONS":[`:             {`{}`, "]}}]", "more than 500 questions"},
		`"files":[`:                                      {`{}`, "]", "too many values"},
		`"chapters":[{"lectures":[{"rubric":[`:           {`0`, "]}]}]", "too many values"},
		`"chapters":[{"lectures":[{"captions":[`:         {`[]`, "]}]}]", "too many values"},
		`"chapters":[{"quiz":{"questions":[{"answer":[`:  {`{"":0}`, "]}]}}]", "too many values"},
		`"chapters":[{"quiz":{"questions":[{"options":[`: {`""`, "]}]}}]", "too many values"},
	} {
		var start, end runtime.MemStats
		runtime.ReadMemStats(&start)
		_, err := read(t, Name, `{"format":"openlectern-course","version":1,`+
			before+list(test.element)+test.after+"}")
		runtime.ReadMemStats(&end)
		refused, isRefused := errors.AsType[*safezip.Error](err)
		if !isRefused || !strings.Contains(refused.Reason, test.want) {
			t.Errorf("%s%s: %v, want a refusal with %q", before, test.element, err, test.want)
		}
		if took := end.TotalAlloc - start.TotalAlloc; took > 64_000_000+20*size {
			t.Errorf("%s%s: %d MB are allocated for 6 MiB", before, test.element, took/1_000_000)
		}
	}
}
