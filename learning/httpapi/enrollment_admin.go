package httpapi

import "github.com/openlectern/openlectern/learning"

type grantEnrollmentRequest struct {
	UserID   string `json:"userId" jsonschema:"minLength=1"`
	CourseID string `json:"courseId" jsonschema:"minLength=1"`
	Reason   string `json:"reason,omitempty" jsonschema:"maxLength=500"`
}

type grantEnrollmentAnswer struct {
	Created bool `json:"created"`
}

func (a *api) grantEnrollment(c *call, in grantEnrollmentRequest) (grantEnrollmentAnswer, error) {
	created, err := a.platform.GrantEnrollment(c.Context(), c.actor, in.UserID, in.CourseID, in.Reason)
	return grantEnrollmentAnswer{created}, err
}

func (a *api) endEnrollment(c *call, _ none) (none, error) {
	return none{}, a.platform.EndEnrollment(c.Context(), c.actor, c.param("userId"), c.param("courseId"))
}

// enrollmentJSON is an active or past enrolment (docs/api.md §10).
type enrollmentJSON struct {
	UserID      string   `json:"userId"`
	CourseID    string   `json:"courseId"`
	CourseTitle string   `json:"courseTitle"`
	Origin      string   `json:"origin" jsonschema:"enum=purchase,enum=free,enum=grant"`
	Reason      string   `json:"reason"`
	CreatedAt   instant  `json:"createdAt"`
	EndedAt     *instant `json:"endedAt" jsonschema:"nullable"` // null while it is active
}

type enrollmentsAnswer struct {
	Enrollments []enrollmentJSON `json:"enrollments"`
	Next        *string          `json:"nextCursor" jsonschema:"nullable"`
}

func (a *api) enrollments(c *call, _ none) (enrollmentsAnswer, error) {
	page, err := pageOf(c, learning.MaxPageRows)
	if err != nil {
		return enrollmentsAnswer{}, err
	}
	values := c.URL.Query()
	query := learning.EnrollmentQuery{UserID: values.Get("userId"), CourseID: values.Get("courseId")}
	list, next, err := a.platform.Enrollments(c.Context(), c.actor, query, page)
	if err != nil {
		return enrollmentsAnswer{}, err
	}
	answer := enrollmentsAnswer{make([]enrollmentJSON, 0, len(list)), cursorOf(c, next)}
	for _, r := range list {
		answer.Enrollments = append(answer.Enrollments, enrollmentJSON{r.UserID, r.CourseID, r.CourseTitle, string(r.Origin),
			r.Reason, instant(r.CreatedAt), nullableTime(r.EndedAt)})
	}
	return answer, nil
}
