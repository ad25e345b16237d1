package inbox

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/openlectern/openlectern/internal/schedule"
	"github.com/openlectern/openlectern/learning/core"
)

const (
	// tellEvery is the interval at which an instance looks for announcements to tell.
	tellEvery = 30 * time.Second
	// tellLease is the lease of telling, after which another instance goes on if one crashes.
	tellLease = 15 * time.Second
	// toldAtOnce is how many students one transaction notifies.
	toldAtOnce = 10 * core.MaxNotifications
	// announcementsAtOnce is how many announcements are read at a time.
	announcementsAtOnce = 10
)

// telling is the schedule of tellAll.
func (s *ForRooms) telling() core.Work {
	return core.Work{
		Schedule: schedule.New(s.base.Leases, "announcements", tellEvery, s.tellAll).
			WithLease(tellLease).OnlyIf(s.store.AnnouncementsWait),
		FirstPause: schedule.FirstPause(tellEvery),
	}
}

// tellAll notifies students of the announcements that wait, and deletes the notifications of those
// that were deleted.
func (s *ForRooms) tellAll(ctx context.Context) error {
	for _, work := range []struct {
		state AnnouncementState
		do    func(ctx context.Context, a Announcement) error
	}{
		{AnnouncementTelling, s.tell}, {AnnouncementDeleted, s.removeNotifications},
	} {
		for {
			list, err := s.store.AnnouncementsIn(ctx, work.state, announcementsAtOnce)
			if err != nil {
				return core.Wrap("list announcements", err)
			}
			if len(list) == 0 {
				break
			}
			for _, a := range list {
				if err := work.do(ctx, a); err != nil {
					return fmt.Errorf("tell of announcement %s: %w", a.ID, err)
				}
			}
		}
	}
	return nil
}

// tell notifies the students who were enrolled when an announcement was published, some in each
// transaction. They are read before it, because it locks each of them. A transaction moves the
// position of the announcement from where it was read, so that of two instances one tells these
// students, and after a crash another one goes on behind them. It moves nothing any more once the
// announcement was deleted.
func (s *ForRooms) tell(ctx context.Context, a Announcement) error {
	for a.State == AnnouncementTelling {
		students, err := s.studentsToTell(ctx, a)
		if err != nil {
			return err
		}
		next := a
		if len(students) < toldAtOnce { // the last ones
			next.State, next.ToldTo = AnnouncementTold, core.Position{}
		} else {
			next.ToldTo = students[len(students)-1]
		}
		isMoved := false
		err = s.base.Change(ctx, func(tx Tx, changes *core.Changes) (err error) {
			if isMoved, err = tx.MoveAnnouncement(ctx, a.ToldTo, next); err != nil || !isMoved {
				return err
			}
			for _, student := range students {
				changes.Notify(a.Author.ID, core.Notification{
					Kind:     NotifyAnnouncement,
					ReaderID: student.ID,
					ActorID:  a.Author.ID,
					Thing:    a.ID,
					NotificationIDs: core.NotificationIDs{CourseID: a.CourseID,
						AnnouncementID: a.ID},
				})
			}
			return nil
		})
		if err != nil || !isMoved { // another instance tells, or it was deleted
			return err
		}
		a = next
	}
	return nil
}

// studentsToTell returns the next students to notify of an announcement: none if its course is not
// published any more.
func (s *ForRooms) studentsToTell(
	ctx context.Context, a Announcement,
) ([]core.Position, error) {
	course, err := s.store.Course(ctx, a.CourseID)
	if errors.Is(err, core.ErrNoRecord) || err == nil && !course.Published {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return s.store.StudentsUpTo(ctx, a.CourseID, a.CreatedAt, a.ToldTo, toldAtOnce)
}

// removeNotifications deletes the notifications of a deleted announcement, some in each
// transaction, and then the announcement.
func (s *ForRooms) removeNotifications(ctx context.Context, a Announcement) error {
	for {
		userIDs, err := s.store.ReadersOf(ctx, a.ID, toldAtOnce)
		if err != nil {
			return err
		}
		err = s.base.InTx(ctx, func(tx Tx) error {
			tx.Repeatable() // a second run deletes nothing more
			if len(userIDs) == 0 {
				return tx.DeleteAnnouncement(ctx, a.ID)
			}
			for chunk := range slices.Chunk(userIDs, core.MaxNotifications) {
				if err := tx.DeleteAnnouncementNotifications(ctx, a.ID, chunk); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil || len(userIDs) == 0 {
			return err
		}
	}
}

// System has the operations of the host itself on notifications. They take no actor and check no
// permission.
type System struct{ service *Service }

// System returns the operations that take no actor.
func (s *Service) System() System { return System{s} }

// TellAnnouncements notifies students of the announcements that wait. Platform.Run of package
// learning does it every few seconds. It is safe for concurrent use, also in several processes.
func (host System) TellAnnouncements(ctx context.Context) error {
	return host.service.ForRooms().tellAll(ctx)
}
