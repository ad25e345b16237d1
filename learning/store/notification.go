package store

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/inbox"
)

type notificationRow struct {
	ID             string    `db:"id"`
	Kind           string    `db:"kind"`
	UserID         string    `db:"user_id"`
	ActorID        string    `db:"actor_id"`
	Thing          string    `db:"thing"`
	IsRead         bool      `db:"is_read"`
	CreatedAt      timestamp `db:"created_at"`
	CourseID       string    `db:"course_id"`
	ChapterID      string    `db:"chapter_id"`
	LectureID      string    `db:"lecture_id"`
	PostID         string    `db:"post_id"`
	ReplyID        string    `db:"reply_id"`
	SubmissionID   string    `db:"submission_id"`
	AttemptID      string    `db:"attempt_id"`
	ReviewID       string    `db:"review_id"`
	CertificateID  string    `db:"certificate_id"`
	PurchaseID     string    `db:"purchase_id"`
	AnnouncementID string    `db:"announcement_id"`
	Decision       string    `db:"decision"`
	ActorName      *string   `db:"actor_name"` // nil if there is no user
	ActorDeletedAt timestamp `db:"actor_deleted_at"`
	CourseTitle    string    `db:"course_title"`
	PostTitle      string    `db:"post_title"`
	AnnounceTitle  string    `db:"announcement_title"`
}

// notificationColumns are the columns of the table that a notification has, in their order.
var notificationColumns = []string{"user_id", "kind", "thing", "id", "actor_id", "is_read",
	"created_at", "course_id", "chapter_id", "lecture_id", "post_id", "reply_id", "submission_id",
	"attempt_id", "review_id", "certificate_id", "purchase_id", "announcement_id", "decision"}

// notificationKey are the columns of the primary key.
const notificationKey = 3

var (
	selectNotifications = `
	SELECT n.` + strings.Join(notificationColumns, `, n.`) + `,
		u.name AS actor_name, u.deleted_at AS actor_deleted_at,
		COALESCE(c.title, b.bundle_title, '') AS course_title, COALESCE(p.title, '') AS post_title,
		COALESCE(a.title, '') AS announcement_title
	FROM {notifications} n`
	joinNotifications = `
		LEFT JOIN {users} u ON u.id = n.actor_id
		LEFT JOIN {courses} c ON c.id = n.course_id
		LEFT JOIN {purchases} b ON b.id = n.purchase_id
		LEFT JOIN {posts} p ON p.id = n.post_id
		LEFT JOIN {announcements} a ON a.id = n.announcement_id`
)

func (r *notificationRow) notification() inbox.Notification {
	n := inbox.Notification{
		Notification: core.Notification{
			ID:        r.ID,
			Kind:      core.NotificationKind(r.Kind),
			ReaderID:  r.UserID,
			ActorID:   r.ActorID,
			Thing:     r.Thing,
			CreatedAt: r.CreatedAt.Time(),
			Decision:  r.Decision,
			NotificationIDs: core.NotificationIDs{
				CourseID:       r.CourseID,
				ChapterID:      r.ChapterID,
				LectureID:      r.LectureID,
				PostID:         r.PostID,
				ReplyID:        r.ReplyID,
				SubmissionID:   r.SubmissionID,
				AttemptID:      r.AttemptID,
				ReviewID:       r.ReviewID,
				CertificateID:  r.CertificateID,
				PurchaseID:     r.PurchaseID,
				AnnouncementID: r.AnnouncementID,
			},
		},
		CourseTitle: r.CourseTitle,
		PostTitle:   r.PostTitle,

		AnnouncementTitle: r.AnnounceTitle,

		IsRead: r.IsRead,
	}
	if r.ActorID != "" {
		n.ActorName = person(r.ActorID, r.ActorName, new(""), r.ActorDeletedAt).Name
	}
	return n
}

// newestNotifications is the order of the list of a user.
var newestNotifications = order{columns: []string{"n.created_at", "n.id"}, descending: true}

func (r reader) Notifications(
	ctx context.Context, userID string, onlyUnread bool, page core.PageRequest,
) ([]inbox.Notification, error) {
	var f filter
	f.add(`n.user_id = ?`, key(userID))
	index := "notifications_by_creation"
	if onlyUnread {
		f.add(`n.is_read = 0`)
		index = "notifications_unread"
	}
	tail, limit := r.engine().addPage(&f, newestNotifications, page)
	var rows []notificationRow
	err := r.q.List(ctx, "list notifications", &rows,
		selectNotifications+r.engine().ForceIndex(index)+joinNotifications+f.where()+tail,
		append(f.args, limit)...)
	list := make([]inbox.Notification, len(rows))
	for i := range rows {
		list[i] = rows[i].notification()
	}
	return list, err
}

func (r reader) UnreadNotifications(ctx context.Context, userID string) (n int, err error) {
	err = r.q.Get(ctx, "count unread notifications", &n, `
		SELECT COUNT(*) FROM (
			SELECT n.id FROM {notifications} n`+r.engine().ForceIndex("notifications_unread")+`
			WHERE n.user_id = ? AND n.is_read = 0 ORDER BY n.created_at, n.id LIMIT ?) unread`,
		key(userID), inbox.MaxUnread)
	return n, err
}

func (r reader) Readers(
	ctx context.Context, page core.PageRequest,
) ([]inbox.ReaderPosition, error) {
	var f filter
	tail, limit := r.engine().addPage(&f, order{columns: []string{"n.created_at", "n.id"}}, page)
	var rows []struct {
		UserID    string    `db:"user_id"`
		ID        string    `db:"id"`
		CreatedAt timestamp `db:"created_at"`
	}
	err := r.q.List(ctx, "list the readers of notifications", &rows,
		`SELECT n.user_id, n.id, n.created_at FROM {notifications} n`+
			r.engine().ForceIndex("notifications_oldest")+f.where()+tail,
		append(f.args, limit)...)
	list := make([]inbox.ReaderPosition, len(rows))
	for i, row := range rows {
		list[i] = inbox.ReaderPosition{UserID: row.UserID,
			At: core.Position{At: row.CreatedAt.Time(), ID: row.ID}}
	}
	return list, err
}

func (r reader) NewestNotification(
	ctx context.Context, userID string, n int,
) (core.Position, error) {
	var row struct {
		ID        string    `db:"id"`
		CreatedAt timestamp `db:"created_at"`
	}
	err := r.q.Get(ctx, "read the position of a notification", &row, `
		SELECT n.id, n.created_at FROM {notifications} n`+
		r.engine().ForceIndex("notifications_by_creation")+`
		WHERE n.user_id = ?`+newestNotifications.orderBy()+` LIMIT 1 OFFSET ?`,
		key(userID), n-1)
	return core.Position{At: row.CreatedAt.Time(), ID: row.ID}, err
}

func (r reader) Mutes(ctx context.Context, userIDs []string) (list []core.Mute, err error) {
	err = r.q.List(ctx, "list muted kinds of notifications", &list, `
		SELECT user_id, kind FROM {muted_notifications}
		WHERE user_id IN (`+placeholders(idBatchSize)+`)`, batchArgs(userIDs)...)
	return list, err
}

// userBatch returns the arguments of a statement for up to inbox.MaxPolled users. There are two
// numbers of them only, so that few statements are prepared. It repeats the last id.
func userBatch(userIDs []string) []any {
	n := idBatchSize
	if len(userIDs) > n {
		n = inbox.MaxPolled
	}
	args := make([]any, n)
	for i := range args {
		args[i] = key(userIDs[min(i, len(userIDs)-1)])
	}
	return args
}

func (r reader) UnreadOf(
	ctx context.Context, userIDs []string,
) (map[string]int, error) {
	unread := map[string]int{}
	var userID string
	var n int
	args := userBatch(userIDs)
	err := r.q.Each(ctx, "count unread notifications of users", []any{&userID, &n},
		func() error {
			unread[userID] = min(n, inbox.MaxUnread)
			return nil
		}, `
		SELECT n.user_id, COUNT(*) FROM {notifications} n`+
			r.engine().ForceIndex("notifications_unread")+`
		WHERE n.user_id IN (`+placeholders(len(args))+`) AND n.is_read = 0
		GROUP BY n.user_id`, args...)
	return unread, err
}

func (r reader) DeletedOf(
	ctx context.Context, userIDs []string,
) (deleted []string, err error) {
	args := userBatch(userIDs)
	err = r.q.List(ctx, "list deleted users", &deleted, `
		SELECT id FROM {users}
		WHERE id IN (`+placeholders(len(args))+`) AND deleted_at IS NOT NULL`, args...)
	return deleted, err
}

// LockUndeletedUser is LockUser for a record that is not deleted. The UPDATE reads the latest
// committed state on every engine.
func (t *tx) LockUndeletedUser(ctx context.Context, id string) (bool, error) {
	return t.Lock(ctx, "user", id,
		`UPDATE {users} SET changed_at = changed_at WHERE id = ? AND deleted_at IS NULL`)
}

// ReplaceNotifications runs one INSERT for all notifications.
func (t *tx) ReplaceNotifications(ctx context.Context, list []core.Notification) error {
	var args []any
	const isRead = false
	for _, n := range list {
		args = append(args, key(n.ReaderID), string(n.Kind), key(n.Thing), key(n.ID),
			key(n.ActorID), isRead, timestamp(n.CreatedAt), key(n.CourseID), key(n.ChapterID),
			key(n.LectureID), key(n.PostID), key(n.ReplyID), key(n.SubmissionID),
			key(n.AttemptID), key(n.ReviewID), key(n.CertificateID), key(n.PurchaseID),
			key(n.AnnouncementID), n.Decision)
	}
	row := `(` + placeholders(len(notificationColumns)) + `)`
	_, err := t.Exec(ctx, "replace notifications", `
		INSERT INTO {notifications} (`+strings.Join(notificationColumns, `, `)+`)
		VALUES `+row+strings.Repeat(`, `+row, len(list)-1)+
		t.Dialect().ReplaceRow(notificationColumns[:notificationKey],
			notificationColumns[notificationKey:]), args...)
	return err
}

// MarkNotificationsRead marks idBatchSize at a time.
func (t *tx) MarkNotificationsRead(ctx context.Context, userID string, ids []string) error {
	for chunk := range slices.Chunk(ids, idBatchSize) {
		_, err := t.Exec(ctx, "mark notifications as read", `
			UPDATE {notifications} SET is_read = 1
			WHERE user_id = ? AND id IN (`+placeholders(idBatchSize)+`)`,
			append([]any{key(userID)}, batchArgs(chunk)...)...)
		if err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) MarkNotificationsReadBefore(
	ctx context.Context, userID string, before time.Time,
) error {
	_, err := t.Exec(ctx, "mark notifications as read", `
		UPDATE {notifications} SET is_read = 1
		WHERE user_id = ? AND is_read = 0 AND created_at < ?`, key(userID), timestamp(before))
	return err
}

func (t *tx) DeleteNotificationsUntil(
	ctx context.Context, userID string, until core.Position,
) error {
	var f filter
	f.add(`user_id = ?`, key(userID))
	oldest := order{columns: []string{"created_at", "id"}}
	t.engine().addThrough(&f, oldest, oldest.values(until))
	_, err := t.Exec(ctx, "delete notifications", `DELETE FROM {notifications}`+f.where(),
		f.args...)
	return err
}

func (t *tx) DeleteNotificationsBy(
	ctx context.Context, actorID string, kind core.NotificationKind,
) error {
	_, err := t.Exec(ctx, "delete the notifications of what a user did",
		`DELETE FROM {notifications} WHERE actor_id = ? AND kind = ?`, key(actorID), string(kind))
	return err
}

func (t *tx) DeleteCourseNotifications(ctx context.Context, courseID string) error {
	_, err := t.Exec(ctx, "delete the notifications of a course",
		`DELETE FROM {notifications} WHERE course_id = ?`, key(courseID))
	return err
}

// DeletePostNotifications deletes those of a post and of its replies.
func (t *tx) DeletePostNotifications(ctx context.Context, postID string) error {
	_, err := t.Exec(ctx, "delete the notifications of a post",
		`DELETE FROM {notifications} WHERE post_id = ?`, key(postID))
	return err
}

func (t *tx) DeleteReplyNotifications(ctx context.Context, postID, replyID string) error {
	_, err := t.Exec(ctx, "delete the notifications of a reply",
		`DELETE FROM {notifications} WHERE post_id = ? AND reply_id = ?`, key(postID),
		key(replyID))
	return err
}

func (t *tx) DeleteReviewNotifications(ctx context.Context, reviewID string) error {
	_, err := t.Exec(ctx, "delete the notifications of a review",
		`DELETE FROM {notifications} WHERE review_id = ?`, key(reviewID))
	return err
}

func (t *tx) InsertMute(ctx context.Context, m core.Mute) error {
	return t.Insert(ctx, "mute a kind of notifications",
		`INSERT INTO {muted_notifications} (user_id, kind) VALUES (?, ?)`, key(m.UserID),
		string(m.Kind))
}

func (t *tx) DeleteMute(ctx context.Context, m core.Mute) error {
	_, err := t.Exec(ctx, "unmute a kind of notifications",
		`DELETE FROM {muted_notifications} WHERE user_id = ? AND kind = ?`, key(m.UserID),
		string(m.Kind))
	return err
}
