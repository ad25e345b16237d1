package study

import (
	"context"
	"errors"
	"fmt"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
)

// CallerOf returns what an actor is to a course, and the course. An actor is an outsider of a
// course that does not exist.
func CallerOf(
	ctx context.Context, r CallerReader, actor core.Actor, courseID string,
) (catalog.Caller, catalog.Course, error) {
	if !actor.SignedIn() {
		return catalog.Outsider, catalog.Course{}, nil
	}
	c, err := r.Course(ctx, courseID)
	if errors.Is(err, core.ErrNoRecord) {
		return catalog.Outsider, catalog.Course{}, nil
	}
	if err != nil {
		return catalog.Outsider, catalog.Course{}, fmt.Errorf("read a course: %w", err)
	}
	isOwner := actor.Role == core.Educator && c.Educator.ID == actor.UserID
	if isOwner || actor.Role == core.Admin {
		return catalog.Editor, c, nil
	}
	isEnrolled, err := r.Enrolled(ctx, actor.UserID, courseID)
	if err != nil || !isEnrolled {
		return catalog.Outsider, catalog.Course{}, core.Wrap("read an enrolment", err)
	}
	return catalog.EnrolledStudent, c, nil
}

// CallerReader reads what an actor is to a course.
type CallerReader interface {
	catalog.CourseReader
	EnrolledReader
}
