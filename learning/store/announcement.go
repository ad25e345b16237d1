package store

import (
	"context"
	"slices"
	"time"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/inbox"
)

type announcementRow struct {
	ID         string    `db:"id"`
	CourseID   string    `db:"course_id"`
	AuthorID   string    `db:"author_id"`
	Name       *string   `db:"name"` // nil if there is no user
	ImageURL   *string   `db:"image_url"`
	DeletedAt  timestamp `db:"deleted_at"`
	Title      string    `db:"title"`
	State      int       `db:"state"`
	CreatedAt  timestamp `db:"created_at"`
	ToldAt     timestamp `db:"told_at"`
	ToldUserID string    `db:"told_user_id"`
	Text       string    `db:"body"`
}

const (
	announcementFields = `a.id, a.course_id, a.author_id, a.title, a.state, a.created_at, a.told_at,
		a.told_user_id`
	selectAnnouncements = `
	SELECT ` + announcementFields + `, a.body, u.name, u.image_url, u.deleted_at`
	joinAuthors = ` LEFT JOIN {users} u ON u.id = a.author_id`
	// whether an announcement can be read: see inbox.AnnouncementDeleted
	isReadable = `a.state < 2`
)

// newestAnnouncements is the order of lists.
var newestAnnouncements = order{columns: []string{"a.created_at", "a.id"}, descending: true}

func (r *announcementRow) announcement() inbox.Announcement {
	return inbox.Announcement{
		ID:        r.ID,
		CourseID:  r.CourseID,
		Author:    person(r.AuthorID, r.Name, r.ImageURL, r.DeletedAt),
		Title:     r.Title,
		Text:      r.Text,
		CreatedAt: r.CreatedAt.Time(),
		State:     inbox.AnnouncementState(r.State),
		ToldTo:    core.Position{At: r.ToldAt.Time(), ID: r.ToldUserID},
	}
}

// announcementsOf returns the announcements of rows.
func announcementsOf(rows []announcementRow) []inbox.Announcement {
	list := make([]inbox.Announcement, len(rows))
	for i := range rows {
		list[i] = rows[i].announcement()
	}
	return list
}

func (r reader) Announcement(ctx context.Context, id string) (inbox.Announcement, error) {
	var row announcementRow
	err := r.q.Get(ctx, "read an announcement", &row,
		selectAnnouncements+` FROM {announcements} a`+joinAuthors+` WHERE a.id = ?`, key(id))
	if err != nil {
		return inbox.Announcement{}, err
	}
	return row.announcement(), nil
}

func (r reader) AnnouncementsOf(
	ctx context.Context, courseID string, page core.PageRequest,
) ([]inbox.Announcement, error) {
	var f filter
	f.add(`a.course_id = ?`, key(courseID))
	f.add(isReadable)
	tail, limit := r.engine().addPage(&f, newestAnnouncements, page)
	var rows []announcementRow
	err := r.q.List(ctx, "list announcements", &rows,
		selectAnnouncements+` FROM {announcements} a`+
			r.engine().ForceIndex("announcements_by_course")+joinAuthors+f.where()+tail,
		append(f.args, limit)...)
	return announcementsOf(rows), err
}

func (r reader) AnnouncementRanges(
	ctx context.Context, userID string,
) (list []inbox.AnnouncementRange, err error) {
	var a inbox.AnnouncementRange
	var until timestamp
	err = r.q.Each(ctx, "list the courses of a student", []any{&a.CourseID, &until}, func() error {
		a.Until = until.Time()
		list = append(list, a)
		return nil
	}, `SELECT course_id, expires_at FROM {enrollments} WHERE user_id = ?`, key(userID))
	return list, err
}

// AnnouncementPositions reads the newest positions of each course from its index, as many as the
// page has, partsPerStatement courses at a time.
func (r reader) AnnouncementPositions(
	ctx context.Context, of []inbox.AnnouncementRange, page core.PageRequest,
) (list []core.Position, err error) {
	for chunk := range slices.Chunk(of, partsPerStatement) {
		var parts []string
		var args []any
		for _, a := range chunk {
			var f filter
			f.add(`a.course_id = ?`, key(a.CourseID))
			f.add(isReadable)
			if !a.Until.IsZero() {
				f.add(`a.created_at < ?`, timestamp(a.Until))
			}
			tail, limit := r.engine().addPage(&f, newestAnnouncements, page)
			parts = append(parts, `SELECT a.created_at, a.id FROM {announcements} a`+
				r.engine().ForceIndex("announcements_by_course")+f.where()+tail)
			args = append(append(args, f.args...), limit)
		}
		var at timestamp
		var id string
		err := r.q.Each(ctx, "list the positions of announcements", []any{&at, &id}, func() error {
			list = append(list, core.Position{At: at.Time(), ID: id})
			return nil
		}, unionOf("created_at, id", parts), args...)
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(list, newestFirst)
	return list[:min(len(list), page.Limit)], nil
}

// AnnouncementsAt reads idBatchSize announcements at a time.
func (r reader) AnnouncementsAt(
	ctx context.Context, positions []core.Position,
) (list []inbox.Announcement, err error) {
	for chunk := range slices.Chunk(positions, idBatchSize) {
		ids := make([]string, len(chunk))
		for i, p := range chunk {
			ids[i] = p.ID
		}
		var rows []announcementRow
		err := r.q.List(ctx, "read the announcements of a page", &rows,
			selectAnnouncements+` FROM {announcements} a`+joinAuthors+`
			WHERE a.id IN (`+placeholders(idBatchSize)+`) AND `+isReadable+`
			ORDER BY a.created_at DESC, a.id DESC`, batchArgs(ids)...)
		if err != nil {
			return nil, err
		}
		list = append(list, announcementsOf(rows)...)
	}
	return list, nil
}

func (r reader) AnnouncementsIn(
	ctx context.Context, state inbox.AnnouncementState, limit int,
) ([]inbox.Announcement, error) {
	var rows []announcementRow
	err := r.q.List(ctx, "list announcements by state", &rows, `
		SELECT `+announcementFields+`, '' AS body
		FROM {announcements} a`+r.engine().ForceIndex("announcements_by_state")+`
		WHERE a.state = ? ORDER BY a.created_at, a.id LIMIT ?`, int(state), limit)
	return announcementsOf(rows), err
}

func (r reader) AnnouncementsWait(ctx context.Context) (bool, error) {
	return r.exists(ctx, "look for announcements that wait",
		`SELECT 1 FROM {announcements} WHERE state IN (1, 2) LIMIT 1`)
}

func (r reader) StudentsUpTo(
	ctx context.Context, courseID string, until time.Time, after core.Position, limit int,
) ([]core.Position, error) {
	var f filter
	f.add(`e.course_id = ?`, key(courseID))
	f.add(`e.created_at <= ?`, timestamp(until))
	f.add(`(e.expires_at IS NULL OR e.expires_at > ?)`, timestamp(until))
	return r.studentsToTell(ctx, "list the students of a course", f,
		core.PageRequest{After: after, Limit: limit})
}

// studentsToTell lists the next students whom f selects, which names a course, in the order of
// their enrolments.
func (r reader) studentsToTell(
	ctx context.Context, what string, f filter, page core.PageRequest,
) ([]core.Position, error) {
	tail, last := r.engine().addPage(&f, order{columns: []string{"e.created_at", "e.user_id"}},
		page)
	var rows []struct {
		UserID    string    `db:"user_id"`
		CreatedAt timestamp `db:"created_at"`
	}
	err := r.q.List(ctx, what, &rows,
		`SELECT e.user_id, e.created_at FROM {enrollments} e`+
			r.engine().ForceIndex("enrollments_by_course")+f.where()+tail,
		append(f.args, last)...)
	list := make([]core.Position, len(rows))
	for i, row := range rows {
		list[i] = core.Position{At: row.CreatedAt.Time(), ID: row.UserID}
	}
	return list, err
}

func (r reader) ReadersOf(
	ctx context.Context, announcementID string, limit int,
) (userIDs []string, err error) {
	err = r.q.List(ctx, "list the readers of an announcement", &userIDs,
		`SELECT user_id FROM {notifications} WHERE announcement_id = ? ORDER BY user_id LIMIT ?`,
		key(announcementID), limit)
	return userIDs, err
}

func (t *tx) InsertAnnouncement(ctx context.Context, a inbox.Announcement) error {
	return t.Insert(ctx, "insert an announcement", `
		INSERT INTO {announcements} (id, course_id, author_id, title, state, created_at, told_at,
			told_user_id, body)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		key(a.ID), key(a.CourseID), key(a.Author.ID), a.Title, int(a.State),
		timestamp(a.CreatedAt), optional(a.ToldTo.At), key(a.ToldTo.ID), a.Text)
}

func (t *tx) SetAnnouncementState(
	ctx context.Context, id string, state inbox.AnnouncementState,
) error {
	_, err := t.Exec(ctx, "set the state of an announcement",
		`UPDATE {announcements} SET state = ? WHERE id = ? AND state < 2`, int(state), key(id))
	return err
}

func (t *tx) MoveAnnouncement(
	ctx context.Context, from core.Position, a inbox.Announcement,
) (bool, error) {
	return t.Update(ctx, "move an announcement", `
		UPDATE {announcements} SET state = ?, told_at = ?, told_user_id = ?
		WHERE id = ? AND state = 1 AND told_user_id = ?`,
		int(a.State), optional(a.ToldTo.At), storedKey(a.ToldTo.ID), key(a.ID), key(from.ID))
}

func (t *tx) DeleteAnnouncementNotifications(
	ctx context.Context, announcementID string, userIDs []string,
) error {
	_, err := t.Exec(ctx, "delete the notifications of an announcement", `
		DELETE FROM {notifications}
		WHERE announcement_id = ? AND user_id IN (`+placeholders(idBatchSize)+`)`,
		append([]any{key(announcementID)}, batchArgs(userIDs)...)...)
	return err
}

func (t *tx) DeleteAnnouncement(ctx context.Context, id string) error {
	_, err := t.Exec(ctx, "delete an announcement",
		`DELETE FROM {announcements} WHERE id = ?`, key(id))
	return err
}

func (t *tx) DeleteAnnouncements(ctx context.Context, courseID string) error {
	_, err := t.Exec(ctx, "delete the announcements of a course",
		`DELETE FROM {announcements} WHERE course_id = ?`, key(courseID))
	return err
}
