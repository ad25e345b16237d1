package inbox

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/openlectern/openlectern/internal/paging"
	"github.com/openlectern/openlectern/internal/text"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/due"
)

// Notification is a notification as its reader sees it.
type Notification struct {
	core.Notification
	ActorName   string // at present; "" if the reader is not told who did it
	CourseTitle string // at present, or of the bundle of the purchase; "" without both
	PostTitle   string // at present; "" without a post
	// AnnouncementTitle is "" without an announcement.
	AnnouncementTitle string
	// LectureTitle is that of the course at present; "" without a lecture, and for one that the
	// course does not have any more.
	LectureTitle string
	IsRead       bool
}

// Title returns the title of what the notification names, or the decision that it tells.
func (n Notification) Title() string {
	switch n.Kind {
	case community.NotifyReportDecided:
		return n.Decision
	case NotifyAnnouncement:
		return n.AnnouncementTitle
	case assess.NotifyAssignmentSubmitted, assess.NotifyAssignmentGraded,
		assess.NotifyAssignmentReturned, due.NotifyAssignmentDue:
		return n.LectureTitle
	}
	if n.PostID != "" {
		return n.PostTitle
	}
	return n.CourseTitle
}

// MaxUnread is the largest number that [Service.Unread] returns. It means that or more.
const MaxUnread = 99

// Notifications returns a page of the actor's notifications, the newest first: all, or those that
// are not read. Errors: [core.ErrUnauthenticated], [core.ErrInvalidRequest] if page has no valid
// limit.
func (s *Service) Notifications(
	ctx context.Context, actor core.Actor, onlyUnread bool, page core.PageRequest,
) (core.Page[Notification], error) {
	if err := actor.Require(); err != nil {
		return core.Page[Notification]{}, err
	}
	read := func(ctx context.Context, page core.PageRequest) ([]Notification, error) {
		return s.store.Notifications(ctx, actor.UserID, onlyUnread, page)
	}
	list, err := paging.ReadPage(ctx, "list notifications", page, read,
		func(n Notification) core.Position { return core.Position{At: n.CreatedAt, ID: n.ID} })
	if err != nil {
		return list, err
	}
	return list, core.Wrap("read the lectures of notifications", s.addLectureTitles(ctx, list.Rows))
}

// addLectureTitles sets the titles of the lectures that notifications name.
func (s *Service) addLectureTitles(ctx context.Context, list []Notification) error {
	var courseIDs []string
	for _, n := range list {
		if n.LectureID != "" && n.PostID == "" && !slices.Contains(courseIDs, n.CourseID) {
			courseIDs = append(courseIDs, n.CourseID)
		}
	}
	if len(courseIDs) == 0 {
		return nil
	}
	titles, err := s.store.Titles(ctx, courseIDs)
	for i := range list {
		list[i].LectureTitle = titles[list[i].CourseID].Lectures[list[i].LectureID].Title
	}
	return err
}

// Unread returns how many notifications the actor has not read, and [MaxUnread] for that or more.
// Error: [core.ErrUnauthenticated].
func (s *Service) Unread(ctx context.Context, actor core.Actor) (int, error) {
	if err := actor.Require(); err != nil {
		return 0, err
	}
	n, err := s.store.UnreadNotifications(ctx, actor.UserID)
	return n, core.Wrap("count unread notifications", err)
}

// MaxReadIDs is how many ids [Service.MarkRead] takes.
const MaxReadIDs = 100

// MarkRead marks notifications of the actor as read. It ignores ids that no notification of the
// actor has. Errors: [core.ErrUnauthenticated], [core.ErrInvalidRequest] for more than
// [MaxReadIDs].
func (s *Service) MarkRead(ctx context.Context, actor core.Actor, ids []string) error {
	if err := actor.Require(); err != nil {
		return err
	}
	if err := core.Require(len(ids) <= MaxReadIDs, "ids",
		fmt.Sprintf("must have at most %d elements", MaxReadIDs)); err != nil {
		return err
	}
	ids = slices.DeleteFunc(slices.Clone(ids),
		func(id string) bool { return !text.ValidID(id, text.MaxID) })
	if len(ids) == 0 {
		return nil
	}
	err := s.base.InTx(ctx, func(tx Tx) error {
		tx.Repeatable() // a second run marks the same
		return tx.MarkNotificationsRead(ctx, actor.UserID, ids)
	})
	return core.Wrap("mark notifications as read", err)
}

// MarkReadUntil marks the actor's notifications as read that were created up to a time, and in its
// millisecond, because answers have times without parts of it. Error: [core.ErrUnauthenticated].
func (s *Service) MarkReadUntil(ctx context.Context, actor core.Actor, at time.Time) error {
	if err := actor.Require(); err != nil {
		return err
	}
	before := at.UTC().Truncate(time.Millisecond).Add(time.Millisecond)
	if now := s.base.Now(); before.After(now) { // a far future is no time of every database
		before = now.Add(time.Microsecond)
	}
	err := s.base.InTx(ctx, func(tx Tx) error {
		tx.Repeatable() // a second run marks the same
		return tx.MarkNotificationsReadBefore(ctx, actor.UserID, before)
	})
	return core.Wrap("mark notifications as read", err)
}

// notificationReader reads notifications.
type notificationReader interface {
	// Notifications lists a page of the notifications of a user, the newest first: all, or those
	// that are not read. It does not read the titles of lectures.
	Notifications(ctx context.Context, userID string, onlyUnread bool,
		page core.PageRequest) ([]Notification, error)
	// UnreadNotifications counts the notifications of a user that are not read, up to MaxUnread.
	UnreadNotifications(ctx context.Context, userID string) (int, error)
	catalog.TitleReader
	// Readers lists a page of the readers of all notifications, the oldest first.
	Readers(ctx context.Context, page core.PageRequest) ([]ReaderPosition, error)
	// NewestNotification returns the position of the n-th notification of a user, counted from the
	// newest, which is the first. It returns [core.ErrNoRecord] if there are fewer.
	NewestNotification(ctx context.Context, userID string, n int) (core.Position, error)
}

// ReaderPosition is a notification in the list of all: its reader and its position.
type ReaderPosition struct {
	UserID string
	At     core.Position
}

// notificationWriter changes notifications.
type notificationWriter interface {
	// MarkNotificationsRead marks notifications of a user as read. There must be one id at least.
	MarkNotificationsRead(ctx context.Context, userID string, ids []string) error
	// MarkNotificationsReadBefore marks the notifications of a user as read that were created
	// before a time.
	MarkNotificationsReadBefore(ctx context.Context, userID string, before time.Time) error
	// DeleteNotificationsUntil deletes the notifications of a user up to a position.
	DeleteNotificationsUntil(ctx context.Context, userID string, until core.Position) error
	// DeleteNotificationsBy deletes the notifications of a kind of what a user has done.
	DeleteNotificationsBy(ctx context.Context, actorID string, kind core.NotificationKind) error
	// DeleteCourseNotifications deletes the notifications that name a course.
	DeleteCourseNotifications(ctx context.Context, courseID string) error
	// InsertMute stores what a user has muted. It returns [core.ErrDuplicate] if it is stored.
	InsertMute(ctx context.Context, m core.Mute) error
	// DeleteMute removes what a user has muted.
	DeleteMute(ctx context.Context, m core.Mute) error
}
