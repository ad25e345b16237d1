package sandbox_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning/sandbox"
)

// after returns what a client reads of a stream with a fault.
func after(ctx context.Context, t *testing.T, s *sandbox.Sandbox,
	fault sandbox.Fault) (body string, err error) {
	t.Helper()
	s.AI().Answer("one two three four")
	s.AI().Faults().Next(1, fault)
	res, err := try(ctx, "POST", s.Config().URL+"/v1/chat/completions",
		prompt(`,"stream":true`, "s", "m"), aiKey(s))
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	return string(b), err
}

func TestAIFaults_OccurInTheMiddleOfTheAnswer(t *testing.T) {
	s := start(t, sandbox.Config{})
	half := func(body string) bool {
		return strings.Contains(body, "one ") &&
			!strings.Contains(body, "four")
	}
	if body, err := after(t.Context(), t, s, sandbox.Fault{Kind: sandbox.FaultCut}); err == nil ||
		!half(body) {
		t.Errorf("cut: %v %s", err, body)
	}
	if body, err := after(t.Context(), t, s, sandbox.Fault{Kind: sandbox.FaultBreak}); err != nil ||
		!half(body) || !strings.Contains(body, `{"error":`) {
		t.Errorf("break: %v %s", err, body)
	}
	released := make(chan struct{})
	close(released)
	if body, err := after(t.Context(), t, s,
		sandbox.Fault{Kind: sandbox.FaultStall, Release: released}); err != nil ||
		!strings.Contains(body, "[DONE]") {
		t.Errorf("released: %v %s", err, body)
	}
	if n := s.AI().Cancelled(); n != 0 {
		t.Errorf("%d are counted as cancelled", n)
	}
	for i, kind := range []sandbox.FaultKind{sandbox.FaultStall, sandbox.FaultEndless,
		sandbox.FaultHang} {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			_, err := after(ctx, t, s, sandbox.Fault{Kind: kind})
			done <- err
		}()
		waitAI(t, s.AI().WaitCalls, 4+i)
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", kind, err)
		}
		waitAI(t, s.AI().WaitCancelled, 1+i)
	}
}

func waitAI(t *testing.T, wait func(context.Context, int) error, n int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), timeLimit)
	defer cancel()
	if err := wait(ctx, n); err != nil {
		t.Fatal(err)
	}
}

func TestClose_EndsHangingAnswersOfTheAI(t *testing.T) {
	for _, kind := range []sandbox.FaultKind{sandbox.FaultStall, sandbox.FaultEndless} {
		s := start(t, sandbox.Config{})
		done := make(chan error, 1)
		go func() {
			_, err := after(t.Context(), t, s, sandbox.Fault{Kind: kind})
			done <- err
		}()
		waitAI(t, s.AI().WaitCalls, 1)
		s.Close()
		select {
		case <-done:
		case <-time.After(timeLimit):
			t.Errorf("%s does not end", kind)
		}
	}
}

func TestAIWait_EndsWithItsContext(t *testing.T) {
	s := start(t, sandbox.Config{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.AI().WaitCalls(ctx, 1); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := s.AI().WaitCancelled(ctx, 0); err != nil {
		t.Errorf("a condition that is already true: %v", err)
	}
}

func TestFaultProse_AnswersProse(t *testing.T) {
	s := start(t, sandbox.Config{})
	url := s.Config().URL
	if status, _, answer := call(t, "POST", url+"/sandbox/faults",
		`{"provider":"ai","kind":"prose"}`); status != http.StatusNoContent {
		t.Fatalf("%d %s", status, answer)
	}
	quiz := prompt("", "Write a quiz with correctIndex.", "m")
	for i, prose := range []bool{true, false} {
		status, _, answer := call(t, "POST", url+"/v1/chat/completions", quiz, aiKey(s))
		if status != http.StatusOK || strings.Contains(answer, "Certainly!") != prose ||
			strings.Contains(answer, `correctIndex`) == prose {
			t.Errorf("answer %d: %d %s", i, status, answer)
		}
	}
}

func TestAIFaults_OverHTTP(t *testing.T) {
	s := start(t, sandbox.Config{})
	url := s.Config().URL
	if status, _, answer := call(t, "POST", url+"/sandbox/faults",
		`{"provider":"ai","kind":"break","on":"ai.complete"}`); status != http.StatusNoContent {
		t.Fatalf("%d %s", status, answer)
	}
	if _, _, answer := call(t, "POST", url+"/v1/chat/completions",
		prompt(`,"stream":true`, "s", "m"), aiKey(s)); !strings.Contains(answer, `{"error":`) {
		t.Errorf("the fault did not apply: %s", answer)
	}
	for _, bad := range []string{`{"provider":"gateway","kind":"stall"}`,
		`{"provider":"identity","kind":"endless"}`, `{"provider":"ai","on":"order.create"}`} {
		status, _, _ := call(t, "POST", url+"/sandbox/faults", bad)
		if status != http.StatusBadRequest {
			t.Errorf("%s: %d", bad, status)
		}
	}
}
