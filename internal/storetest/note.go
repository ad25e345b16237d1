package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/study"
)

var noteTests = []test{
	{"notes are stored with all fields, in order, and changed", noteFields},
	{"a slot is taken once by a user in a course", noteSlots},
}

// note returns a note of "u" in the course "c" at lecture "l".
func note(id string, slot int) study.Note {
	return study.Note{ID: id, UserID: "u", CourseID: "c", LectureID: "l", Slot: slot,
		Text: "Text of " + id, CreatedAt: noon.Add(time.Duration(slot) * time.Second),
		UpdatedAt: noon}
}

func noteFields(t *testing.T, f *fixture) {
	list := func(want ...study.Note) {
		t.Helper()
		got, err := f.Notes(t.Context(), "u", "c", core.PageRequest{Limit: 10})
		equal(t, got, err, want)
		pages := paged(t, func(ctx context.Context, page core.PageRequest) ([]study.Note,
			error) {
			return f.Notes(ctx, "u", "c", page)
		}, func(n study.Note) core.Position {
			return core.Position{At: n.CreatedAt, ID: n.ID}
		})
		equal(t, pages, nil, want)
	}
	a, b, other := note("a", 1), note("b", 0), note("other", 0)
	a.At, other.UserID = new(core.Milliseconds(0)), "v"
	f.add(a, b, other)
	list(b, a)
	a.At, a.Text, a.UpdatedAt = new(core.Milliseconds(1500)), "New", noon.Add(time.Hour)
	stolen := other
	stolen.UserID, stolen.Text = "u", "Stolen"
	f.do(func(ctx context.Context, tx learning.Tx) error {
		if err := tx.UpdateNote(ctx, stolen); err != nil {
			return err
		}
		if err := tx.DeleteNote(ctx, "v", "b"); err != nil { // it is not theirs
			return err
		}
		return tx.UpdateNote(ctx, a)
	})
	list(b, a)
	got, err := f.Note(t.Context(), "v", "other")
	equal(t, got, err, other)
	got, err = f.Note(t.Context(), "u", "other")
	missing(t, got, err)
	f.do(func(ctx context.Context, tx learning.Tx) error { return tx.DeleteNote(ctx, "u", "b") })
	list(a)
	f.do(func(ctx context.Context, tx learning.Tx) error { return tx.DeleteNotes(ctx, "u") })
	list()
}

func noteSlots(t *testing.T, f *fixture) {
	same := note("same", 3)
	f.add(note("a", 3), note("b", 0))
	f.fails(core.ErrDuplicate, func(ctx context.Context, tx learning.Tx) error {
		return tx.InsertNote(ctx, same)
	})
	same.CourseID = "d"
	f.add(same)
	got, err := f.NoteSlots(t.Context(), "u", "c")
	if len(got) == 2 && got[0] > got[1] { // they have no order
		got[0], got[1] = got[1], got[0]
	}
	equal(t, got, err, []int{0, 3})
}
