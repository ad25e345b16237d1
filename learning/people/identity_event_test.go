package people_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/people"
)

func knownAs(minute int) string {
	return fmt.Sprintf("Ada %[1]d ada-%[1]d@example.com https://example.com/%[1]d.png", minute)
}

func TestApplyIdentityEvent_AnyOrder(t *testing.T) {
	const created, updated, deleted = people.UserCreated, people.UserUpdated, people.UserDeleted
	gone := people.ErrUserNotFound.Error()
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		for name, tt := range map[string]struct {
			events []people.IdentityEvent
			want   string
		}{
			"in order": {[]people.IdentityEvent{roomtest.Event(created, 1), roomtest.Event(updated,
				2),
				roomtest.Event(updated, 3)}, knownAs(3)},
			"backwards": {[]people.IdentityEvent{roomtest.Event(updated, 3), roomtest.Event(updated,
				2),
				roomtest.Event(created, 1)}, knownAs(3)},
			"only updated": {[]people.IdentityEvent{roomtest.Event(updated, 2)}, knownAs(2)},
			"created late": {[]people.IdentityEvent{roomtest.Event(updated, 2),
				roomtest.Event(created,
					1)},
				knownAs(2)},
			"of the same time": {[]people.IdentityEvent{roomtest.Event(created, 2),
				roomtest.Event(updated,
					2)},
				knownAs(2)},
			"deleted": {[]people.IdentityEvent{roomtest.Event(created, 1), roomtest.Event(deleted,
				2)},
				gone},
			"deleted twice": {[]people.IdentityEvent{roomtest.Event(created, 1),
				roomtest.Event(deleted,
					2),
				roomtest.Event(deleted, 3)}, gone},
			"updated after it": {[]people.IdentityEvent{roomtest.Event(created, 1),
				roomtest.Event(deleted,
					2),
				roomtest.Event(updated, 3)}, gone},
			"created after it": {[]people.IdentityEvent{roomtest.Event(created, 1),
				roomtest.Event(deleted,
					2),
				roomtest.Event(updated, 3), roomtest.Event(created, 4)}, knownAs(4)},
			"created before it": {[]people.IdentityEvent{roomtest.Event(created, 1),
				roomtest.Event(deleted, 3),
				roomtest.Event(created, 2)}, gone},
			"an old deletion": {[]people.IdentityEvent{roomtest.Event(created, 1),
				roomtest.Event(deleted,
					2),
				roomtest.Event(created, 4), roomtest.Event(deleted, 2)}, knownAs(4)},
			"deleted again": {[]people.IdentityEvent{roomtest.Event(created, 1),
				roomtest.Event(deleted,
					2),
				roomtest.Event(created, 4), roomtest.Event(deleted, 5), roomtest.Event(created, 4)}, gone},
			"deleted first": {[]people.IdentityEvent{roomtest.Event(deleted, 2),
				roomtest.Event(created,
					1),
				roomtest.Event(updated, 3)}, gone},
			"the same twice": {[]people.IdentityEvent{roomtest.Event(created, 1),
				roomtest.Event(created,
					1)},
				knownAs(1)},
			"an old one, repeated": {[]people.IdentityEvent{roomtest.Event(created, 1),
				roomtest.Event(updated, 2),
				roomtest.Event(created, 1)}, knownAs(2)},
		} {
			w.Empty(t)
			w.Apply(t, tt.events...)
			if got := w.Ada(t); got != tt.want {
				t.Errorf("%s: %q, want %q", name, got, tt.want)
			}
		}
	})
}

// A host that misspells a type must learn of it. The webhook accepts events of all types, because
// the provider sends others too.
func TestApplyIdentityEvent_RefusesAnotherType(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	for _, kind := range []string{"", "user.create", "User.Created", "session.created"} {
		err := w.Platform.System().ApplyIdentityEvent(ctx(), roomtest.Event(kind, 1))
		if !errors.Is(err, people.ErrUnknownEventType) ||
			!strings.Contains(err.Error(), "must be user.created, user.updated or user.deleted") {
			t.Errorf("%q: %v", kind, err)
		}
	}
	body := []byte(`{"type":"session.created","data":{"id":"ada"}}`)
	signed := w.Sandbox.Identity().SignWebhook(body, "msg_1", w.Clock.Now())
	if err := w.Platform.People.ReceiveIdentityWebhook(ctx(), people.Webhook{ID: "msg_1",
		Body:      body,
		Timestamp: signed.Get("hook-timestamp"),
		Signature: signed.Get("hook-signature")}); err != nil {
		t.Errorf("the webhook of another type: %v", err)
	}
	if n := w.Count(t, "users"); n != 0 {
		t.Errorf("%d users", n)
	}
}

func TestApplyIdentityEvent_ThirtyConcurrentDeliveries(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		two := []*roomtest.World{w, w.OtherInstance(t)}
		deliver := func(events []people.IdentityEvent) {
			t.Helper()
			errs := roomtest.Concurrently(len(events), func(i int) error {
				return two[i%2].Platform.System().ApplyIdentityEvent(context.Background(),
					events[i])
			})
			if diff := cmp.Diff(map[string]int{"": len(events)}, roomtest.CountErrors(errs)); diff != "" {
				t.Error(diff)
			}
		}
		var alive, all []people.IdentityEvent
		for i := range 10 {
			kind := []string{people.UserCreated, people.UserUpdated}[i%2]
			e := roomtest.WithRole(roomtest.Event(kind, i), []learning.Role{core.Student,
				core.Educator}[i%2])
			alive = append(alive, e, e, e)
		}
		for i := range 10 {
			all = append(all, roomtest.WithRole(roomtest.Event(people.UserUpdated, 20+i),
				core.Admin),
				roomtest.Event(people.UserCreated, 10+i), roomtest.Event(people.UserDeleted, 30))
		}

		deliver(alive)
		if got := w.Ada(t); got != knownAs(9) {
			t.Errorf("the user is %q", got)
		}
		if role := w.RoleOf(t, time.Time{}); role != core.Educator {
			t.Errorf("the role is %s", role)
		}
		deliver(all)
		if got := w.Ada(t); got != people.ErrUserNotFound.Error() {
			t.Errorf("after the deletion the user is %q", got)
		}
		if n := w.Count(t,
			"users WHERE id = 'ada' AND deleted_at IS NOT NULL AND name = '' AND email = '' AND "+
				"image_url = ''"); n != 1 {
			t.Errorf("%d tombstones: %v", n, w.Rows(t, "users"))
		}
		if n := w.Count(t, "roles"); n != 0 {
			t.Errorf("%d roles of the deleted user", n)
		}
	})
}

func TestApplyIdentityEvent_ManyUsersConcurrently(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		const users = 60
		w := roomtest.New(t, database)
		errs := roomtest.Concurrently(users, func(i int) error {
			e := roomtest.Event(people.UserCreated, i)
			e.User.ID = fmt.Sprintf("person-%d", i)
			return w.Platform.System().ApplyIdentityEvent(context.Background(),
				roomtest.WithRole(e, core.Student))
		})
		if diff := cmp.Diff(map[string]int{"": users}, roomtest.CountErrors(errs)); diff != "" {
			t.Error(diff)
		}
		if n := w.Count(t, "users"); n != users {
			t.Errorf("%d users", n)
		}
	})
}

func TestUserDeleted_PurchasesAndProgressStay(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		course, ada := w.Course(t, "go", 499_00), w.Person(t, "ada", core.Student)
		o := w.Order(t, ada, course)
		before := w.Dump(t, "users", "search_words", "totals")
		w.Apply(t, roomtest.Event(people.UserDeleted, 1))
		if diff := cmp.Diff(before, w.Dump(t, "users", "search_words", "totals")); diff != "" {
			t.Error(diff)
		}
		if text := strings.Join(w.Dump(t), "\n"); strings.Contains(text, "ada@example.com") {
			t.Errorf("the e-mail address is still stored:\n%s", text)
		}
		if n := w.Count(t, "search_words WHERE row_id = 'ada' OR person_id = 'ada'"); n != 0 {
			t.Errorf("%d words of the deleted user are left", n)
		}
		// The user paid before the deletion, and the webhook comes after it: the purchase is
		// completed.
		if err := w.Platform.System().CapturePayment(context.Background(),
			roomtest.CapturedPayment(o, "pay_1")); err != nil {
			t.Error(err)
		}
		w.WantSold(t, course, 1, 1, 0)
	})
}

func TestApplyIdentityEvent_OfAnEducatorChangesTheCatalogue(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		w.Course(t, "go", 499_00)
		change := func(name string, e people.IdentityEvent, educator string) {
			t.Helper()
			e.User.ID = "educator"
			before, revision := w.Platform.Catalog.CatalogueChanges(), w.Revision(t)
			w.Apply(t, e)
			if w.Platform.Catalog.CatalogueChanges() == before || w.Revision(t) == revision {
				t.Errorf("%s: the catalogue did not change", name)
			}
			if got := w.List(t)[0].Educator; got.Name != educator {
				t.Errorf("%s: the educator is %+v", name, got)
			}
		}
		change("renamed", roomtest.Event(people.UserUpdated, 1), "Ada 1")
		change("gone", roomtest.Event(people.UserDeleted, 2), "Deleted user")
		change("created again", roomtest.Event(people.UserCreated, 3), "Ada 3")

		before, revision := w.Platform.Catalog.CatalogueChanges(), w.Revision(t)
		w.Apply(t, roomtest.Event(people.UserCreated, 3)) // a user without courses
		if w.Platform.Catalog.CatalogueChanges() != before || w.Revision(t) != revision {
			t.Error("the catalogue changed with a user who has no course")
		}
	})
}

func TestApplyIdentityEvent_InvalidEvent(t *testing.T) {
	w := learningtest.New(t)
	for name, change := range map[string]func(*people.IdentityEvent){
		"no user": func(e *people.IdentityEvent) { e.User.ID = "" },
		"a user id that is too long": func(
			e *people.IdentityEvent) {
			e.User.ID = strings.Repeat("x", 192)
		},
		"a user id that ends with a space": func(e *people.IdentityEvent) { e.User.ID = "ada " },
	} {
		for _, kind := range []string{people.UserCreated, people.UserUpdated,
			people.UserDeleted} {
			e := roomtest.Event(kind, 1)
			change(&e)
			if err := w.Platform.System().ApplyIdentityEvent(context.Background(),
				e); !errors.Is(err, core.ErrMalformedEvent) {
				t.Errorf("%s of %s: %v", kind, name, err)
			}
		}
	}
}

// Nobody can correct a text of the provider, so it is stored with U+FFFD in place of what not every
// database can store. An id of this kind is refused.
func TestApplyIdentityEvent_UnstorableText(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		apply := func(u people.IdentityUser) error {
			return w.Platform.System().ApplyIdentityEvent(ctx(), people.IdentityEvent{
				SentAt: w.Clock.Now(), Type: people.UserCreated, User: u,
			})
		}
		u := people.IdentityUser{
			ID: "ada", FirstName: "A\x00da", LastName: "\xffByron",
			ImageURL: "https://images.example.org/\x00",
			Emails:   []people.IdentityEmail{{Address: "ada\x00@example.org"}},
		}
		if err := apply(u); err != nil {
			t.Fatal(err)
		}
		got, err := w.Platform.People.User(ctx(), people.Claims{UserID: "ada"})
		if err != nil || got.Name != "A\ufffdda \ufffdByron" ||
			got.Email != "ada\ufffd@example.org" || got.ImageURL != "" {
			t.Errorf("%q, %q, %q, %v", got.Name, got.Email, got.ImageURL, err)
		}
		for _, id := range []string{"a\x00da", "a\xffda"} {
			before := w.Dump(t)
			if err := apply(people.IdentityUser{ID: id, FirstName: "Ada"}); !errors.Is(err,
				core.ErrMalformedEvent) {
				t.Errorf("%q: %v", id, err)
			}
			if diff := cmp.Diff(before, w.Dump(t)); diff != "" {
				t.Errorf("%q: %s", id, diff)
			}
		}
	})
}
