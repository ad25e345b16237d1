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

// Limits of a time entry (docs/api.md §7). Lengths count code points.
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
	const tries = 5
	for range tries {
		if err = p.trackTime(ctx, e); !errors.Is(err, ErrDuplicate) { // else the first visits of a day were made at once
			break
		}
	}
	return wrap("track time", err)
}

// trackTime looks for the row of the day before the transaction: where it was looked for
// and is missing, several transactions that insert it would wait for each other.
func (p *Platform) trackTime(ctx context.Context, e TimeEntry) error {
	begun, err := p.store.HasTimeDay(ctx, e.UserID, e.Day)
	if err != nil {
		return err
	}
	kept := true
	err = p.store.InTx(ctx, func(tx Tx) (err error) {
		if err = lockTimeDay(ctx, tx, e, begun); err == nil {
			kept, err = addVisit(ctx, tx, e, begun)
		}
		return err
	})
	if err == nil && !kept {
		p.log.WarnContext(ctx, "time is not kept: too many places in one day", "user", e.UserID)
	}
	return err
}

// lockTimeDay locks the day of an entry until the end of the transaction, so that the
// visits of one person to one day are stored one after the other. [ErrDuplicate] means
// that the row was inserted or deleted since it was looked for.
func lockTimeDay(ctx context.Context, tx Tx, e TimeEntry, begun bool) error {
	if !begun {
		return tx.InsertTimeDay(ctx, e.UserID, e.Day)
	}
	found, err := tx.LockTimeDay(ctx, e.UserID, e.Day)
	if err == nil && !found {
		err = ErrDuplicate
	}
	return err
}

// addVisit adds a visit to a day that is locked. Of its time it adds what the day has
// left; it is not kept if it would be at one place too many.
func addVisit(ctx context.Context, tx Tx, e TimeEntry, begun bool) (kept bool, err error) {
	day, err := tx.TimeDayOf(ctx, e)
	if err != nil {
		return false, err
	}
	e.Time = min(e.Time, max(MaxTrackedSeconds*1000-day.Time, 0))
	switch {
	case day.Known:
		if err := addTime(ctx, tx, e); err != nil || begun {
			return true, err
		}
		return true, requireNotDeleted(ctx, tx, e.UserID)
	case day.Places >= placesOfDay:
		return false, nil
	}
	if err := tx.InsertTimeEntry(ctx, e); err != nil {
		return false, err
	}
	return true, requireNotDeleted(ctx, tx, e.UserID)
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

// TimeDay is what a person has spent on one UTC day.
type TimeDay struct {
	Places int          // how many entries there are
	Known  bool         // that of the page and path in question is among them
	Time   Milliseconds // of all entries
}

// TimeEntryReader reads and sums up the time that people spent, each with one
// statement however much there is.
type TimeEntryReader interface {
	// HasTimeDay reports whether the row of a person's day was inserted.
	HasTimeDay(ctx context.Context, userID string, day time.Time) (bool, error)
	// TimeDayOf sums up the entries of the person and day of e. What was spent in e does
	// not matter.
	TimeDayOf(ctx context.Context, e TimeEntry) (TimeDay, error)
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
	// InsertTimeDay inserts the row of a person's day, which locks it; [ErrDuplicate] when
	// it is there.
	InsertTimeDay(ctx context.Context, userID string, day time.Time) error
	// LockTimeDay locks the row of a person's day until the end of the transaction; it
	// tells whether there is one.
	LockTimeDay(ctx context.Context, userID string, day time.Time) (bool, error)
	// InsertTimeEntry adds one; [ErrDuplicate] when there is one of the same person,
	// day, page and path.
	InsertTimeEntry(ctx context.Context, e TimeEntry) error
	// AddTime adds what was spent in e to the entry of the same person, day, page and
	// path, and stores its last visit; it tells whether there is one.
	AddTime(ctx context.Context, e TimeEntry) (bool, error)
	// DeleteTimeDays removes the rows of all days of a person.
	DeleteTimeDays(ctx context.Context, userID string) error
	// DeleteTimeEntries removes all entries of a person.
	DeleteTimeEntries(ctx context.Context, userID string) error
}
