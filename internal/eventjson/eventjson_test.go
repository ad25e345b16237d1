package eventjson

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning"
)

var full = learning.EventData{CourseID: "c", CourseTitle: "Go", EducatorID: "e", UserID: "u",
	PurchaseID: "p",
	Amount:     1699, Currency: "INR", CertificateID: "cert", ApplicationID: "a", ChapterID: "ch",
	ResultID: "r", LectureID: "l", PostID: "po", ReplyID: "re",
	ReviewID: "rv", SubmissionID: "s", PaymentID: "pay", RefundID: "ref"}

func TestMarshal_IsTheDocumentedText(t *testing.T) {
	at := time.Date(2026, 3, 14, 10, 0, 0, 123456789, time.FixedZone("CET", 3600))
	got, err := Marshal(learning.Event{ID: "1", Type: learning.EventPurchaseCompleted,
		CreatedAt: at, Subject: "purchase:p",
		Data: learning.EventData{PurchaseID: "p", UserID: "u", CourseID: "c", CourseTitle: "Go",
			Currency: "INR"}})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"id":"1","type":"purchase.completed","createdAt":"2026-03-14T09:00:00.123Z","subject":"purchase:p",` +
		`"data":{"courseId":"c","courseTitle":"Go","userId":"u","purchaseId":"p","amount":0,"currency":"INR"}}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
}

func TestData_SurvivesTheRoundTrip(t *testing.T) {
	for _, want := range []learning.EventData{full, {}, {Currency: "EUR"}} {
		text, err := MarshalData(want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := UnmarshalData(text)
		if err != nil || got != want {
			t.Errorf("%s: got %+v, want %+v: %v", text, got, want, err)
		}
	}
}

func TestFields_AreThoseOfTheData(t *testing.T) {
	text, err := MarshalData(full)
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]any
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	used := map[string]any{}
	for _, fields := range Fields {
		for _, name := range fields {
			used[name] = all[name]
		}
	}
	if diff := cmp.Diff(all, used); diff != "" || len(Fields) != 23 {
		t.Errorf("%d types have other fields than the data (-data +types):\n%s", len(Fields), diff)
	}
	if types := slices.Sorted(maps.Keys(Fields)); slices.Contains(types, "") {
		t.Errorf("a type without a name: %q", types)
	}
}
