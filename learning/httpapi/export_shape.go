package httpapi

import (
	"time"

	"github.com/openlectern/openlectern/learning"
)

// An export has shapes of its own, so that it can say more than the answers of other routes. None of
// them has data of other users.

// exportHead is the part of an export that is no list.
type exportHead struct {
	At          instant                  `json:"exportedAt"`
	User        *exportedUserJSON        `json:"user" jsonschema:"nullable"`
	Role        *exportedRoleJSON        `json:"role" jsonschema:"nullable"`
	Application *exportedApplicationJSON `json:"application" jsonschema:"nullable"`
}

type exportedUserJSON struct {
	_ struct{} `doc:"The record of the user, as the identity provider has sent it."`

	ID        string  `json:"_id" doc:"The id of the user, which is the 'sub' of their session tokens."`
	Name      string  `json:"name"`
	Email     string  `json:"email"`
	ImageURL  string  `json:"imageUrl"`
	CreatedAt instant `json:"createdAt"`
	UpdatedAt instant `json:"updatedAt"`
}

type exportedRoleJSON struct {
	Role string  `json:"role" jsonschema:"enum=student,enum=educator,enum=admin" doc:"The role: 'student', 'educator' or 'admin'."`
	At   instant `json:"assignedAt" doc:"The time of the cause of the role, such as an approval."`
}

type exportedApplicationJSON struct {
	ID                string   `json:"_id"`
	ProfessionalTitle string   `json:"professionalTitle"`
	Bio               string   `json:"bio" doc:"The biography."`
	Expertise         []string `json:"expertise" doc:"The subjects of the user."`
	LinkedinURL       string   `json:"linkedinUrl" doc:"The URL of a profile. Empty if there is none."`
	Status            string   `json:"status" jsonschema:"enum=pending,enum=approved,enum=rejected" doc:"The state of the application."`
	RejectionReason   string   `json:"rejectionReason" doc:"The reason of a rejection. Empty if there is none."`
	CreatedAt         instant  `json:"createdAt"`
	UpdatedAt         instant  `json:"updatedAt"`
}

func headOf(e *learning.Export) exportHead {
	head := exportHead{At: instant(e.At)}
	if u := e.User; u != nil {
		head.User = &exportedUserJSON{
			ID:        u.ID,
			Name:      u.Name,
			Email:     u.Email,
			ImageURL:  u.ImageURL,
			CreatedAt: instant(u.CreatedAt),
			UpdatedAt: instant(u.ChangedAt),
		}
	}
	if !e.Role.At.IsZero() {
		head.Role = &exportedRoleJSON{string(e.Role.Role), instant(e.Role.At)}
	}
	if a := e.Application; a != nil {
		head.Application = &exportedApplicationJSON{
			ID:                a.ID,
			ProfessionalTitle: a.ProfessionalTitle,
			Bio:               a.Bio,
			Expertise:         append([]string{}, a.Expertise...),
			LinkedinURL:       a.LinkedinURL,
			Status:            string(a.Status),
			RejectionReason:   a.RejectionReason,
			CreatedAt:         instant(a.CreatedAt),
			UpdatedAt:         instant(a.UpdatedAt),
		}
	}
	return head
}

type exportedPurchaseJSON struct {
	ID          string   `json:"_id"`
	CourseID    string   `json:"courseId"`
	Amount      decimal  `json:"amount" doc:"The amount in major units of the currency."`
	Refunded    decimal  `json:"refundedAmount" doc:"The sum of the processed refunds, in major units of the currency."`
	Currency    string   `json:"currency"`
	Status      string   `json:"status" jsonschema:"enum=created,enum=pending,enum=completed,enum=failed,enum=refunded" doc:"The state of the purchase."`
	OrderID     *string  `json:"providerOrderId" jsonschema:"nullable" doc:"The id of the order at the payment gateway. Null if there is no order."`
	PaymentID   *string  `json:"providerPaymentId" jsonschema:"nullable" doc:"The id of the payment at the payment gateway. Null if it was not paid."`
	CouponID    *string  `json:"couponId" jsonschema:"nullable" doc:"The coupon that the purchase was made with, or null."`
	CreatedAt   instant  `json:"createdAt"`
	UpdatedAt   instant  `json:"updatedAt"`
	CompletedAt *instant `json:"completedAt" jsonschema:"nullable" doc:"When it was completed. Null if it was not."`
}

func exportedPurchase(p learning.Purchase) exportedPurchaseJSON {
	return exportedPurchaseJSON{
		ID:          p.ID,
		CourseID:    p.CourseID,
		Amount:      decimal(p.Amount),
		Refunded:    decimal(p.RefundedAmount),
		Currency:    p.Currency,
		Status:      string(p.Status),
		OrderID:     nullable(p.OrderID),
		PaymentID:   nullable(p.PaymentID),
		CouponID:    nullable(p.CouponID),
		CreatedAt:   instant(p.CreatedAt),
		UpdatedAt:   instant(p.UpdatedAt),
		CompletedAt: nullableInstant(p.CompletedAt),
	}
}

type exportedRefundJSON struct {
	ID         string  `json:"_id"`
	PurchaseID string  `json:"purchaseId"`
	Amount     decimal `json:"amount" doc:"The amount in major units of the currency."`
	Currency   string  `json:"currency"`
	Status     string  `json:"status" jsonschema:"enum=pending,enum=processed,enum=failed" doc:"The state of the refund."`
	ProviderID *string `json:"providerRefundId" jsonschema:"nullable" doc:"The id of the refund at the payment gateway. Null if it is not known."`
	Reason     *string `json:"reason" jsonschema:"nullable" doc:"The reason that was given. Null if there is none."`
	CreatedAt  instant `json:"createdAt"`
	UpdatedAt  instant `json:"updatedAt"`
}

func exportedRefund(r learning.Refund) exportedRefundJSON {
	return exportedRefundJSON{
		ID:         r.ID,
		PurchaseID: r.PurchaseID,
		Amount:     decimal(r.Amount),
		Currency:   r.Currency,
		Status:     string(r.Status),
		ProviderID: nullable(r.ProviderID),
		Reason:     nullable(r.Reason),
		CreatedAt:  instant(r.CreatedAt),
		UpdatedAt:  instant(r.UpdatedAt),
	}
}

type exportedEnrollmentJSON struct {
	CourseID   string  `json:"courseId"`
	PurchaseID *string `json:"purchaseId" jsonschema:"nullable" doc:"The id of the purchase that created the enrolment. Null if an admin enrolled the user."`
	Reason     *string `json:"reason" jsonschema:"nullable" doc:"The reason of the admin. Null if there is none."`
	CreatedAt  instant `json:"createdAt"`
}

func exportedEnrollment(e learning.Enrollment) exportedEnrollmentJSON {
	return exportedEnrollmentJSON{
		CourseID:   e.CourseID,
		PurchaseID: nullable(e.PurchaseID),
		Reason:     nullable(e.Reason),
		CreatedAt:  instant(e.CreatedAt),
	}
}

type exportedPastEnrollmentJSON struct {
	CourseID   string  `json:"courseId"`
	PurchaseID *string `json:"purchaseId" jsonschema:"nullable" doc:"The id of the purchase that created the enrolment. Null if an admin enrolled the user."`
	Reason     *string `json:"reason" jsonschema:"nullable" doc:"The reason of the admin who enrolled the user. Null if there is none."`
	CreatedAt  instant `json:"createdAt"`
	EndedAt    instant `json:"endedAt" doc:"When it ended."`
	EndReason  *string `json:"endReason" jsonschema:"nullable" doc:"Why it ended. Null if no reason was given."`
}

func exportedPastEnrollment(e learning.PastEnrollment) exportedPastEnrollmentJSON {
	return exportedPastEnrollmentJSON{
		CourseID:   e.CourseID,
		PurchaseID: nullable(e.PurchaseID),
		Reason:     nullable(e.Reason),
		CreatedAt:  instant(e.CreatedAt),
		EndedAt:    instant(e.EndedAt),
		EndReason:  nullable(e.EndReason),
	}
}

type exportedLectureJSON struct {
	CourseID  string  `json:"courseId"`
	LectureID string  `json:"lectureId"`
	At        instant `json:"completedAt" doc:"When it was completed."`
}

func exportedLecture(l learning.LectureCompletion) exportedLectureJSON {
	return exportedLectureJSON{CourseID: l.CourseID, LectureID: l.LectureID, At: instant(l.At)}
}

type exportedCompletionJSON struct {
	CourseID string  `json:"courseId"`
	At       instant `json:"completedAt" doc:"When it was recorded."`
}

func exportedCompletion(c learning.CourseCompletion) exportedCompletionJSON {
	return exportedCompletionJSON{c.CourseID, instant(c.At)}
}

type exportedRatingJSON struct {
	CourseID  string  `json:"courseId"`
	Stars     int     `json:"rating" doc:"The number of stars, from 1 to 5."`
	CreatedAt instant `json:"createdAt"`
	UpdatedAt instant `json:"updatedAt"`
}

func exportedRating(r learning.Rating) exportedRatingJSON {
	return exportedRatingJSON{
		CourseID:  r.CourseID,
		Stars:     r.Stars,
		CreatedAt: instant(r.CreatedAt),
		UpdatedAt: instant(r.UpdatedAt),
	}
}

type exportedTimeJSON struct {
	Day          string   `json:"date" jsonschema:"format=date" doc:"The day in UTC, such as 2026-01-31."`
	Page         string   `json:"page" doc:"The name of the page, as the front end sent it."`
	Path         string   `json:"path" doc:"The path of the page, as the front end sent it."`
	Milliseconds int64    `json:"milliseconds"`
	Visits       int      `json:"visits"`
	LastVisit    *instant `json:"lastVisitAt" jsonschema:"nullable" doc:"The last visit of the day. Null if it is not known."`
}

func exportedTime(e learning.TimeEntry) exportedTimeJSON {
	return exportedTimeJSON{
		Day:          e.Day.Format(time.DateOnly),
		Page:         e.Page,
		Path:         e.Path,
		Milliseconds: int64(e.Time),
		Visits:       e.Visits,
		LastVisit:    nullableInstant(e.LastVisit),
	}
}

type exportedQuizResultJSON struct {
	ID              string  `json:"_id"`
	CourseID        string  `json:"courseId"`
	ChapterID       string  `json:"chapterId"`
	Version         int64   `json:"version" doc:"The version of the quiz that was marked."`
	Answers         []int   `json:"answers" doc:"The chosen option of each question, from 0."`
	Score           int     `json:"score" doc:"The number of correct answers."`
	Total           int     `json:"total" doc:"The number of questions."`
	Percentage      int     `json:"percentage"`
	Group           string  `json:"group" jsonschema:"enum=needs_review,enum=on_track,enum=mastered"`
	Recommendations string  `json:"recommendations" doc:"The recommendations: plain lines, each beginning with '• '."`
	CreatedAt       instant `json:"createdAt"`
}

func exportedQuizResult(r learning.QuizResult) exportedQuizResultJSON {
	return exportedQuizResultJSON{
		ID:              r.ID,
		CourseID:        r.CourseID,
		ChapterID:       r.ChapterID,
		Version:         r.Version,
		Answers:         append([]int{}, r.Answers...),
		Score:           r.Score,
		Total:           r.Total,
		Percentage:      r.Percentage,
		Group:           string(r.Mastery),
		Recommendations: r.Recommendations,
		CreatedAt:       instant(r.CreatedAt),
	}
}

type exportedCertificateJSON struct {
	ID               string   `json:"certificateId" doc:"The id of the certificate, with which anyone can verify it."`
	CourseID         string   `json:"courseId"`
	Student          string   `json:"studentName" doc:"The name of the student on the day of issue."`
	CourseTitle      string   `json:"courseTitle"`
	Educator         string   `json:"educatorName" doc:"The name of the educator on the day of issue."`
	Issuer           string   `json:"issuerName" doc:"The name of the platform on the day of issue."`
	CompletedAt      instant  `json:"completionDate" doc:"When the last lecture was completed."`
	IssuedAt         instant  `json:"issuedAt" doc:"When it was issued."`
	RevokedAt        *instant `json:"revokedAt" jsonschema:"nullable" doc:"When it was revoked. Null if it was not."`
	RevocationReason *string  `json:"reason" jsonschema:"nullable" doc:"The reason of the revocation. Null if it was not revoked."`
}

func exportedCertificate(c learning.Certificate) exportedCertificateJSON {
	return exportedCertificateJSON{
		ID:               c.ID,
		CourseID:         c.CourseID,
		Student:          c.StudentName,
		CourseTitle:      c.CourseTitle,
		Educator:         c.EducatorName,
		Issuer:           c.IssuerName,
		CompletedAt:      instant(c.CompletedAt),
		IssuedAt:         instant(c.IssuedAt),
		RevokedAt:        nullableInstant(c.RevokedAt),
		RevocationReason: nullable(c.RevocationReason),
	}
}

type exportedCourseJSON struct {
	_ struct{} `doc:"A course that the user teaches, without its content."`

	ID          string  `json:"_id"`
	Title       string  `json:"courseTitle"`
	Description string  `json:"courseDescription" doc:"The description of the course, as it was written."`
	Price       decimal `json:"coursePrice"`
	Discount    decimal `json:"discount"`
	Published   bool    `json:"isPublished"`
	CreatedAt   instant `json:"createdAt"`
	UpdatedAt   instant `json:"updatedAt"`
}

func exportedCourse(c learning.Course) exportedCourseJSON {
	return exportedCourseJSON{
		ID:          c.ID,
		Title:       c.Title,
		Description: c.Description,
		Price:       decimal(c.Price),
		Discount:    decimal(c.Discount),
		Published:   c.Published,
		CreatedAt:   instant(c.CreatedAt),
		UpdatedAt:   instant(c.UpdatedAt),
	}
}

// nullableInstant returns nil for the zero time, which is null in JSON.
func nullableInstant(t time.Time) *instant {
	if t.IsZero() {
		return nil
	}
	return new(instant(t))
}
