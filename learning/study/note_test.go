package study_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/study"
)

func TestNotes_AreForTheirWriterOnly(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		course, other := w.Publish(t, "course", roomtest.Chapter("1", "a", "b")), w.Course(t, "other", 0)
		ada, bob := w.Enrolls(t, "ada", course), w.Enrolls(t, "bob", course)
		w.Enrolls(t, "ada", other)
		first := w.Notes(t, ada, course, "b", " First\n")
		w.Clock.Advance(time.Second)
		w.Notes(t, ada, course, "a", "Second")
		w.Notes(t, bob, course, "a", "Of Bob")
		w.Notes(t, ada, other, "lecture", "Other")
		w.WantNotes(t, ada, course, "b: First", "a: Second")
		w.WantNotes(t, bob, course, "a: Of Bob")
		w.WantNotes(t, roomtest.Teacher, course)
		_, err := w.Platform.Study.Notes(ctx(), learning.Actor{}, course,
			learning.PageRequest{Limit: 1})
		roomtest.WantFailure(t, err, core.ErrUnauthenticated, "list without a caller")

		changed, err := w.Platform.Study.ChangeNote(ctx(), ada, first.ID,
			study.NoteChange{Seconds: new(1.5)})
		if err != nil || changed.Text != "First" || !changed.UpdatedAt.Equal(w.Clock.Now()) {
			t.Errorf("changed %+v, %v", changed, err)
		}
		_, err = w.Platform.Study.ChangeNote(ctx(), ada, first.ID,
			study.NoteChange{Text: new("1st")})
		roomtest.Must(t, err)
		w.WantNotes(t, ada, course, "b: 1st (1500)", "a: Second")
		for _, who := range []learning.Actor{bob, roomtest.Teacher, roomtest.Boss} {
			_, err := w.Platform.Study.ChangeNote(ctx(), who, first.ID,
				study.NoteChange{Text: new("Mine")})
			if deleted := w.Platform.Study.DeleteNote(ctx(), who, first.ID); !errors.Is(err,
				study.ErrNoteNotFound) || !errors.Is(deleted, study.ErrNoteNotFound) {
				t.Errorf("%s changes it: %v, deletes it: %v", who.UserID, err, deleted)
			}
		}

		// They stay readable when the access ends, and when the lecture is removed.
		roomtest.Must(t, w.Platform.Study.EndEnrollment(ctx(), roomtest.Boss, "ada", course))
		w.Revise(t, course, roomtest.Chapter("1", "a"))
		w.WantNotes(t, ada, course, "b: 1st (1500)", "a: Second")
		_, err = w.Platform.Study.ChangeNote(ctx(), ada, first.ID,
			study.NoteChange{Text: new("New")})
		if deleted := w.Platform.Study.DeleteNote(ctx(), ada, first.ID); !errors.Is(err,
			study.ErrNotPurchased) || !errors.Is(deleted, study.ErrNotPurchased) {
			t.Errorf("after the end: changed %v, deleted %v", err, deleted)
		}
		w.Enrolls(t, "ada", course)
		roomtest.Must(t, w.Platform.Study.DeleteNote(ctx(), ada, first.ID))
		w.WantNotes(t, ada, course, "a: Second")
	})
}

func TestCreateNote_Refuses(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		course := w.Publish(t, "course", roomtest.Chapter("1", "a"))
		ada, eve := w.Enrolls(t, "ada", course), w.Person(t, "eve", core.Student)
		gone := w.Enrolls(t, "gone", course)
		w.DeleteUser(t, "gone")
		long := strings.Repeat("é", study.MaxNoteText)
		for _, c := range []struct {
			who  learning.Actor
			note study.NewNote
			want error
		}{
			{ada, study.NewNote{CourseID: course, LectureID: "a", Text: long}, nil},
			{ada, study.NewNote{CourseID: course, LectureID: "a", Text: long + "é"},
				core.ErrInvalidRequest},
			{ada, study.NewNote{CourseID: course, LectureID: "a", Text: " "},
				core.ErrInvalidRequest},
			{ada, study.NewNote{CourseID: course, LectureID: "a", Text: "?",
				Seconds: new(math.NaN())}, core.ErrInvalidRequest},
			{ada, study.NewNote{CourseID: course, LectureID: "b", Text: "?"},
				catalog.ErrInvalidLecture},
			{ada, study.NewNote{CourseID: "none", LectureID: "a", Text: "?"},
				catalog.ErrCourseNotFound},
			{eve, study.NewNote{CourseID: course, LectureID: "a", Text: "?"},
				study.ErrNotPurchased},
			{roomtest.Teacher, study.NewNote{CourseID: course, LectureID: "a", Text: "?"},
				study.ErrNotPurchased},
			{gone, study.NewNote{CourseID: course, LectureID: "a", Text: "?"},
				core.ErrUnauthenticated},
		} {
			if _, err := w.Platform.Study.CreateNote(ctx(), c.who, c.note); !errors.Is(err,
				c.want) {
				t.Errorf("%s, %.20q: %v, want %v", c.who.UserID, c.note.Text, err, c.want)
			}
		}
	})
}

func TestCreateNote_NeverExceedsTheLimitAtOnce(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		course := w.Publish(t, "course", roomtest.Chapter("1", "a"))
		ada := w.Enrolls(t, "ada", course)
		const left = 12 // notes up to the limit
		roomtest.Must(t, w.Store.InTx(ctx(), func(tx learning.Tx) error {
			for slot := range study.MaxNotes - left {
				n := study.Note{ID: fmt.Sprint("note-", slot), UserID: "ada", CourseID: course,
					LectureID: "a", Slot: slot, Text: "?"}
				if err := tx.InsertNote(ctx(), n); err != nil {
					return err
				}
			}
			return nil
		}))
		errs := make([]error, 5*left)
		var all sync.WaitGroup
		for i := range errs {
			all.Go(func() {
				_, errs[i] = w.Platform.Study.CreateNote(ctx(), ada,
					study.NewNote{CourseID: course, LectureID: "a", Text: "?"})
			})
		}
		all.Wait()
		stored := 0
		for _, err := range errs {
			if err == nil {
				stored++
			} else if !errors.Is(err, study.ErrTooManyNotes) {
				t.Errorf("a call beyond the limit: %v", err)
			}
		}
		slots, err := w.Store.NoteSlots(ctx(), "ada", course)
		if stored != left || len(slots) != study.MaxNotes || err != nil {
			t.Errorf("%d notes are stored, %d more by %d calls (%v): %v", len(slots), stored,
				len(errs), err, errs)
		}
	})
}
