package learning_test

import (
	"fmt"
	"testing"

	"github.com/openlectern/openlectern/internal/baseline"
	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/sale"
	"github.com/openlectern/openlectern/learning/study"
)

// BenchmarkEnrolledCourses lists the 50 courses of a student, of 40 lectures each, of which half
// are completed. The baseline is the two queries, written by hand, without any check and without
// counting. Ours also leaves out completed lectures that a course no longer has.
func BenchmarkEnrolledCourses(b *testing.B) {
	const courses, lectures = 50, 40
	enginetest.Each(b, enginetest.Dialects, func(b *testing.B, e enginetest.Engine) {
		address := e.URL(b)
		k := learningtest.New(b, learningtest.WithDatabase(address))
		pools := baseline.Open(b, address)
		teacher := k.Person(b, "teacher", core.Educator)
		ada := k.Person(b, "ada", core.Student)
		ids := make([]string, lectures)
		for i := range ids {
			ids[i] = fmt.Sprint("lecture-", i)
		}
		for range courses {
			course, err := k.Platform.Catalog.AddCourse(b.Context(), teacher,
				catalog.NewCourse{Title: "Reading the Night Sky", Published: true,
					Content: []catalog.Chapter{roomtest.Chapter("1",
						ids...)}}, learningtest.Thumbnail(b))
			if err != nil {
				b.Fatal(err)
			}
			if _, err := k.Platform.Sales.OpenOrder(b.Context(), ada,
				sale.OrderRequest{CourseID: course}); err != nil &&
				err != study.ErrAlreadyEnrolled {
				b.Fatal(err)
			}
			for _, id := range ids[:lectures/2] {
				if _, err := k.Platform.Study.CompleteLecture(b.Context(), ada, course,
					id); err != nil {
					b.Fatal(err)
				}
			}
		}
		list := pools.Reading(b, `
			SELECT c.id, c.title, c.thumbnail, c.price, c.discount, c.is_published, c.educator_id, c.rating_sum, c.rating_count,
				c.lectures, c.minutes, c.students, c.created_at, c.updated_at, c.description, u.name, u.image_url, u.deleted_at, r.stars,
				e.created_at, e.last_lecture_id, e.last_active_at
			FROM enrollments e JOIN courses c ON c.id = e.course_id LEFT JOIN users u ON u.id = c.educator_id
				LEFT JOIN ratings r ON r.user_id = e.user_id AND r.course_id = e.course_id
			WHERE e.user_id = ? ORDER BY e.created_at, e.course_id LIMIT 50`)
		completed := pools.Reading(b, `
			SELECT course_id, lecture_id FROM completed_lectures WHERE user_id = ?`)
		for _, clients := range []int{1, 8} {
			b.Run(fmt.Sprintf("clients=%d", clients), func(b *testing.B) {
				ours := func(int, int) error {
					page, err := k.Platform.Study.EnrolledCourses(b.Context(), ada,
						learning.PageRequest{Limit: courses})
					if err == nil && (len(page.Rows) != courses ||
						page.Rows[0].CompletedLectures != lectures/2) {
						err = fmt.Errorf("%d courses, %+v", len(page.Rows), page.Rows[0])
					}
					return err
				}
				bare := func(int, int) error {
					if err := all(list(b.Context(), ada.UserID)); err != nil {
						return err
					}
					return all(completed(b.Context(), ada.UserID))
				}
				baseline.Run(b, 0.4, baseline.Side{Do: baseline.Parallel(b, clients, ours)},
					baseline.Side{Do: baseline.Parallel(b, clients, bare)})
			})
		}
	})
}
