package learning

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Rating is the rating of a course by a user. There is at most one for both.
type Rating struct {
	UserID    string
	CourseID  string
	Stars     int // from 1 to MaxStars
	CreatedAt time.Time
	UpdatedAt time.Time
}

// MaxStars is the best rating. The worst is 1.
const MaxStars = 5

// Rate stores the actor's rating of a course, or replaces it. The same transaction
// updates the ratings of the course. Errors: [ErrUnauthenticated],
// [ErrInvalidRequest], [ErrCourseNotFound], [ErrNotPurchased].
func (p *Platform) Rate(ctx context.Context, actor Actor, courseID string, stars int) error {
	course, err := p.enrolledIn(ctx, actor, courseID)
	if err != nil {
		return err
	}
	if stars < 1 || stars > MaxStars {
		return ErrInvalidRequest
	}
	if course.Stars == stars {
		return nil
	}
	now := p.now()
	want := Rating{UserID: actor.UserID, CourseID: courseID, Stars: stars, CreatedAt: now, UpdatedAt: now}
	err = p.inTxRetry(ctx, func(tx Tx) error {
		tx.AfterCommit(p.catalogueChanged)
		return rate(ctx, tx, want)
	})
	if err != nil && p.ratingStored(ctx, want) {
		err = nil
	}
	return wrap("rate a course", err)
}

// rate stores a rating and updates the ratings of the course. It marks the course as
// changed first, because its row is the lock that serialises the ratings of the course:
// the reads after it return the latest state.
func rate(ctx context.Context, tx Tx, want Rating) error {
	if err := tx.MarkCourseChanged(ctx, want.CourseID); err != nil {
		return err
	}
	old, err := tx.Rating(ctx, want.UserID, want.CourseID)
	if errors.Is(err, ErrNoRecord) {
		if err := tx.InsertRating(ctx, want); err != nil {
			return err
		}
		return tx.CountRating(ctx, want.CourseID, Ratings{Sum: want.Stars, Count: 1})
	}
	if err != nil || old.Stars == want.Stars {
		return err
	}
	moved, err := tx.ReplaceRating(ctx, want, old.Stars)
	if err != nil {
		return err
	}
	if !moved { // on an engine that locks only at COMMIT, a concurrent call was first: retry
		return fmt.Errorf("replace a rating: %w", ErrDuplicate)
	}
	return tx.CountRating(ctx, want.CourseID, Ratings{Sum: want.Stars - old.Stars})
}

// ratingStored reports whether a rating is stored although its transaction returned an
// error, because the answer to COMMIT can be lost.
func (p *Platform) ratingStored(ctx context.Context, want Rating) bool {
	ctx, cancel := p.provider(context.WithoutCancel(ctx))
	defer cancel()
	r, err := p.store.Rating(ctx, want.UserID, want.CourseID)
	if err != nil || r.Stars != want.Stars {
		return false
	}
	p.catalogueChanged()
	return true
}

// RatingReader reads ratings.
type RatingReader interface {
	Rating(ctx context.Context, userID, courseID string) (Rating, error)
}

// RatingWriter writes ratings.
type RatingWriter interface {
	// InsertRating adds a rating. It returns [ErrDuplicate] if the user has rated the course.
	InsertRating(ctx context.Context, r Rating) error
	// ReplaceRating overwrites the stars and the update time of a rating, if it has the
	// old stars. It reports whether it did.
	ReplaceRating(ctx context.Context, r Rating, old int) (bool, error)
}
