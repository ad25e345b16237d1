package tutor_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/aigate"
	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/sandbox"
	"github.com/openlectern/openlectern/learning/tutor"
)

// made is the id of a course that stands for the created record. The tests use a course
// because findOrCreate works with any kind of record.
const made = "made"

// recordFixture requests the record in one instance.
type recordFixture struct {
	*roomtest.World
	works *atomic.Int64 // how often work was called, in all instances
}

func (s recordFixture) find(ctx context.Context) (catalog.Course, error) {
	return s.Store.Course(ctx, made)
}

// work asks the AI and stores the course.
func (s recordFixture) work(actor learning.Actor) func(context.Context) error {
	return func(ctx context.Context) error {
		s.works.Add(1)
		text, err := s.Platform.Tutor.Ask(ctx, actor, sampleRequest)
		if err != nil {
			return err
		}
		return s.Store.InTx(ctx, func(tx learning.Tx) error {
			return tx.InsertCourse(ctx,
				catalog.Course{ID: made, Title: text[:9], CreatedAt: s.Clock.Now(),
					UpdatedAt: s.Clock.Now()}, nil)
		})
	}
}

func (s recordFixture) share(ctx context.Context, actor learning.Actor,
	admit tutor.Admission) (string, error) {
	c, err := tutor.FindOrCreate(ctx, s.Platform.Tutor, "course:"+made, s.find, admit,
		s.work(actor))
	return c.Title, err
}

func newRecordFixtures(t *testing.T, database string,
	opts ...learning.Option) (one, two recordFixture) {
	t.Helper()
	w := roomtest.New(t, database, learningtest.WithPlatform(opts...))
	works := &atomic.Int64{}
	return recordFixture{w, works},
		recordFixture{w.OtherInstance(t, learningtest.WithPlatform(opts...)), works}
}

// allAtOnce makes n concurrent calls, distributed over the instances, and returns the results.
func allAtOnce(n int, admit tutor.Admission,
	in ...recordFixture) (titles []string, errs []error) {
	titles, errs = make([]string, n), make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			actor := learning.Actor{UserID: fmt.Sprint("person-", i), Role: core.Student}
			titles[i], errs[i] = in[i%len(in)].share(context.Background(), actor, admit)
		})
	}
	all.Wait()
	return titles, errs
}

func (s recordFixture) wantNoLeases(t *testing.T) {
	t.Helper()
	if rows := s.Rows(t, "leases"); len(rows) != 0 {
		t.Errorf("leases are left: %s", rows)
	}
}

func TestFindOrCreate_ConcurrentCallersInTwoInstances(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		one, two := newRecordFixtures(t, database)
		var admitted atomic.Int64
		release := make(chan struct{})
		one.Sandbox.AI().Faults().Next(-1, sandbox.Fault{Kind: sandbox.FaultHang, Release: release})
		go func() {
			roomtest.WaitFor(t, one.Sandbox.AI().WaitCalls, 1)
			close(release)
		}()
		titles, errs := allAtOnce(100, func(context.Context) error { admitted.Add(1); return nil },
			one, two)
		for i := range titles {
			if titles[i] != "[Sandbox]" || errs[i] != nil {
				t.Fatalf("%d has %q, %v", i, titles[i], errs[i])
			}
		}
		if calls := len(one.Sandbox.AI().Calls()); calls != 1 || one.works.Load() != 1 ||
			admitted.Load() != 1 {
			t.Errorf("%d calls, made %d times, %d were charged", calls, one.works.Load(),
				admitted.Load())
		}
		one.wantNoLeases(t)
	})
}

func TestFindOrCreate_RefusalConcernsOnlyThatCaller(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		one, two := newRecordFixtures(t, database)
		limited := &learning.Error{Kind: core.RateLimited, Code: "limited", Message: "limited"}
		var asked atomic.Int64
		titles, errs := allAtOnce(20, func(context.Context) error {
			if asked.Add(1) <= 3 {
				return limited
			}
			return nil
		}, one, two)
		if diff := cmp.Diff(map[string]int{"limited": 3, "": 17},
			roomtest.CountErrors(errs)); diff != "" {
			t.Errorf("%s %q", diff, titles)
		}
		if one.works.Load() != 1 || asked.Load() != 4 {
			t.Errorf("made %d times, %d were asked", one.works.Load(), asked.Load())
		}
		one.wantNoLeases(t)
	})
}

func TestFindOrCreate_BudgetErrorConcernsOnlyThatCaller(t *testing.T) {
	one, _ := newRecordFixtures(t, "sqlite:"+t.TempDir()+"/learning.db",
		learning.WithAIBudget(100, 0))
	err := one.Store.InTx(t.Context(), func(tx learning.Tx) error {
		return tx.InsertAIUsage(t.Context(), "ada", "2026-01-31", aigate.Usage{Prompt: 100})
	})
	if err != nil {
		t.Fatal(err)
	}
	all := make(chan struct{})
	admit := func(context.Context) error { <-all; return nil }
	adas, others := make(chan error, 1), make(chan error, 10)
	go func() {
		_, err := one.share(context.Background(), roomtest.Ada, admit)
		adas <- err
	}()
	one.waiting(t, 1) // ada is the leader
	for i := range cap(others) {
		go func() {
			_, err := one.share(context.Background(),
				learning.Actor{UserID: fmt.Sprint("person-", i)}, nil)
			others <- err
		}()
	}
	one.waiting(t, 1+cap(others))
	close(all)
	if err := <-adas; !errors.Is(err, tutor.ErrAIBudget) {
		t.Errorf("Ada: %v", err)
	}
	for range cap(others) {
		if err := <-others; err != nil {
			t.Errorf("another user: %v", err)
		}
	}
	if n := len(one.Sandbox.AI().Calls()); n != 1 {
		t.Errorf("%d calls", n)
	}
}

func TestFindOrCreate_ErrorIsThatOfAllCallers(t *testing.T) {
	one, _ := newRecordFixtures(t, "sqlite:"+t.TempDir()+"/learning.db")
	release := make(chan struct{})
	box := one.Sandbox.AI()
	box.Faults().Next(1, sandbox.Fault{Kind: sandbox.FaultHang, Release: release})
	box.Answer("") // a failure that is not temporary
	_, errs := one.flying(t, 5)
	one.waiting(t, 5)
	close(release)
	for _, c := range errs {
		err := <-c
		if _, public := errors.AsType[*learning.Error](err); err == nil || public {
			t.Errorf("got %v", err)
		}
	}
	if n := one.works.Load(); n != 1 {
		t.Errorf("made %d times", n)
	}
	one.wantNoLeases(t)
	if _, err := one.share(t.Context(), roomtest.Bob, nil); err != nil {
		t.Errorf("the next one: %v", err)
	}
}

// flying starts n callers that wait for a call of the provider that does not end.
func (s recordFixture) flying(t *testing.T,
	n int) (cancels []context.CancelFunc, errs []chan error) {
	t.Helper()
	for i := range n {
		ctx, cancel := context.WithCancel(context.Background())
		t.Cleanup(cancel)
		done := make(chan error, 1)
		cancels, errs = append(cancels, cancel), append(errs, done)
		go func() {
			_, err := s.share(ctx, learning.Actor{UserID: fmt.Sprint("person-", i)}, nil)
			done <- err
		}()
		if i == 0 {
			roomtest.WaitFor(t, s.Sandbox.AI().WaitCalls, 1) // the first caller is the leader
		}
	}
	return cancels, errs
}

func TestFindOrCreate_FirstCallerLeaves(t *testing.T) {
	one, _ := newRecordFixtures(t, "sqlite:"+t.TempDir()+"/learning.db")
	release := make(chan struct{})
	one.Sandbox.AI().Faults().Next(1, sandbox.Fault{Kind: sandbox.FaultHang, Release: release})
	cancels, errs := one.flying(t, 5)
	one.waiting(t, 5)
	cancels[0]()
	if err := <-errs[0]; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	close(release)
	for _, c := range errs[1:] {
		if err := <-c; err != nil {
			t.Error(err)
		}
	}
	if n := one.works.Load(); n != 1 || one.Sandbox.AI().Cancelled() != 0 {
		t.Errorf("made %d times, %d cancelled", n, one.Sandbox.AI().Cancelled())
	}
}

// waiting waits until the call has n callers.
func (s recordFixture) waiting(t *testing.T, n int) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); s.Platform.Tutor.Callers("course:"+made) !=
		n; runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatalf("%d wait, want %d", s.Platform.Tutor.Callers("course:"+made), n)
		}
	}
}

func TestFindOrCreate_LastCallerLeaves(t *testing.T) {
	one, two := newRecordFixtures(t, "sqlite:"+t.TempDir()+"/learning.db")
	before := runtime.NumGoroutine()
	one.Sandbox.AI().Faults().Next(1, sandbox.Fault{Kind: sandbox.FaultHang})
	cancels, errs := one.flying(t, 5)
	one.waiting(t, 5)
	for i := range cancels {
		if one.Sandbox.AI().Cancelled() != 0 {
			t.Error("cancelled while a caller waits")
		}
		cancels[i]()
		if err := <-errs[i]; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
	gone := time.Now()
	roomtest.WaitFor(t, one.Sandbox.AI().WaitCancelled, 1)
	if took := time.Since(gone); took > roomtest.Bound/2 {
		t.Errorf("cancelled after %v", took)
	}
	// The lease is released, so another instance need not wait for its lease.
	if title, err := two.share(t.Context(), roomtest.Bob, nil); err != nil || title != "[Sandbox]" {
		t.Errorf("%q, %v", title, err)
	}
	one.wantNoLeases(t)
	roomtest.WantGoroutines(t, before)
}

// A cancelled call may take a while to end.
func TestFindOrCreate_CallAfterTheLastCallerHasLeft(t *testing.T) {
	one, _ := newRecordFixtures(t, "sqlite:"+t.TempDir()+"/learning.db")
	begun, end := make(chan struct{}), make(chan struct{})
	leaving, leave := context.WithCancel(t.Context())
	left, came := make(chan error, 1), make(chan error, 1)
	go func() {
		_, err := tutor.FindOrCreate(leaving, one.Platform.Tutor, "course:"+made, one.find, nil,
			func(ctx context.Context) error {
				close(begun)
				<-end
				return ctx.Err()
			})
		left <- err
	}()
	<-begun
	leave()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	go func() {
		_, err := one.share(context.Background(), roomtest.Bob, nil)
		came <- err
	}()
	one.waiting(t, 1)
	close(end)
	if err := <-came; err != nil {
		t.Errorf("the later caller: %v", err)
	}
	one.wantNoLeases(t)
}

func TestFindOrCreate_TakesOverAnExpiredLease(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		one, _ := newRecordFixtures(t, database, learning.WithAITimeout(10*time.Second))
		err := one.Store.InTx(t.Context(), func(tx learning.Tx) error {
			return tx.InsertLease(t.Context(),
				core.Lease{Name: "course:" + made, Holder: "died",
					ExpiresAt: one.Clock.Now().Add(roomtest.Lease)})
		})
		if err != nil {
			t.Fatal(err)
		}
		looks := make(chan struct{}, 1000)
		find := func(ctx context.Context) (catalog.Course, error) {
			looks <- struct{}{}
			return one.find(ctx)
		}
		done := make(chan error, 1)
		go func() {
			_, err := tutor.FindOrCreate(context.Background(), one.Platform.Tutor, "course:"+made,
				find, nil, one.work(roomtest.Ada))
			done <- err
		}()
		for range 5 { // it has looked, and found the lease taken
			<-looks
		}
		if one.works.Load() != 0 {
			t.Error("it was made while the lease ran")
		}
		one.Clock.Advance(roomtest.Lease)
		if err := <-done; err != nil || one.works.Load() != 1 {
			t.Errorf("%v, made %d times", err, one.works.Load())
		}
		one.wantNoLeases(t)
	})
}

func TestFindOrCreate_PanicIsAnErrorOfAllCallers(t *testing.T) {
	one, _ := newRecordFixtures(t, "sqlite:"+t.TempDir()+"/learning.db")
	_, err := tutor.FindOrCreate(t.Context(), one.Platform.Tutor, "course:"+made, one.find, nil,
		func(context.Context) error { panic("oops") })
	if err == nil || strings.Contains(err.Error(), "oops") || one.Log.Count("oops") != 1 {
		t.Errorf("%v; logged: %s", err, one.Log)
	}
	one.wantNoLeases(t)
}

func TestFindOrCreate_CreatedRecordIsMissing(t *testing.T) {
	one, _ := newRecordFixtures(t, "sqlite:"+t.TempDir()+"/learning.db")
	n := 0
	_, err := tutor.FindOrCreate(t.Context(), one.Platform.Tutor, "course:"+made, one.find, nil,
		func(context.Context) error { n++; return nil })
	if err == nil || n != 1 {
		t.Errorf("%v, made %d times", err, n)
	}
}

func TestFindOrCreate_ReadError(t *testing.T) {
	one, _ := newRecordFixtures(t, "sqlite:"+t.TempDir()+"/learning.db")
	broken := func(context.Context) (int, error) { return 0, roomtest.ErrInjected }
	if _, err := tutor.FindOrCreate(t.Context(), one.Platform.Tutor, "x", broken, nil,
		nil); !errors.Is(err, roomtest.ErrInjected) {
		t.Error(err)
	}
}
