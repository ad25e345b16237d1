package storetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/openlectern/openlectern/learning"
)

// noon is the time of most rows: with microseconds, none of which may be lost.
var noon = time.Date(2026, 3, 14, 12, 0, 0, 123_456_000, time.UTC)

// fixture is an empty store with helper methods for tests.
type fixture struct {
	learning.Store
	t *testing.T
}

// do runs a transaction that has to succeed.
func (f *fixture) do(fn func(ctx context.Context, tx learning.Tx) error) {
	f.t.Helper()
	if err := f.try(fn); err != nil {
		f.t.Fatalf("transaction: %v", err)
	}
}

// try runs a transaction.
func (f *fixture) try(fn func(ctx context.Context, tx learning.Tx) error) error {
	ctx := f.t.Context()
	return f.InTx(ctx, func(tx learning.Tx) error { return fn(ctx, tx) })
}

// fails runs a transaction that has to end with an error.
func (f *fixture) fails(want error, fn func(ctx context.Context, tx learning.Tx) error) {
	f.t.Helper()
	if err := f.try(fn); !errors.Is(err, want) {
		f.t.Errorf("transaction ended with %v, want %v", err, want)
	}
}

// moves runs one transition and checks whether it reports to have been made.
func (f *fixture) moves(want bool, transition func(ctx context.Context, tx learning.Tx) (bool, error)) {
	f.t.Helper()
	f.do(func(ctx context.Context, tx learning.Tx) error {
		moved, err := transition(ctx, tx)
		if err == nil && moved != want {
			f.t.Errorf("transition made: %v, want %v", moved, want)
		}
		return err
	})
}

// add stores rows of any kind, each in a transaction of its own.
func (f *fixture) add(rows ...any) {
	f.t.Helper()
	for _, row := range rows {
		f.do(func(ctx context.Context, tx learning.Tx) error { return insert(ctx, tx, row) })
	}
}

// role is one that was decided for a user.
type role struct {
	userID string
	role   learning.Role
}

func insert(ctx context.Context, tx learning.Tx, row any) error {
	switch row := row.(type) {
	case learning.Course:
		return tx.InsertCourse(ctx, row, nil)
	case learning.User:
		return tx.InsertUser(ctx, row)
	case learning.Purchase:
		return tx.InsertPurchase(ctx, row)
	case learning.Enrollment:
		return tx.InsertEnrollment(ctx, row)
	case completed:
		return tx.InsertCompletedLecture(ctx, row.userID, row.courseID, row.CompletedLecture)
	case learning.Rating:
		return tx.InsertRating(ctx, row)
	case learning.Application:
		return tx.InsertApplication(ctx, row)
	case learning.Certificate:
		return tx.InsertCertificate(ctx, row)
	case learning.TimeEntry:
		return tx.InsertTimeEntry(ctx, row)
	case learning.Group:
		return tx.InsertGroup(ctx, row, row.ID)
	case learning.Membership:
		return tx.InsertMembership(ctx, row)
	case learning.Post:
		return tx.InsertPost(ctx, row)
	case learning.Reply:
		return tx.InsertReply(ctx, row)
	case learning.Vote:
		return tx.InsertVote(ctx, row)
	case learning.Quiz:
		return tx.InsertQuiz(ctx, row)
	case learning.QuizResult:
		return tx.InsertQuizResult(ctx, row)
	case learning.Chat:
		return tx.InsertChat(ctx, row)
	case turn:
		return tx.InsertTurn(ctx, row.chat, row.messages, row.question, row.answer)
	case role:
		return tx.InsertRole(ctx, row.userID, learning.RoleAssignment{Role: row.role, At: noon})
	default:
		return fmt.Errorf("storetest: a row of %T", row)
	}
}

// equal compares a result with what is expected.
func equal[T any](t testing.TB, got T, err error, want T) {
	t.Helper()
	if err != nil {
		t.Errorf("got the error %v", err)
	} else if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("got what differs from what is wanted (-want +got):\n%s", diff)
	}
}

// missing checks that something that is read is not there.
func missing[T any](t testing.TB, got T, err error) {
	t.Helper()
	if !errors.Is(err, learning.ErrNoRecord) {
		t.Errorf("got %+v and the error %v, want ErrNoRecord", got, err)
	}
}

// course is a published one, with a value in every field.
func course(id string) learning.Course {
	return learning.Course{
		ID: id, Title: "Course " + id, Description: "About " + id, Thumbnail: id + ".png",
		Price: 499_00, Discount: 12_50, Published: true, Educator: learning.Person{ID: "educator", Name: learning.UnknownUser},
		Ratings: learning.Ratings{Sum: 9, Count: 2}, Lectures: 3, Minutes: 95, Students: 7,
		CreatedAt: noon, UpdatedAt: noon.Add(time.Hour),
	}
}

// user is a record with a value in every field.
func user(id string) learning.User {
	return learning.User{ID: id, Name: "Name of " + id, Email: id + "@example.com", ImageURL: "https://img.example.com/" + id,
		CreatedAt: noon, ChangedAt: noon}
}

// purchase is one by "student" of "course" in any state, with the fields that go
// with the state. A claim is held by "holder" until a minute after noon.
func purchase(id string, status learning.PurchaseStatus) learning.Purchase {
	p := learning.Purchase{ID: id, UserID: "student", CourseID: "course", Amount: 436_63, Currency: "INR",
		Status: status, CreatedAt: noon, UpdatedAt: noon}
	if status == learning.PurchaseCreated {
		p.Holder, p.LeaseUntil = "holder", noon.Add(time.Minute)
		return p
	}
	p.OrderID = "order-" + id
	if status == learning.PurchaseCompleted || status == learning.PurchaseRefunded {
		p.PaymentID, p.CompletedAt = "payment-"+id, noon
	}
	return p
}

// application is one by "user of <id>" in any state, with a value in every other
// field and no holder.
func application(id string, status learning.ApplicationStatus) learning.Application {
	return learning.Application{ID: id, UserID: "user of " + id, ProfessionalTitle: "Title of " + id, Bio: "Bio of " + id,
		Expertise: []string{"Go", "<b>&\u2028 \"x\" \\ 🎓"}, LinkedinURL: "https://example.com/" + id, Status: status,
		RejectionReason: "Reason of " + id, CreatedAt: noon, UpdatedAt: noon.Add(time.Second), PreviousRole: learning.Student}
}

// held is a pending application that "holder" has claimed until a minute after noon.
func held(id string) learning.Application {
	a := application(id, learning.ApplicationPending)
	a.Holder, a.LeaseUntil = "holder", noon.Add(time.Minute)
	return a
}

// statuses are all states of a purchase.
var statuses = []learning.PurchaseStatus{learning.PurchaseCreated, learning.PurchasePending, learning.PurchaseCompleted,
	learning.PurchaseFailed, learning.PurchaseRefunded}

// long is text of exactly n code points that take four bytes each: a column counted
// in bytes, or in a character set of three, has no room for it.
func long(n int) string { return strings.Repeat("🎓", n) }
