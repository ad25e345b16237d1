// Package eventjson has the JSON of events: in the database, and in webhooks.
package eventjson

import (
	"encoding/json"
	"reflect"
	"time"

	"github.com/openlectern/openlectern/learning/core"
)

// Event is an event in JSON.
type Event struct {
	ID        string         `json:"id"`
	Type      core.EventType `json:"type"`
	CreatedAt string         `json:"createdAt"`
	Subject   string         `json:"subject"`
	Data      Data           `json:"data"`
}

// Data is the data of an event in JSON. [Types] says which fields a type has. The fields are those
// of [core.EventData], in the same order. The tag example has the value in the API document,
// and doc the text there for a field whose name does not say it all.
type Data struct {
	CourseID      string  `json:"courseId,omitempty" example:"course-1"`
	CourseTitle   string  `json:"courseTitle,omitempty" example:"Bread for Beginners" doc:"The title of the course when this happened."`
	EducatorID    string  `json:"educatorId,omitempty" example:"user_educator" doc:"The id of the owner of the course."`
	UserID        string  `json:"userId,omitempty" example:"user_student"`
	PurchaseID    string  `json:"purchaseId,omitempty" example:"0197f3a2-0000-7000-8000-000000000001"`
	Amount        *int64  `json:"amount,omitempty" example:"49900" doc:"What was paid or refunded, or what stands again after a refund that failed, in the smallest unit of the currency; 0 for a free course."`
	Currency      string  `json:"currency,omitempty" example:"INR"`
	Provider      string  `json:"provider,omitempty" example:"gateway" doc:"What takes the payment. A free course has none."`
	ListPrice     *int64  `json:"listPrice,omitempty" example:"59900" doc:"The price before the discount, in the smallest unit of the currency. A free course has none."`
	Discount      *int64  `json:"discount,omitempty" example:"10000" doc:"What the discount of the course and the coupon took off together, in the smallest unit of the currency."`
	CouponCode    string  `json:"couponCode,omitempty" example:"WELCOME" doc:"The code of the coupon of the purchase."`
	PaymentID     string  `json:"paymentId,omitempty" example:"pay_ABCDEFGHIJKLMN" doc:"The id of the payment at its provider. A free course has none."`
	RefundID      string  `json:"refundId,omitempty" example:"019bb5a1-7c00-7a3e-9f21-000000000008"`
	DisputeID     string  `json:"disputeId,omitempty" example:"dp_1" doc:"The id of the dispute at the provider."`
	Won           *bool   `json:"won,omitempty" example:"true" doc:"Whether the payment stays."`
	CertificateID string  `json:"certificateId,omitempty" example:"7f1c5a9e-2d84-4b6f-9c3a-5e8d1b7a4f20"`
	ApplicationID string  `json:"applicationId,omitempty" example:"019bb5a1-7c00-7a3e-9f21-000000000002"`
	LectureID     string  `json:"lectureId,omitempty" example:"lecture-1"`
	PostID        string  `json:"postId,omitempty" example:"019bb5a1-7c00-7a3e-9f21-000000000003"`
	ReplyID       string  `json:"replyId,omitempty" example:"019bb5a1-7c00-7a3e-9f21-000000000004"`
	ChapterID     string  `json:"chapterId,omitempty" example:"chapter_1"`
	ResultID      string  `json:"resultId,omitempty" example:"019bb5a1-7c00-7a3e-9f21-000000000005" doc:"The id of the result of the quiz."`
	ReviewID      string  `json:"reviewId,omitempty" example:"019bb5a1-7c00-7a3e-9f21-000000000006"`
	SubmissionID  string  `json:"submissionId,omitempty" example:"019bb5a1-7c00-7a3e-9f21-000000000007"`
	ExpiresAt     *string `json:"expiresAt,omitempty" example:"2026-03-01T09:00:00.000Z" doc:"When the access to the course ends."`

	Kind           string `json:"kind,omitempty" example:"reply.created" doc:"What the notification tells."`
	AttemptID      string `json:"attemptId,omitempty" example:"019bb5a1-7c00-7a3e-9f21-000000000009"`
	AnnouncementID string `json:"announcementId,omitempty" example:"019bb5a1-7c00-7a3e-9f21-00000000000a"`

	Metadata Metadata `json:"metadata,omitempty" example:"{\"affiliate\":\"ada\"}" doc:"What the host has opened the order of the purchase with."`

	BundleID string `json:"bundleId,omitempty" example:"019bb5a1-7c00-7a3e-9f21-00000000000b" doc:"The id of the bundle. Then 'courseTitle' is its title, and there is no 'courseId'."`
	Lines    []Line `json:"lines,omitempty" example:"[{\"courseId\":\"course-1\",\"amount\":49900}]" doc:"The courses of the bundle that the purchase has, with what was paid for each or, of a refund, given back."`
}

// Line is a course of the purchase of a bundle, in JSON.
type Line struct {
	CourseID string `json:"courseId" doc:"The id of the course."`
	Amount   int64  `json:"amount" doc:"In the smallest unit of the currency."`
}

// Metadata is the metadata of a purchase in JSON.
type Metadata map[string]string

// timeLayout is that of every time in the API: UTC, in milliseconds.
const timeLayout = "2006-01-02T15:04:05.000Z"

// Marshal returns an event in JSON.
func Marshal(e core.Event) ([]byte, error) {
	return json.Marshal(Event{
		ID:        e.ID,
		Type:      e.Type,
		CreatedAt: e.CreatedAt.UTC().Format(timeLayout),
		Subject:   e.Subject,
		Data:      dataOf(e.Data),
	})
}

// MarshalData returns the data of an event in JSON.
func MarshalData(d core.EventData) ([]byte, error) { return json.Marshal(dataOf(d)) }

// dataOf returns data in the form of the JSON.
func dataOf(d core.EventData) Data {
	var data Data
	copyTexts(reflect.ValueOf(&data).Elem(), reflect.ValueOf(d))
	data.Metadata = Metadata(d.Metadata)
	if d.Currency != "" { // the event is of a purchase, and has an amount, which may be 0
		data.Amount = new(int64(d.Amount))
	}
	if d.ListPrice != 0 {
		data.ListPrice, data.Discount = new(int64(d.ListPrice)), new(int64(d.Discount))
	}
	if !d.ExpiresAt.IsZero() {
		data.ExpiresAt = new(d.ExpiresAt.UTC().Format(timeLayout))
	}
	data.Won = d.Won
	for _, l := range d.Lines {
		data.Lines = append(data.Lines, Line{CourseID: l.CourseID, Amount: int64(l.Amount)})
	}
	return data
}

// UnmarshalData returns the data of an event from its JSON. The data must not be used if there is
// an error.
func UnmarshalData(text []byte) (core.EventData, error) {
	var d Data
	err := json.Unmarshal(text, &d)
	var data core.EventData
	copyTexts(reflect.ValueOf(&data).Elem(), reflect.ValueOf(d))
	data.Metadata = core.Metadata(d.Metadata)
	if d.Amount != nil {
		data.Amount = core.Money(*d.Amount)
	}
	if d.ListPrice != nil && d.Discount != nil {
		data.ListPrice, data.Discount = core.Money(*d.ListPrice), core.Money(*d.Discount)
	}
	if d.ExpiresAt != nil && err == nil {
		data.ExpiresAt, err = time.Parse(timeLayout, *d.ExpiresAt)
	}
	data.Won = d.Won
	for _, l := range d.Lines {
		data.Lines = append(data.Lines,
			core.EventLine{CourseID: l.CourseID, Amount: core.Money(l.Amount)})
	}
	return data, err
}

// copyTexts copies all fields that are texts, which are those but the amounts, Won, the end of
// access, the metadata and the lines, between [Data] and [core.EventData].
func copyTexts(to, from reflect.Value) {
	for i := range to.NumField() {
		if field := to.Field(i); field.Kind() == reflect.String {
			field.SetString(from.Field(i).String())
		}
	}
}
