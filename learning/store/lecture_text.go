package store

import (
	"context"
	"slices"
	"strings"

	"github.com/openlectern/openlectern/learning/catalog"
)

func (r reader) LectureTexts(ctx context.Context, courseID string) (map[string]string, error) {
	var rows []struct {
		LectureID string `db:"lecture_id"`
		Body      string `db:"body"`
	}
	err := r.q.List(ctx, "list the texts of a course", &rows,
		`SELECT lecture_id, body FROM {lecture_texts} WHERE course_id = ?`, key(courseID))
	if err != nil {
		return nil, err
	}
	texts := make(map[string]string, len(rows))
	for _, row := range rows {
		texts[row.LectureID] = row.Body
	}
	return texts, nil
}

// textBatch is how many texts one statement inserts.
const textBatch = 50

// InsertLectureTexts inserts textBatch rows at a time. It does nothing if there are no texts. It
// returns ErrDuplicate if a lecture has a text.
func (t *tx) InsertLectureTexts(
	ctx context.Context, courseID string, texts []catalog.LectureText,
) error {
	for chunk := range slices.Chunk(texts, textBatch) {
		var args []any
		for _, one := range chunk {
			args = append(args, key(courseID), key(one.LectureID), one.Text)
		}
		err := t.InsertAll(ctx, "insert texts of lectures",
			`INSERT INTO {lecture_texts} (course_id, lecture_id, body) VALUES `+
				strings.TrimPrefix(strings.Repeat(`, (?, ?, ?)`, len(chunk)), `, `), args...)
		if err != nil {
			return err
		}
	}
	return nil
}

// DeleteLectureTexts deletes idBatchSize rows at a time.
func (t *tx) DeleteLectureTexts(
	ctx context.Context, courseID string, lectureIDs []string,
) error {
	for chunk := range slices.Chunk(lectureIDs, idBatchSize) {
		_, err := t.Exec(ctx, "delete texts of lectures", `
			DELETE FROM {lecture_texts}
			WHERE course_id = ? AND lecture_id IN (`+placeholders(idBatchSize)+`)`,
			append([]any{key(courseID)}, batchArgs(chunk)...)...)
		if err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) DeleteTextsOfCourse(ctx context.Context, courseID string) error {
	_, err := t.Exec(ctx, "delete the texts of a course",
		`DELETE FROM {lecture_texts} WHERE course_id = ?`, key(courseID))
	return err
}
