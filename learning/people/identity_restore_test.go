package people_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/people"
)

// sentAt returns an event that has no time of its own, sent at a time after the start.
func sentAt(kind string, after time.Duration) people.IdentityEvent {
	e := roomtest.Event(kind, 1)
	e.SentAt, e.User.UpdatedAt = learningtest.Start.Add(after), time.Time{}
	return e
}

// createdAt returns a user.created with a time of creation, sent an hour later.
func createdAt(after time.Duration) people.IdentityEvent {
	e := sentAt(people.UserCreated, time.Hour)
	e.User.CreatedAt = learningtest.Start.Add(after)
	return e
}

func TestUserCreated_AfterDeletion(t *testing.T) {
	const deletedAt = 10 * time.Minute
	stale := sentAt(people.UserCreated, deletedAt+time.Minute)
	stale.User.UpdatedAt = learningtest.Start
	w := roomtest.New(t, "sqlite:"+t.TempDir()+"/learning.db")
	for name, tt := range map[string]struct {
		event people.IdentityEvent
		want  bool // whether there is a user afterwards
	}{
		"sent_later_makes_a_record": {sentAt(people.UserCreated,
			deletedAt+time.Second), true},
		"sent_in_the_same_second_makes_a_record": {sentAt(people.UserCreated, deletedAt),
			true},
		"sent_earlier_does_nothing": {sentAt(people.UserCreated,
			deletedAt-time.Second), false},
		"created_later_makes_a_record": {createdAt(deletedAt + time.Second), true},
		"created_in_the_same_second": {createdAt(deletedAt + time.Millisecond),
			true},
		"created_earlier_and_sent_later": {createdAt(deletedAt - time.Millisecond),
			false},
		"sent_later_with_an_older_record": {stale, false},
		"updated_later_does_not_restore": {sentAt(people.UserUpdated,
			deletedAt+time.Hour), false},
		"updated_in_the_same_second_does_nothing": {sentAt(people.UserUpdated, deletedAt),
			false},
		"created_later_than_the_first_of_deletions": {createdAt(deletedAt - time.Minute), false},
	} {
		t.Run(name, func(t *testing.T) {
			w.Empty(t)
			w.Apply(t, roomtest.Event(people.UserCreated, 0), sentAt(people.UserDeleted,
				5*time.Minute),
				sentAt(people.UserDeleted, deletedAt))
			before := w.Dump(t)
			for range 2 { // the repetition changes nothing
				w.Apply(t, tt.event)
				if n := w.Count(t,
					"users WHERE id = 'ada' AND deleted_at IS NULL AND name = 'Ada 1'"); (n == 1) !=
					tt.want {
					t.Errorf("%d records: %v", n, w.Rows(t, "users"))
				}
			}
			if diff := cmp.Diff(before, w.Dump(t)); !tt.want && diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A deletion that is delivered again after the user was created again is older than the new
// record.
func TestUserDeleted_OlderThanTheRecord(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		deleted := sentAt(people.UserDeleted, time.Minute)
		w.Apply(t, roomtest.Event(people.UserCreated, 0), deleted,
			sentAt(people.UserCreated, 2*time.Minute))
		before := w.Dump(t)
		w.Apply(t, deleted)
		if diff := cmp.Diff(before, w.Dump(t)); diff != "" {
			t.Error(diff)
		}
		w.WantLogged(t, "a deletion is older than the record", 1)
		// of equal times the last event wins
		w.Apply(t, sentAt(people.UserDeleted, 2*time.Minute))
		if got := w.Ada(t); got != people.ErrUserNotFound.Error() {
			t.Errorf("she is %q", got)
		}
	})
}

func TestUserCreated_AfterDeletion_KeepsWhatWasPaidAndNotTheRole(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		course, ada := w.Course(t, "go", 499_00), w.Person(t, "ada", core.Student)
		o := w.Order(t, ada, course)
		if err := w.Platform.Sales.VerifyPayment(ctx(), ada,
			w.Proof(o.OrderID, "pay_1")); err != nil {
			t.Fatal(err)
		}
		post, err := w.Platform.Community.CreatePost(ctx(), ada,
			community.NewPost{Title: "Hello", Content: "I am Ada."})
		if err != nil {
			t.Fatal(err)
		}
		w.Submits(t, "ada")
		w.Apply(t, roomtest.WithRole(roomtest.Event(people.UserUpdated, 1), core.Admin),
			sentAt(people.UserDeleted, 2*time.Minute))
		if got := w.AuthorOf(t, post.ID); got != "Deleted user" {
			t.Errorf("the author of her post is %q", got)
		}

		w.Apply(t, sentAt(people.UserCreated, 10*time.Minute))
		u, err := w.Platform.People.User(ctx(), people.Claims{UserID: "ada"})
		if diff := cmp.Diff([]string{course}, u.Enrolled); err != nil || diff != "" {
			t.Errorf("%v, %s", err, diff)
		}
		w.WantSold(t, course, 1, 1, 0)
		if got := w.AuthorOf(t, post.ID); got != "Ada 1" {
			t.Errorf("the author of her post is %q", got)
		}
		if a, err := w.Platform.Staff.ApplicationOf(ctx(), ada); err != nil || a != nil {
			t.Errorf("the application exists again: %+v, %v", a, err)
		}

		for name, tt := range map[string]struct {
			issued time.Duration
			want   learning.Role
		}{
			"before_the_deletion":    {time.Minute, core.Student},
			"second_of_the_deletion": {2 * time.Minute, core.Student},
			"after_the_deletion":     {3 * time.Minute, core.Admin},
			"after_the_new_record":   {11 * time.Minute, core.Admin},
		} {
			if got := w.RoleOf(t, learningtest.Start.Add(tt.issued)); got != tt.want {
				t.Errorf("with a token from %s the role is %s, want %s", name, got, tt.want)
			}
		}
		// delivered late, older than the deletion
		w.Apply(t, roomtest.WithRole(roomtest.Event(people.UserUpdated, 1), core.Admin))
		if got := w.Decision(t, "ada"); got.Role != core.Student {
			t.Errorf("a late event restored the role: %+v", got)
		}
		w.Apply(t, roomtest.WithRole(roomtest.Event(people.UserUpdated, 12), core.Educator))
		if got := w.Decision(t, "ada"); got.Role != core.Educator {
			t.Errorf("a new event does not set the role: %+v", got)
		}
	})
}

func TestUserCreated_AfterDeletion_DecidesTheRoleItNames(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		w.Apply(t, roomtest.WithRole(roomtest.Event(people.UserCreated, 1), core.Admin),
			roomtest.Event(people.UserDeleted, 2))
		// a row that an earlier version may have left
		w.Exec(t,
			"INSERT INTO roles (user_id, role, decided_at) SELECT id, 'admin', deleted_at "+
				"FROM users")
		w.Apply(t, roomtest.WithRole(roomtest.Event(people.UserCreated, 3), core.Educator))
		if got := w.RoleOf(t, time.Time{}); got != core.Educator {
			t.Errorf("the role is %s", got)
		}
	})
}

// interposed calls a function once, before a transaction begins.
type interposed struct {
	learning.Store
	then func()
}

func (s *interposed) InTx(ctx context.Context, fn func(tx learning.Tx) error) error {
	if then := s.then; then != nil {
		s.then = nil
		then()
	}
	return s.Store.InTx(ctx, fn)
}

// The account state that was read before the transaction can be out of date inside it.
func TestApplyIdentityEvent_OvertakenByAnother(t *testing.T) {
	const created, updated, deleted = people.UserCreated, people.UserUpdated, people.UserDeleted
	gone := people.ErrUserNotFound.Error()
	tests := map[string]struct {
		before          []people.IdentityEvent
		event, overtake people.IdentityEvent
		want            string
		roles           int
	}{
		"role_change_by_deletion": {[]people.IdentityEvent{roomtest.Event(created, 1)},
			roomtest.WithRole(roomtest.Event(updated, 2), core.Admin), roomtest.Event(deleted,
				3), gone, 0},
		"later_creation_by_deletion": {[]people.IdentityEvent{roomtest.Event(created, 1)},
			roomtest.Event(created, 4), roomtest.Event(deleted, 3), knownAs(4), 1},
		"first_creation_by_deletion": {nil, roomtest.WithRole(roomtest.Event(created, 2),
			core.Admin),
			roomtest.Event(deleted, 3), gone, 0},
		"deletion_by_later_creation": {[]people.IdentityEvent{roomtest.Event(created, 1),
			roomtest.Event(deleted, 2)}, roomtest.Event(deleted, 3), roomtest.Event(created, 4), knownAs(4), 1},
		"deletion_by_role_change": {[]people.IdentityEvent{roomtest.Event(created, 1)},
			roomtest.Event(deleted, 3), roomtest.WithRole(roomtest.Event(updated, 2),
				core.Admin), gone, 0},
		"restoring_by_restoring": {[]people.IdentityEvent{roomtest.Event(deleted, 1)},
			roomtest.Event(created, 3), roomtest.Event(created, 4), knownAs(4), 1},
		"restoring_by_later_deletion": {[]people.IdentityEvent{roomtest.Event(deleted, 1)},
			roomtest.WithRole(roomtest.Event(created, 3), core.Admin), roomtest.Event(deleted,
				4), gone, 0},
	}
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		store := &interposed{}
		w := roomtest.New(t, database,
			learningtest.WithStore(
				func(s learning.Store) learning.Store { store.Store = s; return store }))
		other := w.OtherInstance(t)
		for name, tt := range tests {
			w.Empty(t)
			w.Apply(t, tt.before...)
			store.then = func() { other.Apply(t, tt.overtake) }
			w.Apply(t, tt.event)
			if got := w.Ada(t); got != tt.want {
				t.Errorf("%s: the user is %q, want %q", name, got, tt.want)
			}
			if n := w.Count(t, "roles"); n != tt.roles {
				t.Errorf("%s: %d roles, want %d: %v", name, n, tt.roles, w.Rows(t, "roles"))
			}
			if store.then != nil {
				t.Errorf("%s: no event was interposed", name)
			}
		}
	})
}

// The order of arrival does not matter: after a deletion and a later creation there is a user,
// after a creation and a later deletion there is none.
func TestApplyIdentityEvent_CreatedAndDeletedAtOnce(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		two := []*roomtest.World{w, w.OtherInstance(t)}
		for name, tt := range map[string]struct {
			deleted, created int // minutes
			want             string
		}{
			"created_later": {2, 3, knownAs(3)},
			"deleted_later": {3, 2, people.ErrUserNotFound.Error()},
		} {
			for range 5 {
				w.Empty(t)
				w.Apply(t, roomtest.WithRole(roomtest.Event(people.UserCreated, 1), core.Educator))
				events := []people.IdentityEvent{roomtest.Event(people.UserDeleted, tt.deleted),
					roomtest.Event(people.UserCreated, tt.created), roomtest.Event(people.UserUpdated, 1)}
				for _, err := range roomtest.Concurrently(9,
					func(i int) error {
						return two[i%2].Platform.System().ApplyIdentityEvent(ctx(),
							events[i%3])
					}) {
					if err != nil && !errors.Is(err, context.Canceled) {
						t.Error(err)
					}
				}
				if got := w.Ada(t); got != tt.want {
					t.Errorf("%s: %q, want %q", name, got, tt.want)
				}
			}
		}
	})
}
