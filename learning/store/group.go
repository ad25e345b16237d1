package store

import (
	"context"
	"slices"

	"github.com/openlectern/openlectern/learning/community"
)

type groupRow struct {
	ID          string    `db:"id"`
	Name        string    `db:"name"`
	Slug        string    `db:"slug"`
	Description string    `db:"description"`
	Icon        string    `db:"icon"`
	Official    bool      `db:"is_official"`
	Members     int       `db:"members"`
	Posts       int       `db:"posts"`
	CreatedAt   timestamp `db:"created_at"`
	UpdatedAt   timestamp `db:"updated_at"`
	Joined      bool      `db:"is_joined"`
}

// selectGroups has the id of the viewer, of whom is_joined is true, as its first argument.
const selectGroups = `
	SELECT g.id, g.name, g.slug, g.description, g.icon, g.is_official, g.members, g.posts,
		g.created_at, g.updated_at,
		EXISTS (SELECT 1 FROM {memberships} m
			WHERE m.user_id = ? AND m.group_id = g.id) AS is_joined
	FROM {community_groups} g`

// EachGroupID calls fn for each group: official groups first, then those with most members.
func (r reader) EachGroupID(ctx context.Context, fn func(id string) error) error {
	var id string
	return r.q.Each(ctx, "list the ids of the groups", []any{&id}, func() error { return fn(id) },
		`SELECT id FROM {community_groups} ORDER BY is_official DESC, members DESC, created_at, id`)
}

// GroupsByID lists the groups that have one of the ids, in no order. Joined is about the viewer. It
// reads idBatchSize of them at a time, with a statement that always has as many placeholders.
func (r reader) GroupsByID(
	ctx context.Context, ids []string, viewerID string,
) (list []community.Group, err error) {
	for chunk := range slices.Chunk(ids, idBatchSize) {
		var rows []groupRow
		err := r.q.List(ctx, "read the groups of a list", &rows,
			selectGroups+` WHERE g.id IN (`+placeholders(idBatchSize)+`)`,
			append([]any{key(viewerID)}, batchArgs(chunk)...)...)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			list = append(list, row.group())
		}
	}
	return list, nil
}

// Group reads a group. Joined is about the viewer.
func (r reader) Group(ctx context.Context, id, viewerID string) (community.Group, error) {
	var row groupRow
	if err := r.q.Get(ctx, "read a group", &row, selectGroups+` WHERE g.id = ?`, key(viewerID),
		key(id)); err != nil {
		return community.Group{}, err
	}
	return row.group(), nil
}

// MemberGroups lists the groups of a user that have posts. It sets ID and Posts only.
func (r reader) MemberGroups(ctx context.Context, userID string) ([]community.Group, error) {
	var rows []struct {
		ID    string `db:"id"`
		Posts int    `db:"posts"`
	}
	err := r.q.List(ctx, "list the groups of a user", &rows, `
		SELECT g.id, g.posts
		FROM {memberships} m JOIN {community_groups} g ON g.id = m.group_id
		WHERE m.user_id = ? AND g.posts > 0`,
		key(userID))
	if err != nil {
		return nil, err
	}
	list := make([]community.Group, len(rows))
	for i, row := range rows {
		list[i] = community.Group{ID: row.ID, Posts: row.Posts}
	}
	return list, nil
}

func (r groupRow) group() community.Group {
	return community.Group{
		ID:          r.ID,
		Name:        r.Name,
		Slug:        r.Slug,
		Description: r.Description,
		Icon:        r.Icon,
		Official:    r.Official,
		Members:     r.Members,
		Posts:       r.Posts,
		CreatedAt:   r.CreatedAt.Time(),
		UpdatedAt:   r.UpdatedAt.Time(),
		Joined:      r.Joined,
	}
}

// InsertGroup returns ErrDuplicate if another group has the nameKey or the slug.
func (t *tx) InsertGroup(ctx context.Context, g community.Group, nameKey string) error {
	return t.Insert(ctx, "insert a group", `
		INSERT INTO {community_groups} (id, name, name_key, slug, description, icon, is_official,
			members, posts, created_at, updated_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		key(g.ID), g.Name, key(nameKey), key(g.Slug), g.Description, g.Icon, g.Official, g.Members,
		g.Posts, timestamp(g.CreatedAt), timestamp(g.UpdatedAt))
}

// LockGroup is an UPDATE that changes nothing, which locks the row on every engine. It is no error
// if there is no such group.
func (t *tx) LockGroup(ctx context.Context, id string) error {
	_, err := t.Lock(ctx, "group", id,
		`UPDATE {community_groups} SET members = members WHERE id = ?`)
	return err
}

// AddToMemberCount adds by, which may be negative. It is no error if the group was deleted.
func (t *tx) AddToMemberCount(ctx context.Context, groupID string, by int) error {
	_, err := t.Exec(ctx, "count a member",
		`UPDATE {community_groups} SET members = members + ? WHERE id = ?`, by, key(groupID))
	return err
}

// AddToPostCount adds by, which may be negative, and reports whether there is such a group.
func (t *tx) AddToPostCount(ctx context.Context, groupID string, by int) (bool, error) {
	return t.Update(ctx, "count a post",
		`UPDATE {community_groups} SET posts = posts + ? WHERE id = ?`, by, key(groupID))
}

// InsertMembership returns ErrDuplicate if the user is a member.
func (t *tx) InsertMembership(ctx context.Context, m community.Membership) error {
	return t.Insert(ctx, "insert a membership",
		`INSERT INTO {memberships} (user_id, group_id, created_at) VALUES (?, ?, ?)`,
		key(m.UserID), key(m.GroupID), timestamp(m.CreatedAt))
}

// DeleteMembership reports whether the user was a member.
func (t *tx) DeleteMembership(ctx context.Context, groupID, userID string) (bool, error) {
	return t.Update(ctx, "delete a membership",
		`DELETE FROM {memberships} WHERE user_id = ? AND group_id = ?`, key(userID), key(groupID))
}
