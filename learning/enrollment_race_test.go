package learning_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning"
)

// enrollmentRounds is how often the calls of a race are run at once.
const enrollmentRounds = 6

// races runs calls at once in several rounds, each with a user and a course of its own, and
// checks the invariants of sales and events after each round. An error must be one of allowed.
func (w *fixture) races(t *testing.T, allowed []error, prepare func(id string) []func() error) {
	t.Helper()
	for round := range enrollmentRounds {
		calls := prepare(fmt.Sprintf("round-%d", round))
		for i, err := range concurrently(len(calls), func(i int) error { return calls[i]() }) {
			if err != nil && !isOneOf(err, allowed) {
				t.Errorf("round %d, call %d: %v", round, i, err)
			}
		}
		w.wantValidSales(t)
		w.wantValidEvents(t)
	}
}

func isOneOf(err error, list []error) bool {
	for _, one := range list {
		if errors.Is(err, one) {
			return true
		}
	}
	return false
}

func (w *fixture) grantOf(id string) func() error {
	return func() error {
		_, err := w.Platform.GrantEnrollment(ctx(), boss, id, id, "A reason")
		return err
	}
}

func (w *fixture) endOf(id string) func() error {
	return func() error { return w.Platform.EndEnrollment(ctx(), boss, id, id) }
}

// payment returns a call that reports the payment of a new order of the user.
func (w *fixture) payment(t *testing.T, id string) func() error {
	o := w.order(t, learning.Actor{UserID: id, Role: learning.Student}, id)
	return func() error {
		return w.Platform.System().CapturePayment(ctx(), capturedPayment(o, "pay_"+o.PurchaseID))
	}
}

// onSale adds a user and a paid course with this id.
func (w *fixture) onSale(t *testing.T, id string) {
	t.Helper()
	w.Person(t, id, learning.Student)
	w.Course(t, id, 499_00)
}

// wantEventTypes delivers all events, and checks the types of those of ada.
func (w *fixture) wantEventTypes(t *testing.T, r *receiver, want ...learning.EventType) {
	t.Helper()
	w.deliverEvents(t, -1)
	if diff := cmp.Diff(want, r.types("user:ada")); diff != "" {
		t.Error(diff)
	}
}

func TestEnrollmentRace_GrantBesidePaymentEnrolsOnce(t *testing.T) {
	withEventsOnEngines(t, func(t *testing.T, w *fixture, _ *receiver) {
		other := w.otherInstance(t, (&receiver{}).option())
		w.races(t, nil, func(id string) []func() error {
			w.onSale(t, id)
			pay := w.payment(t, id)
			return []func() error{pay, w.grantOf(id), other.grantOf(id), pay, w.grantOf(id), pay}
		})
		for round := range enrollmentRounds {
			w.wantSold(t, fmt.Sprintf("round-%d", round), 1, 1, 0)
		}
	})
}

func TestEnrollmentRace_GrantAtOnceCreatesOne(t *testing.T) {
	withEventsOnEngines(t, func(t *testing.T, w *fixture, r *receiver) {
		w.onSale(t, "ada")
		created := make([]bool, 10)
		errs := concurrently(len(created), func(i int) (err error) {
			created[i], err = w.Platform.GrantEnrollment(ctx(), boss, "ada", "ada", "")
			return err
		})
		if diff := cmp.Diff(map[string]int{"": len(created)}, countErrors(errs)); diff != "" {
			t.Error(diff)
		}
		n := 0
		for _, is := range created {
			if is {
				n++
			}
		}
		if n != 1 || w.students(t, "ada") != 1 {
			t.Errorf("%d calls created the enrolment", n)
		}
		w.wantValidSales(t)
		w.wantEventTypes(t, r, learning.EventEnrollmentCreated)
	})
}

func TestEnrollmentRace_EndAtOnceEndsOnce(t *testing.T) {
	withEventsOnEngines(t, func(t *testing.T, w *fixture, r *receiver) {
		w.onSale(t, "ada")
		w.grants(t, true, "ada", "ada")
		errs := concurrently(10, func(int) error { return w.endOf("ada")() })
		if diff := cmp.Diff(map[string]int{"": 1, learning.ErrEnrollmentNotFound.Message: 9},
			countErrors(errs)); diff != "" {
			t.Error(diff)
		}
		if n := w.count(t, "past_enrollments"); n != 1 || w.students(t, "ada") != 0 {
			t.Errorf("%d past enrolments", n)
		}
		w.wantValidSales(t)
		w.wantEventTypes(t, r, learning.EventEnrollmentCreated, learning.EventEnrollmentEnded)
	})
}

// What a user pays for while an admin decides must be there in the end: the enrolment, or the
// one that the admin ended.
func TestEnrollmentRace_GrantsEndsAndPayments(t *testing.T) {
	withEventsOnEngines(t, func(t *testing.T, w *fixture, _ *receiver) {
		w.races(t, []error{learning.ErrEnrollmentNotFound}, func(id string) []func() error {
			w.onSale(t, id)
			pay := w.payment(t, id)
			return []func() error{w.grantOf(id), w.endOf(id), pay, w.endOf(id), w.grantOf(id), pay}
		})
	})
}

func TestEnrollmentRace_EndBesideUse(t *testing.T) {
	withEventsOnEngines(t, func(t *testing.T, w *fixture, _ *receiver) {
		w.races(t, []error{learning.ErrNotPurchased}, func(id string) []func() error {
			w.publish(t, id, chapter(theChapter, "a", "b"))
			w.exec(t, "DELETE FROM quizzes")
			w.quiz(t, id, 1, 2)
			ada := w.enrolls(t, id, id)
			rate := func() error { return w.Platform.Rate(ctx(), ada, id, 4) }
			complete := func() error {
				_, err := w.Platform.CompleteLecture(ctx(), ada, id, "a")
				return err
			}
			submit := func() error {
				_, err := w.Platform.SubmitQuiz(ctx(), ada,
					learning.QuizAnswers{CourseID: id, ChapterID: theChapter,
						Answers: answers(1, 1, 2)})
				return err
			}
			return []func() error{rate, complete, w.endOf(id), submit, rate, complete}
		})
		if n := w.count(t, "enrollments"); n != 0 {
			t.Errorf("%d enrolments are left", n)
		}
	})
}

// The deletion of the user comes before the decision of the admin, or after it: then it removes
// the reason.
func TestEnrollmentRace_DeletionOfTheUser(t *testing.T) {
	withEventsOnEngines(t, func(t *testing.T, w *fixture, _ *receiver) {
		at := w.Clock.Now().Add(time.Hour)
		w.races(t, []error{learning.ErrUserNotFound, learning.ErrEnrollmentNotFound},
			func(id string) []func() error {
				w.onSale(t, id)
				remove := func() error {
					return w.Platform.System().ApplyIdentityEvent(ctx(),
						learning.IdentityEvent{Type: learning.UserDeleted, SentAt: at,
							User: learning.IdentityUser{ID: id}})
				}
				return []func() error{w.grantOf(id), remove, w.endOf(id), w.payment(t, id), remove}
			})
		for _, table := range []string{"enrollments", "past_enrollments"} {
			if n := w.count(t, table+" WHERE reason IS NOT NULL"); n != 0 {
				t.Errorf("%s has %d reasons of deleted users", table, n)
			}
		}
	})
}
