package learning_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/sale"
	"github.com/openlectern/openlectern/learning/sandbox"
	"github.com/openlectern/openlectern/learning/study"
)

// invalid is metadata that every operation refuses.
var invalid = core.Metadata{"Level": "1"}

// found returns the ids of the courses with metadata.
func found(t *testing.T, w *roomtest.World, q catalog.CourseQuery) (ids []string) {
	t.Helper()
	page, err := w.Platform.Catalog.Catalogue(ctx(), q, learning.PageRequest{Limit: 10})
	roomtest.Must(t, err)
	for _, c := range page.Rows {
		ids = append(ids, c.ID)
	}
	return ids
}

func TestCatalogue_ByMetadata(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		for _, id := range []string{"a", "b", "c"} {
			w.Course(t, id, 10_00)
			w.Edit(t, id, catalog.CourseEdit{Metadata: &core.Metadata{"level": "1", "id": id}})
		}
		by := func(m core.Metadata) catalog.CourseQuery { return catalog.CourseQuery{Metadata: m} }
		want := func(m core.Metadata, ids ...string) {
			t.Helper()
			if diff := cmp.Diff(ids, found(t, w, by(m))); diff != "" {
				t.Errorf("%v: -want +got\n%s", m, diff)
			}
		}
		want(core.Metadata{"level": "1"}, "a", "b", "c")
		want(core.Metadata{"level": "1", "id": "b"}, "b")
		want(core.Metadata{"other": "1"})
		for _, m := range []core.Metadata{
			{"a": "", "b": "", "c": "", "d": ""}, invalid, {"a": "\x00"},
			{"a": strings.Repeat("a", 501)},
		} {
			_, err := w.Platform.Catalog.Catalogue(ctx(), by(m), learning.PageRequest{Limit: 10})
			if !errors.Is(err, core.ErrInvalidRequest) {
				t.Errorf("%v: %v", m, err)
			}
		}

		// What replaces it, an unpublished course and a deleted one are not found by it any more.
		w.Edit(t, "a", catalog.CourseEdit{Metadata: &core.Metadata{"level": "2"}})
		w.Edit(t, "b", catalog.CourseEdit{Published: new(false)})
		roomtest.Must(t, w.Platform.DeleteCourse(ctx(), roomtest.Teacher, "c"))
		want(core.Metadata{"level": "1"})
		want(core.Metadata{"level": "2"}, "a")
		w.Edit(t, "b", catalog.CourseEdit{Published: new(true)})
		want(core.Metadata{"level": "1"}, "b")
		w.Edit(t, "b", catalog.CourseEdit{Metadata: &core.Metadata{}})
		w.Edit(t, "a", catalog.CourseEdit{Title: new("Another")}) // which keeps it
		want(core.Metadata{"level": "2"}, "a")
		if n := w.Count(t, "search_words WHERE list = ?", int(catalog.CoursePairs)); n != 1 {
			t.Errorf("%d entries, want that of one course", n)
		}
		if _, err := w.TryEdit(roomtest.Teacher, "a",
			catalog.CourseEdit{Metadata: &invalid}); !errors.Is(err, core.ErrInvalidRequest) {
			t.Errorf("invalid metadata: %v", err)
		}
		w.WantInvariants(t)
	})
}

func TestSetMetadata_OfAUser(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		ada := w.Person(t, "ada", core.Student)
		set := func(actor core.Actor, id string, m core.Metadata, want error) {
			t.Helper()
			err := w.Platform.People.SetMetadata(ctx(), actor, id, m)
			if !errors.Is(err, want) {
				t.Errorf("got %v, want %v", err, want)
			}
		}
		m := core.Metadata{"crm_id": "0042"}
		set(core.Actor{}, "ada", m, core.ErrUnauthenticated)
		set(ada, "ada", m, core.ErrForbidden)
		set(roomtest.Teacher, "ada", m, core.ErrForbidden)
		set(roomtest.Boss, "ada", invalid, core.ErrInvalidRequest)
		set(roomtest.Boss, "nobody", m, people.ErrUserNotFound)
		set(roomtest.Boss, "ada", m, nil)

		read := func() core.Metadata {
			t.Helper()
			u, err := w.Platform.People.User(ctx(), people.Claims{UserID: "ada"})
			roomtest.Must(t, err)
			return u.Metadata
		}
		w.Apply(t, roomtest.Event(people.UserUpdated, 1)) // of the identity provider
		if diff := cmp.Diff(m, read()); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
		list, err := w.Platform.People.Users(ctx(), roomtest.Boss, people.UserQuery{},
			learning.PageRequest{Limit: 10})
		roomtest.Must(t, err)
		for _, u := range list.Rows {
			if want := u.ID == "ada"; (u.Metadata["crm_id"] == "0042") != want {
				t.Errorf("the report of %s has %v", u.ID, u.Metadata)
			}
		}
		w.DeleteUser(t, "ada")
		set(roomtest.Boss, "ada", m, people.ErrUserNotFound)
		if n := w.Count(t, "users WHERE metadata IS NOT NULL"); n != 0 {
			t.Errorf("%d users have metadata", n)
		}
		w.WantInvariants(t)
	})
}

func TestSetMetadata_OfAnEnrollment(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		ada, _ := w.Bought(t, "go")
		m := core.Metadata{"cohort": "2026-02"}
		set := func(actor core.Actor, user, course string, m core.Metadata, want error) {
			t.Helper()
			err := w.Platform.Study.SetMetadata(ctx(), actor, user, course, m)
			if !errors.Is(err, want) {
				t.Errorf("got %v, want %v", err, want)
			}
		}
		set(core.Actor{}, "ada", "go", m, core.ErrUnauthenticated)
		set(ada, "ada", "go", m, core.ErrForbidden)
		set(roomtest.Boss, "ada", "go", invalid, core.ErrInvalidRequest)
		set(roomtest.Boss, "nobody", "go", m, people.ErrUserNotFound)
		set(roomtest.Boss, "ada", "none", m, catalog.ErrCourseNotFound)
		w.Course(t, "other", 10_00)
		set(roomtest.Boss, "ada", "other", m, study.ErrEnrollmentNotFound)
		set(roomtest.Boss, "ada", "go", m, nil)

		// It ends with the enrolment, and the next one begins without.
		w.End(t, true, "ada", "go")
		set(roomtest.Boss, "ada", "go", m, study.ErrEnrollmentNotFound)
		w.Clock.Advance(1)
		w.Grants(t, true, "ada", "go")
		list := w.Reports(t, study.EnrollmentQuery{UserID: "ada"})
		if len(list) != 2 || len(list[0].Metadata) != 0 ||
			!cmp.Equal(list[1].Metadata, m) || list[1].EndedAt.IsZero() {
			t.Errorf("the enrolments are %+v", list)
		}
		set(roomtest.Boss, "ada", "go", m, nil)

		w.DeleteUser(t, "ada")
		set(roomtest.Boss, "ada", "go", m, people.ErrUserNotFound)
		if n := w.Count(t, "enrollments WHERE metadata IS NOT NULL") +
			w.Count(t, "past_enrollments WHERE metadata IS NOT NULL"); n != 0 {
			t.Errorf("%d enrolments have metadata", n)
		}
		w.WantInvariants(t)
	})
}

// An enrolment that is given back, because the refund that ended it has failed, has its metadata.
func TestSetMetadata_RefundFails_EnrollmentKeepsIt(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		ada, boss := w.Person(t, "ada", core.Student), w.Person(t, "boss", core.Admin)
		sold := w.Sold(t, ada, w.Course(t, "go", 49_99))
		m := core.Metadata{"cohort": "2026-02"}
		roomtest.Must(t, w.Platform.Study.SetMetadata(ctx(), boss, "ada", "go", m))
		_, err := w.Refund(t, boss, sold.ID, 0)
		roomtest.Must(t, err)
		if n := w.Count(t, "enrollments"); n != 0 {
			t.Fatalf("%d enrolments after a full refund", n)
		}
		made := w.RefundsAt(t, sold.PaymentID)[0]
		_, err = w.Sandbox.Gateway().FailRefund(made.ID)
		roomtest.Must(t, err)
		w.MustTell(t, sandbox.RefundFailed, made)
		got, err := w.Store.Enrollment(ctx(), "ada", "go")
		roomtest.Must(t, err)
		if diff := cmp.Diff(m, got.Metadata); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
		w.WantInvariants(t)
	})
}

func TestOpenOrder_Metadata(t *testing.T) {
	withEventsOnEngines(t, func(t *testing.T, w *roomtest.World, r *roomtest.Receiver) {
		ada, boss := w.Person(t, "ada", core.Student), w.Person(t, "boss", core.Admin)
		w.Course(t, "go", 49_99)
		w.Course(t, "free", 0)
		open := func(course string, m core.Metadata) (sale.Order, error) {
			return w.Platform.Sales.OpenOrder(ctx(), ada,
				sale.OrderRequest{CourseID: course, Metadata: m})
		}
		if _, err := open("go", invalid); !errors.Is(err, core.ErrInvalidRequest) {
			t.Errorf("invalid metadata: %v", err)
		}
		if n := w.Count(t, "purchases"); n != 0 {
			t.Errorf("%d purchases", n)
		}
		m := core.Metadata{"affiliate": "Ada & co", "empty": ""}
		o, err := open("go", m)
		roomtest.Must(t, err)
		m["affiliate"] = "changed by the caller"
		want := core.Metadata{"affiliate": "Ada & co", "empty": ""}

		// The gateway has it beside the notes of the platform.
		at, err := w.Sandbox.Gateway().Order(o.OrderID)
		roomtest.Must(t, err)
		if diff := cmp.Diff(sandbox.Notes{"purchaseId": o.PurchaseID, "courseTitle": "Course go",
			"affiliate": "Ada & co", "empty": ""}, at.Notes); diff != "" {
			t.Errorf("the notes: -want +got\n%s", diff)
		}

		// The open order is answered again, and keeps it.
		again, err := open("go", core.Metadata{"affiliate": "eve"})
		if err != nil || again != o {
			t.Errorf("the order is %+v, want %+v (%v)", again, o, err)
		}
		payment := w.Pay(t, o.OrderID)
		roomtest.Must(t, w.Platform.System().CapturePayment(ctx(),
			roomtest.CapturedPayment(o, payment.ID)))
		if diff := cmp.Diff(want, w.Purchase(t, o.PurchaseID).Metadata); diff != "" {
			t.Errorf("the purchase: -want +got\n%s", diff)
		}
		_, err = w.Refund(t, boss, o.PurchaseID, 9_99)
		roomtest.Must(t, err)
		_, err = open("free", core.Metadata{"campaign": "spring"})
		roomtest.Must(t, err)

		// Each event of a purchase has it.
		w.DeliverEvents(t, -1)
		got := map[string]core.Metadata{}
		for _, e := range r.Events() {
			if strings.HasPrefix(string(e.Type), "purchase.") {
				got[string(e.Type)+" "+e.Data.CourseID] = e.Data.Metadata
			} else if e.Data.Metadata != nil {
				t.Errorf("%s has the metadata %v", e.Type, e.Data.Metadata)
			}
		}
		if diff := cmp.Diff(map[string]core.Metadata{
			"purchase.completed go": want, "purchase.refunded go": want,
			"purchase.completed free": {"campaign": "spring"},
		}, got); diff != "" {
			t.Errorf("the events: -want +got\n%s", diff)
		}

		// The purchase is part of the books, and keeps it when the user is deleted.
		w.DeleteUser(t, "ada")
		if diff := cmp.Diff(want, w.Purchase(t, o.PurchaseID).Metadata); diff != "" {
			t.Errorf("the purchase of a deleted user: -want +got\n%s", diff)
		}
		w.WantInvariants(t)
	})
}
