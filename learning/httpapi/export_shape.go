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
	ID        string  `json:"_id"`
	Name      string  `json:"name"`
	Email     string  `json:"email"`
	ImageURL  string  `json:"imageUrl"`
	CreatedAt instant `json:"createdAt"`
	UpdatedAt instant `json:"updatedAt"`
}

type exportedRoleJSON struct {
	Role string  `json:"role" jsonschema:"enum=student,enum=educator,enum=admin"`
	At   instant `json:"assignedAt"`
}

type exportedApplicationJSON struct {
	ID                string   `json:"_id"`
	ProfessionalTitle string   `json:"professionalTitle"`
	Bio               string   `json:"bio"`
	Expertise         []string `json:"expertise"`
	LinkedinURL       string   `json:"linkedinUrl"`
	Status            string   `json:"status" jsonschema:"enum=pending,enum=approved,enum=rejected"`
	RejectionReason   string   `json:"rejectionReason"`
	CreatedAt         instant  `json:"createdAt"`
	UpdatedAt         instant  `json:"updatedAt"`
}

func headOf(e *learning.Export) exportHead {
	head := exportHead{At: instant(e.At)}
	if u := e.User; u != nil {
		head.User = &exportedUserJSON{u.ID, u.Name, u.Email, u.ImageURL, instant(u.CreatedAt), instant(u.ChangedAt)}
	}
	if !e.Role.At.IsZero() {
		head.Role = &exportedRoleJSON{string(e.Role.Role), instant(e.Role.At)}
	}
	if a := e.Application; a != nil {
		head.Application = &exportedApplicationJSON{a.ID, a.ProfessionalTitle, a.Bio, append([]string{}, a.Expertise...), a.LinkedinURL,
			string(a.Status), a.RejectionReason, instant(a.CreatedAt), instant(a.UpdatedAt)}
	}
	return head
}

type exportedPurchaseJSON struct {
	ID          string   `json:"_id"`
	CourseID    string   `json:"courseId"`
	Amount      decimal  `json:"amount"`
	Refunded    decimal  `json:"refundedAmount"`
	Currency    string   `json:"currency"`
	Status      string   `json:"status" jsonschema:"enum=created,enum=pending,enum=completed,enum=failed,enum=refunded"`
	OrderID     *string  `json:"providerOrderId" jsonschema:"nullable"`
	PaymentID   *string  `json:"providerPaymentId" jsonschema:"nullable"`
	CouponID    *string  `json:"couponId" jsonschema:"nullable"`
	CreatedAt   instant  `json:"createdAt"`
	UpdatedAt   instant  `json:"updatedAt"`
	CompletedAt *instant `json:"completedAt" jsonschema:"nullable"`
}

func exportedPurchase(p learning.Purchase) exportedPurchaseJSON {
	return exportedPurchaseJSON{p.ID, p.CourseID, decimal(p.Amount), decimal(p.RefundedAmount), p.Currency, string(p.Status), nullable(p.OrderID), nullable(p.PaymentID),
		nullable(p.CouponID), instant(p.CreatedAt), instant(p.UpdatedAt), nullableInstant(p.CompletedAt)}
}

type exportedRefundJSON struct {
	ID         string  `json:"_id"`
	PurchaseID string  `json:"purchaseId"`
	Amount     decimal `json:"amount"`
	Currency   string  `json:"currency"`
	Status     string  `json:"status" jsonschema:"enum=pending,enum=processed,enum=failed"`
	ProviderID *string `json:"providerRefundId" jsonschema:"nullable"`
	Reason     *string `json:"reason" jsonschema:"nullable"`
	CreatedAt  instant `json:"createdAt"`
	UpdatedAt  instant `json:"updatedAt"`
}

func exportedRefund(r learning.Refund) exportedRefundJSON {
	return exportedRefundJSON{r.ID, r.PurchaseID, decimal(r.Amount), r.Currency, string(r.Status), nullable(r.ProviderID), nullable(r.Reason),
		instant(r.CreatedAt), instant(r.UpdatedAt)}
}

type exportedEnrollmentJSON struct {
	CourseID   string  `json:"courseId"`
	PurchaseID *string `json:"purchaseId" jsonschema:"nullable"`
	Reason     *string `json:"reason" jsonschema:"nullable"`
	CreatedAt  instant `json:"createdAt"`
}

func exportedEnrollment(e learning.Enrollment) exportedEnrollmentJSON {
	return exportedEnrollmentJSON{e.CourseID, nullable(e.PurchaseID), nullable(e.Reason), instant(e.CreatedAt)}
}

type exportedPastEnrollmentJSON struct {
	CourseID   string  `json:"courseId"`
	PurchaseID *string `json:"purchaseId" jsonschema:"nullable"`
	Reason     *string `json:"reason" jsonschema:"nullable"`
	CreatedAt  instant `json:"createdAt"`
	EndedAt    instant `json:"endedAt"`
	EndReason  *string `json:"endReason" jsonschema:"nullable"`
}

func exportedPastEnrollment(e learning.PastEnrollment) exportedPastEnrollmentJSON {
	return exportedPastEnrollmentJSON{e.CourseID, nullable(e.PurchaseID), nullable(e.Reason), instant(e.CreatedAt), instant(e.EndedAt), nullable(e.EndReason)}
}

type exportedLectureJSON struct {
	CourseID  string  `json:"courseId"`
	LectureID string  `json:"lectureId"`
	At        instant `json:"completedAt"`
}

func exportedLecture(l learning.LectureCompletion) exportedLectureJSON {
	return exportedLectureJSON{l.CourseID, l.LectureID, instant(l.At)}
}

type exportedCompletionJSON struct {
	CourseID string  `json:"courseId"`
	At       instant `json:"completedAt"`
}

func exportedCompletion(c learning.CourseCompletion) exportedCompletionJSON {
	return exportedCompletionJSON{c.CourseID, instant(c.At)}
}

type exportedRatingJSON struct {
	CourseID  string  `json:"courseId"`
	Stars     int     `json:"rating"`
	CreatedAt instant `json:"createdAt"`
	UpdatedAt instant `json:"updatedAt"`
}

func exportedRating(r learning.Rating) exportedRatingJSON {
	return exportedRatingJSON{r.CourseID, r.Stars, instant(r.CreatedAt), instant(r.UpdatedAt)}
}

type exportedTimeJSON struct {
	Day          string   `json:"date" jsonschema:"format=date"`
	Page         string   `json:"page"`
	Path         string   `json:"path"`
	Milliseconds int64    `json:"milliseconds"`
	Visits       int      `json:"visits"`
	LastVisit    *instant `json:"lastVisitAt" jsonschema:"nullable"`
}

func exportedTime(e learning.TimeEntry) exportedTimeJSON {
	return exportedTimeJSON{e.Day.Format(time.DateOnly), e.Page, e.Path, int64(e.Time), e.Visits, nullableInstant(e.LastVisit)}
}

type exportedQuizResultJSON struct {
	ID              string  `json:"_id"`
	CourseID        string  `json:"courseId"`
	ChapterID       string  `json:"chapterId"`
	Version         int64   `json:"version"`
	Answers         []int   `json:"answers"`
	Score           int     `json:"score"`
	Total           int     `json:"total"`
	Percentage      int     `json:"percentage"`
	Group           string  `json:"group" jsonschema:"enum=needs_review,enum=on_track,enum=mastered"`
	Recommendations string  `json:"recommendations"`
	CreatedAt       instant `json:"createdAt"`
}

func exportedQuizResult(r learning.QuizResult) exportedQuizResultJSON {
	return exportedQuizResultJSON{r.ID, r.CourseID, r.ChapterID, r.Version, append([]int{}, r.Answers...), r.Score, r.Total, r.Percentage,
		string(r.Mastery), r.Recommendations, instant(r.CreatedAt)}
}

type exportedCertificateJSON struct {
	ID               string   `json:"certificateId"`
	CourseID         string   `json:"courseId"`
	Student          string   `json:"studentName"`
	CourseTitle      string   `json:"courseTitle"`
	Educator         string   `json:"educatorName"`
	Issuer           string   `json:"issuerName"`
	CompletedAt      instant  `json:"completionDate"`
	IssuedAt         instant  `json:"issuedAt"`
	RevokedAt        *instant `json:"revokedAt" jsonschema:"nullable"`
	RevocationReason *string  `json:"reason" jsonschema:"nullable"`
}

func exportedCertificate(c learning.Certificate) exportedCertificateJSON {
	return exportedCertificateJSON{c.ID, c.CourseID, c.StudentName, c.CourseTitle, c.EducatorName, c.IssuerName, instant(c.CompletedAt), instant(c.IssuedAt),
		nullableInstant(c.RevokedAt), nullable(c.RevocationReason)}
}

type exportedCourseJSON struct {
	ID          string  `json:"_id"`
	Title       string  `json:"courseTitle"`
	Description string  `json:"courseDescription"`
	Price       decimal `json:"coursePrice"`
	Discount    decimal `json:"discount"`
	Published   bool    `json:"isPublished"`
	CreatedAt   instant `json:"createdAt"`
	UpdatedAt   instant `json:"updatedAt"`
}

func exportedCourse(c learning.Course) exportedCourseJSON {
	return exportedCourseJSON{c.ID, c.Title, c.Description, decimal(c.Price), decimal(c.Discount), c.Published, instant(c.CreatedAt), instant(c.UpdatedAt)}
}

// nullableInstant returns nil for the zero time, which is null in JSON.
func nullableInstant(t time.Time) *instant {
	if t.IsZero() {
		return nil
	}
	return new(instant(t))
}
