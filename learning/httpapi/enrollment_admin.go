package httpapi

import (
	"time"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/study"
)

type grantEnrollmentRequest struct {
	UserID   string `json:"userId" jsonschema:"minLength=1"`
	CourseID string `json:"courseId" jsonschema:"minLength=1"`
	Reason   string `json:"reason,omitempty" jsonschema:"maxLength=500" doc:"Why the user is enrolled, for the list of enrolments. It is removed when the user is deleted."`

	ExpiresAt *instant `json:"expiresAt,omitempty" doc:"When the access ends. Without it: as the terms of the course say. A course that has ended needs it."`
}

type grantEnrollmentAnswer struct {
	Created bool `json:"created" doc:"False if the user was enrolled already."`
}

// grantEnrollment enrols a user in a course without a payment. If there is an error, the answer is
// not sent.
func (a *api) grantEnrollment(c *call, in grantEnrollmentRequest) (grantEnrollmentAnswer, error) {
	g := study.Grant{UserID: in.UserID, CourseID: in.CourseID, Reason: in.Reason}
	if in.ExpiresAt != nil {
		g.ExpiresAt = time.Time(*in.ExpiresAt)
	}
	created, err := a.platform.Study.GrantEnrollment(c.Context(), c.actor, g)
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
	EndedAt   *instant `json:"endedAt" jsonschema:"nullable" doc:"Null while it is active."`
	ExpiresAt *instant `json:"expiresAt" jsonschema:"nullable" doc:"When the access ends. Null for no end."`

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
	return enrollmentsAnswer{shaped(list.Rows, enrollmentOf), cursorOf(c, list.Next)}, err
}

// enrollmentOf returns the wire shape of an enrolment as admins see it.
func enrollmentOf(r study.EnrollmentReport) enrollmentJSON {
	return enrollmentJSON{
		UserID:      r.UserID,
		CourseID:    r.CourseID,
		CourseTitle: r.CourseTitle,
		Origin:      string(r.Origin),
		Reason:      r.Reason,
		CreatedAt:   instant(r.CreatedAt),
		EndedAt:     nullableTime(r.EndedAt),
		ExpiresAt:   nullableTime(r.ExpiresAt),
		Metadata:    metadataJSON(r.Metadata),
	}
}

type changeEnrollmentRequest struct {
	_ struct{} `doc:"A change of an enrolment. Fields that are not sent stay as they are."`

	Metadata  *metadataJSON `json:"metadata,omitempty" doc:"All of the new one; an empty object removes it."`
	ExpiresAt **instant     `json:"expiresAt,omitempty" jsonschema:"nullable" doc:"When the access ends; a time in the past ends it now. Null for no end. It counts whatever paid the enrolment, until the enrolment ends."`
	OpenAll   *bool         `json:"openAll,omitempty" doc:"Whether all lectures are open, whatever the terms of the course say."`
	Reason    *string       `json:"reason,omitempty" jsonschema:"maxLength=500" doc:"Why. It is removed when the user is deleted."`
}

type changeEnrollmentAnswer struct {
	Metadata   *metadataJSON         `json:"metadata,omitempty" doc:"The metadata as it is now, if the request had some."`
	Enrollment changedEnrollmentJSON `json:"enrollment" doc:"The enrolment as it is now."`
}

type changedEnrollmentJSON struct {
	_ struct{} `doc:"The access of a user to a course, and what an admin has decided about it."`

	UserID    string   `json:"userId"`
	CourseID  string   `json:"courseId"`
	CreatedAt instant  `json:"createdAt" doc:"When the user was enrolled."`
	ExpiresAt *instant `json:"expiresAt" jsonschema:"nullable" doc:"When the access ends. Null for no end."`
	IsExpired bool     `json:"isExpired" doc:"Whether the access has ended."`
	OpenAll   bool     `json:"openAll" doc:"Whether all lectures are open, whatever the terms of the course say."`
	DecidedBy *string  `json:"decidedBy" jsonschema:"nullable" doc:"The admin who has changed the access last. Null if none has."`
	DecidedAt *instant `json:"decidedAt" jsonschema:"nullable" doc:"When that was. Null if no admin has."`
	Reason    string   `json:"reason" doc:"What that admin wrote; empty if nothing. Escape it."`
}

// changeEnrollment changes the access and the metadata of an enrolment, in one transaction. If
// there is an error, the answer is not sent.
func (a *api) changeEnrollment(
	c *call, in changeEnrollmentRequest,
) (changeEnrollmentAnswer, error) {
	e, err := a.platform.Study.ChangeEnrollment(c.Context(), c.actor, study.EnrollmentChange{
		UserID:    c.Param("userId"),
		CourseID:  c.Param("courseId"),
		ExpiresAt: (*time.Time)(orZero(in.ExpiresAt)),
		OpenAll:   in.OpenAll,
		Reason:    in.Reason,
		Metadata:  (*core.Metadata)(in.Metadata),
	})
	return changeEnrollmentAnswer{Metadata: in.Metadata, Enrollment: changedEnrollmentJSON{
		UserID:    e.UserID,
		CourseID:  e.CourseID,
		CreatedAt: instant(e.CreatedAt),
		ExpiresAt: nullableTime(e.ExpiresAt),
		IsExpired: e.IsExpired,
		OpenAll:   e.OpenAll,
		DecidedBy: nullable(e.DecidedBy),
		DecidedAt: nullableTime(e.DecidedAt),
		Reason:    e.WhyDecided,
	}}, err
}
