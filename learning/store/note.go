package store

import (
	"context"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/study"
)

type noteRow struct {
	ID        string             `db:"id"`
	UserID    string             `db:"user_id"`
	CourseID  string             `db:"course_id"`
	LectureID string             `db:"lecture_id"`
	Slot      int                `db:"slot"`
	At        *core.Milliseconds `db:"milliseconds"`
	CreatedAt timestamp          `db:"created_at"`
	UpdatedAt timestamp          `db:"updated_at"`
	Text      string             `db:"body"`
}

const selectNotes = `SELECT n.id, n.user_id, n.course_id, n.lecture_id, n.slot, n.milliseconds,
		n.created_at, n.updated_at, n.body
	FROM {notes} n`

func (r *noteRow) note() study.Note {
	return study.Note{
		ID:        r.ID,
		UserID:    r.UserID,
		CourseID:  r.CourseID,
		LectureID: r.LectureID,
		Slot:      r.Slot,
		At:        r.At,
		Text:      r.Text,
		CreatedAt: r.CreatedAt.Time(),
		UpdatedAt: r.UpdatedAt.Time(),
	}
}

func (r reader) Note(ctx context.Context, userID, id string) (study.Note, error) {
	var row noteRow
	err := r.q.Get(ctx, "read a note", &row, selectNotes+` WHERE n.id = ? AND n.user_id = ?`,
		key(id), key(userID))
	return row.note(), err
}

func (r reader) Notes(
	ctx context.Context, userID, courseID string, page core.PageRequest,
) ([]study.Note, error) {
	var f filter
	f.add(`n.user_id = ?`, key(userID))
	f.add(`n.course_id = ?`, key(courseID))
	tail, limit := r.engine().addPage(&f, order{columns: []string{"n.created_at", "n.id"}}, page)
	var rows []noteRow
	err := r.q.List(ctx, "list notes", &rows,
		selectNotes+r.engine().ForceIndex("notes_by_creation")+f.where()+tail,
		append(f.args, limit)...)
	list := make([]study.Note, len(rows))
	for i := range rows {
		list[i] = rows[i].note()
	}
	return list, err
}

func (r reader) NoteSlots(
	ctx context.Context, userID, courseID string,
) (slots []int, err error) {
	err = r.q.List(ctx, "list the slots of notes", &slots,
		`SELECT slot FROM {notes} WHERE user_id = ? AND course_id = ?`, key(userID), key(courseID))
	return slots, err
}

func (t *tx) InsertNote(ctx context.Context, n study.Note) error {
	return t.Insert(ctx, "insert a note", `
		INSERT INTO {notes} (id, user_id, course_id, lecture_id, slot, milliseconds, created_at,
			updated_at, body)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		key(n.ID), key(n.UserID), key(n.CourseID), key(n.LectureID), n.Slot, n.At,
		timestamp(n.CreatedAt), timestamp(n.UpdatedAt), n.Text)
}

func (t *tx) UpdateNote(ctx context.Context, n study.Note) error {
	_, err := t.Exec(ctx, "change a note", `
		UPDATE {notes} SET milliseconds = ?, updated_at = ?, body = ?
		WHERE id = ? AND user_id = ?`,
		n.At, timestamp(n.UpdatedAt), n.Text, key(n.ID), key(n.UserID))
	return err
}

func (t *tx) DeleteNote(ctx context.Context, userID, id string) error {
	_, err := t.Exec(ctx, "delete a note", `DELETE FROM {notes} WHERE id = ? AND user_id = ?`,
		key(id), key(userID))
	return err
}

func (t *tx) DeleteNotes(ctx context.Context, userID string) error {
	_, err := t.Exec(ctx, "delete notes", `DELETE FROM {notes} WHERE user_id = ?`, key(userID))
	return err
}
