package learning

import (
	"context"
	"errors"
	"math"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"
)

// Limits of a time entry (contract.md §7). Lengths count code points.
const (
	MaxPage           = 100
	MaxPath           = 500
	MaxTrackedSeconds = 86_400
)

// placesOfDay is how many places one person can have time at in one UTC day: far
// more than anybody sees, so that what one account can store is bounded.
const placesOfDay = 1_000

// Milliseconds is an amount of time, as exact as browsers tell it. What they claim
// adds up to more than a [time.Duration] can hold.
type Milliseconds int64

// Seconds is the time in whole seconds, a half rounded up. It is never negative.
func (m Milliseconds) Seconds() int64 { return int64((m + 500) / 1000) }

// Spent is time, and the visits in which it was spent.
type Spent struct {
	Time   Milliseconds
	Visits int
}

func (s *Spent) add(other Spent) {
	s.Time += other.Time
	s.Visits += other.Visits
}

// TimeEntry is what a person spent at one place in one UTC day, all visits
// together: a day of coming back to the same page is one entry. Only the deletion
// of the person removes it.
type TimeEntry struct {
	UserID string
	Day    time.Time // its midnight
	Page   string    // what the front end calls it
	Path   string    // as the front end sent it

	LastVisit time.Time // on that day; zero when it is not known

	// What the path is about, read from it once: learning in a course, or the quiz of
	// one of its chapters. Neither needs to exist.
	CourseID  string // "" for neither
	ChapterID string // "" unless it is a quiz

	Spent
}

// NewTimeEntry is a visit as a front end sends it.
type NewTimeEntry struct {
	Page    string
	Path    string
	Seconds float64 // above 0; kept in whole milliseconds, half of one rounded up
}

// entry is what a visit adds to a person's time; [ErrInvalidRequest] when it breaks
// a limit. A visit too short to measure counts as one all the same.
func (n NewTimeEntry) entry(userID string, now time.Time) (TimeEntry, error) {
	e := TimeEntry{UserID: userID, Day: midnight(now), LastVisit: now, Page: strings.TrimSpace(n.Page), Path: strings.TrimSpace(n.Path)}
	inTime := n.Seconds > 0 && n.Seconds <= MaxTrackedSeconds // and a number
	if !inTime || !isText(e.Page, 1, MaxPage) || !isText(e.Path, 1, MaxPath) {
		return TimeEntry{}, ErrInvalidRequest
	}
	e.CourseID, e.ChapterID = subject(e.Path)
	e.Spent = Spent{Milliseconds(math.Round(n.Seconds * 1000)), 1}
	return e, nil
}

// subject reads from a path what it is about: /player/:courseId is learning,
// /quiz/:courseId/:chapterId a quiz. Query, fragment, a slash at the end and the
// way the ids are percent-encoded make no difference.
func subject(path string) (courseID, chapterID string) {
	u, err := url.Parse(path)
	if err != nil {
		return "", ""
	}
	parts := strings.Split(strings.TrimSuffix(u.EscapedPath(), "/"), "/")
	for i, part := range parts {
		if parts[i], err = url.PathUnescape(part); err != nil {
			return "", ""
		}
	}
	switch {
	case len(parts) == 3 && parts[0] == "" && parts[1] == "player" && validID(parts[2], maxCourseID):
		return parts[2], ""
	case len(parts) == 4 && parts[0] == "" && parts[1] == "quiz" && validID(parts[2], maxCourseID) && isContentID(parts[3]):
		return parts[2], parts[3]
	}
	return "", ""
}

// isContentID tells whether a chapter or lecture could have this id.
func isContentID(id string) bool { return utf8.ValidString(id) && isText(id, 1, MaxContentID) }

// midnight is when the UTC day of a time began.
func midnight(t time.Time) time.Time { return t.UTC().Truncate(24 * time.Hour) }

// TrackTime adds a visit to the actor's time, on the day on which it is told.
// Errors: [ErrUnauthenticated], also for somebody who was deleted meanwhile, and
// [ErrInvalidRequest].
func (p *Platform) TrackTime(ctx context.Context, actor Actor, n NewTimeEntry) error {
	if err := actor.Require(); err != nil {
		return err
	}
	e, err := n.entry(actor.UserID, p.now())
	if err != nil {
		return err
	}
	err = p.trackTime(ctx, e)
	if errors.Is(err, ErrDuplicate) { // the first visit of the day was two at once: now the entry is seen
		err = p.trackTime(ctx, e)
	}
	return said("track time", err)
}

// trackTime looks for the entry before the transaction, which would else see the
// person as they stood when it looked.
func (p *Platform) trackTime(ctx context.Context, e TimeEntry) error {
	places, known, err := p.store.PlacesOfDay(ctx, e)
	if err != nil {
		return err
	}
	if !known && places >= placesOfDay {
		p.log.WarnContext(ctx, "time is not kept: too many places in one day", "user", e.UserID)
		return nil
	}
	return p.store.InTx(ctx, func(tx Tx) error {
		if known {
			return addTime(ctx, tx, e)
		}
		return insertTime(ctx, tx, e)
	})
}

// addTime finds the entry only while the person is not deleted: their deletion
// either waits for it, and removes it, or has removed it.
func addTime(ctx context.Context, tx Tx, e TimeEntry) error {
	added, err := tx.AddTime(ctx, e)
	if err == nil && !added {
		return ErrUnauthenticated
	}
	return err
}

func insertTime(ctx context.Context, tx Tx, e TimeEntry) error {
	if err := tx.InsertTimeEntry(ctx, e); err != nil {
		return err
	}
	return stillHere(ctx, tx, e.UserID)
}

// TimeEntryReader reads and sums up the time that people spent, each with one
// statement however much there is.
type TimeEntryReader interface {
	// PlacesOfDay counts the entries of a person on a day, and tells whether that of
	// the page and path of e is among them. What was spent in e does not matter.
	PlacesOfDay(ctx context.Context, e TimeEntry) (places int, known bool, err error)
	// TimeByPlace sums up the entries of a person over all days, one for each page and
	// path, in any order. Each has its last visit, or the last day where that is not
	// known.
	TimeByPlace(ctx context.Context, userID string) ([]TimeEntry, error)
	// TimeByDay sums up the entries of a person from a day on, one for each day and
	// page, in any order.
	TimeByDay(ctx context.Context, userID string, from time.Time) ([]TimeEntry, error)
	// TimedCourses reads the courses that a person's entries are about, drafts too, in
	// any order. What an entry names and is no course is left out.
	TimedCourses(ctx context.Context, userID string) ([]TimedCourse, error)
}

// TimeEntryWriter writes the time that people spent.
type TimeEntryWriter interface {
	// InsertTimeEntry adds one; [ErrDuplicate] when there is one of the same person,
	// day, page and path.
	InsertTimeEntry(ctx context.Context, e TimeEntry) error
	// AddTime adds what was spent in e to the entry of the same person, day, page and
	// path, and stores its last visit; it tells whether there is one.
	AddTime(ctx context.Context, e TimeEntry) (bool, error)
	// DeleteTimeEntries removes all entries of a person.
	DeleteTimeEntries(ctx context.Context, userID string) error
}
