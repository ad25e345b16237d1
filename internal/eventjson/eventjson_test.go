package eventjson

import (
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/purchase"
)

// full returns data with a value in each field, which is the name of the field.
func full() core.EventData {
	d := core.EventData{Amount: 1699, Metadata: core.Metadata{"key": "value"}}
	for field, value := range reflect.ValueOf(&d).Elem().Fields() {
		if value.Kind() == reflect.String {
			value.SetString(field.Name)
		}
	}
	return d
}

func TestMarshal_IsTheDocumentedText(t *testing.T) {
	at := time.Date(2026, 3, 14, 10, 0, 0, 123456789, time.FixedZone("CET", 3600))
	got, err := Marshal(learning.Event{ID: "1", Type: purchase.EventCompleted,
		CreatedAt: at, Subject: "purchase:p",
		Data: core.EventData{PurchaseID: "p", UserID: "u", CourseID: "c", CourseTitle: "Go",
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
	for _, want := range []core.EventData{full(), {}, {Currency: "EUR"}} {
		text, err := MarshalData(want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := UnmarshalData(text)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, want %+v: %v", text, got, want, err)
		}
	}
}
