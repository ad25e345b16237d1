// Package eventjson has the JSON of events: in the database, and in webhooks.
package eventjson

import (
	"encoding/json"
	"slices"

	"github.com/openlectern/openlectern/learning"
)

// Event is an event in JSON.
type Event struct {
	ID        string             `json:"id"`
	Type      learning.EventType `json:"type"`
	CreatedAt string             `json:"createdAt"`
	Subject   string             `json:"subject"`
	Data      Data               `json:"data"`
}

// Data is the data of an event in JSON. [Fields] says which fields a type has.
type Data struct {
	CourseID      string `json:"courseId,omitempty"`
	CourseTitle   string `json:"courseTitle,omitempty" doc:"The title of the course when this happened."`
	EducatorID    string `json:"educatorId,omitempty" doc:"The id of the owner of the course."`
	UserID        string `json:"userId,omitempty"`
	PurchaseID    string `json:"purchaseId,omitempty"`
	Amount        *int64 `json:"amount,omitempty" doc:"What was paid or refunded, or what stands again after a refund that failed, in the smallest unit of the currency; 0 for a free course."`
	Currency      string `json:"currency,omitempty"`
	PaymentID     string `json:"paymentId,omitempty" doc:"The id of the payment at its provider. A free course has none."`
	RefundID      string `json:"refundId,omitempty"`
	CertificateID string `json:"certificateId,omitempty"`
	ApplicationID string `json:"applicationId,omitempty"`
	LectureID     string `json:"lectureId,omitempty"`
	PostID        string `json:"postId,omitempty"`
	ReplyID       string `json:"replyId,omitempty"`
	ChapterID     string `json:"chapterId,omitempty"`
	ResultID      string `json:"resultId,omitempty" doc:"The id of the result of the quiz."`
	ReviewID      string `json:"reviewId,omitempty"`
	SubmissionID  string `json:"submissionId,omitempty"`
}

// timeLayout is that of every time in the API: UTC, in milliseconds.
const timeLayout = "2006-01-02T15:04:05.000Z"

var (
	ofCourse   = []string{"courseId", "courseTitle", "educatorId"}
	ofPurchase = []string{"purchaseId", "userId", "courseId", "courseTitle", "amount",
		"currency", "paymentId"}
	ofRefund      = append(slices.Clone(ofPurchase), "refundId")
	ofEnrollment  = []string{"userId", "courseId", "courseTitle", "purchaseId"}
	ofCertificate = []string{"certificateId", "userId", "courseId", "courseTitle"}
	ofPost        = []string{"postId", "userId", "courseId", "courseTitle", "lectureId"}
	ofSubmission  = []string{"userId", "courseId", "courseTitle", "lectureId", "submissionId"}
	ofApplication = []string{"applicationId", "userId"}
)

// Fields has all types of events, with the fields of their data. An enrolment that was
// created without a purchase has no purchaseId, a free course no paymentId, and a post only the ids of where it is.
var Fields = map[learning.EventType][]string{
	learning.EventCoursePublished:      ofCourse,
	learning.EventCourseUpdated:        ofCourse,
	learning.EventCourseUnpublished:    ofCourse,
	learning.EventPurchaseCompleted:    ofPurchase,
	learning.EventPurchaseRefunded:     ofRefund,
	learning.EventPurchaseRefundFailed: ofRefund,
	learning.EventEnrollmentCreated:    ofEnrollment,
	learning.EventEnrollmentEnded:      ofEnrollment,
	learning.EventCourseCompleted:      {"userId", "courseId", "courseTitle"},
	learning.EventLectureCompleted:     {"userId", "courseId", "courseTitle", "lectureId"},
	learning.EventPostCreated:          ofPost,
	learning.EventReplyCreated:         {"postId", "replyId", "userId", "courseId", "lectureId"},
	learning.EventQuizSubmitted: {"userId", "courseId", "courseTitle", "chapterId",
		"resultId"},
	learning.EventAssignmentSubmitted:  ofSubmission,
	learning.EventAssignmentGraded:     ofSubmission,
	learning.EventAssignmentReturned:   ofSubmission,
	learning.EventReviewCreated:        {"reviewId", "userId", "courseId", "courseTitle"},
	learning.EventCertificateIssued:    ofCertificate,
	learning.EventCertificateRevoked:   ofCertificate,
	learning.EventApplicationSubmitted: ofApplication,
	learning.EventApplicationApproved:  ofApplication,
	learning.EventApplicationRejected:  ofApplication,
	learning.EventUserDeleted:          {"userId"},
}

// Marshal returns an event in JSON.
func Marshal(e learning.Event) ([]byte, error) {
	return json.Marshal(Event{
		ID:        e.ID,
		Type:      e.Type,
		CreatedAt: e.CreatedAt.UTC().Format(timeLayout),
		Subject:   e.Subject,
		Data:      dataOf(e.Data),
	})
}

// MarshalData returns the data of an event in JSON.
func MarshalData(d learning.EventData) ([]byte, error) { return json.Marshal(dataOf(d)) }

// dataOf returns data in the form of the JSON.
func dataOf(d learning.EventData) Data {
	data := Data{
		CourseID:      d.CourseID,
		CourseTitle:   d.CourseTitle,
		EducatorID:    d.EducatorID,
		UserID:        d.UserID,
		PurchaseID:    d.PurchaseID,
		Currency:      d.Currency,
		PaymentID:     d.PaymentID,
		RefundID:      d.RefundID,
		CertificateID: d.CertificateID,
		ApplicationID: d.ApplicationID,
		LectureID:     d.LectureID,
		PostID:        d.PostID,
		ReplyID:       d.ReplyID,
		ChapterID:     d.ChapterID,
		ResultID:      d.ResultID,
		ReviewID:      d.ReviewID,
		SubmissionID:  d.SubmissionID,
	}
	if d.Currency != "" { // the event is of a purchase, and has an amount, which may be 0
		data.Amount = new(int64(d.Amount))
	}
	return data
}

// UnmarshalData returns the data of an event from its JSON. The data must not be used if there is
// an error.
func UnmarshalData(text []byte) (learning.EventData, error) {
	var d Data
	err := json.Unmarshal(text, &d)
	data := learning.EventData{
		CourseID:      d.CourseID,
		CourseTitle:   d.CourseTitle,
		EducatorID:    d.EducatorID,
		UserID:        d.UserID,
		PurchaseID:    d.PurchaseID,
		Currency:      d.Currency,
		PaymentID:     d.PaymentID,
		RefundID:      d.RefundID,
		CertificateID: d.CertificateID,
		ApplicationID: d.ApplicationID,
		LectureID:     d.LectureID,
		PostID:        d.PostID,
		ReplyID:       d.ReplyID,
		ChapterID:     d.ChapterID,
		ResultID:      d.ResultID,
		ReviewID:      d.ReviewID,
		SubmissionID:  d.SubmissionID,
	}
	if d.Amount != nil {
		data.Amount = learning.Money(*d.Amount)
	}
	return data, err
}
