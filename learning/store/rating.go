package store

import (
	"context"

	"github.com/openlectern/openlectern/learning/community"
)

func (r reader) Rating(ctx context.Context, userID, courseID string) (community.Rating, error) {
	var row struct {
		Stars      int         `db:"stars"`
		CreatedAt  timestamp   `db:"created_at"`
		UpdatedAt  timestamp   `db:"updated_at"`
		ReviewID   optionalKey `db:"review_id"`
		ReviewedAt timestamp   `db:"reviewed_at"`
	}
	err := r.q.Get(ctx, "read a rating", &row,
		`SELECT stars, created_at, updated_at, review_id, reviewed_at
		FROM {ratings} WHERE user_id = ? AND course_id = ?`,
		key(userID), key(courseID))
	if err != nil {
		return community.Rating{}, err
	}
	return community.Rating{
		UserID:     userID,
		CourseID:   courseID,
		Stars:      row.Stars,
		CreatedAt:  row.CreatedAt.Time(),
		UpdatedAt:  row.UpdatedAt.Time(),
		ReviewID:   string(row.ReviewID),
		ReviewedAt: row.ReviewedAt.Time(),
	}, nil
}

// InsertRating returns ErrDuplicate if the user has rated the course.
func (t *tx) InsertRating(ctx context.Context, r community.Rating) error {
	return t.Insert(ctx, "insert a rating", `
		INSERT INTO {ratings} (user_id, course_id, stars, created_at, updated_at)
		VALUES (?, ?, ?, ?, ?)`,
		key(r.UserID), key(r.CourseID), r.Stars, timestamp(r.CreatedAt), timestamp(r.UpdatedAt))
}

// ReplaceRating changes nothing, and returns false, if the stars are no longer old.
func (t *tx) ReplaceRating(ctx context.Context, r community.Rating, old int) (bool, error) {
	return t.Update(ctx, "replace a rating", `
		UPDATE {ratings} SET stars = ?, updated_at = ?
		WHERE user_id = ? AND course_id = ? AND stars = ?`,
		r.Stars, timestamp(r.UpdatedAt), key(r.UserID), key(r.CourseID), old)
}
