package community

import (
	"context"
	"errors"
	"time"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
)

// ImportedRating is a rating of another system, with what was written to it.
type ImportedRating struct {
	UserID   string
	CourseID string
	Stars    int    // from 1 to [MaxStars]
	Text     string // at most [MaxReview]; "" for none
	At       time.Time
	Title    string // of the course

	EducatorID string // of the course
}

// ImportRating stores a rating, in a transaction that has locked the user, and reports whether it
// did: it replaces one of an earlier time, and does nothing beside one of the same or a later time.
// A text that is not "" replaces the one of before.
func (s *ForRooms) ImportRating(
	ctx context.Context, tx Tx, changes *core.Changes, r ImportedRating,
) (bool, error) {
	// Lock the course, and compare with the rating that is there.
	if _, err := tx.LockCourse(ctx, r.CourseID); err != nil {
		return false, err
	}
	old, err := tx.Rating(ctx, r.UserID, r.CourseID)
	if err != nil && !errors.Is(err, core.ErrNoRecord) {
		return false, err
	}
	if err == nil && !old.UpdatedAt.Before(r.At) {
		return false, nil
	}

	// Store the stars and the text.
	want := Rating{UserID: r.UserID, CourseID: r.CourseID, Stars: r.Stars, CreatedAt: r.At,
		UpdatedAt: r.At}
	if old.Stars == want.Stars { // only the time changes, of which lists show nothing
		_, err = tx.ReplaceRating(ctx, want, old.Stars)
	} else {
		err = rate(ctx, tx, changes, want)
	}
	if err != nil || r.Text == "" {
		return err == nil, err
	}
	var nobody core.Actor // whom only the removal of a text needs
	return true, (*Service)(s).setReview(ctx, tx, changes, nobody, want, r.Text,
		catalog.Course{ID: r.CourseID, Title: r.Title, Educator: core.Person{ID: r.EducatorID}})
}
