package community

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/openlectern/openlectern/internal/paging"
	"github.com/openlectern/openlectern/internal/text"
	"github.com/openlectern/openlectern/learning/core"
)

// Group is a part of the community with a subject of its own.
type Group struct {
	ID          string
	Name        string
	Slug        string // of the name; see [text.Slug]
	Description string
	Icon        string // usually an emoji
	Official    bool   // created by the platform's administration
	Members     int
	Posts       int
	CreatedAt   time.Time
	UpdatedAt   time.Time

	Joined bool // whether the actor of the query is a member
}

// Membership makes a user a member of a group.
type Membership struct {
	GroupID   string
	UserID    string
	CreatedAt time.Time
}

// Limits of a group (docs/api.md §11), in code points; and its icon when none is
// given.
const (
	MaxGroupName        = 60
	MaxGroupDescription = 200
	MaxGroupIcon        = 16 // one emoji can be many code points
	defaultGroupIcon    = "💬"
)

// NewGroup is the input of [Service.CreateGroup].
type NewGroup struct {
	Name        string
	Description string
	Icon        string // [defaultGroupIcon] when empty
	Official    bool   // only an admin may set it
}

// normalized returns the group with an icon, and with its name and icon trimmed. It returns
// [core.ErrInvalidRequest] if the name is blank or a limit is exceeded.
func (n NewGroup) normalized() (NewGroup, error) {
	n.Name, n.Icon = strings.TrimSpace(n.Name), strings.TrimSpace(n.Icon)
	if n.Icon == "" {
		n.Icon = defaultGroupIcon
	}
	err := cmp.Or(core.RequireText("name", n.Name, 1, MaxGroupName),
		core.RequireText("description", n.Description, 0, MaxGroupDescription),
		core.RequireText("icon", n.Icon, 1, MaxGroupIcon))
	if err != nil {
		return NewGroup{}, err
	}
	return n, nil
}

// Groups lists the groups: official ones first, then by number of members, the oldest first on a
// tie. The actor need not be signed in. The caller reads the rows, and may get an error, while it
// ranges over the result.
func (s *Service) Groups(ctx context.Context, actor core.Actor) (core.OrderedRows[Group],
	error) {
	// The order changes with each membership. So all ids are read now, in their order, and the rows
	// by their ids, a part at a time.
	var ids paging.IDList
	if err := s.store.EachGroupID(ctx, ids.Add); err != nil {
		return core.OrderedRows[Group]{}, fmt.Errorf("read the order of the groups: %w", err)
	}
	read := func(ctx context.Context, ids []string) ([]Group, error) {
		return s.store.GroupsByID(ctx, ids, actor.UserID)
	}
	return paging.InOrder(ctx, "list the groups", ids, read,
		func(g *Group) string { return g.ID }), nil
}

// CreateGroup creates a group with the actor as its first member. Unique keys of its
// name and slug make sure that only one of concurrent calls with one name succeeds.
// Errors: [core.ErrUnauthenticated], [core.ErrForbidden], [core.ErrInvalidRequest],
// [ErrGroupExists].
func (s *Service) CreateGroup(ctx context.Context, actor core.Actor, n NewGroup) (Group, error) {
	if err := actor.Require(); err != nil {
		return Group{}, err
	}
	if n.Official && actor.Role != core.Admin {
		return Group{}, core.ErrForbidden
	}
	n, err := n.normalized()
	if err != nil {
		return Group{}, err
	}
	g := Group{ID: s.base.NewID(), Name: n.Name, Slug: text.Slug(n.Name),
		Description: n.Description,
		Icon:        n.Icon, Official: n.Official,
		Members: 1, CreatedAt: s.base.Now(), UpdatedAt: s.base.Now(), Joined: true}

	// Insert the group with its first member. text.NameKey is equal for names that differ only in
	// case or encoding, and the store keeps it unique, as it does the slug.
	err = s.base.InTx(ctx, func(tx Tx) error {
		err := tx.InsertGroup(ctx, g, text.NameKey(g.Name))
		if errors.Is(err, core.ErrDuplicate) { // the slug, or the key of the name
			return ErrGroupExists
		}
		if err != nil {
			return err
		}
		return tx.InsertMembership(ctx,
			Membership{GroupID: g.ID, UserID: actor.UserID, CreatedAt: g.CreatedAt})
	})
	if err != nil {
		return Group{}, core.Wrap("create a group", err)
	}
	return g, nil
}

// ToggleMembership makes the actor join a group, or leave it if they are a member. It
// reports whether they are a member now, which means nothing on an error. Errors:
// [core.ErrUnauthenticated], [ErrGroupNotFound].
func (s *Service) ToggleMembership(ctx context.Context, actor core.Actor,
	groupID string) (member bool, err error) {
	if err := actor.Require(); err != nil {
		return false, err
	}
	if !text.ValidID(groupID, text.MaxID) { // no group has such an id
		return false, ErrGroupNotFound
	}
	err = s.base.InTx(ctx, func(tx Tx) error {
		// Lock the group, so that concurrent calls run one after the other: each sees whether the
		// actor is a member, and the number of members fits the rows.
		g, err := lockGroup(ctx, tx, groupID, actor.UserID)
		if err != nil {
			return err
		}
		member = !g.Joined
		return s.setMember(ctx, tx, groupID, actor.UserID, member)
	})
	return member, core.Wrap("join or leave a group", err)
}

// lockGroup locks a group until the end of the transaction and reads it. viewerID is the user about
// whom [Group.Joined] says whether they are a member. Error: [ErrGroupNotFound].
func lockGroup(ctx context.Context, tx Tx, id, viewerID string) (Group, error) {
	if err := tx.LockGroup(ctx, id); err != nil {
		return Group{}, err
	}
	g, err := tx.Group(ctx, id, viewerID)
	if errors.Is(err, core.ErrNoRecord) {
		err = ErrGroupNotFound
	}
	return g, err
}

// setMember makes a user a member of a group if isMember is true, and else ends the membership. It
// updates the number of members. The group must be locked.
func (s *Service) setMember(ctx context.Context, tx Tx, groupID, userID string,
	isMember bool) error {
	if isMember {
		m := Membership{GroupID: groupID, UserID: userID, CreatedAt: s.base.Now()}
		if err := tx.InsertMembership(ctx, m); err != nil {
			return err
		}
		return tx.AddToMemberCount(ctx, groupID, 1)
	}
	deleted, err := tx.DeleteMembership(ctx, groupID, userID)
	if err != nil || !deleted { // the number changes only with a row
		return err
	}
	return tx.AddToMemberCount(ctx, groupID, -1)
}
