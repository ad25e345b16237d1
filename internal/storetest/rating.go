package storetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
)

var ratingTests = []test{
	{"a rating is read as it was stored, one for a user and course", ratingRoundTrip},
	{"a rating is replaced if it still has its old stars", ratingReplace},
	{"ratings are counted, the revision changes, and updated_at stays", ratingCount},
}

// rating returns a rating with a value in every field.
func rating(userID, courseID string, stars int) community.Rating {
	return community.Rating{UserID: userID, CourseID: courseID, Stars: stars, CreatedAt: noon,
		UpdatedAt: noon.Add(time.Microsecond)}
}

func ratingRoundTrip(t *testing.T, f *fixture) {
	got, err := f.Rating(t.Context(), "u", "c")
	missing(t, got, err)
	all := []community.Rating{rating("u", "c", 1), rating("U", "c", 2), rating("u", "d", 3),
		rating(long(47)+"abc", long(16), community.MaxStars)}
	for _, r := range all {
		f.add(r)
	}
	for _, r := range all {
		got, err := f.Rating(t.Context(), r.UserID, r.CourseID)
		equal(t, got, err, r)
	}
	f.fails(core.ErrDuplicate,
		func(ctx context.Context, tx learning.Tx) error {
			return tx.InsertRating(ctx,
				rating("u", "c", 5))
		})
	for _, id := range []string{"", "u ", "v", "\xff", "' OR 1 = 1 --"} {
		got, err := f.Rating(t.Context(), id, "c")
		missing(t, got, err)
	}
}

func ratingReplace(t *testing.T, f *fixture) {
	f.add(rating("u", "c", 4), rating("v", "c", 4), rating("u", "d", 4))
	next := rating("u", "c", 2)
	next.CreatedAt, next.UpdatedAt = noon.Add(time.Hour), noon.Add(time.Hour)
	f.reports(false,
		func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.ReplaceRating(ctx, next,
				3)
		})
	f.reports(true,
		func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.ReplaceRating(ctx, next,
				4)
		})
	f.reports(false,
		func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.ReplaceRating(ctx, next,
				4)
		})
	next.CreatedAt = noon // must stay
	got, err := f.Rating(t.Context(), "u", "c")
	equal(t, got, err, next)
	for _, r := range []community.Rating{rating("v", "c", 4), rating("u", "d", 4)} {
		got, err := f.Rating(t.Context(), r.UserID, r.CourseID)
		equal(t, got, err, r)
	}
}

func ratingCount(t *testing.T, f *fixture) {
	f.add(course("c"), course("other"))
	last, err := f.CatalogueRevision(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := course("c")
	for _, change := range []catalog.Ratings{{Sum: 5, Count: 1}, {Sum: -4}, {}} {
		f.do(func(ctx context.Context, tx learning.Tx) error {
			return tx.AddToRatings(ctx, "c",
				change)
		})
		want.Ratings.Sum, want.Ratings.Count = want.Ratings.Sum+change.Sum,
			want.Ratings.Count+change.Count
		got, err := f.Course(t.Context(), "c")
		equal(t, got, err, want)
		now, err := f.CatalogueRevision(t.Context())
		if err != nil || now == last {
			t.Errorf("after %+v the revision is still %+v (%v)", change, now, err)
		}
		last = now
	}
	got, err := f.Course(t.Context(), "other")
	equal(t, got, err, course("other"))
	f.fails(core.ErrNoRecord, func(ctx context.Context, tx learning.Tx) error {
		return tx.AddToRatings(ctx, "nobody", catalog.Ratings{Sum: 1, Count: 1})
	})
}

// raceRate has five users rate a course concurrently, many times each. In the end the sum of
// the course must be that of the rows. The transaction is that of Community.Rate, whose first
// statement locks the course.
func raceRate(t *testing.T, f *fixture) {
	c := course("c")
	c.Ratings = catalog.Ratings{}
	f.add(c)
	people := []string{"a", "b", "c", "d", "e"}
	wins := f.race(60, func(ctx context.Context, tx learning.Tx, i int) (bool, error) {
		r := rating(people[i%len(people)], "c", 1+i/len(people)%community.MaxStars)
		if err := tx.MarkCourseChanged(ctx, "c"); err != nil {
			return false, err
		}
		old, err := tx.Rating(ctx, r.UserID, r.CourseID)
		if errors.Is(err, core.ErrNoRecord) {
			if err := tx.InsertRating(ctx, r); err != nil {
				return false, err
			}
			return true, tx.AddToRatings(ctx, "c", catalog.Ratings{Sum: r.Stars, Count: 1})
		}
		if err != nil {
			return false, err
		}
		moved, err := tx.ReplaceRating(ctx, r, old.Stars)
		if err != nil || !moved {
			return false, err
		}
		return true, tx.AddToRatings(ctx, "c", catalog.Ratings{Sum: r.Stars - old.Stars})
	})
	want := catalog.Ratings{Count: len(people)}
	for _, id := range people {
		r, err := f.Rating(t.Context(), id, "c")
		if err != nil {
			t.Fatal(err)
		}
		want.Sum += r.Stars
	}
	got, err := f.Course(t.Context(), "c")
	if err != nil || got.Ratings != want || wins != 60 {
		t.Errorf("%d of 60 transactions succeeded; the course has %+v, the rows %+v (%v)", wins,
			got.Ratings, want, err)
	}
}
