package learning_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// sentAt returns an event that has no time of its own, sent at a time after the start.
func sentAt(kind string, after time.Duration) learning.IdentityEvent {
	e := event(kind, 1)
	e.SentAt, e.User.UpdatedAt = learningtest.Start.Add(after), time.Time{}
	return e
}

// createdAt returns a user.created with a time of creation, sent an hour later.
func createdAt(after time.Duration) learning.IdentityEvent {
	e := sentAt(learning.UserCreated, time.Hour)
	e.User.CreatedAt = learningtest.Start.Add(after)
	return e
}

func TestUserCreated_AfterDeletion(t *testing.T) {
	const deletedAt = 10 * time.Minute
	stale := sentAt(learning.UserCreated, deletedAt+time.Minute)
	stale.User.UpdatedAt = learningtest.Start
	w := newFixture(t, "sqlite:"+t.TempDir()+"/learning.db")
	for name, tt := range map[string]struct {
		event learning.IdentityEvent
		want  bool // whether there is a user afterwards
	}{
		"sent_later_makes_a_record": {sentAt(learning.UserCreated,
			deletedAt+time.Second), true},
		"sent_in_the_same_second_makes_a_record": {sentAt(learning.UserCreated, deletedAt),
			true},
		"sent_earlier_does_nothing": {sentAt(learning.UserCreated,
			deletedAt-time.Second), false},
		"created_later_makes_a_record": {createdAt(deletedAt + time.Second), true},
		"created_in_the_same_second": {createdAt(deletedAt + time.Millisecond),
			true},
		"created_earlier_and_sent_later": {createdAt(deletedAt - time.Millisecond),
			false},
		"sent_later_with_an_older_record": {stale, false},
		"updated_later_does_not_restore": {sentAt(learning.UserUpdated,
			deletedAt+time.Hour), false},
		"updated_in_the_same_second_does_nothing": {sentAt(learning.UserUpdated, deletedAt),
			false},
		"created_later_than_the_first_of_deletions": {createdAt(deletedAt - time.Minute), false},
	} {
		t.Run(name, func(t *testing.T) {
			w.empty(t)
			w.apply(t, event(learning.UserCreated, 0), sentAt(learning.UserDeleted, 5*time.Minute),
				sentAt(learning.UserDeleted, deletedAt))
			before := w.dump(t)
			for range 2 { // the repetition changes nothing
				w.apply(t, tt.event)
				if n := w.count(t,
					"users WHERE id = 'ada' AND deleted_at IS NULL AND name = 'Ada 1'"); (n == 1) !=
					tt.want {
					t.Errorf("%d records: %v", n, w.rows(t, "users"))
				}
			}
			if diff := cmp.Diff(before, w.dump(t)); !tt.want && diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A deletion that is delivered again after the user was created again is older than the new
// record.
func TestUserDeleted_OlderThanTheRecord(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		deleted := sentAt(learning.UserDeleted, time.Minute)
		w.apply(t, event(learning.UserCreated, 0), deleted,
			sentAt(learning.UserCreated, 2*time.Minute))
		before := w.dump(t)
		w.apply(t, deleted)
		if diff := cmp.Diff(before, w.dump(t)); diff != "" {
			t.Error(diff)
		}
		w.wantLogged(t, "a deletion is older than the record", 1)
		// of equal times the last event wins
		w.apply(t, sentAt(learning.UserDeleted, 2*time.Minute))
		if got := w.ada(t); got != learning.ErrUserNotFound.Error() {
			t.Errorf("she is %q", got)
		}
	})
}

func TestUserCreated_AfterDeletion_KeepsWhatWasPaidAndNotTheRole(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		course, ada := w.Course(t, "go", 499_00), w.Person(t, "ada", learning.Student)
		o := w.order(t, ada, course)
		if err := w.Platform.VerifyPayment(ctx(), ada, w.proof(o.OrderID, "pay_1")); err != nil {
			t.Fatal(err)
		}
		post, err := w.Platform.CreatePost(ctx(), ada,
			learning.NewPost{Title: "Hello", Content: "I am Ada."})
		if err != nil {
			t.Fatal(err)
		}
		w.submits(t, "ada")
		w.apply(t, withRole(event(learning.UserUpdated, 1), learning.Admin),
			sentAt(learning.UserDeleted, 2*time.Minute))
		if got := w.authorOf(t, post.ID); got != "Deleted user" {
			t.Errorf("the author of her post is %q", got)
		}

		w.apply(t, sentAt(learning.UserCreated, 10*time.Minute))
		u, err := w.Platform.User(ctx(), learning.Claims{UserID: "ada"})
		if diff := cmp.Diff([]string{course}, u.Enrolled); err != nil || diff != "" {
			t.Errorf("%v, %s", err, diff)
		}
		w.wantSold(t, course, 1, 1, 0)
		if got := w.authorOf(t, post.ID); got != "Ada 1" {
			t.Errorf("the author of her post is %q", got)
		}
		if a, err := w.Platform.ApplicationOf(ctx(), ada); err != nil || a != nil {
			t.Errorf("the application exists again: %+v, %v", a, err)
		}

		for name, tt := range map[string]struct {
			issued time.Duration
			want   learning.Role
		}{
			"before_the_deletion":    {time.Minute, learning.Student},
			"second_of_the_deletion": {2 * time.Minute, learning.Student},
			"after_the_deletion":     {3 * time.Minute, learning.Admin},
			"after_the_new_record":   {11 * time.Minute, learning.Admin},
		} {
			if got := w.roleOf(t, learningtest.Start.Add(tt.issued)); got != tt.want {
				t.Errorf("with a token from %s the role is %s, want %s", name, got, tt.want)
			}
		}
		// delivered late, older than the deletion
		w.apply(t, withRole(event(learning.UserUpdated, 1), learning.Admin))
		if got := w.decision(t, "ada"); got.Role != learning.Student {
			t.Errorf("a late event restored the role: %+v", got)
		}
		w.apply(t, withRole(event(learning.UserUpdated, 12), learning.Educator))
		if got := w.decision(t, "ada"); got.Role != learning.Educator {
			t.Errorf("a new event does not set the role: %+v", got)
		}
	})
}

func TestUserCreated_AfterDeletion_DecidesTheRoleItNames(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		w.apply(t, withRole(event(learning.UserCreated, 1), learning.Admin),
			event(learning.UserDeleted, 2))
		// a row that an earlier version may have left
		w.exec(t,
			"INSERT INTO roles (user_id, role, decided_at) SELECT id, 'admin', deleted_at "+
				"FROM users")
		w.apply(t, withRole(event(learning.UserCreated, 3), learning.Educator))
		if got := w.roleOf(t, time.Time{}); got != learning.Educator {
			t.Errorf("the role is %s", got)
		}
	})
}

// authorOf returns the name that a post shows.
func (w *fixture) authorOf(t *testing.T, postID string) string {
	t.Helper()
	thread, err := w.Platform.Thread(ctx(), learning.Actor{}, postID)
	if err != nil {
		t.Fatal(err)
	}
	return thread.Post.Author.Name
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
	const created, updated, deleted = learning.UserCreated, learning.UserUpdated, learning.UserDeleted
	gone := learning.ErrUserNotFound.Error()
	tests := map[string]struct {
		before          []learning.IdentityEvent
		event, overtake learning.IdentityEvent
		want            string
		roles           int
	}{
		"role_change_by_deletion": {[]learning.IdentityEvent{event(created, 1)},
			withRole(event(updated, 2), learning.Admin), event(deleted, 3), gone, 0},
		"later_creation_by_deletion": {[]learning.IdentityEvent{event(created, 1)},
			event(created, 4), event(deleted, 3), knownAs(4), 1},
		"first_creation_by_deletion": {nil, withRole(event(created, 2), learning.Admin),
			event(deleted, 3), gone, 0},
		"deletion_by_later_creation": {[]learning.IdentityEvent{event(created, 1),
			event(deleted, 2)}, event(deleted, 3), event(created, 4), knownAs(4), 1},
		"deletion_by_role_change": {[]learning.IdentityEvent{event(created, 1)},
			event(deleted, 3), withRole(event(updated, 2), learning.Admin), gone, 0},
		"restoring_by_restoring": {[]learning.IdentityEvent{event(deleted, 1)},
			event(created, 3), event(created, 4), knownAs(4), 1},
		"restoring_by_later_deletion": {[]learning.IdentityEvent{event(deleted, 1)},
			withRole(event(created, 3), learning.Admin), event(deleted, 4), gone, 0},
	}
	onEngines(t, func(t *testing.T, database string) {
		store := &interposed{}
		w := newFixture(t, database,
			learningtest.WithStore(
				func(s learning.Store) learning.Store { store.Store = s; return store }))
		other := w.otherInstance(t)
		for name, tt := range tests {
			w.empty(t)
			w.apply(t, tt.before...)
			store.then = func() { other.apply(t, tt.overtake) }
			w.apply(t, tt.event)
			if got := w.ada(t); got != tt.want {
				t.Errorf("%s: the user is %q, want %q", name, got, tt.want)
			}
			if n := w.count(t, "roles"); n != tt.roles {
				t.Errorf("%s: %d roles, want %d: %v", name, n, tt.roles, w.rows(t, "roles"))
			}
			if store.then != nil {
				t.Errorf("%s: no event was interposed", name)
			}
		}
	})
}

// empty deletes all rows.
func (w *fixture) empty(t *testing.T) {
	t.Helper()
	for _, table := range enginetest.TableNames(t, w.db) {
		w.exec(t, "DELETE FROM "+table)
	}
}

// The order of arrival does not matter: after a deletion and a later creation there is a user,
// after a creation and a later deletion there is none.
func TestApplyIdentityEvent_CreatedAndDeletedAtOnce(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		two := []*fixture{w, w.otherInstance(t)}
		for name, tt := range map[string]struct {
			deleted, created int // minutes
			want             string
		}{
			"created_later": {2, 3, knownAs(3)},
			"deleted_later": {3, 2, learning.ErrUserNotFound.Error()},
		} {
			for range 5 {
				w.empty(t)
				w.apply(t, withRole(event(learning.UserCreated, 1), learning.Educator))
				events := []learning.IdentityEvent{event(learning.UserDeleted, tt.deleted),
					event(learning.UserCreated, tt.created), event(learning.UserUpdated, 1)}
				for _, err := range concurrently(9,
					func(i int) error {
						return two[i%2].Platform.System().ApplyIdentityEvent(ctx(),
							events[i%3])
					}) {
					if err != nil && !errors.Is(err, context.Canceled) {
						t.Error(err)
					}
				}
				if got := w.ada(t); got != tt.want {
					t.Errorf("%s: %q, want %q", name, got, tt.want)
				}
			}
		}
	})
}
