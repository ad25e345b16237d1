package httpapi

import (
	"github.com/openlectern/openlectern/learning/study"
)

type grantEnrollmentRequest struct {
	UserID   string `json:"userId" jsonschema:"minLength=1"`
	CourseID string `json:"courseId" jsonschema:"minLength=1"`
	Reason   string `json:"reason,omitempty" jsonschema:"maxLength=500" doc:"Why the user is enrolled, for the list of enrolments. It is removed when the user is deleted."`
}

type grantEnrollmentAnswer struct {
	Created bool `json:"created" doc:"False if the user was enrolled already."`
}

// grantEnrollment enrols a user in a course without a payment. If there is an error, the answer is
// not sent.
func (a *api) grantEnrollment(c *call, in grantEnrollmentRequest) (grantEnrollmentAnswer, error) {
	created, err := a.platform.Study.GrantEnrollment(c.Context(), c.actor, in.UserID, in.CourseID,
		in.Reason)
	return grantEnrollmentAnswer{created}, err
}

// endEnrollment ends the access of a user to a course.
func (a *api) endEnrollment(c *call, _ none) (none, error) {
	return none{}, a.platform.Study.EndEnrollment(c.Context(), c.actor, c.Param("userId"),
		c.Param("courseId"))
}

// enrollmentJSON is an active or past enrolment (docs/api.md §10).
type enrollmentJSON struct {
	_ struct{} `doc:"The access of a user to a course, now or in the past."`

	UserID      string  `json:"userId"`
	CourseID    string  `json:"courseId"`
	CourseTitle string  `json:"courseTitle" doc:"The title that the course has now."`
	Origin      string  `json:"origin" jsonschema:"enum=purchase,enum=free,enum=grant" doc:"'purchase' if it was paid, 'free' if the course was free, 'grant' if an admin enrolled the user."`
	Reason      string  `json:"reason" doc:"What the admin wrote; empty if nothing. Escape it."`
	CreatedAt   instant `json:"createdAt" doc:"When the user was enrolled."`
	// null while it is active
	EndedAt *instant `json:"endedAt" jsonschema:"nullable" doc:"Null while it is active."`

	Metadata metadataJSON `json:"metadata,omitempty" doc:"What the host keeps with the enrolment. Left out if it is empty."`
}

type enrollmentsAnswer struct {
	Enrollments []enrollmentJSON `json:"enrollments" doc:"Those that began last first."`
	Next        *string          `json:"nextCursor" jsonschema:"nullable"`
}

// enrollments answers a page of the enrolments that the query selects by user and by course.
func (a *api) enrollments(c *call, _ none) (enrollmentsAnswer, error) {
	page, err := pageOf(c, maxPageRows) // of maxPageRows rows if the query has no limit
	if err != nil {
		return enrollmentsAnswer{}, err
	}
	values := c.URL.Query()
	query := study.EnrollmentQuery{UserID: values.Get("userId"),
		CourseID: values.Get("courseId")}
	list, err := a.platform.Study.Enrollments(c.Context(), c.actor, query, page)
	if err != nil {
		return enrollmentsAnswer{}, err
	}
	answer := enrollmentsAnswer{make([]enrollmentJSON, 0, len(list.Rows)), cursorOf(c, list.Next)}
	for _, r := range list.Rows {
		answer.Enrollments = append(answer.Enrollments, enrollmentJSON{
			UserID:      r.UserID,
			CourseID:    r.CourseID,
			CourseTitle: r.CourseTitle,
			Origin:      string(r.Origin),
			Reason:      r.Reason,
			CreatedAt:   instant(r.CreatedAt),
			EndedAt:     nullableTime(r.EndedAt),
			Metadata:    metadataJSON(r.Metadata),
		})
	}
	return answer, nil
}
