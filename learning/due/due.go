package due

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/openlectern/openlectern/internal/schedule"
	"github.com/openlectern/openlectern/internal/text"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/study"
)

// NotifyAssignmentDue tells a student who has submitted nothing that the time ends in a day.
const NotifyAssignmentDue core.NotificationKind = "assignment.due"

// AssignmentDue is the due time of an assignment, of which students are told a day before. It is
// kept with the content of the course.
type AssignmentDue struct {
	ID        string // of what students are told
	CourseID  string
	LectureID string
	AfterDays int       // after the enrolment; 0 if DueAt is set
	DueAt     time.Time // zero if it depends on the enrolment
	// NextAt is when the next student is to be told, or when to look for one; zero for never.
	NextAt time.Time
	// ToldTo is the last student who was told, in the order of the enrolments of the course.
	ToldTo core.Position
}

const (
	// tellDueEvery is the interval at which an instance looks for due times to tell.
	tellDueEvery = 10 * time.Minute
	// tellDueLease is the lease of it, after which another instance goes on if one crashes.
	tellDueLease = time.Minute
	// toldBefore is how long before the due time students are told.
	toldBefore = 24 * time.Hour
	// toldAtOnce and duesAtOnce are how many students and due times are read at a time.
	toldAtOnce = 4 * core.MaxNotifications
	duesAtOnce = 10
)

// tellingDue is the schedule of tellDues.
func (s *ForRooms) tellingDue() core.Work {
	isDue := func(ctx context.Context) (bool, error) {
		list, err := s.store.DuesAt(ctx, s.base.Now(), 1)
		return len(list) > 0, err
	}
	return core.Work{
		Schedule: schedule.New(s.base.Leases, "assignments due", tellDueEvery, s.tellDues).
			WithLease(tellDueLease).OnlyIf(isDue),
		FirstPause: schedule.FirstPause(tellDueEvery),
	}
}

// dueOf returns the due time of an assignment that is stored now, and false if nobody is told of
// it: without one, and where it is less than two days after the enrolment.
func dueOf(courseID string, l catalog.Lecture, now time.Time) (d AssignmentDue, isTold bool) {
	a := l.Assignment
	if a == nil || !text.ValidID(l.ID, 4*catalog.MaxContentID) {
		return AssignmentDue{}, false
	}
	d = AssignmentDue{CourseID: courseID, LectureID: l.ID, DueAt: a.DueAt}
	if a.DueAfterDays != nil {
		d.AfterDays, d.NextAt = *a.DueAfterDays, now
		return d, d.AfterDays >= 2
	}
	if a.DueAt.After(now) {
		d.NextAt = a.DueAt.Add(-toldBefore)
	}
	return d, !a.DueAt.IsZero()
}

// ContentStored makes the due times of a course follow its content, which the transaction has
// stored and locked. One that has not changed keeps who was told of it, and so does one that
// depends on the enrolment as before.
func (s *ForRooms) ContentStored(
	ctx context.Context, tx Tx, courseID string, content []catalog.Chapter,
) error {
	list, err := tx.DuesOf(ctx, courseID)
	if err != nil {
		return core.Wrap("read the due times of a course", err)
	}
	stored := map[string]AssignmentDue{} // by the id of the lecture
	for _, d := range list {
		stored[d.LectureID] = d
	}
	var changed []AssignmentDue
	for _, ch := range content {
		for _, l := range ch.Lectures {
			d, isTold := dueOf(courseID, l, s.base.Now())
			if !isTold {
				continue
			}
			old, isStored := stored[l.ID]
			delete(stored, l.ID)
			if isStored && old.AfterDays == d.AfterDays && old.DueAt.Equal(d.DueAt) {
				continue
			}
			d.ID = s.base.NewID()
			if isStored {
				d.ID = old.ID
			}
			if old.AfterDays > 0 && d.AfterDays > 0 {
				d.ToldTo = old.ToldTo
			}
			changed = append(changed, d)
		}
	}
	var gone []string
	for _, d := range list {
		if _, isGone := stored[d.LectureID]; isGone {
			gone = append(gone, d.LectureID)
		}
	}
	if len(gone) > 0 {
		if err := tx.DeleteDuesIn(ctx, courseID, gone); err != nil {
			return err
		}
	}
	if len(changed) == 0 {
		return nil
	}
	return tx.SetDues(ctx, changed)
}

// tellDues tells students of the due times that are a day ahead. If it fails at one, it goes on
// with the others, and returns the errors.
func (s *ForRooms) tellDues(ctx context.Context) error {
	for {
		now := s.base.Now()
		list, err := s.store.DuesAt(ctx, now, duesAtOnce)
		if err != nil {
			return core.Wrap("list due times", err)
		}
		var failures []error
		for _, d := range list {
			if err := s.tellDue(ctx, d, now); err != nil {
				failures = append(failures, fmt.Errorf("tell of the assignment %s: %w",
					d.LectureID, err))
			}
		}
		if len(list) < duesAtOnce || len(failures) > 0 {
			return errors.Join(failures...)
		}
	}
}

// enrolledBetween returns the times of the enrolments whose students are told at a time: those for
// whom the due time is at most a day ahead, and not over, and who were not told before.
func (d AssignmentDue) enrolledBetween(now time.Time) (from, until time.Time) {
	if d.AfterDays == 0 {
		return core.Latest(time.Unix(0, 0).UTC(), d.ToldTo.At), now
	}
	from = now.Add(-time.Duration(d.AfterDays) * 24 * time.Hour)
	return core.Latest(from, d.ToldTo.At), from.Add(toldBefore)
}

// after returns the due time when all students are told who were enrolled before a time. next is
// the first enrolment since; zero for none.
func (d AssignmentDue) after(until, next, now time.Time) AssignmentDue {
	d.ToldTo = core.Position{At: until}
	if d.AfterDays == 0 {
		d.NextAt = time.Time{}
		return d
	}
	// Enrolments may be imported that began earlier, so this looks again after a day.
	d.NextAt = now.Add(toldBefore)
	wait := time.Duration(d.AfterDays)*24*time.Hour - toldBefore
	if told := next.Add(wait); !next.IsZero() && told.Before(d.NextAt) {
		d.NextAt = core.Latest(told, now.Add(time.Microsecond))
	}
	return d
}

// tellDue tells the students of a due time, some in each transaction. A transaction moves the
// position from where it was read, so that of two instances one tells these students, and after a
// crash another one goes on behind them. It stops if the due time is changed or removed meanwhile.
func (s *ForRooms) tellDue(ctx context.Context, d AssignmentDue, now time.Time) error {
	from, until := d.enrolledBetween(now)
	for isLast := false; !isLast; {
		isMoved := false
		var next AssignmentDue
		err := s.base.Change(ctx, func(tx Tx, changes *core.Changes) error {
			// Read the next students, and move the position behind them.
			students, err := tx.StudentsDue(ctx, d, DueWindow{From: from, Until: until, Now: now},
				toldAtOnce)
			if err != nil {
				return err
			}
			isLast = len(students) < toldAtOnce
			next = d
			if isLast {
				enrolled, err := tx.FirstEnrolled(ctx, d.CourseID, until)
				if err != nil {
					return err
				}
				next = d.after(until, enrolled, now)
			} else {
				next.ToldTo = students[len(students)-1]
			}
			if isMoved, err = tx.MoveDue(ctx, d, next); err != nil || !isMoved {
				return err
			}

			// Tell those to whom the lecture is open.
			students, err = openTo(ctx, tx, students, d, now)
			if err != nil {
				return err
			}
			for _, student := range students {
				changes.Notify("", core.Notification{
					Kind:     NotifyAssignmentDue,
					ReaderID: student.ID,
					Thing:    d.ID,
					NotificationIDs: core.NotificationIDs{CourseID: d.CourseID,
						LectureID: d.LectureID},
				})
			}
			return nil
		})
		if err != nil || !isMoved {
			return err
		}
		d = next
	}
	return nil
}

// openTo returns those of the students of a course, who have access to it at a time, to whom the
// lecture of an assignment is open. In a course that is gated it asks for one after the other,
// because that depends on the progress of each.
func openTo(
	ctx context.Context, tx Tx, students []core.Position, d AssignmentDue, now time.Time,
) (told []core.Position, err error) {
	course, err := tx.Course(ctx, d.CourseID)
	if err != nil || !course.IsGated() {
		return students, core.Wrap("read a course", err)
	}
	for _, student := range students {
		access, err := study.AccessOf(ctx, tx, core.Actor{UserID: student.ID}, d.CourseID, now)
		if err != nil {
			return nil, err
		}
		if access.RequireOpen(d.LectureID) == nil {
			told = append(told, student)
		}
	}
	return told, nil
}

// System has the operations of the host itself on due times. They take no actor and check no
// permission.
type System struct{ service *Service }

// System returns the operations that take no actor.
func (s *Service) System() System { return System{s} }

// TellDue tells students of assignments whose time ends in a day. Platform.Run of package learning
// does it every few minutes. It is safe for concurrent use, also in several processes.
func (host System) TellDue(ctx context.Context) error {
	return host.service.ForRooms().tellDues(ctx)
}

// DueWindow selects students to tell of a due time.
type DueWindow struct {
	From, Until time.Time // of the enrolments, without the latter
	Now         time.Time // access must not have ended then
}

// dueReader reads due times.
type dueReader interface {
	// DuesOf lists the due times of a course, in no order.
	DuesOf(ctx context.Context, courseID string) ([]AssignmentDue, error)
	// DuesAt lists at most limit due times of which something is to tell at a time, the oldest
	// first.
	DuesAt(ctx context.Context, now time.Time, limit int) ([]AssignmentDue, error)
	// StudentsDue lists at most limit students of a course behind d.ToldTo, in the order of their
	// enrolments, who have submitted nothing.
	StudentsDue(ctx context.Context, d AssignmentDue, w DueWindow,
		limit int) ([]core.Position, error)
	// FirstEnrolled returns when the first of the present students of a course was enrolled since a
	// time; zero for none.
	FirstEnrolled(ctx context.Context, courseID string, since time.Time) (time.Time, error)
}

// dueWriter changes due times.
type dueWriter interface {
	// SetDues stores due times, each in place of the one of its lecture. There must be one at
	// least.
	SetDues(ctx context.Context, list []AssignmentDue) error
	// MoveDue sets NextAt and ToldTo of a due time, if both are still those of from. It reports
	// whether it has.
	MoveDue(ctx context.Context, from, to AssignmentDue) (bool, error)
	// DeleteDuesIn deletes the due times of lectures. There must be one at least.
	DeleteDuesIn(ctx context.Context, courseID string, lectureIDs []string) error
	// DeleteDues deletes the due times of a course.
	DeleteDues(ctx context.Context, courseID string) error
}
