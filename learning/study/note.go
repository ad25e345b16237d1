package study

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/openlectern/openlectern/internal/paging"
	"github.com/openlectern/openlectern/internal/slot"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
)

// The public failures of notes.
var (
	ErrNoteNotFound = &core.Error{Kind: core.NotFound, Code: "note_not_found",
		Message: "Note not found"}
	ErrTooManyNotes = &core.Error{Kind: core.Conflict, Code: "too_many_notes",
		Message: "You have 1,000 notes in this course. Please delete some first."}
)

// Note is what a student has written down at a lecture. Only its writer can read it.
type Note struct {
	ID        string
	UserID    string
	CourseID  string
	LectureID string // the course may not have it any more
	// Slot is a number below [MaxNotes] that no other note of the user in the course has, so that
	// the database bounds their number.
	Slot      int
	At        *core.Milliseconds // from the beginning of the lecture; nil for no place in it
	Text      string             // unchanged, with any markup; a front end must escape it
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Limits of notes (docs/api.md §7).
const (
	MaxNotes    = 1_000 // of a user in a course
	MaxNoteText = 5_000 // code points
)

// NewNote is the input of [Service.CreateNote].
type NewNote struct {
	CourseID  string
	LectureID string
	Seconds   *float64 // from the beginning of the lecture; nil for no place in it
	Text      string
}

// NoteChange is the input of [Service.ChangeNote]. Nil leaves a field as it is.
type NoteChange struct {
	Seconds *float64
	Text    *string
}

// Notes returns a page of the actor's notes in a course, the oldest first, also after the access to
// the course has ended. Errors: [core.ErrUnauthenticated], [core.ErrInvalidRequest] if page has no
// valid limit.
func (s *Service) Notes(
	ctx context.Context, actor core.Actor, courseID string, page core.PageRequest,
) (core.Page[Note], error) {
	if err := actor.Require(); err != nil {
		return core.Page[Note]{}, err
	}
	read := func(ctx context.Context, page core.PageRequest) ([]Note, error) {
		return s.store.Notes(ctx, actor.UserID, courseID, page)
	}
	return paging.ReadPage(ctx, "list notes", page, read,
		func(n Note) core.Position { return core.Position{At: n.CreatedAt, ID: n.ID} })
}

// CreateNote stores a note of the actor, who must be enrolled. Errors: [core.ErrUnauthenticated],
// also if the user is deleted during the call, [core.ErrInvalidRequest],
// [catalog.ErrCourseNotFound], [ErrNotPurchased], [ErrAccessEnded], [catalog.ErrInvalidLecture],
// [ErrLectureLocked], [ErrTooManyNotes].
func (s *Service) CreateNote(ctx context.Context, actor core.Actor, n NewNote) (Note, error) {
	if err := actor.Require(); err != nil {
		return Note{}, err
	}
	now := s.base.Now()
	note := Note{ID: s.base.NewID(), UserID: actor.UserID, CourseID: n.CourseID,
		LectureID: n.LectureID, CreatedAt: now, UpdatedAt: now}
	if err := note.set(n.Seconds, &n.Text); err != nil {
		return Note{}, err
	}
	// The actor is enrolled, and the lecture is open.
	if _, _, err := s.lecturesWith(ctx, actor, n.CourseID, n.LectureID); err != nil {
		return Note{}, err
	}

	// Take a slot. The transaction has locked the user: without that, concurrent calls would choose
	// the same slot, and all but one would fail.
	err := s.base.ChangeOfUndeleted(ctx, actor.UserID, func(tx Tx, _ *core.Changes) (err error) {
		if note.Slot, err = freeNoteSlot(ctx, tx, actor.UserID, n.CourseID); err != nil {
			return err
		}
		return tx.InsertNote(ctx, note)
	})
	return note, core.Wrap("create a note", err)
}

// freeNoteSlot returns a number that no note of a user in a course has. A transaction that has
// locked the user calls it. Error: [ErrTooManyNotes].
func freeNoteSlot(ctx context.Context, tx Tx, userID, courseID string) (int, error) {
	taken, err := tx.NoteSlots(ctx, userID, courseID)
	if err != nil {
		return 0, fmt.Errorf("read the numbers of notes: %w", err)
	}
	slot, found := slot.Free(taken, MaxNotes)
	if !found {
		return 0, ErrTooManyNotes
	}
	return slot, nil
}

// set sets the place and the text of a note, unless they are nil. Error: [core.ErrInvalidRequest].
func (n *Note) set(seconds *float64, newText *string) error {
	if seconds != nil {
		if err := core.RequireBetween("seconds", *seconds, 0, MaxPosition); err != nil {
			return err
		}
		n.At = new(core.Milliseconds(math.Round(*seconds * 1000)))
	}
	if newText != nil {
		n.Text = strings.TrimSpace(*newText)
		if err := core.RequireText("text", n.Text, 1, MaxNoteText); err != nil {
			return err
		}
	}
	return nil
}

// ChangeNote changes a note of the actor, who must still be enrolled, and returns it. Errors:
// [core.ErrUnauthenticated], [core.ErrInvalidRequest], [ErrNoteNotFound], [ErrNotPurchased].
func (s *Service) ChangeNote(
	ctx context.Context, actor core.Actor, id string, change NoteChange,
) (Note, error) {
	note, err := s.writableNote(ctx, actor, id)
	if err != nil {
		return Note{}, err
	}
	if err := note.set(change.Seconds, change.Text); err != nil {
		return Note{}, err
	}

	// Read it again after the lock, so that a concurrent change of another field stays.
	err = s.base.ChangeOfUser(ctx, actor.UserID, func(tx Tx, _ *core.Changes) (err error) {
		if note, err = findNote(ctx, tx, actor, id); err != nil {
			return err
		}
		if err := note.set(change.Seconds, change.Text); err != nil {
			return err
		}
		note.UpdatedAt = s.base.Now()
		return tx.UpdateNote(ctx, note)
	})
	return note, core.Wrap("change a note", err)
}

// DeleteNote deletes a note of the actor, who must still be enrolled. Errors:
// [core.ErrUnauthenticated], [ErrNoteNotFound], [ErrNotPurchased].
func (s *Service) DeleteNote(ctx context.Context, actor core.Actor, id string) error {
	note, err := s.writableNote(ctx, actor, id)
	if err != nil {
		return err
	}
	err = s.base.InTx(ctx, func(tx Tx) error { return tx.DeleteNote(ctx, note.UserID, note.ID) })
	return core.Wrap("delete a note", err)
}

// writableNote returns a note of the actor, who must be enrolled in its course. Errors: those of
// DeleteNote.
func (s *Service) writableNote(ctx context.Context, actor core.Actor, id string) (Note, error) {
	if err := actor.Require(); err != nil {
		return Note{}, err
	}
	note, err := findNote(ctx, s.store, actor, id)
	if err != nil {
		return Note{}, core.Wrap("read a note", err)
	}
	err = s.ForRooms().RequireEnrolled(ctx, actor, note.CourseID)
	if errors.Is(err, catalog.ErrCourseNotFound) { // a draft; the actor was enrolled in it
		err = ErrNotPurchased
	}
	return note, err
}

// findNote reads a note of the actor. Error: [ErrNoteNotFound].
func findNote(ctx context.Context, r Reader, actor core.Actor, id string) (Note, error) {
	note, err := r.Note(ctx, actor.UserID, id)
	if errors.Is(err, core.ErrNoRecord) {
		err = ErrNoteNotFound
	}
	return note, err
}

// noteReader reads notes.
type noteReader interface {
	// Note reads a note of a user.
	Note(ctx context.Context, userID, id string) (Note, error)
	// Notes lists a page of the notes of a user in a course, the oldest first.
	Notes(ctx context.Context, userID, courseID string, page core.PageRequest) ([]Note, error)
	// NoteSlots lists the slots of the notes of a user in a course, in any order.
	NoteSlots(ctx context.Context, userID, courseID string) ([]int, error)
}

// noteWriter writes notes.
type noteWriter interface {
	// InsertNote adds a note. It returns [core.ErrDuplicate] if its slot is taken.
	InsertNote(ctx context.Context, n Note) error
	// UpdateNote stores the place, the text and the update time of a note.
	UpdateNote(ctx context.Context, n Note) error
	// DeleteNote deletes a note of a user, if there is one.
	DeleteNote(ctx context.Context, userID, id string) error
	// DeleteNotes deletes all notes of a user.
	DeleteNotes(ctx context.Context, userID string) error
}
