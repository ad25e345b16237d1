package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/study"
)

var userTests = []test{
	{"a user is read as it was stored", userRoundTrip},
	{"the longest texts fit", userLimits},
	{"an unknown or deleted user is ErrNoRecord", userMissing},
	{"the id of a user is unique", userDuplicate},
	{"ids differ by case and by spaces at the end", userIDs},
	{"the courses of a user are listed, the oldest enrolment first, by id on a tie", userEnrolled},
	{"a user is updated unless the record is newer", userUpdate},
	{"a user becomes a tombstone unless it was changed in a later second, and stays one",
		userScrub},
	{"a tombstone becomes a user again if it has the given time", userRestore},
	{"the metadata of a user is set, stays when the record changes, and goes with the user",
		userMetadata},
	{"a record and a tombstone can be locked", userLock},
	{"a tombstone can be inserted without a user", userTombstone},
	{"the account state has the user and the role, also if only one of them exists", userAccountState},
	{"a role is replaced unless the stored one is later", userRole},
}

func userRoundTrip(t *testing.T, f *fixture) {
	u := user("u")
	u.CreatedAt, u.ChangedAt = noon.Add(time.Microsecond), noon.Add(-time.Microsecond)
	f.add(u, user("other"))
	got, err := f.User(t.Context(), "u")
	equal(t, got, err, u)
	if got.CreatedAt != u.CreatedAt || got.ChangedAt != u.ChangedAt {
		t.Errorf("times are %v and %v, want %v and %v in UTC", got.CreatedAt, got.ChangedAt,
			u.CreatedAt, u.ChangedAt)
	}
}

func userLimits(t *testing.T, f *fixture) {
	// an id of 191 bytes
	u := people.User{ID: long(47) + "abc", Name: long(200), Email: long(320),
		ImageURL: long(2000), CreatedAt: noon, ChangedAt: noon}
	f.add(u)
	got, err := f.User(t.Context(), u.ID)
	equal(t, got, err, u)
	empty := people.User{ID: "empty", CreatedAt: noon, ChangedAt: noon}
	f.add(empty)
	got, err = f.User(t.Context(), "empty")
	equal(t, got, err, empty)
}

func userMissing(t *testing.T, f *fixture) {
	f.add(people.User{ID: "gone", CreatedAt: noon, ChangedAt: noon, DeletedAt: noon})
	for _, id := range []string{"", "nobody", "gone", "gone ", "\xff", "' OR 1 = 1 --"} {
		got, err := f.User(t.Context(), id)
		missing(t, got, err)
	}
}

func userDuplicate(t *testing.T, f *fixture) {
	f.add(user("u"))
	f.fails(core.ErrDuplicate,
		func(ctx context.Context, tx learning.Tx) error { return tx.InsertUser(ctx, user("u")) })
	f.reports(true,
		func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.ScrubUser(ctx, "u",
				noon)
		})
	f.fails(core.ErrDuplicate,
		func(ctx context.Context, tx learning.Tx) error { return tx.InsertUser(ctx, user("u")) })
}

func userIDs(t *testing.T, f *fixture) {
	f.add(user("user_A"), user("user_a"))
	for _, id := range []string{"user_A", "user_a"} {
		got, err := f.User(t.Context(), id)
		equal(t, got, err, user(id))
	}
	for _, id := range []string{"user_a ", "USER_A", "user%", "userXa"} {
		got, err := f.User(t.Context(), id)
		missing(t, got, err)
		state, err := f.AccountState(t.Context(), id)
		equal(t, state, err, core.AccountState{})
	}
}

func userEnrolled(t *testing.T, f *fixture) {
	f.add(user("u"), user("other"))
	enroll := func(course string, at time.Time) {
		f.add(study.Enrollment{UserID: "u", CourseID: course, PurchaseID: "p-" + course,
			CreatedAt: at})
	}
	enroll("late", noon.Add(time.Second))
	enroll("b", noon)
	enroll("a", noon)
	enroll("early", noon.Add(-time.Microsecond))
	want := user("u")
	want.Enrolled = []string{"early", "a", "b", "late"}
	got, err := f.User(t.Context(), "u")
	equal(t, got, err, want)
	got, err = f.User(t.Context(), "other")
	equal(t, got, err, user("other"))
}

func userUpdate(t *testing.T, f *fixture) {
	f.add(user("u"), user("other"))
	steps := []struct {
		at   time.Time
		want bool
	}{{noon, true}, {noon.Add(-time.Microsecond), false}, {noon.Add(time.Microsecond), true},
		{noon, false}}
	want := user("u")
	for i, step := range steps {
		u := people.User{ID: "u", Name: string(rune('A' + i)), Email: "new", ImageURL: "new",
			ChangedAt: step.at, CreatedAt: noon.Add(time.Hour)}
		f.reports(step.want,
			func(ctx context.Context, tx learning.Tx) (bool, error) {
				return tx.UpdateUser(ctx,
					u)
			})
		if step.want {
			want = u
			want.CreatedAt = noon // that of the first record
		}
		got, err := f.User(t.Context(), "u")
		equal(t, got, err, want)
	}
	got, err := f.User(t.Context(), "other")
	equal(t, got, err, user("other"))
	f.reports(false,
		func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.UpdateUser(ctx,
				user("nobody"))
		})
	// A row counts as changed also if it had the same values before.
	f.reports(true,
		func(ctx context.Context, tx learning.Tx) (bool, error) { return tx.UpdateUser(ctx, want) })
}

func userScrub(t *testing.T, f *fixture) {
	f.add(user("u"), user("other"))
	scrub := func(at time.Time, want bool) {
		t.Helper()
		f.reports(want,
			func(ctx context.Context, tx learning.Tx) (bool, error) {
				return tx.ScrubUser(ctx, "u",
					at)
			})
	}
	deleted := func(at time.Time) {
		t.Helper()
		got, err := f.User(t.Context(), "u")
		missing(t, got, err)
		s, err := f.AccountState(t.Context(), "u")
		equal(t, s, err, core.AccountState{Known: true, Deleted: true, DeletedAt: at})
	}
	// in the second before the last change
	scrub(noon.Truncate(time.Second).Add(-time.Microsecond), false)
	got, err := f.User(t.Context(), "u")
	equal(t, got, err, user("u"))
	scrub(noon, true)
	deleted(noon)
	scrub(noon.Add(-time.Second), false)
	scrub(noon.Add(time.Second+time.Microsecond), true)
	deleted(noon.Add(time.Second + time.Microsecond))
	scrub(noon.Add(time.Second), true) // in the same second
	deleted(noon.Add(time.Second))

	late := user("u")
	late.ChangedAt = noon.Add(time.Hour)
	f.reports(false,
		func(ctx context.Context, tx learning.Tx) (bool, error) { return tx.UpdateUser(ctx, late) })
	deleted(noon.Add(time.Second))
	f.reports(false,
		func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.ScrubUser(ctx, "nobody",
				noon)
		})
	got, err = f.User(t.Context(), "other")
	equal(t, got, err, user("other"))
}

func userMetadata(t *testing.T, f *fixture) {
	want := user("u")
	f.add(want, user("other"))
	set := func(id string, m core.Metadata, stored bool) {
		t.Helper()
		f.reports(stored, func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.SetUserMetadata(ctx, id, m)
		})
	}
	check := func(want people.User) {
		t.Helper()
		got, err := f.User(t.Context(), want.ID)
		equal(t, got, err, want)
	}
	set("u", core.Metadata{"crm_id": "1", "old": "x"}, true)
	want.Metadata = core.Metadata{"crm_id": long(core.MaxMetadataValue), "empty": ""}
	set("u", want.Metadata, true)
	set("nobody", want.Metadata, false)
	check(want)
	check(user("other"))

	// The identity provider does not change it.
	want.Name, want.ChangedAt = "Renamed", noon.Add(time.Second)
	f.reports(true, func(ctx context.Context, tx learning.Tx) (bool, error) {
		return tx.UpdateUser(ctx, people.User{ID: "u", Name: want.Name, Email: want.Email,
			ImageURL: want.ImageURL, ChangedAt: want.ChangedAt})
	})
	check(want)

	// A deleted user has none, and gets none. A restored record begins without.
	deletedAt := noon.Add(time.Minute)
	f.reports(true, func(ctx context.Context, tx learning.Tx) (bool, error) {
		return tx.ScrubUser(ctx, "u", deletedAt)
	})
	set("u", want.Metadata, false)
	f.reports(true, func(ctx context.Context, tx learning.Tx) (bool, error) {
		return tx.RestoreUser(ctx, want, deletedAt)
	})
	want.Metadata = nil
	check(want)
}

func userLock(t *testing.T, f *fixture) {
	lock := func(id string) func(ctx context.Context, tx learning.Tx) (bool, error) {
		return func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.LockUser(ctx,
				id)
		}
	}
	f.add(user("u"))
	f.reports(true, lock("u"))
	f.reports(false, lock("nobody"))
	got, err := f.User(t.Context(), "u")
	equal(t, got, err, user("u"))
	f.reports(true,
		func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.ScrubUser(ctx, "u",
				noon)
		})
	f.reports(true, lock("u"))
}

func userTombstone(t *testing.T, f *fixture) {
	f.add(people.User{ID: "gone", CreatedAt: noon, ChangedAt: noon, DeletedAt: noon})
	s, err := f.AccountState(t.Context(), "gone")
	equal(t, s, err, core.AccountState{Known: true, Deleted: true, DeletedAt: noon})
	f.reports(false, func(ctx context.Context, tx learning.Tx) (bool, error) {
		return tx.ScrubUser(ctx, "gone", noon.Add(-time.Second))
	})
}

func userRestore(t *testing.T, f *fixture) {
	gone := people.User{ID: "u", CreatedAt: noon.Add(-time.Hour), ChangedAt: noon,
		DeletedAt: noon}
	f.add(gone, user("other"))
	again := user("u")
	again.CreatedAt, again.ChangedAt = noon.Add(2*time.Second), noon.Add(time.Second)
	restore := func(u people.User, deletedAt time.Time, want bool) {
		t.Helper()
		f.reports(want,
			func(ctx context.Context, tx learning.Tx) (bool, error) {
				return tx.RestoreUser(ctx, u,
					deletedAt)
			})
	}
	restore(again, noon.Add(time.Microsecond), false)
	s, err := f.AccountState(t.Context(), "u")
	equal(t, s, err, core.AccountState{Known: true, Deleted: true, DeletedAt: noon})
	restore(again, noon, true)
	restore(again, noon, false)
	got, err := f.User(t.Context(), "u")
	equal(t, got, err, again)
	restore(user("other"), noon, false)
	restore(user("nobody"), noon, false)
}

func userAccountState(t *testing.T, f *fixture) {
	check := func(want core.AccountState) {
		t.Helper()
		got, err := f.AccountState(t.Context(), "u")
		equal(t, got, err, want)
	}
	decision := core.RoleAssignment{Role: core.Educator, At: noon}
	check(core.AccountState{})
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.InsertRole(ctx, "u",
			decision)
	})
	check(core.AccountState{RoleAssignment: decision})
	f.add(user("u"))
	check(core.AccountState{Known: true, Name: "Name of u", RoleAssignment: decision})
	f.do(func(ctx context.Context, tx learning.Tx) error { return tx.DeleteRole(ctx, "u") })
	check(core.AccountState{Known: true, Name: "Name of u"})
	// deleting a missing row is not an error
	f.do(func(ctx context.Context, tx learning.Tx) error { return tx.DeleteRole(ctx, "u") })
}

func userRole(t *testing.T, f *fixture) {
	decide := func(role core.Role, at time.Time, want bool) {
		t.Helper()
		f.reports(want, func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.UpdateRole(ctx, "u", core.RoleAssignment{Role: role, At: at})
		})
	}
	decide(core.Admin, noon, false)
	first := core.RoleAssignment{Role: core.Student, At: noon}
	f.do(func(ctx context.Context, tx learning.Tx) error { return tx.InsertRole(ctx, "u", first) })
	f.fails(core.ErrDuplicate,
		func(ctx context.Context, tx learning.Tx) error { return tx.InsertRole(ctx, "u", first) })
	decide(core.Admin, noon.Add(-time.Microsecond), false)
	decide(core.Educator, noon, true)
	decide(core.Admin, noon.Add(time.Microsecond), true)
	// a row counts as changed also if it had the same values before
	decide(core.Admin, noon.Add(time.Microsecond), true)
	s, err := f.AccountState(t.Context(), "u")
	equal(t, s, err,
		core.AccountState{RoleAssignment: core.RoleAssignment{Role: core.Admin,
			At: noon.Add(time.Microsecond)}})
}
