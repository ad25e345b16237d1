package learning_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/sale"
	"github.com/openlectern/openlectern/learning/sandbox"
	"github.com/openlectern/openlectern/learning/study"
)

// Every operation that changes what is counted changes its totals.
func TestTotals_AreRightAfterEachOperation(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		step := func(name string, err error) {
			t.Helper()
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			w.WantRightTotals(t)
			if t.Failed() {
				t.Fatalf("after: %s", name)
			}
		}
		p := w.Platform

		// Users, roles and applications.
		withID := func(e people.IdentityEvent,
			id string) people.IdentityEvent {
			e.User.ID = id
			return e
		}
		tell := func(name string, e people.IdentityEvent) {
			t.Helper()
			step(name, p.System().ApplyIdentityEvent(ctx(), e))
		}
		ada := roomtest.Student("ada")
		eve := roomtest.Student("eve")
		kim := roomtest.Student("kim")
		// the platform learns of them by the events
		for _, who := range []learning.Actor{ada, eve, kim} {
			step("at the identity provider",
				w.Sandbox.Identity().PutUserQuietly(sandbox.User{ID: who.UserID}))
		}
		tell("created", roomtest.Event(people.UserCreated, 0))
		tell("made an educator", roomtest.WithRole(roomtest.Event(people.UserUpdated, 10),
			core.Educator))
		tell("an older role", roomtest.WithRole(roomtest.Event(people.UserUpdated, 5),
			core.Student))
		tell("an older record with a newer role",
			roomtest.WithRole(roomtest.Event(people.UserUpdated, 20), core.Student))
		tell("another role", roomtest.WithRole(roomtest.Event(people.UserUpdated, 30),
			core.Educator))
		step("made an admin", p.System().MakeAdmin(ctx(), "ada"))
		tell("deleted", roomtest.Event(people.UserDeleted, 40))
		tell("deleted again", roomtest.Event(people.UserDeleted, 50))
		tell("restored as an educator",
			roomtest.WithRole(roomtest.Event(people.UserCreated, 60), core.Educator))
		tell("deleted without a record", withID(roomtest.Event(people.UserDeleted, 0), "nobody"))

		apply := func(who learning.Actor) people.Application {
			t.Helper()
			a, err := p.Staff.Apply(ctx(), who, roomtest.Submitted())
			step("applied", err)
			return a.Application
		}
		step("rejected", p.Staff.Reject(ctx(), roomtest.Boss, apply(ada).ID, "no"))
		step("approved", p.Staff.Approve(ctx(), roomtest.Boss, apply(ada).ID))
		step("approved without a record", p.Staff.Approve(ctx(), roomtest.Boss, apply(eve).ID))
		tell("created after the approval", withID(roomtest.Event(people.UserCreated, 0), "eve"))
		tell("demoted, and still approved",
			roomtest.WithRole(withID(roomtest.Event(people.UserUpdated, 90), "eve"), core.Student))
		tell("deleted after the approval", withID(roomtest.Event(people.UserDeleted, 100), "eve"))
		apply(kim)
		tell("created while applying", withID(roomtest.Event(people.UserCreated, 0), "kim"))
		tell("deleted while applying", withID(roomtest.Event(people.UserDeleted, 10), "kim"))

		// Courses, enrolments and sales.
		paid, free := w.Course(t, "paid", 10_00), w.Course(t, "free", 0)
		unused := w.Course(t, "unused", 0)
		step("courses added", p.DeleteCourse(ctx(), roomtest.Teacher, unused))
		buyer, boss := w.Person(t, "buyer", core.Student), w.Person(t, "boss", core.Admin)
		_, err := p.Sales.OpenOrder(ctx(), buyer, sale.OrderRequest{CourseID: free})
		step("enrolled for free", err)
		step("enrolment ended", p.Study.EndEnrollment(ctx(), boss, buyer.UserID, free))
		_, err = p.Study.GrantEnrollment(ctx(), boss,
			study.Grant{UserID: buyer.UserID, CourseID: free})
		step("enrolled by hand", err)
		sold := w.Sold(t, buyer, paid)
		step("sold", nil)
		_, err = w.Refund(t, boss, sold.ID, 4_00)
		step("refunded in part", err)
		_, err = w.Refund(t, boss, sold.ID, 0)
		step("refunded", err)
		for _, r := range w.RefundsAt(t, sold.PaymentID) {
			step("a refund failed", w.Tell(t, "refund.failed", r))
		}
		other := w.OtherInstance(t, learningtest.WithPlatform(learning.WithCurrency("EUR")))
		other.Sell(t, paid, "another")
		step("sold in another currency", nil)

		// Attempts at quizzes.
		w.Quiz(t, paid, 3, 0)
		for right := range 4 {
			_, err := p.Assess.SubmitQuiz(ctx(), roomtest.Student("another"),
				assess.QuizAnswers{CourseID: paid, ChapterID: roomtest.TheChapter,
					Answers: answers(3, right, 0)})
			step("an attempt", err)
		}

		// Posts.
		group := w.NewGroup(t, ada, "Gophers")
		for _, groupID := range []string{"", group.ID} {
			own, reported := w.NewPost(t, ada, groupID), w.NewPost(t, ada, groupID)
			step("posts", p.Community.DeletePost(ctx(), ada, own.ID))
			step("a report", p.Community.Complain(ctx(), buyer, reported.ID, "", "Rude"))
			for _, c := range w.Complaints(t, community.ComplaintOpen) {
				step("removed", p.Community.DecideComplaint(ctx(), boss, c.ID,
					community.ComplaintRemoved))
			}
		}
		if got, err := p.System().RecountTotals(ctx()); err != nil || len(got) != 0 {
			t.Errorf("the recount has corrected %v (%v)", got, err)
		}
	})
}

// older is a program that keeps no totals: the statements of the version before.
type older struct{ w *roomtest.World }

func (o older) post(t *testing.T, id string) {
	o.w.Exec(t,
		`INSERT INTO posts (id, group_id, author_id, title, tags, upvotes, replies, is_resolved, created_at, updated_at, content)
		VALUES (?, NULL, 'ada', '', '[]', 0, 0, 0, '2026-01-01 00:00:00.000000',
			'2026-01-01 00:00:00.000000', '')`, id)
}

func (o older) user(t *testing.T, id string) {
	o.w.Exec(t, `INSERT INTO users (id, name, email, image_url, created_at, changed_at)
		VALUES (?, '', '', '', '2026-01-01 00:00:00.000000', '2026-01-01 00:00:00.000000')`, id)
}

func (o older) purchase(t *testing.T, id, courseID string) {
	o.w.Exec(t,
		`INSERT INTO purchases (id, user_id, course_id, amount, currency, status, created_at, updated_at, completed_at)
		VALUES (?, ?, ?, 700, 'INR', 'completed', '2026-01-01 00:00:00.000000',
			'2026-01-01 00:00:00.000000', '2026-01-02 00:00:00.000000')`,
		id, id, courseID)
}

// While the version before and this one write, recounts of two instances correct the totals. A
// recount adds what the version before has inserted, and nothing else: it takes nothing back, as it
// would have to after a row of this version was counted twice.
func TestRecountTotals_WhileOldAndNewProgramsWrite(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		two := [2]*roomtest.World{w, w.OtherInstance(t)}
		courses := [2]string{w.Course(t, "go", 10_00), w.Course(t, "sql", 20_00)}
		const writers, each = 8, 15
		orders := map[string]sale.Order{}
		for i := range writers {
			for j := range each {
				id := fmt.Sprintf("buyer-%d-%d", i, j)
				orders[id] = w.Order(t, w.Person(t, id, core.Student), courses[j%2])
			}
		}
		var corrected [2][]core.Total
		errs := roomtest.Concurrently(writers+4, func(i int) error {
			p := two[i%2].Platform
			for j := range each {
				id := fmt.Sprintf("%d-%d", i, j)
				switch {
				case i < writers: // this version
					made, err := p.Community.CreatePost(ctx(), roomtest.Student(id),
						community.NewPost{Title: "T", Content: "C"})
					if err == nil && j%3 == 0 {
						err = p.Community.DeletePost(ctx(), roomtest.Student(id), made.ID)
					}
					if err == nil {
						err = p.System().CapturePayment(ctx(),
							roomtest.CapturedPayment(orders["buyer-"+id], "pay-"+id))
					}
					if err != nil {
						return err
					}
				case i < writers+2:
					older{two[i%2]}.post(t, id)
					older{two[i%2]}.user(t, id)
					older{two[i%2]}.purchase(t, id, courses[j%2])
				default:
					list, err := p.System().RecountTotals(ctx())
					if err != nil {
						return err
					}
					corrected[i%2] = append(corrected[i%2], list...)
				}
			}
			return nil
		})
		if diff := cmp.Diff(map[string]int{"": len(errs)}, roomtest.CountErrors(errs)); diff != "" {
			t.Error(diff)
		}
		t.Logf("%d and %d totals were corrected meanwhile", len(corrected[0]), len(corrected[1]))
		last, err := w.Platform.System().RecountTotals(ctx())
		if err != nil {
			t.Error(err)
		}
		w.WantRightTotals(t)
		for _, c := range slices.Concat(corrected[0], corrected[1], last) {
			if c.Number <= 0 || c.Amount < 0 || c.Kind == study.TotalEnrollments ||
				c.Kind == catalog.TotalCourses {
				t.Errorf("a recount has added %+v", c)
			}
		}
		if n, err := w.Store.PostTotal(ctx(), "", ""); err != nil || n != writers*each*2/3+2*each {
			t.Errorf("%d posts (%v)", n, err)
		}
		s, err := w.Platform.Staff.Stats(ctx(), roomtest.Boss)
		if want := core.Money(writers*(8*10_00+7*20_00) + 2*each*7_00); err != nil ||
			s.Revenue != want || s.Students != (writers+2)*each+1 {
			t.Errorf("%+v, %v; want the revenue %v", s, err, want)
		}
	})
}

// A recount that was stopped between its count and its correction does not correct what another one
// has corrected meanwhile.
func TestRecountTotals_OfTwoThatCountedTheSameOneCorrects(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		late := &lateCorrection{Store: w.Store, others: func() { w.Recount(t) }}
		p, err := learning.New(late)
		if err != nil {
			t.Fatal(err)
		}
		older{w}.post(t, "a")
		older{w}.post(t, "b")
		corrected, err := p.System().RecountTotals(ctx())
		if err != nil || len(corrected) != 0 || late.others != nil {
			t.Errorf("corrected %v (%v)", corrected, err)
		}
		w.WantRightTotals(t)
	})
}

// lateCorrection is a store on which others run before the first transaction after a comparison
// that has found a difference.
type lateCorrection struct {
	learning.Store
	found  bool
	others func()
}

func (s *lateCorrection) WrongTotals(ctx context.Context,
	kind core.TotalKind) ([]core.Total, error) {
	list, err := s.Store.WrongTotals(ctx, kind)
	s.found = len(list) > 0
	return list, err
}

func (s *lateCorrection) InTx(ctx context.Context, fn func(tx learning.Tx) error) error {
	if s.found && s.others != nil {
		s.others()
		s.others = nil
	}
	return s.Store.InTx(ctx, fn)
}

func TestRunTotals_CorrectsAndLogs(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	if err := w.Platform.RecountUntilRight(ctx()); err != nil {
		t.Error(err)
	}
	older{w}.post(t, "a")
	stopping, stop := context.WithCancel(ctx())
	done := make(chan error)
	go func() { done <- w.Platform.RecountUntilRight(stopping) }()
	const line = `level=ERROR msg="total was wrong and is corrected" kind=posts course="" part="" number=1 amount=0`
	for end := time.Now().Add(roomtest.Bound); w.Log.Count(line) == 0; runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatalf("no correction was logged:\n%s", w.Log)
		}
	}
	w.WantRightTotals(t)
	stop() // it waits for an hour, and would then look again
	if err := <-done; err == nil || !strings.Contains(err.Error(), "context canceled") {
		t.Errorf("it ended with %v", err)
	}
	w.WantLogged(t, line, 1)
}
