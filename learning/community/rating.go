package community

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/openlectern/openlectern/internal/record"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
)

// TotalRatings counts ratings, by course and stars.
const TotalRatings core.TotalKind = "ratings"

// Rating is the rating of a course by a user. There is at most one for both.
type Rating struct {
	UserID    string
	CourseID  string
	Stars     int // from 1 to MaxStars
	CreatedAt time.Time
	UpdatedAt time.Time

	ReviewID   string // "" without a text; see [Review]
	ReviewedAt time.Time
}

// MaxStars is the best rating. The worst is 1.
const MaxStars = 5

// checkStars returns an error unless a rating may have so many stars.
func checkStars(stars int) error { return core.RequireBetween("rating", stars, 1, MaxStars) }

// Rate stores the actor's rating of a course, or replaces it. The same transaction
// updates the ratings of the course. Errors: [core.ErrUnauthenticated],
// [core.ErrInvalidRequest], [catalog.ErrCourseNotFound], [study.ErrNotPurchased].
func (s *Service) Rate(ctx context.Context, actor core.Actor, courseID string, stars int) error {
	course, err := s.study.EnrolledIn(ctx, actor, courseID)
	if err != nil {
		return err
	}
	if err := checkStars(stars); err != nil {
		return err
	}

	// The enrolment shows the actor's rating. A repetition changes nothing, and needs no
	// transaction.
	if course.Stars == stars {
		return nil
	}
	now := s.base.Now()
	want := Rating{UserID: actor.UserID, CourseID: courseID, Stars: stars, CreatedAt: now,
		UpdatedAt: now}
	err = record.RetryDuplicate(ctx, func() error {
		return s.base.Change(ctx, func(tx Tx, changes *core.Changes) error {
			tx.Repeatable() // a second run finds the same stars, and counts nothing
			return rate(ctx, tx, changes, want)
		})
	})
	return core.Wrap("rate a course", err)
}

// rate stores a rating and updates the sum and the number of the ratings of the course. It marks
// the course as changed first, because its row is the lock that serialises the ratings of the
// course: the reads after it return the latest state. It returns [core.ErrDuplicate] if a
// concurrent call has rated for the same user: the callers then run the transaction again.
func rate(ctx context.Context, tx Tx, changes *core.Changes, want Rating) error {
	if err := tx.MarkCourseChanged(ctx, want.CourseID); err != nil {
		return err
	}

	// A first rating is inserted and counted.
	old, err := tx.Rating(ctx, want.UserID, want.CourseID)
	if errors.Is(err, core.ErrNoRecord) {
		if err := tx.InsertRating(ctx, want); err != nil {
			return err
		}
		changes.Count(want.CourseID, ratingTotal(want, 1))
		return tx.AddToRatings(ctx, want.CourseID, catalog.Ratings{Sum: want.Stars, Count: 1})
	}

	// Another one replaces it: only the sum changes.
	if err != nil || old.Stars == want.Stars {
		return err
	}
	replaced, err := tx.ReplaceRating(ctx, want, old.Stars)
	if err != nil {
		return err
	}
	if !replaced { // on an engine that locks only at COMMIT, a concurrent call was first: retry
		return fmt.Errorf("replace a rating: %w", core.ErrDuplicate)
	}
	changes.Count(want.CourseID, ratingTotal(old, -1), ratingTotal(want, 1))
	return tx.AddToRatings(ctx, want.CourseID, catalog.Ratings{Sum: want.Stars - old.Stars})
}

// ratingReader reads ratings.
type ratingReader interface {
	Rating(ctx context.Context, userID, courseID string) (Rating, error)
}

// ratingWriter writes ratings.
type ratingWriter interface {
	// InsertRating adds a rating. It returns [core.ErrDuplicate] if the user has rated the course.
	InsertRating(ctx context.Context, r Rating) error
	// ReplaceRating overwrites the stars and the update time of a rating, if it has the
	// old stars. It reports whether it did.
	ReplaceRating(ctx context.Context, r Rating, old int) (bool, error)
}
