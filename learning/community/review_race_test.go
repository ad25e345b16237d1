package community_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/community"
)

// A review is reported while its writer removes it: no report of it is left open.
func TestComplainAboutReview_BesideItsRemovalAtOnce(t *testing.T) {
	const rounds, reporters = 8, 5
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		other := w.OtherInstance(t)
		for round := range rounds {
			course := w.Publish(t, fmt.Sprint("course-", round), roomtest.Chapter("1", "a"))
			ada := w.Enrolls(t, "ada", course)
			w.Reviews(t, ada, course, 3, "Bad")
			page, _, err := w.Platform.Community.Reviews(ctx(), course, community.NewestReviews,
				learning.PageRequest{Limit: 1})
			roomtest.Must(t, err)
			errs := roomtest.Concurrently(reporters+1, func(i int) error {
				if i == reporters/2 {
					return other.Platform.Community.Review(ctx(), ada,
						community.NewReview{CourseID: course, Stars: 3, Text: ""})
				}
				err := w.Platform.Community.ComplainAboutReview(ctx(),
					roomtest.Student(fmt.Sprint("eve-", i)), course,
					page.Rows[0].ID, "Rude")
				if errors.Is(err, community.ErrReviewNotFound) {
					return nil
				}
				return err
			})
			for _, err := range errs {
				if err != nil {
					t.Error(err)
				}
			}
			if n := w.Count(t, "complaints WHERE status = 'open'"); n != 0 {
				t.Errorf("%d reports of a removed review are open", n)
			}
		}
	})
}
