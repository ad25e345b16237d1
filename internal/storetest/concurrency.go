package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
)

var concurrencyTests = []test{
	{"of 50 who complete one purchase at once, one does, and enrols once", raceComplete},
	{"of 50 completions by the same payment, one takes place", raceSamePayment},
	{"of 20 who open a purchase at once, one does", raceOpen},
	{"of 20 who take over a claim at once, one does", raceTakeOver},
	{"of 20 who store the same application, enrolment or user at once, one does", raceInsert},
	{"of 20 who claim, decide on or resubmit an application at once, one does", raceApplication},
	{"50 certificates at once get 50 numbers without a gap", raceIssue},
	{"of 20 who revoke a certificate at once, one does", raceRevoke},
	{"50 enrolments at once are all counted", raceCount},
	{"of 30 who lock a post or a group at once, each sees what the one before has done", raceLock},
	{"who waited for a post that was deleted finds none", raceDeleted},
	{"of ten who complete the same lecture at once, one does", raceProgress},
	{"60 ratings at once, some of the same people, are counted exactly", raceRate},
	{"of 20 who write the first quiz of a chapter at once, one does; 20 who replace it step its version by 20", raceQuiz},
	{"20 turns of one chat at once are each stored after the one before", raceTurns},
	{"who waited for a chat that was deleted finds none", raceDeletedChat},
	{"two transactions that block each other both succeed", raceDeadlock},
	{"those who wait for a transaction stop waiting when their context ends", raceWait},
	{"lists are read while they are written, and are whole", raceRead},
}

// race runs fn n times at once, and counts how often it reported a win. Every
// error but ErrDuplicate, which is a way to lose, fails the test.
func (f *fixture) race(n int, fn func(ctx context.Context, tx learning.Tx, i int) (bool, error)) int {
	f.t.Helper()
	var wins atomic.Int64
	var all sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		all.Go(func() {
			<-start
			won := false
			err := f.try(func(ctx context.Context, tx learning.Tx) (err error) {
				won, err = fn(ctx, tx, i)
				return err
			})
			switch {
			case errors.Is(err, learning.ErrDuplicate):
			case err != nil:
				f.t.Errorf("number %d: %v", i, err)
			case won:
				wins.Add(1)
			}
		})
	}
	close(start)
	all.Wait()
	return int(wins.Load())
}

func (f *fixture) students(courseID string) int {
	f.t.Helper()
	c, err := f.Course(f.t.Context(), courseID)
	if err != nil {
		f.t.Fatal(err)
	}
	return c.Students
}

// complete is the transaction that a payment starts.
func complete(ctx context.Context, tx learning.Tx, p learning.Purchase, paymentID string) (bool, error) {
	moved, err := tx.CompletePurchase(ctx, p.ID, paymentID, true, noon)
	if err != nil || !moved {
		return false, err
	}
	if err := tx.IncrementEnrollments(ctx, p.CourseID); err != nil {
		return false, err
	}
	return true, tx.InsertEnrollment(ctx, learning.Enrollment{UserID: p.UserID, CourseID: p.CourseID, PurchaseID: p.ID, CreatedAt: noon})
}

func raceComplete(t *testing.T, f *fixture) {
	p := purchase("p", learning.PurchasePending)
	f.add(course("course"), p)
	var winner atomic.Value
	wins := f.race(50, func(ctx context.Context, tx learning.Tx, i int) (bool, error) {
		payment := fmt.Sprint("payment-", i)
		tx.AfterCommit(func() {
			if got, err := f.Purchase(t.Context(), "p"); err == nil && got.PaymentID == payment {
				winner.Store(payment)
			}
		})
		return complete(ctx, tx, p, payment)
	})
	if got := f.students("course") - course("course").Students; wins != 1 || got != 1 {
		t.Errorf("%d won, and %d students were counted", wins, got)
	}
	got, err := f.Purchase(t.Context(), "p")
	if err != nil || got.Status != learning.PurchaseCompleted || got.PaymentID != winner.Load() {
		t.Errorf("the purchase is %+v (%v), won by %v", got, err, winner.Load())
	}
}

func raceSamePayment(t *testing.T, f *fixture) {
	f.add(course("course"))
	purchases := make([]learning.Purchase, 50)
	for i := range purchases {
		purchases[i] = purchase(fmt.Sprint(i), learning.PurchaseFailed)
		purchases[i].UserID = fmt.Sprint("student-", i)
		f.add(purchases[i])
	}
	wins := f.race(50, func(ctx context.Context, tx learning.Tx, i int) (bool, error) {
		return complete(ctx, tx, purchases[i], "the same")
	})
	if got := f.students("course") - course("course").Students; wins != 1 || got != 1 {
		t.Errorf("%d won, and %d students were counted", wins, got)
	}
}

func raceOpen(t *testing.T, f *fixture) {
	wins := f.race(20, func(ctx context.Context, tx learning.Tx, i int) (bool, error) {
		return true, tx.InsertPurchase(ctx, purchase(fmt.Sprint(i), learning.PurchaseCreated))
	})
	if _, err := f.OpenPurchase(t.Context(), "student", "course"); wins != 1 || err != nil {
		t.Errorf("%d won; reading the open purchase: %v", wins, err)
	}
}

func raceTakeOver(t *testing.T, f *fixture) {
	f.add(purchase("p", learning.PurchaseCreated))
	wins := f.race(20, func(ctx context.Context, tx learning.Tx, i int) (bool, error) {
		mine := purchase("p", learning.PurchaseCreated)
		mine.Holder, mine.UpdatedAt, mine.LeaseUntil = fmt.Sprint(i), noon.Add(time.Hour), noon.Add(2*time.Hour)
		return tx.TakeOverPurchase(ctx, mine, "holder")
	})
	if wins != 1 {
		t.Errorf("%d won", wins)
	}
}

func raceInsert(t *testing.T, f *fixture) {
	inserts := map[string]func(ctx context.Context, tx learning.Tx) error{
		"user": func(ctx context.Context, tx learning.Tx) error { return tx.InsertUser(ctx, user("u")) },
		"application": func(ctx context.Context, tx learning.Tx) error {
			return tx.InsertApplication(ctx, application("a", learning.ApplicationPending))
		},
		"enrolment": func(ctx context.Context, tx learning.Tx) error {
			return tx.InsertEnrollment(ctx, learning.Enrollment{UserID: "u", CourseID: "c", PurchaseID: "p", CreatedAt: noon})
		},
	}
	for name, insert := range inserts {
		wins := f.race(20, func(ctx context.Context, tx learning.Tx, _ int) (bool, error) { return true, insert(ctx, tx) })
		if wins != 1 {
			t.Errorf("%s: %d won", name, wins)
		}
	}
}

func raceCount(t *testing.T, f *fixture) {
	f.add(course("course"))
	before, err := f.CatalogueRevision(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	wins := f.race(50, func(ctx context.Context, tx learning.Tx, i int) (bool, error) {
		p := purchase(fmt.Sprint(i), learning.PurchasePending)
		p.UserID = fmt.Sprint("student-", i)
		if err := tx.InsertPurchase(ctx, p); err != nil {
			return false, err
		}
		return complete(ctx, tx, p, fmt.Sprint("payment-", i))
	})
	if got := f.students("course") - course("course").Students; wins != 50 || got != 50 {
		t.Errorf("%d succeeded, and %d students were counted", wins, got)
	}
	after, err := f.CatalogueRevision(t.Context())
	if err != nil || after == before {
		t.Errorf("the revision is %v still (%v)", after, err)
	}
}

// raceLock has each read the counter that it then moves: no two may read the same.
func raceLock(t *testing.T, f *fixture) {
	f.add(post("p"), group("g"))
	var posts, groups [30]atomic.Int64
	wins := f.race(30, func(ctx context.Context, tx learning.Tx, i int) (bool, error) {
		if err := tx.LockPost(ctx, "p"); err != nil {
			return false, err
		}
		p, err := tx.Post(ctx, "p", "")
		tx.AfterCommit(func() { posts[p.Upvotes].Add(1) })
		return true, errors.Join(err, tx.AddToPostVotes(ctx, "p", 1))
	})
	wins += f.race(30, func(ctx context.Context, tx learning.Tx, i int) (bool, error) {
		if err := tx.LockGroup(ctx, "g"); err != nil {
			return false, err
		}
		g, err := tx.Group(ctx, "g", "")
		tx.AfterCommit(func() { groups[g.Members-group("g").Members].Add(1) })
		return true, errors.Join(err, tx.AddToMemberCount(ctx, "g", 1))
	})
	f.add(user("u"))
	var users [30]atomic.Int64
	f.race(30, func(ctx context.Context, tx learning.Tx, i int) (bool, error) {
		if _, err := tx.LockUser(ctx, "u"); err != nil {
			return false, err
		}
		s, err := tx.AccountState(ctx, "u")
		decision := learning.RoleAssignment{Role: learning.Student, At: s.RoleAssignment.At.Add(time.Microsecond)}
		if s.RoleAssignment.At.IsZero() {
			decision.At = noon
			err = errors.Join(err, tx.InsertRole(ctx, "u", decision))
		} else {
			_, updateErr := tx.UpdateRole(ctx, "u", decision)
			err = errors.Join(err, updateErr)
		}
		tx.AfterCommit(func() { users[decision.At.Sub(noon).Microseconds()].Add(1) })
		return true, err
	})
	for i := range users {
		if n := users[i].Load(); n != 1 {
			t.Errorf("%d transactions that locked the user have read the same role", n)
		}
	}
	for i := range posts {
		if p, g := posts[i].Load(), groups[i].Load(); p != 1 || g != 1 || wins != 60 {
			t.Errorf("%d have read %d upvotes, and %d as many members more; %d succeeded", p, i, g, wins)
		}
	}
}

func raceDeleted(t *testing.T, f *fixture) {
	f.add(post("p"))
	wins := f.race(20, func(ctx context.Context, tx learning.Tx, i int) (bool, error) {
		if i > 0 {
			found, err := tx.IncrementReplies(ctx, "p")
			if err != nil || !found {
				return false, err
			}
			return true, tx.InsertReply(ctx, reply(fmt.Sprint(i), "p"))
		}
		return true, errors.Join(tx.LockPost(ctx, "p"), tx.DeleteReplies(ctx, "p"), tx.DeletePost(ctx, "p"))
	})
	list, err := f.replies("p", "")
	equal(t, list, err, nil)
	t.Logf("%d replied before it was deleted", wins-1)
}

// raceDeadlock has two transactions take two rows in opposite order, each waiting
// until the other has its first. Where only one can write at a time, the other
// never gets that far, so the wait has an end.
func raceDeadlock(t *testing.T, f *fixture) {
	f.add(course("a"), course("b"))
	taken := map[string]chan struct{}{"a": make(chan struct{}), "b": make(chan struct{})}
	var hooks, runs atomic.Int64
	var all sync.WaitGroup
	for first, second := range map[string]string{"a": "b", "b": "a"} {
		meet := sync.OnceFunc(func() {
			close(taken[first])
			select {
			case <-taken[second]:
			case <-time.After(500 * time.Millisecond):
			}
		})
		all.Go(func() {
			err := f.try(func(ctx context.Context, tx learning.Tx) error {
				runs.Add(1)
				tx.AfterCommit(func() { hooks.Add(1) })
				if err := tx.IncrementEnrollments(ctx, first); err != nil {
					return err
				}
				meet()
				return tx.IncrementEnrollments(ctx, second)
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	want := course("").Students + 2
	if a, b := f.students("a"), f.students("b"); a != want || b != want || hooks.Load() != 2 {
		t.Errorf("counted %d and %d, want %d; %d hooks ran, want 2", a, b, want, hooks.Load())
	}
	t.Logf("two transactions ran %d times", runs.Load())
}

func raceWait(t *testing.T, f *fixture) {
	f.add(course("c"))
	f.do(func(ctx context.Context, tx learning.Tx) error {
		if err := tx.IncrementEnrollments(ctx, "c"); err != nil {
			return err
		}
		short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
		defer cancel()
		began := time.Now()
		err := f.InTx(short, func(tx learning.Tx) error { return tx.IncrementEnrollments(short, "c") })
		if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || took > 2*time.Second {
			t.Errorf("gave up after %v with %v", took, err)
		}
		return nil
	})
	if got, want := f.students("c"), course("c").Students+1; got != want {
		t.Errorf("counted %d students, want %d", got, want)
	}
}

func raceRead(t *testing.T, f *fixture) {
	const courses, rounds = 5, 20
	for i := range courses {
		f.add(course(fmt.Sprint(i)))
	}
	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			last := 0
			for {
				list, err := f.PublishedCourses(t.Context())
				if err != nil || len(list) != courses {
					t.Errorf("read %d courses: %v", len(list), err)
					return
				}
				// All are counted in one transaction: a list that mixes before and
				// after, or goes back in time, is torn.
				for _, c := range list {
					if c.Students != list[0].Students || c.Students < last {
						t.Errorf("a list counts %d and %d students, after %d", list[0].Students, c.Students, last)
						return
					}
				}
				last = list[0].Students
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	for range rounds {
		f.do(func(ctx context.Context, tx learning.Tx) error {
			_, err := tx.MarkCoursesChanged(ctx, "educator")
			for i := range courses {
				err = errors.Join(err, tx.IncrementEnrollments(ctx, fmt.Sprint(i)))
			}
			return err
		})
	}
	close(done)
	readers.Wait()
}
