package coursepackage

import (
	"archive/zip"
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/budget"
	"github.com/openlectern/openlectern/internal/safezip"
)

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
		safezip.Limits{Entries: 10, Bytes: 1 << 20, Ratio: 100})
	if err != nil {
		t.Fatal(err)
	}
	return Read(budget.New(t.Context(), 1<<20), a)
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
		`{"format":"openlectern-course","version":2,"new":{}}`: "update the platform",
		`{"format":"openlectern-course","version":0}`:          "has not the format",
		strings.Repeat("[", 20_000):                            "not valid",
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
