package store

import (
	"context"
	"errors"

	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/core"
)

func (r reader) ExtraAttempts(
	ctx context.Context, userID, courseID, chapterID string,
) (attempts int, err error) {
	err = r.q.Get(ctx, "read extra attempts", &attempts, `
		SELECT attempts FROM {quiz_extra_attempts}
		WHERE user_id = ? AND course_id = ? AND chapter_id = ?`,
		key(userID), key(courseID), key(chapterID))
	if errors.Is(err, core.ErrNoRecord) {
		return 0, nil
	}
	return attempts, err
}

func (r reader) ExtraAttemptsIn(
	ctx context.Context, userID, courseID string,
) (map[string]int, error) {
	byChapter := map[string]int{}
	var chapterID string
	var attempts int
	err := r.q.Each(ctx, "list extra attempts", []any{&chapterID, &attempts}, func() error {
		byChapter[chapterID] = attempts
		return nil
	}, `
		SELECT chapter_id, attempts FROM {quiz_extra_attempts}
		WHERE user_id = ? AND course_id = ?`, key(userID), key(courseID))
	return byChapter, err
}

func (t *tx) UpdateExtraAttempts(
	ctx context.Context, e assess.ExtraAttempts,
) (bool, error) {
	return t.Update(ctx, "update extra attempts", `
		UPDATE {quiz_extra_attempts} SET attempts = ?, decided_by = ?, decided_at = ?
		WHERE user_id = ? AND course_id = ? AND chapter_id = ?`,
		e.Attempts, storedKey(e.DecidedBy), timestamp(e.DecidedAt),
		key(e.UserID), key(e.CourseID), key(e.ChapterID))
}

func (t *tx) InsertExtraAttempts(ctx context.Context, e assess.ExtraAttempts) error {
	return t.Insert(ctx, "insert extra attempts", `
		INSERT INTO {quiz_extra_attempts} (user_id, course_id, chapter_id, attempts, decided_by,
			decided_at)
		VALUES (?, ?, ?, ?, ?, ?)`,
		key(e.UserID), key(e.CourseID), key(e.ChapterID), e.Attempts, key(e.DecidedBy),
		timestamp(e.DecidedAt))
}

func (t *tx) AddToAttemptsLeft(
	ctx context.Context, userID, courseID, chapterID string, more int,
) error {
	_, err := t.Exec(ctx, "change how many attempts are left", `
		UPDATE {quiz_attempts}
		SET attempts_left = CASE WHEN attempts_left > ? THEN attempts_left + ? ELSE 0 END
		WHERE user_id = ? AND course_id = ? AND chapter_id = ? AND submitted_at IS NULL
			AND attempts_left IS NOT NULL`,
		-more, more, key(userID), key(courseID), key(chapterID))
	return err
}

func (t *tx) DeleteExtraAttempts(ctx context.Context, courseID string) error {
	_, err := t.Exec(ctx, "delete the extra attempts of a course",
		`DELETE FROM {quiz_extra_attempts} WHERE course_id = ?`, key(courseID))
	return err
}
