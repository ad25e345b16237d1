package bundle_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning/bundle"
	"github.com/openlectern/openlectern/learning/catalog"
)

func TestDeleteCourse_InBundleStays(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	a, b, c := w.Course(t, "a", 0), w.Course(t, "b", 0), w.Course(t, "c", 0)
	made := w.Bundle(t, bundle.NewBundle{CourseIDs: []string{a, b}})
	for _, id := range []string{a, b} {
		if err := w.Platform.DeleteCourse(ctx(), roomtest.Teacher, id); !errors.Is(err,
			bundle.ErrCourseInBundle) {
			t.Errorf("delete %s: %v", id, err)
		}
	}
	_, err := w.Platform.Bundles.Edit(ctx(), roomtest.Teacher, made.ID,
		bundle.Edit{Version: 1, CourseIDs: []string{c, b}})
	roomtest.Must(t, err)
	roomtest.Must(t, w.Platform.DeleteCourse(ctx(), roomtest.Teacher, a))
	roomtest.Must(t, w.Platform.Bundles.Delete(ctx(), roomtest.Teacher, made.ID))
	roomtest.Must(t, w.Platform.DeleteCourse(ctx(), roomtest.Teacher, b))
}

// A course is deleted while it is put into a bundle, by a new one and by an edit: it is gone and in
// no bundle, or it stays.
func TestDeleteCourse_BesideBundlesAtOnce(t *testing.T) {
	const rounds = 5
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		instance := w.OtherInstance(t)
		a, b := w.Course(t, "a", 0), w.Course(t, "b", 0)
		for round := range rounds {
			course := w.Course(t, fmt.Sprint("course-", round), 0)
			made := w.Bundle(t, bundle.NewBundle{CourseIDs: []string{a, b}})
			errs := roomtest.Concurrently(3, func(i int) (err error) {
				switch i {
				case 0:
					return instance.Platform.DeleteCourse(ctx(), roomtest.Teacher, course)
				case 1:
					_, err = w.Platform.Bundles.Create(ctx(), roomtest.Teacher, bundle.NewBundle{
						Title: "Bundle", CourseIDs: []string{course, a}})
				default:
					_, err = w.Platform.Bundles.Edit(ctx(), roomtest.Teacher, made.ID,
						bundle.Edit{Version: 1, CourseIDs: []string{b, course}})
				}
				return err
			})
			isDeleted := errs[0] == nil
			if !isDeleted && !errors.Is(errs[0], bundle.ErrCourseInBundle) {
				t.Errorf("delete: %v", errs[0])
			}
			for _, err := range errs[1:] {
				if isDeleted && !errors.Is(err, catalog.ErrCourseNotFound) ||
					!isDeleted && err != nil && !errors.Is(err, catalog.ErrCourseNotFound) {
					t.Errorf("the course is deleted: %v, and the bundle: %v", isDeleted, err)
				}
			}
			if n := w.Count(t, `bundle_courses x LEFT JOIN courses c ON c.id = x.course_id
				WHERE c.id IS NULL`); n != 0 {
				t.Errorf("%d courses of bundles are gone", n)
			}
		}
	})
}
