package tutor_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/sandbox"
	"github.com/openlectern/openlectern/learning/tutor"
)

// longRequest has a prompt of 8,000 bytes.
func longRequest() tutor.AIRequest {
	text := make([]byte, 8_000)
	for i := range text {
		text[i] = "a "[i%2]
	}
	return tutor.AIRequest{Messages: []tutor.AIMessage{{Role: tutor.AIUser,
		Content: string(text)}}, MaxTokens: 1_000}
}

var errClientLeft = errors.New("the client has left")

// Each of these ends a call without a usage of the provider.
func TestAIUsage_CallWithoutAnEndIsRecordedWithItsBound(t *testing.T) {
	most := longRequest().MaxUsage()
	for name, test := range map[string]struct {
		fault sandbox.FaultKind
		ask   func(w *roomtest.World, ctx context.Context, leave func()) error
	}{
		"the caller leaves before the answer": {sandbox.FaultHang,
			func(w *roomtest.World, ctx context.Context, leave func()) error {
				go func() { _ = w.Sandbox.AI().WaitCalls(ctx, 1); leave() }()
				_, err := w.Platform.Tutor.Ask(ctx, roomtest.Ada, longRequest())
				return err
			}},
		"the caller leaves in the middle of a stream": {sandbox.FaultStall,
			func(w *roomtest.World, ctx context.Context, leave func()) error {
				_, err := w.Platform.Tutor.AskStream(ctx, roomtest.Ada, longRequest(),
					func(string) error { leave(); return nil })
				return err
			}},
		"a write to the client fails": {sandbox.FaultNone,
			func(w *roomtest.World, ctx context.Context, _ func()) error {
				_, err := w.Platform.Tutor.AskStream(ctx, roomtest.Ada, longRequest(),
					func(string) error { return errClientLeft })
				return err
			}},
		"the provider hangs until the time-out": {sandbox.FaultHang,
			func(w *roomtest.World, ctx context.Context, _ func()) error {
				on, late := w.LateInstance(t,
					func() int { return w.Sandbox.AI().Faults().Calls(sandbox.OpComplete) })
				late.Next(1)
				_, err := on.Platform.Tutor.Ask(ctx, roomtest.Ada, longRequest())
				return err
			}},
		"the provider cuts the stream": {sandbox.FaultCut,
			func(w *roomtest.World, ctx context.Context, _ func()) error {
				_, err := w.Platform.Tutor.AskStream(ctx, roomtest.Ada, longRequest(),
					func(string) error { return nil })
				return err
			}},
		"the caller of a roadmap leaves": {sandbox.FaultHang,
			func(w *roomtest.World, ctx context.Context, leave func()) error {
				go func() { _ = w.Sandbox.AI().WaitCalls(ctx, 1); leave() }()
				_, err := w.Platform.Tutor.CustomRoadmap(ctx, roomtest.Ada, "Sailing")
				if w.Sandbox.AI().WaitCancelled(context.Background(), 1) != nil {
					return nil
				}
				return err
			}},
	} {
		t.Run(name, func(t *testing.T) {
			w := roomtest.New(t, roomtest.SQLite(t))
			w.Sandbox.AI().Faults().Next(-1, sandbox.Fault{Kind: test.fault})
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			if err := test.ask(w, ctx, leave); err == nil {
				t.Error("no error")
			}
			for end := time.Now().Add(20 * time.Second); w.Count(t, "leases") > 0 &&
				time.Now().Before(end); {
				runtime.Gosched() // the shared call of a roadmap ends by itself
			}
			if used := w.UsedBy(t, "ada"); used.Prompt < most.Prompt &&
				name != "the caller of a roadmap leaves" || used.Completion < most.Completion {
				t.Errorf("booked %+v, want at least %+v", used, most)
			}
			if n := w.Count(t, "ai_reservations"); n != 0 {
				t.Errorf("%d reservations are left", n)
			}
		})
	}
}

func TestAIUsage_RefusedCallIsNotRecorded(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	w.Sandbox.AI().Faults().Next(-1, sandbox.Fault{Kind: sandbox.FaultStatus, Status: 400})
	if _, err := w.Platform.Tutor.Ask(ctx(), roomtest.Ada, longRequest()); err == nil {
		t.Error("no error")
	}
	w.WantUsed(t, "ada", 0, 0)
}

func TestAIBudget_IsReachedByCallersThatDisconnect(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t), learningtest.WithPlatform(learning.WithAIBudget(20_000,
		0)))
	w.Sandbox.AI().Faults().Next(-1, sandbox.Fault{Kind: sandbox.FaultStall})
	for range 10 {
		ctx, leave := context.WithCancel(t.Context())
		_, err := w.Platform.Tutor.AskStream(ctx, roomtest.Ada, longRequest(),
			func(string) error { leave(); return nil })
		leave()
		if errors.Is(err, tutor.ErrAIBudget) {
			return
		}
	}
	t.Errorf("10 calls of at least 4,000 tokens were admitted; usage: %+v", w.UsedBy(t, "ada"))
}

// A process that dies does not store its usage. Its reservation counts after its lease has
// expired.
func TestAIBudget_CountsTheCallsOfAProcessThatDied(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		g := newGate()
		limit := learningtest.WithPlatform(learning.WithAI(g), learning.WithAIBudget(5_000, 6_000),
			learning.WithAITimeout(10*time.Second))
		dies := roomtest.New(t, database, limit)
		w := dies.OtherInstance(t, limit)
		done := make(chan error, 1)
		go func() {
			_, err := dies.Platform.Tutor.Ask(context.Background(), roomtest.Ada, longRequest())
			done <- err
		}()
		<-g.begun
		rows := w.Rows(t, "ai_reservations")
		if _, err := w.Platform.Tutor.Ask(canceled(), roomtest.Ada, sampleRequest); errors.Is(err,
			tutor.ErrAIBudget) || len(rows) != 1 {
			t.Errorf("while it runs: %v, %s", err, rows)
		}
		w.Exec(t, "CREATE TABLE kept AS SELECT * FROM ai_reservations")
		close(g.end)
		if err := <-done; err != nil {
			t.Error(err)
		}
		w.Exec(t, "INSERT INTO ai_reservations SELECT * FROM kept") // as if the process had died
		w.Exec(t, "DROP TABLE kept")
		w.Exec(t, "DELETE FROM ai_usage")
		dies.Clock.Advance(roomtest.Lease)
		if _, err := w.Platform.Tutor.Ask(ctx(), roomtest.Ada, sampleRequest); !errors.Is(err,
			tutor.ErrAIBudget) {
			t.Errorf("after the lease: %v", err)
		}
		// 5,000 of 6,000
		if _, err := w.Platform.Tutor.Ask(ctx(), roomtest.Bob, sampleRequest); err != nil {
			t.Errorf("another user: %v", err)
		}
	})
}

func canceled() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// The answer to the COMMIT of a reservation is lost. The provider was not called, so that
// nothing may count.
func TestAIUsage_LostAnswerToAReservationLeavesNothing(t *testing.T) {
	b := &roomtest.FaultyStore{}
	w := roomtest.New(t, roomtest.SQLite(t), roomtest.WithFaultyStore(b))
	lost := 0
	for n := 1; ; n++ {
		b.FailAt(n)
		_, _ = w.Platform.Tutor.Ask(ctx(), learning.Actor{UserID: fmt.Sprint("user-", n)},
			sampleRequest)
		broken := b.Disarm()
		if broken == "" {
			break
		}
		if broken != roomtest.LostAnswer {
			w.Exec(t, "DELETE FROM ai_reservations")
			w.Exec(t, "DELETE FROM leases")
			continue
		}
		lost++
		if left := append(w.Rows(t, "ai_reservations"), w.Rows(t, "leases")...); len(left) > 0 {
			t.Errorf("step %d: %v is left", n, left)
		}
	}
	if lost != 2 { // of the transactions that begin and end the call
		t.Errorf("%d answers were lost", lost)
	}
}

// A model of a host may return no usage.
func TestAIUsage_AnswerWithoutUsageIsRecordedWithItsBound(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t),
		learningtest.WithPlatform(
			learning.WithAI(&roomtest.Scripted{Answers: []tutor.AIReply{{Text: "Yes."}}})))
	if _, err := w.Platform.Tutor.Ask(ctx(), roomtest.Ada, longRequest()); err != nil {
		t.Fatal(err)
	}
	most := longRequest().MaxUsage()
	w.WantUsed(t, "ada", most.Prompt, most.Completion)
}
