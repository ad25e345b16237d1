package store

import (
	"context"
	"fmt"
	"time"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
)

// User reads a user with the ids of the courses in the order of the enrolments. It returns
// ErrNoRecord for a user who was deleted.
func (r reader) User(ctx context.Context, id string) (people.User, error) {
	var rows []struct { // one for each enrolment, or one without a course
		ID        string      `db:"id"`
		Name      string      `db:"name"`
		Email     string      `db:"email"`
		ImageURL  string      `db:"image_url"`
		CreatedAt timestamp   `db:"created_at"`
		ChangedAt timestamp   `db:"changed_at"`
		Metadata  metadata    `db:"metadata"`
		CourseID  optionalKey `db:"course_id"`
	}
	const action = "read a user"
	err := r.q.List(ctx, action, &rows, `
		SELECT u.id, u.name, u.email, u.image_url, u.created_at, u.changed_at, u.metadata,
			e.course_id
		FROM {users} u LEFT JOIN {enrollments} e ON e.user_id = u.id
		WHERE u.id = ? AND u.deleted_at IS NULL
		ORDER BY e.created_at, e.course_id`, key(id))
	if err != nil {
		return people.User{}, err
	}
	if len(rows) == 0 {
		return people.User{}, fmt.Errorf("%s: %w", action, core.ErrNoRecord)
	}

	// Each row repeats the user. The enrolments are in their order.
	first := rows[0]
	u := people.User{
		ID:        first.ID,
		Name:      first.Name,
		Email:     first.Email,
		ImageURL:  first.ImageURL,
		CreatedAt: first.CreatedAt.Time(),
		ChangedAt: first.ChangedAt.Time(),
		Metadata:  core.Metadata(first.Metadata),
	}
	for _, row := range rows {
		if row.CourseID != "" {
			u.Enrolled = append(u.Enrolled, string(row.CourseID))
		}
	}
	return u, nil
}

// UserEmails reads all users, one at a time.
func (r reader) UserEmails(ctx context.Context, each func(id, email string) error) error {
	var id, email string
	return r.q.Each(ctx, "read the e-mail addresses of all users", []any{&id, &email},
		func() error { return each(id, email) },
		`SELECT id, email FROM {users} WHERE deleted_at IS NULL`)
}

// AccountState reads at most two rows: the record of the user, and the role. Without the record,
// Known is false, and without a role, RoleAssignment is zero.
func (r reader) AccountState(ctx context.Context, userID string) (core.AccountState, error) {
	var rows []struct {
		IsRole bool      `db:"is_role"`
		Text   string    `db:"text"`
		At     timestamp `db:"at"`
	}
	err := r.q.List(ctx, "read the account state of a user", &rows, `
		SELECT 0 AS is_role, name AS text, deleted_at AS at FROM {users} WHERE id = ?
		UNION ALL
		SELECT 1, role, decided_at FROM {roles} WHERE user_id = ?`, key(userID), key(userID))
	if err != nil {
		return core.AccountState{}, err
	}
	var s core.AccountState
	for _, row := range rows {
		if row.IsRole {
			s.RoleAssignment = core.RoleAssignment{Role: core.Role(row.Text),
				At: row.At.Time()}
		} else {
			s.Known = true
			s.Name = row.Text
			s.DeletedAt = row.At.Time()
			s.Deleted = !s.DeletedAt.IsZero()
		}
	}
	return s, nil
}

// LockUser is an UPDATE that changes nothing, which locks the row on every engine. It reports
// whether there is such a user, also one who was deleted.
func (t *tx) LockUser(ctx context.Context, id string) (bool, error) {
	return t.Lock(ctx, "user", id, `UPDATE {users} SET changed_at = changed_at WHERE id = ?`)
}

// UpdateUser changes nothing, and returns false, if there is no such user, the user was deleted, or
// the record was changed later than u.
func (t *tx) UpdateUser(ctx context.Context, u people.User) (bool, error) {
	return t.Update(ctx, "update a user", `
		UPDATE {users} SET name = ?, email = ?, image_url = ?, changed_at = ?
		WHERE id = ? AND deleted_at IS NULL AND changed_at <= ?`,
		u.Name, u.Email, u.ImageURL, timestamp(u.ChangedAt), key(u.ID), timestamp(u.ChangedAt))
}

// InsertUser inserts a user with the words by which a search finds the user.
func (t *tx) InsertUser(ctx context.Context, u people.User) error {
	if err := t.LockPlace(ctx, "user", u.ID); err != nil { // see LockUser
		return err
	}
	err := t.Insert(ctx, "insert a user", `
		INSERT INTO {users} (id, name, email, image_url, created_at, changed_at, deleted_at)
		VALUES (?, ?, ?, ?, ?, ?, ?)`,
		key(u.ID), u.Name, u.Email, u.ImageURL, timestamp(u.CreatedAt), timestamp(u.ChangedAt),
		optional(u.DeletedAt))
	if err != nil {
		return err
	}
	return t.InsertWords(ctx, u.SearchWords())
}

// ScrubUser makes a tombstone of a record: it removes all texts and sets the time of the deletion.
// It changes nothing, and returns false, if there is no record, or if it was changed in a later
// second than at: a webhook has the time at which it was sent in whole seconds.
func (t *tx) ScrubUser(ctx context.Context, id string, at time.Time) (bool, error) {
	nextSecond := at.Truncate(time.Second).Add(time.Second)
	return t.Update(ctx, "scrub a user", `
		UPDATE {users} SET name = '', email = '', image_url = '', metadata = NULL, changed_at = ?,
			deleted_at = ?
		WHERE id = ? AND changed_at < ?`, timestamp(at), timestamp(at), key(id),
		timestamp(nextSecond))
}

// RestoreUser changes nothing, and returns false, if the user was deleted at another time than
// deletedAt, or is not deleted.
func (t *tx) RestoreUser(ctx context.Context, u people.User, deletedAt time.Time) (bool, error) {
	return t.Update(ctx, "restore a user", `
		UPDATE {users} SET name = ?, email = ?, image_url = ?, metadata = NULL, created_at = ?,
			changed_at = ?, deleted_at = NULL
		WHERE id = ? AND deleted_at = ?`,
		u.Name, u.Email, u.ImageURL, timestamp(u.CreatedAt), timestamp(u.ChangedAt), key(u.ID),
		timestamp(deletedAt))
}

// SetUserMetadata does not change changed_at, which is the time of the identity provider.
func (t *tx) SetUserMetadata(ctx context.Context, id string, m core.Metadata) (bool, error) {
	return t.Update(ctx, "set the metadata of a user",
		`UPDATE {users} SET metadata = ? WHERE id = ? AND deleted_at IS NULL`, metadata(m), key(id))
}

// UpdateRole changes nothing, and returns false, if there is no role or it was decided later.
// listed_at is the creation time of the user, so that an index has the users of a role in the order
// of the list.
func (t *tx) UpdateRole(
	ctx context.Context, userID string, d core.RoleAssignment,
) (bool, error) {
	return t.Update(ctx, "update a role", `
		UPDATE {roles} SET role = ?, decided_at = ?,
			listed_at = COALESCE((SELECT u.created_at FROM {users} u WHERE u.id = {roles}.user_id),
				listed_at)
		WHERE user_id = ? AND decided_at <= ?`,
		string(d.Role), timestamp(d.At), key(userID), timestamp(d.At))
}

// InsertRole stores the first role of a user. Until the record of the user is stored, listed_at is
// listedFirst.
func (t *tx) InsertRole(ctx context.Context, userID string, d core.RoleAssignment) error {
	return t.Insert(ctx, "insert a role", `
		INSERT INTO {roles} (user_id, role, decided_at, listed_at)
		VALUES (?, ?, ?, COALESCE((SELECT u.created_at FROM {users} u WHERE u.id = ?), ?))`,
		key(userID), string(d.Role), timestamp(d.At), key(userID), timestamp(listedFirst))
}

// listedFirst is roles.listed_at of a role that is stored before the record of its user. It is the
// latest time, so that the user comes first in the list, which begins with the newest.
var listedFirst = time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)

// DeleteRole is no error if the user has no role.
func (t *tx) DeleteRole(ctx context.Context, userID string) error {
	_, err := t.Exec(ctx, "delete a role", `DELETE FROM {roles} WHERE user_id = ?`, key(userID))
	return err
}
