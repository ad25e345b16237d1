package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
)

var reviewTests = []test{
	{"reviews are set, answered, listed in each order, and removed", reviewList},
}

func reviewList(t *testing.T, f *fixture) {
	set := func(userID string, stars int, r community.Review) community.Review {
		t.Helper()
		of := community.Rating{UserID: userID, CourseID: "c", Stars: stars, CreatedAt: noon,
			UpdatedAt: noon}
		f.add(of)
		f.do(func(ctx context.Context, tx learning.Tx) error {
			if err := tx.AddToTotals(ctx, "c", []core.Total{{Kind: community.TotalRatings,
				CourseID: "c", Part: string(rune('0' + stars)), Number: 1}}); err != nil {
				return err
			}
			isSet, err := tx.SetReview(ctx, of, r)
			equal(t, isSet, err, true)
			of.ReviewID = "another"
			isSet, err = tx.SetReview(ctx, of, r)
			equal(t, isSet, err, false)
			return err
		})
		r.CourseID, r.Stars = "c", stars
		r.Author = core.Person{ID: userID, Name: core.UnknownUser}
		return r
	}
	list := func(by community.ReviewOrder, want ...community.Review) {
		t.Helper()
		read := func(ctx context.Context, page core.PageRequest) ([]community.Review, error) {
			return f.Reviews(ctx, "c", by, page)
		}
		equal(t, paged(t, read, func(r community.Review) core.Position {
			if by == community.NewestReviews {
				return core.Position{At: r.CreatedAt, ID: r.ID}
			}
			return core.Position{Value: int64(r.Stars), ID: r.ID}
		}), nil, want)
	}
	f.add(community.Rating{UserID: "silent", CourseID: "c", Stars: 4, CreatedAt: noon,
		UpdatedAt: noon})
	a := set("ada", 3, community.Review{ID: "a", EducatorID: "e", Text: "Fine 🎓", CreatedAt: noon})
	b := set("bob", 5, community.Review{ID: "b", Text: "Best", CreatedAt: noon.Add(time.Second)})
	c := set("cy", 3, community.Review{ID: "c", Text: "Good", CreatedAt: noon.Add(-time.Second)})
	list(community.NewestReviews, b, a, c)
	list(community.BestReviews, b, c, a)
	list(community.WorstReviews, a, c, b)
	counts, err := f.RatingCounts(t.Context(), "c")
	equal(t, counts, err, [community.MaxStars]int{2: 2, 4: 1})

	a.Answer, a.AnsweredAt = "Thank you", noon
	for id, want := range map[string]bool{"a": true, "none": false} {
		f.reports(want, func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.AnswerReview(ctx, community.Review{ID: id, Answer: "Thank you",
				AnsweredAt: noon})
		})
	}
	f.do(func(ctx context.Context, tx learning.Tx) error { return tx.LockReview(ctx, "a") })
	got, err := f.Review(t.Context(), "a")
	equal(t, got, err, a)
	rating, err := f.Rating(t.Context(), "ada", "c")
	equal(t, rating, err, community.Rating{UserID: "ada", CourseID: "c", Stars: 3, CreatedAt: noon,
		UpdatedAt: noon, ReviewID: "a", ReviewedAt: noon})

	of, err := f.ReviewsBy(t.Context(), "ada")
	equal(t, of, err, []community.Review{a})
	of, err = f.ReviewsBy(t.Context(), "silent")
	equal(t, of, err, []community.Review{})
	remove := func(id string, isAnswered, want bool) {
		f.reports(want, func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.RemoveReview(ctx, id, isAnswered)
		})
	}
	remove("b", true, false)
	remove("b", false, true)
	list(community.NewestReviews, a, c)
	remove("a", false, false)
	remove("a", true, true)
	list(community.WorstReviews, c)
	got, err = f.Review(t.Context(), "a")
	missing(t, got, err)
}
