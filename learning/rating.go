package learning

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Rating is what somebody thinks of a course. There is one a person and course.
type Rating struct {
	UserID    string
	CourseID  string
	Stars     int // from 1 to MaxStars
	CreatedAt time.Time
	UpdatedAt time.Time
}

// MaxStars is the best that a course can be given; the worst is 1.
const MaxStars = 5

// Rate gives the actor's stars to a course, in place of what they gave before. The
// course's mean moves in the same transaction, by the difference. Errors:
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

// rate stores a rating and counts it. The course comes first, though nothing is
// known to change yet: its row is the lock that brings everybody who rates the
// course into one line, so that what is read behind it is the latest.
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
	if !moved { // on an engine that locks nothing before COMMIT somebody was faster: again
		return fmt.Errorf("replace a rating: %w", ErrDuplicate)
	}
	return tx.CountRating(ctx, want.CourseID, Ratings{Sum: want.Stars - old.Stars})
}

// rated tells whether the stars are there although their transaction failed: the
// answer to COMMIT can be lost.
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
	// InsertRating adds one; [ErrDuplicate] when the person has rated the course.
	InsertRating(ctx context.Context, r Rating) error
	// ReplaceRating overwrites the stars and the update time of a rating that still
	// has the old stars; it tells whether it did.
	ReplaceRating(ctx context.Context, r Rating, old int) (bool, error)
}
