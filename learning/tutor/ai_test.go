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

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/sandbox"
	"github.com/openlectern/openlectern/learning/tutor"
)

// newAIFixture returns a fixture on SQLite with the given model, or without one if it is nil.
func newAIFixture(t *testing.T, model tutor.AI, opts ...learning.Option) *roomtest.World {
	t.Helper()
	if model != nil {
		opts = append(opts, learning.WithAI(model))
	}
	w := roomtest.New(t, roomtest.SQLite(t), learningtest.WithPlatform(opts...))
	if model == nil {
		var err error
		w.Platform, err = learning.New(w.Store, opts...)
		roomtest.Must(t, err)
	}
	return w
}

func TestAskAI_NotConfigured(t *testing.T) {
	w := newAIFixture(t, nil)
	if _, err := w.Platform.Tutor.Ask(t.Context(), roomtest.Ada, sampleRequest); !errors.Is(err,
		tutor.ErrAINotConfigured) {
		t.Error(err)
	}
	if _, err := w.Platform.Tutor.Ask(t.Context(), learning.Actor{}, sampleRequest); !errors.Is(err,
		core.ErrUnauthenticated) {
		t.Error(err)
	}
}

func TestAskAI_RecordsUsageAlsoOnError(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		model := roomtest.Writing("one", "two", "", "four", "five", "six")
		model.Errs = []error{nil, errors.New("cut off"), nil}
		model.Answers[5].Usage = core.AIUsage{Prompt: -5, Completion: 7}
		w := roomtest.New(t, database, learningtest.WithPlatform(learning.WithAI(model)))
		ask := func(actor learning.Actor, want string) {
			t.Helper()
			if got, err := w.Platform.Tutor.Ask(t.Context(), actor, sampleRequest); got != want ||
				(err == nil) != (want != "") {
				t.Errorf("%q, %v", got, err)
			}
		}
		ask(roomtest.Ada, "one")
		ask(roomtest.Ada, "") // failed
		ask(roomtest.Ada, "") // empty
		w.WantUsed(t, "ada", 30, 15)
		ask(roomtest.Bob, "four")
		ask(roomtest.Bob, "five")
		w.WantUsed(t, "bob", 20, 10)
		w.WantUsed(t, "ada", 30, 15)
		w.Clock.Advance(24 * time.Hour)
		ask(roomtest.Ada, "six")
		w.WantUsed(t, "ada", 0, 7) // negative usage is ignored
	})
}

// gate is a model whose calls begin and wait.
type gate struct {
	begun chan struct{}
	end   chan struct{}
}

func newGate() *gate { return &gate{make(chan struct{}, 1000), make(chan struct{})} }

func (g *gate) Complete(ctx context.Context, _ tutor.AIRequest) (tutor.AIReply, error) {
	used := tutor.AIReply{Text: "fine", Usage: core.AIUsage{Prompt: 60, Completion: 40}}
	g.begun <- struct{}{}
	select {
	case <-g.end:
		return used, nil
	case <-ctx.Done():
		used.Text = ""
		return used, ctx.Err()
	}
}

func (g *gate) Stream(ctx context.Context, r tutor.AIRequest,
	write func(string) error) (tutor.AIReply, error) {
	reply, err := g.Complete(ctx, r)
	if err == nil {
		err = write(reply.Text)
	}
	return reply, err
}

func TestAskAI_TwoCallsPerUserInAllInstances(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		g := newGate()
		w := roomtest.New(t, database, learningtest.WithPlatform(learning.WithAI(g)))
		two := w.OtherInstance(t, learningtest.WithPlatform(learning.WithAI(g)))
		const each = 20
		errs := make(chan error, 2*each)
		for i := range 2 * each {
			p := []*roomtest.World{w, two}[i%2].Platform
			go func() {
				_, err := p.Tutor.Ask(context.Background(), roomtest.Ada, sampleRequest)
				errs <- err
			}()
		}
		for range 2*each - 2 { // the refused calls return before the others end
			err := <-errs
			if passing, ok := errors.AsType[*core.RetryableError](err); !errors.Is(err,
				tutor.ErrAIBusy) || !ok || passing.After <= 0 {
				t.Fatal(err)
			}
		}
		for range 2 { // they may still be on their way to the model
			<-g.begun
		}
		if n := len(g.begun); n != 0 {
			t.Errorf("%d calls at a time", 2+n)
		}
		bobs := make(chan error, 1)
		go func() {
			_, err := two.Platform.Tutor.Ask(context.Background(), roomtest.Bob, sampleRequest)
			bobs <- err
		}()
		<-g.begun // because another user has other slots
		close(g.end)
		for _, c := range []chan error{errs, errs, bobs} {
			if err := <-c; err != nil {
				t.Error(err)
			}
		}
		w.WantUsed(t, "ada", 120, 80)
		if _, err := w.Platform.Tutor.Ask(context.Background(), roomtest.Ada,
			sampleRequest); err != nil {
			t.Errorf("afterwards: %v", err)
		}
	})
}

// If a lease expired before its call, a third call would begin, or a quiz be written twice.
func TestAskAI_LeaseOutlivesTheCall(t *testing.T) {
	g := newGate()
	w := newAIFixture(t, g, learning.WithAITimeout(10*time.Second))
	course := w.Course(t, "go", 0)
	done := make(chan error, 1)
	go func() {
		_, err := w.Platform.Tutor.Quiz(ctx(), roomtest.Teacher, course, roomtest.TheChapter, nil)
		done <- err
	}()
	<-g.begun
	for _, name := range []string{"ai:" + roomtest.Teacher.UserID + ":0",
		"quiz:go:" + roomtest.TheChapter} {
		l, err := w.Store.Lease(ctx(), name)
		if err != nil || l.ExpiresAt.Sub(w.Clock.Now()) != roomtest.Lease {
			t.Errorf("%s: %+v, %v", name, l, err)
		}
	}
	close(g.end)
	<-done // which is no quiz
}

func TestAskAI_ExpiredSlotIsFree(t *testing.T) {
	w := newAIFixture(t, roomtest.Writing("fine"), learning.WithAITimeout(10*time.Second))
	for slot := range 2 {
		err := w.Store.InTx(t.Context(), func(tx learning.Tx) error {
			return tx.InsertLease(t.Context(),
				core.Lease{Name: fmt.Sprint("ai:ada:", slot), Holder: "died",
					ExpiresAt: w.Clock.Now().Add(roomtest.Lease)})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	w.Clock.Advance(roomtest.Lease - time.Microsecond)
	if _, err := w.Platform.Tutor.Ask(t.Context(), roomtest.Ada, sampleRequest); !errors.Is(err,
		tutor.ErrAIBusy) {
		t.Errorf("before: %v", err)
	}
	w.Clock.Advance(time.Microsecond)
	if _, err := w.Platform.Tutor.Ask(t.Context(), roomtest.Ada, sampleRequest); err != nil {
		t.Errorf("after: %v", err)
	}
	if n := w.Count(t, "leases WHERE holder <> 'died'"); n != 0 {
		t.Errorf("%d leases are left", n)
	}
}

func TestAIBudget_RefusesUntilTheNextDay(t *testing.T) {
	for name, test := range map[string]struct {
		person, platform int64
		calls            int // of ada, until one is refused
		bob              error
	}{
		"none":                     {0, 0, 10, nil},
		"a user's":                 {200, 0, 2, nil},
		"a user's, not a multiple": {201, 0, 3, nil},
		"the platform's":           {0, 200, 2, tutor.ErrAIBudget},
		"the user's first":         {100, 1000, 1, nil},
		"the platform's first":     {1000, 100, 1, tutor.ErrAIBudget},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGate() // 100 tokens a call
			close(g.end)
			w := newAIFixture(t, g, learning.WithAIBudget(test.person, test.platform))
			for i := range 10 {
				_, err := w.Platform.Tutor.Ask(t.Context(), roomtest.Ada, sampleRequest)
				if want := i >= test.calls; errors.Is(err, tutor.ErrAIBudget) != want ||
					(err != nil) != want {
					t.Errorf("call %d: %v", i, err)
				}
			}
			if _, err := w.Platform.Tutor.Ask(t.Context(), roomtest.Bob,
				sampleRequest); !errors.Is(err,
				test.bob) {
				t.Errorf("another user: %v", err)
			}
			w.WantUsed(t, "ada", 60*int64(test.calls), 40*int64(test.calls))
			w.Clock.Set(time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC))
			if _, err := w.Platform.Tutor.Ask(t.Context(), roomtest.Ada,
				sampleRequest); err != nil {
				t.Errorf("the next day: %v", err)
			}
		})
	}
}

// The error contains the time until the next day, also in the last moment of the day.
func TestAskAI_RefusalHasARetryDelay(t *testing.T) {
	w := newAIFixture(t, roomtest.Writing("one"), learning.WithAIBudget(1, 0))
	if _, err := w.Platform.Tutor.Ask(t.Context(), roomtest.Ada, sampleRequest); err != nil {
		t.Fatal(err)
	}
	for now, want := range map[time.Time]time.Duration{
		time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC): 24 * time.Hour,
		time.Date(2026, 1, 31, 23, 59, 59, 999_999_000,
			time.UTC): time.Microsecond,
		time.Date(2026, 2, 1, 1, 30, 0, 0, time.FixedZone("east of UTC", 2*3600)): 30 *
			time.Minute,
		time.Date(2026, 1, 31, 18, 0, 0, 0, time.FixedZone("west of UTC", -5*3600)): time.Hour,
	} {
		w.Clock.Set(now)
		_, err := w.Platform.Tutor.Ask(t.Context(), roomtest.Ada, sampleRequest)
		passing, ok := errors.AsType[*core.RetryableError](err)
		if !ok || passing.After != want || !errors.Is(err, tutor.ErrAIBudget) ||
			err.Error() != tutor.ErrAIBudget.Message {
			t.Errorf("at %v: %v, %+v, want after %v", now, err, passing, want)
		}
	}
}

// The budget may be exceeded only by calls in progress.
func TestAIBudget_ExceededOnlyByCallsInFlight(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		g := newGate()
		close(g.end)
		limit := learningtest.WithPlatform(learning.WithAI(g), learning.WithAIBudget(450, 0))
		w := roomtest.New(t, database, limit)
		two := w.OtherInstance(t, limit)
		var wait sync.WaitGroup
		var let atomic.Int64
		for i := range 8 {
			wait.Go(func() {
				p := []*roomtest.World{w, two}[i%2].Platform
				for {
					_, err := p.Tutor.Ask(context.Background(), roomtest.Ada, sampleRequest)
					switch {
					case err == nil:
						let.Add(1)
					case errors.Is(err, tutor.ErrAIBudget):
						return
					case !errors.Is(err, tutor.ErrAIBusy):
						t.Error(err)
						return
					}
				}
			})
		}
		wait.Wait()
		n := let.Load()
		if n < 5 || n > 6 { // the fifth call exceeds 450, while one other call may be in progress
			t.Errorf("%d calls of 100 tokens were admitted", n)
		}
		w.WantUsed(t, "ada", 60*n, 40*n)
	})
}

// A call that loses the race for a slot at each try returns ErrAIBusy.
func TestAskAI_LostRaceForTheSlotReturnsBusy(t *testing.T) {
	o := &roomtest.Overtaken{Left: 1}
	w := roomtest.New(t, roomtest.SQLite(t),
		learningtest.WithStore(func(s learning.Store) learning.Store {
			o.Store = s
			return o
		}))
	if _, err := w.Platform.Tutor.Ask(t.Context(), roomtest.Ada, sampleRequest); err != nil {
		t.Errorf("overtaken once: %v", err)
	}
	o.Left = 1 << 20
	if _, err := w.Platform.Tutor.Ask(t.Context(), roomtest.Ada, sampleRequest); !errors.Is(err,
		tutor.ErrAIBusy) {
		t.Errorf("overtaken always: %v", err)
	}
}

func TestNew_InvalidAIOptions(t *testing.T) {
	for name, opt := range map[string]learning.Option{
		"no time": learning.WithAITimeout(0), "a negative budget": learning.WithAIBudget(-1, 0),
		"another": learning.WithAIBudget(0, -1),
	} {
		if _, err := learning.New(struct{ learning.Store }{}, opt); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestAskAI_TimesOut(t *testing.T) {
	g := newGate()
	w := newAIFixture(t, g, learning.WithAITimeout(300*time.Millisecond))
	if _, err := w.Platform.Tutor.Ask(t.Context(), roomtest.Ada, sampleRequest); !errors.Is(err,
		context.DeadlineExceeded) {
		t.Error(err)
	}
	called := int64(len(g.begun)) // 0 if a busy machine took so long to take the slot
	w.WantUsed(t, "ada", 60*called, 40*called)
}

// Through the platform, the client and the sandbox.
func TestAskAI_UsageOfACancelledCallIsRecorded(t *testing.T) {
	w := roomtest.New(t, "sqlite:"+t.TempDir()+"/learning.db")
	box := w.Sandbox.AI()
	box.Faults().Next(-1, sandbox.Fault{Kind: sandbox.FaultStall})
	before := runtime.NumGoroutine()
	ctx, cancel := context.WithCancel(t.Context())
	got := make(chan string, 100)
	done := make(chan error, 1)
	go func() {
		_, err := w.Platform.Tutor.AskStream(ctx, roomtest.Ada, sampleRequest,
			func(delta string) error {
				got <- delta
				return nil
			})
		done <- err
	}()
	<-got // the provider does not finish
	gone := time.Now()
	cancel()
	roomtest.WaitFor(t, box.WaitCancelled, 1)
	if took := time.Since(gone); took > roomtest.Bound/2 {
		t.Errorf("the provider's call was cancelled after %v", took)
	}
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	used, err := w.Store.AIUsageOf(t.Context(), "ada", "2026-01-31")
	if err != nil || used.Prompt == 0 || used.Completion == 0 {
		t.Errorf("%+v, %v", used, err)
	}
	roomtest.WantGoroutines(t, before)
}

func TestAskAI_Sandbox(t *testing.T) {
	w := roomtest.New(t, "sqlite:"+t.TempDir()+"/learning.db")
	data, err := tutor.AIData(map[string]any{"chapterTitle": "Knots", "courseTitle": "Sailing"})
	if err != nil {
		t.Fatal(err)
	}
	type question struct {
		Question     string   `json:"question"`
		Options      []string `json:"options" jsonschema:"minItems=4,maxItems=4"`
		CorrectIndex int      `json:"correctIndex" jsonschema:"minimum=0,maximum=3"`
		Explanation  string   `json:"explanation"`
	}
	form := tutor.NewFormat("quiz", func(struct {
		Questions []question `json:"questions" jsonschema:"minItems=10,maxItems=10"`
	}) []string {
		return nil
	})
	r := tutor.AIRequest{Messages: []tutor.AIMessage{
		{Role: tutor.AISystem, Content: "Write a quiz; name each correctIndex."},
		{Role: tutor.AIUser, Content: "For:\n" + data}}}
	got, err := tutor.AskJSON(t.Context(), w.Platform.Tutor, roomtest.Ada, form, r)
	if err != nil {
		t.Fatal(err)
	}
	for i, q := range got.Questions {
		if title := []string{"Knots", "Sailing"}[i%2]; !strings.Contains(q.Question, title) ||
			!strings.Contains(q.Options[q.CorrectIndex], title) {
			t.Errorf("%+v", q)
		}
	}
	if n := len(w.Sandbox.AI().Calls()); n != 1 {
		t.Errorf("asked %d times", n)
	}
}

func TestAskAI_DoesNotLogTheRequest(t *testing.T) {
	w := roomtest.New(t, "sqlite:"+t.TempDir()+"/learning.db")
	secret := tutor.AIRequest{Messages: []tutor.AIMessage{{Role: tutor.AIUser,
		Content: "my-secret-question"}}}
	for _, kind := range []sandbox.FaultKind{sandbox.FaultNone, sandbox.FaultNonsense,
		sandbox.FaultBreak, sandbox.FaultEmpty} {
		w.Sandbox.AI().Faults().Next(1, sandbox.Fault{Kind: kind})
		_, err := w.Platform.Tutor.Ask(t.Context(), roomtest.Ada, secret)
		if text := fmt.Sprint(err); strings.Contains(text, "secret") ||
			strings.Contains(text, w.Sandbox.Config().AIAPIKey) {
			t.Error(text)
		}
	}
	if strings.Contains(w.Log.String(), "secret") {
		t.Error(w.Log.String())
	}
	for _, row := range w.Dump(t) {
		if strings.Contains(row, "secret") {
			t.Error(row)
		}
	}
	if diff := cmp.Diff([]string(nil), w.Rows(t, "leases")); diff != "" {
		t.Error(diff)
	}
}
