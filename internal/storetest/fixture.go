package storetest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/purchase"
)

// noon is the time of most rows. It has microseconds, which must not be lost.
var noon = time.Date(2026, 3, 14, 12, 0, 0, 123_456_000, time.UTC)

// fixture is an empty store with helper methods for tests.
type fixture struct {
	learning.Store
	t *testing.T
}

// do runs a transaction, which must succeed.
func (f *fixture) do(fn func(ctx context.Context, tx learning.Tx) error) {
	f.t.Helper()
	if err := f.try(fn); err != nil {
		f.t.Fatalf("transaction: %v", err)
	}
}

// try runs a transaction and returns its error.
func (f *fixture) try(fn func(ctx context.Context, tx learning.Tx) error) error {
	ctx := f.t.Context()
	return f.InTx(ctx, func(tx learning.Tx) error { return fn(ctx, tx) })
}

// fails runs a transaction and checks that it returns an error that matches want.
func (f *fixture) fails(want error, fn func(ctx context.Context, tx learning.Tx) error) {
	f.t.Helper()
	if err := f.try(fn); !errors.Is(err, want) {
		f.t.Errorf("the transaction returned %v, want %v", err, want)
	}
}

// reports runs one transition in a transaction, which must succeed. It checks that the transition
// reports want: whether it has changed a row.
func (f *fixture) reports(
	want bool, transition func(ctx context.Context, tx learning.Tx) (bool, error),
) {
	f.t.Helper()
	f.do(func(ctx context.Context, tx learning.Tx) error {
		got, err := transition(ctx, tx)
		if err == nil && got != want {
			f.t.Errorf("the transition returned %v, want %v", got, want)
		}
		return err
	})
}

// add stores rows of any kind, each in its own transaction: see insert.
func (f *fixture) add(rows ...any) {
	f.t.Helper()
	for _, row := range rows {
		f.do(func(ctx context.Context, tx learning.Tx) error { return insert(ctx, tx, row) })
	}
}

// role is the role assignment of a user.
type role struct {
	userID string
	role   core.Role
}

// insert adds a row by the method of tx that has its type in its name, as InsertUser does for a
// [people.User]. The rows that need more have a case.
func insert(ctx context.Context, tx learning.Tx, row any) error {
	switch row := row.(type) {
	case catalog.Course:
		return tx.InsertCourse(ctx, row, nil)
	case completed:
		return tx.InsertCompletedLecture(ctx, row.userID, row.courseID, row.CompletedLecture)
	case community.Group:
		return tx.InsertGroup(ctx, row, row.ID) // with the id as the key of the name
	case turn:
		return tx.InsertTurn(ctx, row.chat, row.messages, row.question, row.answer)
	case role:
		return tx.InsertRole(ctx, row.userID, core.RoleAssignment{Role: row.role, At: noon})
	}
	value := reflect.ValueOf(row)
	method := reflect.ValueOf(tx).MethodByName("Insert" + value.Type().Name())
	if !method.IsValid() {
		return fmt.Errorf("storetest: cannot insert a %T", row)
	}
	// A nil error is no error, so that the assertion fails and err is nil.
	err, _ := method.Call([]reflect.Value{reflect.ValueOf(ctx), value})[0].Interface().(error)
	return err
}

// equal checks a result: err must be nil, and got equal to want. A nil list equals an empty one.
func equal[T any](t testing.TB, got T, err error, want T) {
	t.Helper()
	if err != nil {
		t.Errorf("unexpected error: %v", err)
	} else if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("unexpected result (-want +got):\n%s", diff)
	}
}

// missing checks that a read returned ErrNoRecord. got is for the text of the failure only.
func missing[T any](t testing.TB, got T, err error) {
	t.Helper()
	if !errors.Is(err, core.ErrNoRecord) {
		t.Errorf("got %+v and the error %v, want ErrNoRecord", got, err)
	}
}

// course returns a published course with a value in every field.
func course(id string) catalog.Course {
	return catalog.Course{
		ID: id, Title: "Course " + id, Description: "About " + id, Thumbnail: id + ".png",
		Price: 499_00, Discount: 12_50, Published: true,
		Educator: core.Person{ID: "educator", Name: core.UnknownUser},
		Ratings:  catalog.Ratings{Sum: 9, Count: 2}, Lectures: 3, Minutes: 95, Students: 7,
		Terms: catalog.Terms{Certificate: catalog.CertificateTerms{Quizzes: true}, Days: 30,
			Until: noon.Add(1000 * time.Hour), InOrder: true, Requires: []string{"a", "b"}},
		HasOpenings: true,
		Metadata:    core.Metadata{"level": "1"},
		Version:     1,
		CreatedAt:   noon, UpdatedAt: noon.Add(time.Hour),
	}
}

// user returns a user with a value in every field.
func user(id string) people.User {
	return people.User{ID: id, Name: "Name of " + id, Email: id + "@example.com",
		ImageURL:  "https://img.example.com/" + id,
		CreatedAt: noon, ChangedAt: noon}
}

// purchaseIn returns a purchase of "course" by "student" in any state, with the fields of that
// state.
func purchaseIn(id string, status purchase.Status) purchase.Purchase {
	p := purchase.Purchase{ID: id, UserID: "student", CourseID: "course", Amount: 436_63,
		Currency: "INR", Provider: payment.NameGateway, Metadata: core.Metadata{"affiliate": "a"},
		Status: status, CreatedAt: noon, UpdatedAt: noon, TermDays: 30,
		TermUntil: noon.Add(1000 * time.Hour)}
	if status == purchase.Created {
		return p
	}
	p.OrderID = "order-" + id
	if status == purchase.Completed || status == purchase.Refunded {
		p.PaymentID, p.CompletedAt = "payment-"+id, noon
	}
	return p
}

// application returns an application of "user of <id>" in any state, with a value in every
// other field and no review.
func application(id string, status people.ApplicationStatus) people.Application {
	return people.Application{ID: id, UserID: "user of " + id,
		ProfessionalTitle: "Title of " + id, Bio: "Bio of " + id,
		Expertise:   []string{"Go", "<b>&\u2028 \"x\" \\ 🎓"},
		LinkedinURL: "https://example.com/" + id, Status: status,
		RejectionReason: "Reason of " + id, CreatedAt: noon, UpdatedAt: noon.Add(time.Second),
		PreviousRole: core.Student}
}

// reviewed returns a pending application with the review "holder".
func reviewed(id string) people.Application {
	a := application(id, people.ApplicationPending)
	a.ReviewID = "holder"
	return a
}

// statuses has all states of a purchase.
var statuses = []purchase.Status{purchase.Created, purchase.Pending,
	purchase.Completed,
	purchase.Failed, purchase.Refunded}

// long returns text of n code points of four bytes each. It is too long for a column whose
// size is in bytes, or whose character set has three bytes.
func long(n int) string { return strings.Repeat("🎓", n) }
