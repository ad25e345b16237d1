package study

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"net/url"
	"strings"
	"time"

	"github.com/openlectern/openlectern/internal/record"
	"github.com/openlectern/openlectern/internal/text"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
)

// Limits of a time entry (docs/api.md §7). Lengths count code points.
const (
	MaxPageName       = 100
	MaxPath           = 500
	maxTrackedSeconds = 86_400
)

// maxPlacesPerDay is the maximum number of time entries of one user in one UTC day. It
// bounds the storage that one account can use.
const maxPlacesPerDay = 1_000

// Spent is an amount of time, and the number of visits in which it was spent.
type Spent struct {
	Time   core.Milliseconds
	Visits int
}

func (s *Spent) add(other Spent) {
	s.Time += other.Time
	s.Visits += other.Visits
}

// TimeEntry is the time that a user spent at one place, a page and a path, in one UTC
// day. All visits of the day are one entry. It is kept until the user is deleted.
type TimeEntry struct {
	UserID string
	Day    time.Time // its midnight
	Page   string    // what the front end calls it
	Path   string    // as the front end sent it

	LastVisit time.Time // on that day; zero if unknown

	// The subject of the path: learning in a course, or the quiz of one of its
	// chapters. Neither needs to exist.
	CourseID  string // "" if the path has no subject
	ChapterID string // "" unless it is a quiz

	Spent
}

// NewTimeEntry is a visit as a front end reports it.
type NewTimeEntry struct {
	Page    string
	Path    string
	Seconds float64 // greater than 0; rounded to milliseconds, a half up
}

// entry returns the time entry of one visit. It returns [core.ErrInvalidRequest] if a limit
// is exceeded. A visit of less than half a millisecond still counts as a visit.
func (n NewTimeEntry) entry(userID string, now time.Time) (TimeEntry, error) {
	e := TimeEntry{UserID: userID, Day: core.Midnight(now), LastVisit: now,
		Page: strings.TrimSpace(n.Page), Path: strings.TrimSpace(n.Path)}
	inTime := n.Seconds > 0 && n.Seconds <= maxTrackedSeconds // false for NaN
	err := cmp.Or(core.Require(inTime, "duration",
		fmt.Sprintf("must be greater than 0 and at most %d", maxTrackedSeconds)),
		core.RequireText("page", e.Page, 1, MaxPageName),
		core.RequireText("path", e.Path, 1, MaxPath))
	if err != nil {
		return TimeEntry{}, err
	}
	e.CourseID, e.ChapterID = parseSubject(e.Path)
	e.Spent = Spent{Time: core.Milliseconds(math.Round(n.Seconds * 1000)), Visits: 1}
	return e, nil
}

// parseSubject returns the subject of a path: a course for /player/:courseId, a quiz for
// /quiz/:courseId/:chapterId, and "" for any other path. It ignores the query, the fragment and a
// slash at the end, and decodes percent-encoded ids.
func parseSubject(path string) (courseID, chapterID string) {
	u, err := url.Parse(path)
	if err != nil {
		return "", ""
	}

	// The first part is what is before the first slash: nothing.
	parts := strings.Split(strings.TrimSuffix(u.EscapedPath(), "/"), "/")
	for i, part := range parts {
		if parts[i], err = url.PathUnescape(part); err != nil {
			return "", ""
		}
	}
	switch {
	case len(parts) == 3 && parts[0] == "" && parts[1] == "player" &&
		text.ValidID(parts[2], catalog.MaxCourseID):
		return parts[2], ""
	case len(parts) == 4 && parts[0] == "" && parts[1] == "quiz" &&
		text.ValidID(parts[2], catalog.MaxCourseID) && catalog.IsContentID(parts[3]):
		return parts[2], parts[3]
	}
	return "", ""
}

// TrackTime adds a visit to the actor's time of the present day. Errors:
// [core.ErrUnauthenticated], also if the user is deleted during the call, and
// [core.ErrInvalidRequest].
func (s *Service) TrackTime(ctx context.Context, actor core.Actor, n NewTimeEntry) error {
	if err := actor.Require(); err != nil {
		return err
	}
	e, err := n.entry(actor.UserID, s.base.Now())
	if err != nil {
		return err
	}
	// It runs again if a concurrent call has inserted the row of the day or of the place.
	err = record.RetryDuplicate(ctx, func() error { return s.trackTime(ctx, e) })
	return core.Wrap("track time", err)
}

// trackTime stores a visit, or logs that the day has too many places and returns nil. It looks for
// the row of the day before the transaction, because concurrent transactions that read the missing
// row and then insert it would deadlock. It returns [core.ErrDuplicate] as lockTimeDay does, or if
// a concurrent call has inserted the entry: TrackTime then calls it again.
func (s *Service) trackTime(ctx context.Context, e TimeEntry) error {
	begun, err := s.store.HasTimeDay(ctx, e.UserID, e.Day)
	if err != nil {
		return err
	}
	var kept bool // whether the visit is stored
	err = s.base.InTx(ctx, func(tx Tx) (err error) {
		if err = lockTimeDay(ctx, tx, e, begun); err != nil {
			return err
		}
		kept, err = addVisit(ctx, tx, e, begun)
		return err
	})
	if err != nil {
		return err
	}
	if !kept {
		s.base.Log.WarnContext(ctx, "time is not kept: too many places in one day", "user",
			e.UserID)
	}
	return nil
}

// lockTimeDay locks the day of an entry until the end of the transaction, so that the
// visits of one user in one day are stored one after the other. begun says whether the day had a
// row when trackTime looked for it. It returns [core.ErrDuplicate] if the row was inserted or
// deleted since.
func lockTimeDay(ctx context.Context, tx Tx, e TimeEntry, begun bool) error {
	if !begun {
		return tx.InsertTimeDay(ctx, e.UserID, e.Day)
	}
	found, err := tx.LockTimeDay(ctx, e.UserID, e.Day)
	if err == nil && !found {
		err = core.ErrDuplicate
	}
	return err
}

// addVisit adds a visit to a locked day. It adds no more time than the day has left, and none to a
// day that is full: the visit counts all the same. kept is false if the day has maxPlacesPerDay
// entries and none for this place. begun is as in lockTimeDay.
func addVisit(ctx context.Context, tx Tx, e TimeEntry, begun bool) (kept bool, err error) {
	// Read what the day has, and whether it has an entry of this place.
	day, err := tx.TimeDayOf(ctx, e)
	if err != nil {
		return false, err
	}
	const wholeDay = maxTrackedSeconds * 1000 // in milliseconds
	e.Time = min(e.Time, max(wholeDay-day.Time, 0))
	switch {
	case day.Known:
		if err := addTime(ctx, tx, e); err != nil {
			return false, err
		}
		if begun { // addTime has found out that the user was not deleted
			return true, nil
		}
		// The entry was not stored by TrackTime, because its day had no row. The new row must not
		// outlive the user: see core.LockUndeleted.
		return true, core.LockUndeleted(ctx, tx, e.UserID)
	case day.Places >= maxPlacesPerDay:
		return false, nil
	}
	if err := tx.InsertTimeEntry(ctx, e); err != nil {
		return false, err
	}
	// A new entry must not outlive the user: see core.LockUndeleted.
	return true, core.LockUndeleted(ctx, tx, e.UserID)
}

// addTime adds a visit to an existing entry. It returns [core.ErrUnauthenticated] if the
// entry was removed, because only the deletion of the user removes entries.
func addTime(ctx context.Context, tx Tx, e TimeEntry) error {
	added, err := tx.AddTime(ctx, e)
	if err == nil && !added {
		return core.ErrUnauthenticated
	}
	return err
}

// TimeDay is the time that a user spent in one UTC day.
type TimeDay struct {
	Places int               // number of entries
	Known  bool              // whether the day has an entry for the given page and path
	Time   core.Milliseconds // of all entries
}

// timeEntryReader reads and sums up the time of users. Each method runs one statement,
// however many entries there are.
type timeEntryReader interface {
	// HasTimeDay reports whether the row of a user's day exists.
	HasTimeDay(ctx context.Context, userID string, day time.Time) (bool, error)
	// TimeDayOf sums up the entries of the user and day of e. It ignores the time of e.
	TimeDayOf(ctx context.Context, e TimeEntry) (TimeDay, error)
	// TimeByPlace sums up the entries of a user over all days, one for each page and
	// path, in any order. LastVisit is the last visit, or the last day if the visit is
	// unknown.
	TimeByPlace(ctx context.Context, userID string) ([]TimeEntry, error)
	// TimeByDay sums up the entries of a user from a day on, one for each day and page,
	// in any order.
	TimeByDay(ctx context.Context, userID string, from time.Time) ([]TimeEntry, error)
	// TimedCourses reads the courses that a user's entries name, including drafts, in
	// any order. It leaves out ids that name no course.
	TimedCourses(ctx context.Context, userID string) ([]TimedCourse, error)
}

// timeEntryWriter writes the time of users.
type timeEntryWriter interface {
	// InsertTimeDay inserts the row of a user's day, which locks it. It returns
	// [core.ErrDuplicate] if the row exists.
	InsertTimeDay(ctx context.Context, userID string, day time.Time) error
	// LockTimeDay locks the row of a user's day until the end of the transaction. It
	// reports whether the row exists.
	LockTimeDay(ctx context.Context, userID string, day time.Time) (bool, error)
	// InsertTimeEntry adds an entry. It returns [core.ErrDuplicate] if there is one of the
	// same user, day, page and path.
	InsertTimeEntry(ctx context.Context, e TimeEntry) error
	// AddTime adds the time and visits of e to the entry of the same user, day, page
	// and path, and stores its last visit. It reports whether there is such an entry.
	AddTime(ctx context.Context, e TimeEntry) (bool, error)
	// DeleteTimeDays removes the rows of all days of a user.
	DeleteTimeDays(ctx context.Context, userID string) error
}
