package study

import (
	"context"
	"fmt"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
)

// ErrCoursesRequired is the failure of a purchase of a course that requires others.
var ErrCoursesRequired = &core.Error{Kind: core.Conflict, Code: "courses_required",
	Message: "Complete the required courses first"}

// RequiredCourse is a course that must be completed before another one is bought.
type RequiredCourse struct {
	CourseID    string
	CourseTitle string
	IsCompleted bool // by the user in question
}

// RequiredCourses returns the courses that a course requires and that are published, for everyone:
// it does not say whether they are completed.
func (s *Service) RequiredCourses(
	ctx context.Context, c catalog.Course,
) (list []RequiredCourse, err error) {
	courses, err := s.catalog.Required(ctx, c.Terms.Requires)
	for _, r := range courses {
		list = append(list, RequiredCourse{CourseID: r.ID, CourseTitle: r.Title})
	}
	return list, err
}

// Required returns the courses that a course requires and that are published, with whether a user
// has completed them.
func (s *ForRooms) Required(
	ctx context.Context, userID string, c catalog.Course,
) ([]RequiredCourse, error) {
	courses, err := s.catalog.Required(ctx, c.Terms.Requires)
	if err != nil || len(courses) == 0 {
		return nil, err
	}
	ids, versions := make([]string, len(courses)), map[string]catalog.CourseVersion{}
	for i, r := range courses {
		ids[i] = r.ID
		versions[r.ID] = catalog.CourseVersion{Number: r.Version, UpdatedAt: r.UpdatedAt}
	}
	lectures, err := s.catalog.LectureIDs(ctx, s.store, versions)
	if err != nil {
		return nil, err
	}
	completed, err := s.store.CompletedLecturesOf(ctx, userID, ids)
	if err != nil {
		return nil, fmt.Errorf("read the completed lectures of courses: %w", err)
	}
	list := make([]RequiredCourse, len(courses))
	for i, r := range courses {
		done := 0
		for _, id := range completed[r.ID] {
			if lectures[r.ID][id] {
				done++
			}
		}
		list[i] = RequiredCourse{CourseID: r.ID, CourseTitle: r.Title,
			IsCompleted: done > 0 && done == len(lectures[r.ID])}
	}
	return list, nil
}

// RequireCompleted returns [ErrCoursesRequired] unless a user has completed the courses that a
// course requires.
func (s *ForRooms) RequireCompleted(
	ctx context.Context, userID string, c catalog.Course,
) error {
	list, err := s.Required(ctx, userID, c)
	if err != nil {
		return err
	}
	for _, r := range list {
		if !r.IsCompleted {
			return ErrCoursesRequired
		}
	}
	return nil
}
