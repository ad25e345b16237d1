package core

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// NotificationKind says what a [Notification] tells. The rooms declare those of their nouns.
type NotificationKind string

// EventNotificationCreated is the event of a notification that was written.
const EventNotificationCreated EventType = "notification.created"

// Notification tells a user of what another one has done. A room adds it to the [Changes] of the
// transaction that does it.
type Notification struct {
	ID        string // new each time it is written
	Kind      NotificationKind
	ReaderID  string
	ActorID   string // who did it; "" if the reader is not told who
	Thing     string // the id of what it tells: a reader has one notification of a kind and a thing
	CreatedAt time.Time
	NotificationIDs
	// Decision is what was decided, of a kind that names nothing else; else "".
	Decision string
}

// NotificationIDs are the ids of what a [Notification] names. Those that it does not name are "".
type NotificationIDs struct {
	CourseID       string
	ChapterID      string
	LectureID      string
	PostID         string
	ReplyID        string
	SubmissionID   string
	AttemptID      string
	ReviewID       string
	CertificateID  string
	PurchaseID     string
	AnnouncementID string
}

// Mute says that a user wants no notifications of a kind.
type Mute struct {
	UserID string           `db:"user_id"`
	Kind   NotificationKind `db:"kind"`
}

// MaxNotifications is how many notifications one statement writes.
const MaxNotifications = 32

// MuteReader reads what users have muted.
type MuteReader interface {
	// Mutes lists what users have muted. There must be 1 to MaxNotifications users.
	Mutes(ctx context.Context, userIDs []string) ([]Mute, error)
}

// notificationTx is what the envelope needs to write notifications.
type notificationTx interface {
	// LockUndeletedUser locks the record of a user until the transaction ends, and reports whether
	// there is one that is not deleted. Unlike a read it sees a deletion that was committed after
	// the first read of the transaction.
	LockUndeletedUser(ctx context.Context, id string) (bool, error)
	MuteReader
	// ReplaceNotifications writes 1 to MaxNotifications notifications, each in place of the one of
	// the same reader, kind and thing. No two of them have the same.
	ReplaceNotifications(ctx context.Context, list []Notification) error
}

// Notify adds a notification of what the user doneBy has done in the transaction. That user is not
// told. Neither are users who have muted the kind, who were deleted, or whose data is being
// imported: see Silence. The caller must know that the reader may read what it names.
func (c *Changes) Notify(doneBy string, n Notification) {
	if c.isSilent || n.ReaderID == "" || n.ReaderID == doneBy {
		return
	}
	n.ID, n.CreatedAt = c.NewID(), c.Now()
	c.notifications = append(c.notifications, n)
}

// writeNotifications writes the collected notifications, and adds an event for each. It follows all
// other rows of the transaction but those of events and totals, because it locks the readers: a
// deletion of one either waits and deletes the notification too, or is seen here.
func (c *Changes) writeNotifications(ctx context.Context, tx Tx) error {
	list := mergeNotifications(c.notifications)
	c.notifications = nil
	for chunk := range slices.Chunk(list, MaxNotifications) {
		told, err := toldOf(ctx, tx, chunk)
		if err != nil {
			return err
		}
		if len(told) == 0 {
			continue
		}
		if err := tx.ReplaceNotifications(ctx, told); err != nil {
			return err
		}
		for _, n := range told {
			c.Add(EventNotificationCreated, "user", n.ReaderID, n.eventData())
		}
	}
	return nil
}

// toldOf returns those of a list whose readers are told, and locks these readers.
func toldOf(ctx context.Context, tx Tx, list []Notification) (told []Notification, err error) {
	// The list has the order of the readers, so that all transactions lock them in one order.
	var readers []string
	for _, n := range list {
		if len(readers) > 0 && readers[len(readers)-1] == n.ReaderID {
			continue
		}
		isTold, err := lockReader(ctx, tx, n.ReaderID)
		if err != nil {
			return nil, err
		}
		if isTold {
			readers = append(readers, n.ReaderID)
		}
	}
	if len(readers) == 0 {
		return nil, nil
	}
	mutes, err := tx.Mutes(ctx, readers)
	if err != nil {
		return nil, err
	}
	for _, n := range list {
		_, isReader := slices.BinarySearch(readers, n.ReaderID)
		if isReader && !slices.Contains(mutes, Mute{UserID: n.ReaderID, Kind: n.Kind}) {
			told = append(told, n)
		}
	}
	return told, nil
}

// lockReader locks a user, and reports whether the user can be told something: one without a record
// can, and one who was deleted cannot.
func lockReader(ctx context.Context, tx Tx, userID string) (bool, error) {
	isThere, err := tx.LockUndeletedUser(ctx, userID)
	if err != nil || isThere {
		return isThere, err
	}
	state, err := tx.AccountState(ctx, userID)
	return !state.Known, err // a record that is not found undeleted is that of a deleted user
}

// mergeNotifications returns the last notification for each reader, kind and thing, in their order.
func mergeNotifications(list []Notification) (merged []Notification) {
	list = slices.Clone(list)
	compare := func(a, b Notification) int {
		return cmp.Or(cmp.Compare(a.ReaderID, b.ReaderID), cmp.Compare(a.Kind, b.Kind),
			cmp.Compare(a.Thing, b.Thing))
	}
	slices.SortStableFunc(list, compare)
	for i, n := range list {
		if isLast := i == len(list)-1 || compare(n, list[i+1]) != 0; isLast {
			merged = append(merged, n)
		}
	}
	return merged
}

// eventData returns the data of the event of a notification.
func (n Notification) eventData() EventData {
	return EventData{UserID: n.ReaderID, Kind: string(n.Kind), CourseID: n.CourseID,
		ChapterID: n.ChapterID, LectureID: n.LectureID, PostID: n.PostID, ReplyID: n.ReplyID,
		SubmissionID: n.SubmissionID, AttemptID: n.AttemptID, ReviewID: n.ReviewID,
		CertificateID: n.CertificateID, PurchaseID: n.PurchaseID,
		AnnouncementID: n.AnnouncementID}
}
