package roomtest

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
)

// Reviews stores a review of a course, which must succeed.
func (w *World) Reviews(t *testing.T, who core.Actor, course string, stars int, text string) {
	t.Helper()
	w.Clock.Advance(time.Second)
	Must(t, w.Platform.Community.Review(ctx(), who,
		community.NewReview{CourseID: course, Stars: stars, Text: text}))
}

// WantReviews checks the reviews of a course in an order, in pages of some rows, and how many
// ratings with each number of stars it has.
func (w *World) WantReviews(t *testing.T, course string, order community.ReviewOrder,
	counts [community.MaxStars]int, want ...string) {
	t.Helper()
	for _, limit := range []int{1, 10} {
		var got []string
		for r, err := range core.All(
			func(page core.PageRequest) (core.Page[community.Review], error) {
				page.Limit = limit
				list, distribution, err := w.Platform.Community.Reviews(ctx(), course, order, page)
				if distribution != counts && err == nil {
					t.Errorf("%v ratings, want %v", distribution, counts)
				}
				return list, err
			}) {
			Must(t, err)
			got = append(got, fmt.Sprint(r.Stars, " ", r.Text, r.Answer))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s, pages of %d: %s", order, limit, diff)
		}
	}
	w.WantRightTotals(t)
}
