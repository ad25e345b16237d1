package staff_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/staff"
)

// onPendingApplication runs a test on each engine, with an admin and the pending application
// of the student ada.
func onPendingApplication(t *testing.T,
	test func(t *testing.T, w *roomtest.World, admin learning.Actor, a people.Application)) {
	t.Helper()
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		admin := w.Person(t, "boss", core.Admin)
		_, a := w.Applied(t, "ada")
		test(t, w, admin, a)
	})
}

func TestApply_Pending(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		ada, eve := w.Person(t, "ada", core.Student), w.Person(t, "eve", core.Student)
		own, err := w.Platform.Staff.ApplicationOf(ctx(), ada)
		if own != nil || err != nil {
			t.Errorf("before: %+v, %v", own, err)
		}
		n := roomtest.Submitted()
		n.ProfessionalTitle = " Engineer\n"
		n.Bio = "\tTen years of Go. "
		n.Expertise = []string{" Go ", "SQL"}
		n.LinkedinURL = new(" https://example.com/ada ")
		a, err := w.Platform.Staff.Apply(ctx(), ada, n)
		want := people.Application{UserID: "ada", ProfessionalTitle: "Engineer",
			Bio: "Ten years of Go.", Expertise: []string{"Go", "SQL"},
			LinkedinURL: "https://example.com/ada", Status: people.ApplicationPending,
			CreatedAt: learningtest.Start, UpdatedAt: learningtest.Start,
			PreviousRole: core.Student}
		if diff := cmp.Diff(want, a.Application,
			cmpopts.IgnoreFields(people.Application{}, "ID")); diff != "" || a.IsAgain ||
			err != nil || a.ID == "" {
			t.Errorf("again %v, %v: %s", a.IsAgain, err, diff)
		}
		if n.Expertise[0] != " Go " {
			t.Error("the argument was changed")
		}
		own, err = w.Platform.Staff.ApplicationOf(ctx(), ada)
		if err != nil || own == nil || cmp.Diff(a.Application, *own) != "" {
			t.Errorf("the user's own application is %+v, %v", own, err)
		}
		own, err = w.Platform.Staff.ApplicationOf(ctx(), eve)
		if own != nil || err != nil {
			t.Errorf("another user's application is %+v, %v", own, err)
		}
	})
}

func TestApply_AgainOnlyAfterRejection(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		boss := w.Person(t, "boss", core.Admin)
		ada, first := w.Applied(t, "ada")
		apply := func(n staff.NewApplication) error {
			_, err := w.Platform.Staff.Apply(ctx(), ada, n)
			return err
		}
		roomtest.WantError(t, apply(roomtest.Submitted()), staff.ErrApplicationPending,
			"You already have a pending application.")
		if err := w.Platform.Staff.Reject(ctx(), boss, first.ID, "Too short"); err != nil {
			t.Fatal(err)
		}
		rejected := w.Application(t, first.ID)
		w.Clock.Advance(time.Hour)

		n := staff.NewApplication{ProfessionalTitle: "Author", Bio: "Two books.",
			Expertise: []string{"Prose"}}
		a, err := w.Platform.Staff.Apply(ctx(), ada, n)
		want := people.Application{ID: first.ID, UserID: "ada", ProfessionalTitle: "Author",
			Bio: "Two books.", Expertise: []string{"Prose"},
			LinkedinURL: "https://example.com/ada", // it was not sent, so it is kept
			Status:      people.ApplicationPending, CreatedAt: first.CreatedAt,
			UpdatedAt: first.UpdatedAt.Add(time.Hour), PreviousRole: core.Student}
		if diff := cmp.Diff(want, a.Application); diff != "" || !a.IsAgain || err != nil ||
			rejected.RejectionReason != "Too short" {
			t.Errorf("again %v, %v, rejected as %+v: %s", a.IsAgain, err, rejected, diff)
		}
		if diff := cmp.Diff(want, w.Application(t, first.ID)); diff != "" {
			t.Error(diff)
		}
		roomtest.WantError(t, apply(n), staff.ErrApplicationPending,
			"You already have a pending application.")

		for _, link := range []string{"", "https://example.com/new"} { // sent, so it is replaced
			if err := w.Platform.Staff.Reject(ctx(), boss, first.ID, ""); err != nil {
				t.Fatal(err)
			}
			n.LinkedinURL = &link
			if err := apply(n); err != nil || w.Application(t, first.ID).LinkedinURL != link {
				t.Errorf("%q became %q: %v", link, w.Application(t, first.ID).LinkedinURL, err)
			}
		}
		if err := w.Platform.Staff.Approve(ctx(), boss, first.ID); err != nil {
			t.Fatal(err)
		}
		roomtest.WantError(t, apply(n), staff.ErrApplicationApproved,
			"Your application has already been approved.")
		if n := w.Count(t, "applications"); n != 1 {
			t.Errorf("%d applications of one user", n)
		}
	})
}

func TestApply_Limits(t *testing.T) {
	w := roomtest.New(t, "sqlite:"+t.TempDir()+"/learning.db")
	long := func(n int) string { return strings.Repeat("🎓", n) }
	tests := map[string]struct {
		change func(n *staff.NewApplication)
		valid  bool
	}{
		"unchanged": {func(*staff.NewApplication) {}, true},
		"the longest title": {func(n *staff.NewApplication) {
			n.ProfessionalTitle = " " +
				long(200) + " "
		}, true},
		"a longer title": {
			func(n *staff.NewApplication) { n.ProfessionalTitle = long(201) }, false},
		"no title": {func(n *staff.NewApplication) { n.ProfessionalTitle = "" },
			false},
		"a blank title": {
			func(n *staff.NewApplication) { n.ProfessionalTitle = " \n" }, false},
		"the longest bio": {func(n *staff.NewApplication) { n.Bio = long(5_000) },
			true},
		"a longer bio": {func(n *staff.NewApplication) { n.Bio = long(5_001) },
			false},
		"a blank bio": {func(n *staff.NewApplication) { n.Bio = "\t" }, false},
		"no expertise": {func(n *staff.NewApplication) { n.Expertise = nil },
			false},
		"the most expertise": {
			func(n *staff.NewApplication) {
				n.Expertise = strings.Split(strings.Repeat(",Go",
					20)[1:], ",")
			}, true},
		"more expertise": {
			func(n *staff.NewApplication) {
				n.Expertise = strings.Split(strings.Repeat(",Go",
					21)[1:], ",")
			}, false},
		"the longest expertise": {
			func(n *staff.NewApplication) { n.Expertise[1] = long(100) }, true},
		"longer expertise": {
			func(n *staff.NewApplication) { n.Expertise[1] = long(101) }, false},
		"blank expertise": {func(n *staff.NewApplication) { n.Expertise[1] = " " },
			false},
		"no link": {func(n *staff.NewApplication) { n.LinkedinURL = nil },
			true},
		"an empty link": {func(n *staff.NewApplication) { n.LinkedinURL = new("") },
			true},
		"a blank link": {
			func(n *staff.NewApplication) { n.LinkedinURL = new("  ") }, true},
		"the longest link": {
			func(n *staff.NewApplication) { n.LinkedinURL = new("http://e.x/" + long(1_989)) },
			true},
		"a longer link": {
			func(n *staff.NewApplication) { n.LinkedinURL = new("http://e.x/" + long(1_990)) },
			false},
		"a script as link": {
			func(n *staff.NewApplication) { n.LinkedinURL = new("javascript:alert(1)") }, false},
		"a link to a file": {
			func(n *staff.NewApplication) { n.LinkedinURL = new("file:///etc/passwd") }, false},
		"a link without a host": {
			func(n *staff.NewApplication) { n.LinkedinURL = new("https:///ada") }, false},
		"a link without a scheme": {
			func(n *staff.NewApplication) { n.LinkedinURL = new("example.com/ada") }, true},
		"a link that is a path": {
			func(n *staff.NewApplication) { n.LinkedinURL = new("/ada") }, false},
		"a link that is a word": {
			func(n *staff.NewApplication) { n.LinkedinURL = new("ada") }, false},
		"a link that is an address": {
			func(n *staff.NewApplication) { n.LinkedinURL = new("mailto:ada@example.com") },
			false},
	}
	for name, tt := range tests {
		n := roomtest.Submitted()
		tt.change(&n)
		ada := w.Person(t, strings.ReplaceAll(name, " ", "-"), core.Student)
		a, err := w.Platform.Staff.Apply(ctx(), ada, n)
		if tt.valid {
			if kept := w.Application(t, a.ID); err != nil || cmp.Diff(a.Application, kept) != "" {
				t.Errorf("%s: %v, stored as %+v", name, err, kept)
			}
			continue
		}
		if !errors.Is(err, core.ErrInvalidRequest) ||
			w.Count(t, "applications WHERE user_id = ?", ada.UserID) != 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestApply_RequiresUserAndListRequiresAdmin(t *testing.T) {
	w := roomtest.New(t, "sqlite:"+t.TempDir()+"/learning.db")
	if _, err := w.Platform.Staff.Apply(ctx(), learning.Actor{},
		roomtest.Submitted()); !errors.Is(err,
		core.ErrUnauthenticated) {
		t.Error(err)
	}
	if _, err := w.Platform.Staff.ApplicationOf(ctx(), learning.Actor{}); !errors.Is(err,
		core.ErrUnauthenticated) {
		t.Error(err)
	}
	for role, want := range map[learning.Role]error{core.Student: core.ErrForbidden,
		core.Educator: core.ErrForbidden, core.Admin: nil} {
		if _, err := w.Platform.Staff.Applications(ctx(), learning.Actor{UserID: "ada", Role: role},
			"",
			roomtest.WholeList); !errors.Is(err, want) {
			t.Errorf("%s: %v", role, err)
		}
	}
}

func TestApplications_ByStatus(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		boss := w.Person(t, "boss", core.Admin)
		decide := map[string]func(id string) error{
			"approved": func(id string) error { return w.Platform.Staff.Approve(ctx(), boss, id) },
			"rejected": func(id string) error {
				return w.Platform.Staff.Reject(ctx(), boss, id, "")
			},
			"pending": func(string) error { return nil },
		}
		for _, name := range []string{"approved", "rejected", "pending"} {
			w.Clock.Advance(time.Minute)
			_, a := w.Applied(t, name)
			if err := decide[name](a.ID); err != nil {
				t.Fatal(err)
			}
		}
		for status, want := range map[people.ApplicationStatus][]string{"": {"pending",
			"rejected", "approved"}, "pending": {"pending"}, "approved": {"approved"},
			"rejected": {"rejected"}} {
			list, err := roomtest.PageRows(w.Platform.Staff.Applications(ctx(), boss, status,
				roomtest.WholeList))
			var got []string
			for _, a := range list {
				got = append(got, a.UserID)
			}
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("%q: %v %s", status, err, diff)
			}
		}
	})
}

func TestApply_Concurrently(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		two := []*roomtest.World{w, w.OtherInstance(t)}
		boss, ada := w.Person(t, "boss", core.Admin), w.Person(t, "ada", core.Student)
		for _, again := range []bool{false, true} {
			errs := roomtest.Concurrently(20, func(i int) error {
				sent, err := two[i%2].Platform.Staff.Apply(ctx(), ada, roomtest.Submitted())
				if err == nil && sent.IsAgain != again {
					t.Errorf("again: %v, want %v", sent.IsAgain, again)
				}
				return err
			})
			if diff := cmp.Diff(map[string]int{"": 1, staff.ErrApplicationPending.Error(): 19},
				roomtest.CountErrors(errs)); diff != "" {
				t.Error(diff)
			}
			if n := w.Count(t, "applications WHERE user_id = 'ada' AND status = 'pending'"); n !=
				1 {
				t.Errorf("%d applications", n)
			}
			own, err := w.Platform.Staff.ApplicationOf(ctx(), ada)
			if err != nil {
				t.Fatal(err)
			}
			if err := w.Platform.Staff.Reject(ctx(), boss, own.ID, ""); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestApply_UserDeleted(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		boss := w.Person(t, "boss", core.Admin)
		ada, a := w.Applied(t, "ada")
		w.Apply(t, roomtest.Event(people.UserDeleted, 1))
		if n := w.Count(t, "applications"); n != 0 {
			t.Errorf("%d applications are left", n)
		}
		if _, err := w.Platform.Staff.Apply(ctx(), ada, roomtest.Submitted()); !errors.Is(err,
			core.ErrUnauthenticated) {
			t.Errorf("applying after it: %v", err)
		}
		for _, err := range []error{w.Platform.Staff.Approve(ctx(), boss, a.ID),
			w.Platform.Staff.Reject(ctx(), boss, a.ID, "")} {
			roomtest.WantError(t, err, staff.ErrApplicationNotFound, "Application not found")
		}
		if n := w.Count(t, "applications"); n != 0 {
			t.Errorf("%d applications are left", n)
		}
	})
}

// In every order, a deleted user has no application.
func TestApply_ConcurrentDeletion(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		for i := range 20 {
			id := "ada-" + strings.Repeat("x", i+1)
			ada := w.Person(t, id, core.Student)
			gone := roomtest.Event(people.UserDeleted, i)
			gone.User.ID = id
			errs := roomtest.Concurrently(6, func(i int) error {
				if i == 0 {
					return w.Platform.System().ApplyIdentityEvent(ctx(), gone)
				}
				_, err := w.Platform.Staff.Apply(ctx(), ada, roomtest.Submitted())
				if errors.Is(err, core.ErrUnauthenticated) ||
					errors.Is(err, staff.ErrApplicationPending) {
					return nil
				}
				return err
			})
			if diff := cmp.Diff(map[string]int{"": 6}, roomtest.CountErrors(errs)); diff != "" {
				t.Error(diff)
			}
			if n := w.Count(t, "applications WHERE user_id = ?", id); n != 0 {
				t.Errorf("%d applications of the deleted user", n)
			}
		}
	})
}

func TestApply_LinkedinURLWithoutScheme(t *testing.T) {
	w := roomtest.New(t, "sqlite:"+t.TempDir()+"/learning.db")
	for i, tt := range []struct{ sent, want string }{
		{"linkedin.com/in/ada", "https://linkedin.com/in/ada"},
		{" www.linkedin.com/in/ada?a=b#c ", "https://www.linkedin.com/in/ada?a=b#c"},
		{"//linkedin.com/in/ada", "https://linkedin.com/in/ada"},
		{"example.com:8443/ada", "https://example.com:8443/ada"},
		{"http://example.com/ada", "http://example.com/ada"},
		{"HTTPS://example.com/ada", "HTTPS://example.com/ada"},
		{"", ""},
	} {
		n := roomtest.Submitted()
		n.LinkedinURL = &tt.sent
		a, err := w.Platform.Staff.Apply(ctx(), learning.Actor{UserID: fmt.Sprint("ada-", i)}, n)
		if err != nil || a.LinkedinURL != tt.want || w.Application(t, a.ID).LinkedinURL != tt.want {
			t.Errorf("%q became %q, %v; want %q", tt.sent, a.LinkedinURL, err, tt.want)
		}
	}
}
