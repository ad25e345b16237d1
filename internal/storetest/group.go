package storetest

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
)

var groupTests = []test{
	{"a group is read as it was stored, also with the longest texts", groupRoundTrip},
	{"a group that does not exist is ErrNoRecord", groupMissing},
	{"slugs and name keys of groups are unique", groupUnique},
	{"official groups are listed first, then by members, the oldest first on a tie", groupList},
	{"a list of groups shows which ones the caller has joined", groupJoined},
	{"the groups of a user are listed that have posts", groupsOfMember},
	{"a membership is inserted once and deleted once", groupMembership},
	{"the counters of a group change by the given numbers", groupCount},
	{"locking a group changes nothing, and a missing group cannot be locked", groupLock},
}

// group returns a group with a value in every field. Its slug and the key of its name are its
// id.
func group(id string) community.Group {
	return community.Group{ID: id, Name: "Group " + id, Slug: id,
		Description: "About\n<b>" + id + "</b> & \"more\" \x01 🎓", Icon: "👩🏽‍🚀",
		Members: 3, Posts: 4, CreatedAt: noon, UpdatedAt: noon.Add(time.Second)}
}

// keptGroup checks a stored group, as a user sees it.
func (f *fixture) keptGroup(viewerID string, want community.Group) {
	f.t.Helper()
	got, err := f.Group(f.t.Context(), want.ID, viewerID)
	equal(f.t, got, err, want)
}

func groupRoundTrip(t *testing.T, f *fixture) {
	largest := group("largest")
	largest.ID = long(10)
	largest.Name = long(community.MaxGroupName)
	largest.Slug = long(47) + "abc"
	largest.Description = long(community.MaxGroupDescription)
	largest.Icon = long(community.MaxGroupIcon)
	largest.Members = 1 << 40
	largest.Posts = 1 << 41
	largest.Official = true
	for _, g := range []community.Group{group("a"),
		{ID: "empty", Slug: "s", CreatedAt: noon, UpdatedAt: noon}, largest} {
		f.add(g)
		f.keptGroup("", g)
	}
	f.do(func(ctx context.Context, tx learning.Tx) error {
		got, err := tx.Group(ctx, "a", "")
		equal(t, got, err, group("a"))
		return nil
	})
}

func groupMissing(t *testing.T, f *fixture) {
	f.add(group("a"))
	for _, id := range unknownIDs {
		got, err := f.Group(t.Context(), id, "")
		missing(t, got, err)
	}
}

// unknownIDs are ids that no row has; some of them look like "a".
var unknownIDs = []string{"", "A", "a ", "b", "\xff", "' OR 1 = 1 --", long(1000)}

func groupUnique(t *testing.T, f *fixture) {
	f.add(group("first"))
	insert := func(g community.Group,
		nameKey string) func(ctx context.Context, tx learning.Tx) error {
		return func(ctx context.Context, tx learning.Tx) error {
			return tx.InsertGroup(ctx, g,
				nameKey)
		}
	}
	second := group("second")
	f.fails(core.ErrDuplicate, insert(second, "first"))
	second.Slug = "first"
	f.fails(core.ErrDuplicate, insert(second, "second"))
	f.fails(core.ErrDuplicate, insert(group("first"), "second"))
	f.keptGroup("", group("first"))
	second.Slug, second.Name = "First", "Group first" // names need not be unique
	f.do(insert(second, "First"))
	f.keptGroup("", second)
}

func groupList(t *testing.T, f *fixture) {
	list, err := f.groups("another user")
	equal(t, list, err, nil)
	made := func(id string, official bool, members int, at time.Time) community.Group {
		g := group(id)
		g.Official = official
		g.Members = members
		g.CreatedAt = at
		f.add(g)
		return g
	}
	few := made("few", false, 1, noon)
	younger := made("0", false, 5, noon.Add(time.Microsecond))
	b, a := made("b", false, 5, noon), made("a", false, 5, noon)
	empty := made("empty", true, 0, noon.Add(time.Hour))
	official := made("official", true, 1, noon)
	many := made("many", false, 1_000, noon)
	list, err = f.groups("")
	equal(t, list, err, []community.Group{official, empty, many, a, b, younger, few})
}

func groupJoined(t *testing.T, f *fixture) {
	mine, other := group("mine"), group("other")
	mine.Members = 4
	f.add(mine, other, membership("mine", "ada"), membership("other", "Ada"),
		membership("other", "eve"))
	mine.Joined = true
	f.keptGroup("ada", mine)
	f.keptGroup("ada", other)
	list, err := f.groups("ada")
	equal(t, list, err, []community.Group{mine, other})
	mine.Joined = false
	for _, nobody := range []string{"", "nobody", "aDa"} {
		list, err = f.groups(nobody)
		equal(t, list, err, []community.Group{mine, other})
	}
}

// membership returns a membership of a user in a group.
func membership(groupID, userID string) community.Membership {
	return community.Membership{GroupID: groupID, UserID: userID, CreatedAt: noon}
}

func groupsOfMember(t *testing.T, f *fixture) {
	quiet := group("quiet")
	quiet.Posts = 0
	f.add(group("a"), group("b"), group("c"), quiet)
	f.add(membership("a", "ada"), membership("b", "ada"), membership("quiet", "ada"),
		membership("c", "Ada"), membership("a", "eve"))
	for id, want := range map[string][]community.Group{"ada": {{ID: "a", Posts: 4},
		{ID: "b", Posts: 4}}, "eve": {{ID: "a", Posts: 4}}, "": nil, "ada ": nil, "\xff": nil} {
		list, err := f.MemberGroups(t.Context(), id)
		slices.SortFunc(list, func(a, b community.Group) int { return strings.Compare(a.ID, b.ID) })
		equal(t, list, err, want)
	}
}

func groupMembership(t *testing.T, f *fixture) {
	f.add(group("a"), group("b"), membership("a", "ada"), membership("b", "ada"),
		membership("a", "eve"))
	f.fails(core.ErrDuplicate, func(ctx context.Context, tx learning.Tx) error {
		return tx.InsertMembership(ctx, membership("a", "ada"))
	})
	remove := func(ctx context.Context,
		tx learning.Tx) (bool, error) {
		return tx.DeleteMembership(ctx, "a", "ada")
	}
	f.reports(true, remove)
	f.reports(false, remove)
	joined := func(id, userID string, want bool) {
		t.Helper()
		g := group(id)
		g.Joined = want
		f.keptGroup(userID, g)
	}
	joined("a", "ada", false)
	joined("b", "ada", true)
	joined("a", "eve", true)
	f.add(membership("a", "ada"))
	joined("a", "ada", true)
}

func groupCount(t *testing.T, f *fixture) {
	f.add(group("a"), group("b"))
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.AddToMemberCount(ctx, "a",
			1)
	})
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.AddToMemberCount(ctx, "a",
			1)
	})
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.AddToMemberCount(ctx, "b",
			-1)
	})
	for _, by := range []int{1, -1, -1} {
		f.reports(true,
			func(ctx context.Context, tx learning.Tx) (bool, error) {
				return tx.AddToPostCount(ctx,
					"a", by)
			})
	}
	f.reports(false,
		func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.AddToPostCount(ctx, "c",
				1)
		})
	a, b := group("a"), group("b")
	a.Members = a.Members + 2
	a.Posts = a.Posts - 1
	b.Members = b.Members - 1
	f.keptGroup("", a)
	f.keptGroup("", b)
}

func groupLock(t *testing.T, f *fixture) {
	f.add(group("a"))
	for _, id := range []string{"a", "b"} {
		f.do(func(ctx context.Context, tx learning.Tx) error { return tx.LockGroup(ctx, id) })
	}
	f.keptGroup("", group("a"))
}

// groups lists all groups in their order. It also asks for one that does not exist, which must be
// left out. GroupsByID returns them in no order.
func (f *fixture) groups(viewerID string) ([]community.Group, error) {
	f.t.Helper()
	var ids []string
	err := f.EachGroupID(f.t.Context(), func(id string) error {
		ids = append(ids, id)
		return nil
	})
	if err != nil {
		return nil, err
	}
	list, err := f.GroupsByID(f.t.Context(), append(slices.Clone(ids), "unknown"), viewerID)
	slices.SortFunc(list,
		func(a, b community.Group) int { return slices.Index(ids, a.ID) - slices.Index(ids, b.ID) })
	return list, err
}
