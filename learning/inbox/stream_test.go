package inbox_test

import (
	"errors"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/inbox"
)

// next returns the next number of a stream.
func next(t *testing.T, s *inbox.Stream) int {
	t.Helper()
	select {
	case n := <-s.Unread():
		return n
	case <-time.After(roomtest.Bound):
		t.Fatal("the stream tells nothing")
		return 0
	}
}

// open opens a stream.
func open(t *testing.T, w *roomtest.World, who core.Actor) *inbox.Stream {
	t.Helper()
	s, err := w.Platform.Inbox.OpenStream(ctx(), who)
	roomtest.Must(t, err)
	return s
}

func TestStream_TellsWhateverChangesTheNumber(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		w.Platform.Inbox.SetPollEvery(5 * time.Millisecond)
		ada, eve := w.Person(t, "ada", core.Student), w.Person(t, "eve", core.Student)
		a, b, other := open(t, w, ada), open(t, w, ada), open(t, w, eve)
		defer b.Close()
		defer other.Close()
		want := func(n int) {
			t.Helper()
			for _, s := range []*inbox.Stream{a, b} {
				if got := next(t, s); got != n {
					t.Errorf("%d are not read, want %d", got, n)
				}
			}
		}
		want(0)
		question := post(t, w, ada, "")
		answer := reply(t, w, eve, question)
		want(1)
		roomtest.Must(t, w.Platform.Community.DeleteReply(ctx(), eve, question.ID, answer.ID))
		want(0)
		reply(t, w, eve, question)
		want(1)
		roomtest.Must(t, w.Platform.Inbox.MarkReadUntil(ctx(), ada, w.Clock.Now()))
		want(0)

		// A closed stream leaves the others.
		a.Close()
		a = open(t, w, ada)
		defer a.Close()
		if n := next(t, a); n != 0 {
			t.Errorf("another stream begins with %d", n)
		}
		w.DeleteUser(t, "ada")
		for _, s := range []*inbox.Stream{a, b} {
			select {
			case <-s.Ended():
			case <-time.After(roomtest.Bound):
				t.Error("the stream of a deleted user does not end")
			}
		}
		select {
		case <-other.Ended():
			t.Error("the stream of another user ends")
		default:
		}
	})
}

func TestStream_AtMostFourOfAUser(t *testing.T) {
	t.Parallel()
	w := roomtest.New(t, roomtest.SQLite(t))
	ada, eve := w.Person(t, "ada", core.Student), w.Person(t, "eve", core.Student)
	list := make([]*inbox.Stream, inbox.MaxStreams)
	for i := range list {
		list[i] = open(t, w, ada)
	}
	if _, err := w.Platform.Inbox.OpenStream(ctx(), ada); !errors.Is(err,
		inbox.ErrTooManyStreams) {
		t.Errorf("the fifth stream: %v", err)
	}
	open(t, w, eve).Close()
	list[0].Close()
	list[0] = open(t, w, ada)
	for _, s := range list {
		s.Close()
	}
}

// Streams end when the process is to stop, so that a server which waits for its requests can stop.
func TestStream_EndsWithRun(t *testing.T) {
	t.Parallel()
	w := roomtest.New(t, roomtest.SQLite(t))
	ada := w.Person(t, "ada", core.Student)
	s := open(t, w, ada)
	defer s.Close()
	w.Platform.Inbox.ForRooms().EndStreams()
	late := open(t, w, ada)
	defer late.Close()
	for _, s := range []*inbox.Stream{s, late} {
		if n := next(t, s); n != 0 {
			t.Errorf("a stream begins with %d", n)
		}
		<-s.Ended()
	}
	w.Platform.Inbox.ForRooms().BeginStreams()
	again := open(t, w, ada)
	defer again.Close()
	select {
	case <-again.Ended():
		t.Error("a stream ends though the platform runs again")
	default:
	}
}
