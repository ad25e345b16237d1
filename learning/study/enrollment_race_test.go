package study_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/study"
)

func TestEnrollmentRace_GrantBesidePaymentEnrolsOnce(t *testing.T) {
	roomtest.AtTills(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		w := newWorld((&roomtest.Receiver{}).Option())
		other := w.OtherInstance(t, (&roomtest.Receiver{}).Option())
		w.Races(t, nil, func(id string) []func() error {
			w.OnSale(t, id)
			pay := w.Payment(t, id)
			return []func() error{pay, w.GrantOf(id), other.GrantOf(id), pay, w.GrantOf(id), pay}
		})
		for round := range roomtest.EnrollmentRounds {
			w.WantSold(t, fmt.Sprintf("round-%d", round), 1, 1, 0)
		}
	})
}

func TestEnrollmentRace_GrantAtOnceCreatesOne(t *testing.T) {
	roomtest.WithEventsOnEngines(t, func(t *testing.T, w *roomtest.World, r *roomtest.Receiver) {
		w.OnSale(t, "ada")
		created := make([]bool, 10)
		errs := roomtest.Concurrently(len(created), func(i int) (err error) {
			created[i], err = w.Platform.Study.GrantEnrollment(ctx(), roomtest.Boss,
				study.Grant{UserID: "ada", CourseID: "ada"})
			return err
		})
		if diff := cmp.Diff(map[string]int{"": len(created)}, roomtest.CountErrors(errs)); diff != "" {
			t.Error(diff)
		}
		n := 0
		for _, is := range created {
			if is {
				n++
			}
		}
		if n != 1 || w.Students(t, "ada") != 1 {
			t.Errorf("%d calls created the enrolment", n)
		}
		w.WantValidSales(t)
		w.WantEventTypes(t, r, study.EventEnrollmentCreated, core.EventNotificationCreated)
	})
}

func TestEnrollmentRace_EndAtOnceEndsOnce(t *testing.T) {
	roomtest.WithEventsOnEngines(t, func(t *testing.T, w *roomtest.World, r *roomtest.Receiver) {
		w.OnSale(t, "ada")
		w.Grants(t, true, "ada", "ada")
		errs := roomtest.Concurrently(10, func(int) error { return w.EndOf("ada")() })
		if diff := cmp.Diff(map[string]int{"": 1, study.ErrEnrollmentNotFound.Message: 9},
			roomtest.CountErrors(errs)); diff != "" {
			t.Error(diff)
		}
		if n := w.Count(t, "past_enrollments"); n != 1 || w.Students(t, "ada") != 0 {
			t.Errorf("%d past enrolments", n)
		}
		w.WantValidSales(t)
		w.WantEventTypes(t, r, study.EventEnrollmentCreated, core.EventNotificationCreated,
			study.EventEnrollmentEnded)
	})
}

// What a user pays for while an admin decides must be there in the end: the enrolment, or the
// one that the admin ended.
func TestEnrollmentRace_GrantsEndsAndPayments(t *testing.T) {
	roomtest.AtTills(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		w := newWorld((&roomtest.Receiver{}).Option())
		w.Races(t, []error{study.ErrEnrollmentNotFound}, func(id string) []func() error {
			w.OnSale(t, id)
			pay := w.Payment(t, id)
			return []func() error{w.GrantOf(id), w.EndOf(id), pay, w.EndOf(id), w.GrantOf(id), pay}
		})
	})
}

// Access that is renewed, granted and refunded while it ends lasts as long as the latest of what
// gives it, and who has paid for the renewal is enrolled.
func TestEnrollmentRace_RenewalBesideTheEndOfAccess(t *testing.T) {
	roomtest.AtTills(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		w := newWorld((&roomtest.Receiver{}).Option())
		hasEnded := false
		w.Races(t, nil, func(id string) []func() error {
			w.OnSale(t, id)
			w.Edit(t, id, catalog.CourseEdit{Terms: &catalog.Terms{Days: 20}})
			ada := core.Actor{UserID: id, Role: core.Student}
			first := w.Sold(t, ada, id)
			renew := w.Payment(t, id)
			if hasEnded = !hasEnded; hasEnded {
				w.Clock.Set(first.ExpiresAt)
			}
			refund := func() error {
				_, err := w.Refund(t, roomtest.Boss, first.ID, 0)
				return err
			}
			sweep := func() error { return w.Platform.System().Tidy(ctx()) }
			return []func() error{renew, sweep, refund, w.GrantOf(id), renew, sweep}
		})
		if n := w.Count(t, "enrollments"); n != roomtest.EnrollmentRounds {
			t.Errorf("%d are enrolled", n)
		}
		const paid = "purchases p WHERE p.user_id = e.user_id AND p.course_id = e.course_id " +
			"AND p.status = 'completed'"
		for what, rows := range map[string]string{
			"end before a purchase": "EXISTS (SELECT 1 FROM " + paid +
				" AND p.expires_at > e.expires_at)",
			"end with no cause": "NOT EXISTS (SELECT 1 FROM " + paid +
				" AND p.expires_at = e.expires_at) AND NOT COALESCE(e.grant_expires_at, " +
				"e.created_at) = e.expires_at",
		} {
			if n := w.Count(t, "enrollments e WHERE "+rows); n != 0 {
				t.Errorf("%d enrolments %s", n, what)
			}
		}
	})
}

func TestEnrollmentRace_EndBesideUse(t *testing.T) {
	roomtest.WithEventsOnEngines(t, func(t *testing.T, w *roomtest.World, _ *roomtest.Receiver) {
		w.Races(t, []error{study.ErrNotPurchased}, func(id string) []func() error {
			w.Publish(t, id, roomtest.Chapter(roomtest.TheChapter, "a", "b"))
			w.Exec(t, "DELETE FROM quizzes")
			w.Quiz(t, id, 1, 2)
			ada := w.Enrolls(t, id, id)
			rate := func() error { return w.Platform.Community.Rate(ctx(), ada, id, 4) }
			complete := func() error {
				_, err := w.Platform.Study.CompleteLecture(ctx(), ada, id, "a")
				return err
			}
			submit := func() error {
				_, err := w.Platform.Assess.SubmitQuiz(ctx(), ada,
					assess.QuizAnswers{CourseID: id, ChapterID: roomtest.TheChapter,
						Answers: roomtest.SomeRight(1, 1, 2)})
				return err
			}
			return []func() error{rate, complete, w.EndOf(id), submit, rate, complete}
		})
		if n := w.Count(t, "enrollments"); n != 0 {
			t.Errorf("%d enrolments are left", n)
		}
	})
}

// The deletion of the user comes before the decision of the admin, or after it: then it removes
// the reason.
func TestEnrollmentRace_DeletionOfTheUser(t *testing.T) {
	roomtest.AtTills(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		w := newWorld((&roomtest.Receiver{}).Option())
		at := w.Clock.Now().Add(time.Hour)
		w.Races(t, []error{people.ErrUserNotFound, study.ErrEnrollmentNotFound},
			func(id string) []func() error {
				w.OnSale(t, id)
				remove := func() error {
					return w.Platform.System().ApplyIdentityEvent(ctx(),
						people.IdentityEvent{Type: people.UserDeleted, SentAt: at,
							User: people.IdentityUser{ID: id}})
				}
				return []func() error{w.GrantOf(id), remove, w.EndOf(id), w.Payment(t, id), remove}
			})
		for _, table := range []string{"enrollments", "past_enrollments"} {
			if n := w.Count(t, table+" WHERE reason IS NOT NULL"); n != 0 {
				t.Errorf("%s has %d reasons of deleted users", table, n)
			}
		}
	})
}
