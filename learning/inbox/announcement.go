package inbox

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/openlectern/openlectern/internal/paging"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
)

// ErrAnnouncementNotFound is the public failure of announcements.
var ErrAnnouncementNotFound = &core.Error{Kind: core.NotFound, Code: "announcement_not_found",
	Message: "Announcement not found"}

// EventAnnouncementPublished is the event of a new announcement.
const EventAnnouncementPublished core.EventType = "announcement.published"

// Announcement is a text of an educator for the students of a course.
type Announcement struct {
	ID        string
	CourseID  string
	Author    core.Person // the educator of the course, or an admin
	Title     string
	Text      string // Markdown; a front end must escape it
	CreatedAt time.Time
	State     AnnouncementState
	// ToldTo is the position of the last student who was told, in the order of the enrolments,
	// while students are told.
	ToldTo core.Position
}

// AnnouncementState says what is left to do with an announcement.
type AnnouncementState int

// The states of an announcement.
const (
	AnnouncementTold    AnnouncementState = 0 // nothing is left
	AnnouncementTelling AnnouncementState = 1 // students are to be told
	// AnnouncementDeleted is one that nobody can read any more, and whose notifications are to be
	// deleted.
	AnnouncementDeleted AnnouncementState = 2
)

// NewAnnouncement is the input of [Service.Announce].
type NewAnnouncement struct {
	CourseID string
	Title    string
	Text     string
}

// Limits of an announcement, in code points.
const (
	MaxAnnouncementTitle = 200
	MaxAnnouncementText  = 10_000
)

// Announce stores an announcement to the students of a course, for its educator and admins.
// Students who are enrolled now are notified by scheduled work, soon after, unless the course is
// not published then. Errors: [core.ErrUnauthenticated], [core.ErrForbidden],
// [core.ErrInvalidRequest],
// [catalog.ErrCourseNotFound].
func (s *Service) Announce(
	ctx context.Context, actor core.Actor, n NewAnnouncement,
) (created Announcement, err error) {
	course, err := s.catalog.Editable(ctx, actor, n.CourseID)
	if err != nil {
		return Announcement{}, err
	}
	n.Title, n.Text = strings.TrimSpace(n.Title), strings.TrimSpace(n.Text)
	if err := cmp.Or(core.RequireText("title", n.Title, 1, MaxAnnouncementTitle),
		core.RequireText("text", n.Text, 1, MaxAnnouncementText)); err != nil {
		return Announcement{}, err
	}
	a := Announcement{ID: s.base.NewID(), CourseID: n.CourseID,
		Author: core.Person{ID: actor.UserID}, Title: n.Title, Text: n.Text,
		CreatedAt: s.base.Now(), State: AnnouncementTelling}
	err = s.base.Change(ctx, func(tx Tx, changes *core.Changes) error {
		// A course without students may be deleted meanwhile.
		if err := catalog.LockCourse(ctx, tx, n.CourseID); err != nil {
			return err
		}
		changes.Add(EventAnnouncementPublished, "course", a.CourseID, core.EventData{
			AnnouncementID: a.ID, CourseID: a.CourseID, CourseTitle: course.Title,
			EducatorID: course.Educator.ID})
		if err := tx.InsertAnnouncement(ctx, a); err != nil {
			return err
		}
		created, err = tx.Announcement(ctx, a.ID) // with the name of its author
		return err
	})
	return created, core.Wrap("publish an announcement", err)
}

// CourseAnnouncements returns a page of the announcements of a course, the newest first, for its
// educator and admins. Errors: [core.ErrUnauthenticated], [core.ErrForbidden],
// [catalog.ErrCourseNotFound], [core.ErrInvalidRequest] if page has no valid limit.
func (s *Service) CourseAnnouncements(
	ctx context.Context, actor core.Actor, courseID string, page core.PageRequest,
) (core.Page[Announcement], error) {
	if _, err := s.catalog.Editable(ctx, actor, courseID); err != nil {
		return core.Page[Announcement]{}, err
	}
	return s.announcementsOf(ctx, courseID, page)
}

// announcementsOf returns a page of the announcements of a course.
func (s *Service) announcementsOf(
	ctx context.Context, courseID string, page core.PageRequest,
) (core.Page[Announcement], error) {
	read := func(ctx context.Context, page core.PageRequest) ([]Announcement, error) {
		return s.store.AnnouncementsOf(ctx, courseID, page)
	}
	return paging.ReadPage(ctx, "list announcements", page, read, positionOf)
}

// positionOf returns the position of an announcement in a list.
func positionOf(a Announcement) core.Position {
	return core.Position{At: a.CreatedAt, ID: a.ID}
}

// OwnAnnouncements returns a page of the announcements of a course that the actor is enrolled in,
// or of all of these courses if courseID is "", the newest first, also those of before the
// enrolment. When the access to a course has ended, those of after the end are left out. Errors:
// [core.ErrUnauthenticated], [study.ErrNotPurchased], [catalog.ErrCourseNotFound],
// [core.ErrInvalidRequest] if page has no valid limit.
func (s *Service) OwnAnnouncements(
	ctx context.Context, actor core.Actor, courseID string, page core.PageRequest,
) (core.Page[Announcement], error) {
	if err := actor.Require(); err != nil {
		return core.Page[Announcement]{}, err
	}
	if courseID != "" {
		e, err := s.study.EnrollmentOf(ctx, actor, courseID)
		if err != nil {
			return core.Page[Announcement]{}, err
		}
		// Whose access has ended reads those of before the end: the newest of them comes first.
		end := e.ExpiresAt
		if e.HasExpired(s.base.Now()) && (page.After.IsZero() || page.After.At.After(end)) {
			page.After = core.Position{At: end}
		}
		return s.announcementsOf(ctx, courseID, page)
	}
	read := func(ctx context.Context, page core.PageRequest) ([]Announcement, error) {
		ranges, err := s.store.AnnouncementRanges(ctx, actor.UserID)
		if err != nil {
			return nil, err
		}
		positions, err := s.store.AnnouncementPositions(ctx, ranges, page)
		if err != nil {
			return nil, err
		}
		return s.store.AnnouncementsAt(ctx, positions)
	}
	return paging.ReadPage(ctx, "list announcements", page, read, positionOf)
}

// DeleteAnnouncement deletes an announcement of a course, for its educator and admins. Who was not
// notified of it yet is not any more, and the notifications of it are deleted soon after. Errors:
// [core.ErrUnauthenticated], [core.ErrForbidden], [catalog.ErrCourseNotFound],
// [ErrAnnouncementNotFound].
func (s *Service) DeleteAnnouncement(
	ctx context.Context, actor core.Actor, courseID, id string,
) error {
	if _, err := s.catalog.Editable(ctx, actor, courseID); err != nil {
		return err
	}
	a, err := s.store.Announcement(ctx, id)
	isGone := errors.Is(err, core.ErrNoRecord) ||
		err == nil && (a.CourseID != courseID || a.State == AnnouncementDeleted)
	if isGone {
		return ErrAnnouncementNotFound
	}
	if err == nil {
		err = s.base.InTx(ctx, func(tx Tx) error {
			tx.Repeatable() // a second run deletes the same
			return tx.SetAnnouncementState(ctx, id, AnnouncementDeleted)
		})
	}
	return core.Wrap("delete an announcement", err)
}

// AnnouncementRange is which announcements of a course a student may read.
type AnnouncementRange struct {
	CourseID string
	Until    time.Time // the end of the access; zero for none
}

// announcementReader reads announcements.
type announcementReader interface {
	// Announcement reads an announcement, also a deleted one.
	Announcement(ctx context.Context, id string) (Announcement, error)
	// AnnouncementsOf lists a page of the announcements of a course, the newest first.
	AnnouncementsOf(ctx context.Context, courseID string,
		page core.PageRequest) ([]Announcement, error)
	// AnnouncementRanges lists what a user may read: the courses of the enrolments.
	AnnouncementRanges(ctx context.Context, userID string) ([]AnnouncementRange, error)
	// AnnouncementPositions lists the positions of a page of the announcements in ranges together,
	// the newest first.
	AnnouncementPositions(ctx context.Context, of []AnnouncementRange,
		page core.PageRequest) ([]core.Position, error)
	// AnnouncementsAt lists the announcements at positions of AnnouncementPositions, in their
	// order. Those that were deleted meanwhile are left out.
	AnnouncementsAt(ctx context.Context, positions []core.Position) ([]Announcement, error)
	// AnnouncementsIn lists announcements with a state, the oldest first, without their texts.
	AnnouncementsIn(ctx context.Context, state AnnouncementState, limit int) ([]Announcement,
		error)
	// AnnouncementsWait reports whether there is an announcement in another state than
	// [AnnouncementTold].
	AnnouncementsWait(ctx context.Context) (bool, error)
	// StudentsUpTo lists students of a course who were enrolled up to a time, in the order of their
	// enrolments, which follow a position. The ID of a position is that of the student.
	StudentsUpTo(ctx context.Context, courseID string, until time.Time, after core.Position,
		limit int) ([]core.Position, error)
	// ReadersOf lists users with a notification of an announcement.
	ReadersOf(ctx context.Context, announcementID string, limit int) ([]string, error)
}

// announcementWriter writes announcements.
type announcementWriter interface {
	InsertAnnouncement(ctx context.Context, a Announcement) error
	// SetAnnouncementState sets the state of an announcement, unless it is deleted.
	SetAnnouncementState(ctx context.Context, id string, state AnnouncementState) error
	// MoveAnnouncement sets the state and the position of an announcement to those of a, if
	// students are to be told and its position is from. It reports whether it did.
	MoveAnnouncement(ctx context.Context, from core.Position, a Announcement) (bool, error)
	// DeleteAnnouncementNotifications deletes the notifications of an announcement of 1 to
	// core.MaxNotifications users.
	DeleteAnnouncementNotifications(ctx context.Context, announcementID string,
		userIDs []string) error
	// DeleteAnnouncement deletes an announcement.
	DeleteAnnouncement(ctx context.Context, id string) error
	// DeleteAnnouncements deletes the announcements of a course.
	DeleteAnnouncements(ctx context.Context, courseID string) error
}
