package sandbox_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning/sandbox"
)

const anOrder = `{"amount":100,"currency":"INR"}`

func TestFaults_ReplaceOrDelayTheAnswer(t *testing.T) {
	s := start(t, sandbox.Config{})
	for name, test := range map[string]struct {
		fault  sandbox.Fault
		status int
		body   string // a part of the answer
		stored int
	}{
		"500": {sandbox.Fault{Kind: sandbox.FaultStatus}, 500, `"SERVER_ERROR"`, 0},
		"429": {sandbox.Fault{Kind: sandbox.FaultStatus, Status: 429}, 429,
			`"error"`, 0},
		"500 after storing": {sandbox.Fault{Kind: sandbox.FaultStatus, After: true}, 500,
			`"SERVER_ERROR"`, 1},
		"HTML": {sandbox.Fault{Kind: sandbox.FaultNonsense}, 200, "<!doctype html>",
			0},
		"HTML after storing": {sandbox.Fault{Kind: sandbox.FaultNonsense, After: true}, 200,
			"<!doctype html>", 1},
		"empty": {sandbox.Fault{Kind: sandbox.FaultEmpty}, 200, "", 0},
		"late": {sandbox.Fault{Delay: 30 * time.Millisecond}, 200, `"entity":"order"`,
			1},
		"late after storing": {sandbox.Fault{Delay: 30 * time.Millisecond, After: true}, 200,
			`"entity":"order"`, 1},
	} {
		t.Run(name, func(t *testing.T) {
			before, asked := s.Gateway().OrdersCreated(), time.Now()
			s.Gateway().Faults().Next(1, test.fault)
			status, _, body := call(t, "POST", s.Config().URL+"/v1/orders", anOrder, gatewayKey(s))
			if status != test.status || !strings.Contains(body, test.body) ||
				(test.body == "") != (body == "") {
				t.Errorf("%d %s", status, body)
			}
			if stored := s.Gateway().OrdersCreated() - before; stored != test.stored {
				t.Errorf("%d orders stored, want %d", stored, test.stored)
			}
			if took := time.Since(asked); took < test.fault.Delay {
				t.Errorf("answered after %v", took)
			}
			newOrder(t, s) // the fault applies once
		})
	}
}

func TestFaultDrop_ClosesTheConnection(t *testing.T) {
	s := start(t, sandbox.Config{})
	for _, after := range []bool{false, true} {
		before := s.Gateway().OrdersCreated()
		s.Gateway().Faults().Next(1, sandbox.Fault{Kind: sandbox.FaultDrop, After: after})
		res, err := try(t.Context(), "POST", s.Config().URL+"/v1/orders", anOrder, gatewayKey(s))
		if err == nil {
			res.Body.Close()
			t.Errorf("after %v: answered %d", after, res.StatusCode)
		}
		if stored := s.Gateway().OrdersCreated() - before; (stored == 1) != after {
			t.Errorf("after %v: %d orders stored", after, stored)
		}
	}
}

// hosted serves a sandbox in a server that Close of the sandbox does not stop.
func hosted(tb testing.TB) (*sandbox.Sandbox, *httptest.Server) {
	tb.Helper()
	srv := httptest.NewUnstartedServer(nil)
	s, err := sandbox.New(sandbox.Config{URL: "http://" + srv.Listener.Addr().String() + "/"})
	if err != nil {
		tb.Fatal(err)
	}
	srv.Config.Handler = s
	srv.Start()
	tb.Cleanup(func() { s.Close(); srv.Close() })
	return s, srv
}

// hang requests an order from a hanging gateway, and returns the result.
func hang(ctx context.Context, s *sandbox.Sandbox, f sandbox.Fault) <-chan error {
	f.Kind = sandbox.FaultHang
	s.Gateway().Faults().Next(1, f)
	end := make(chan error, 1)
	go func() {
		res, err := try(ctx, "POST", s.Config().URL+"/v1/orders", anOrder, gatewayKey(s))
		if err == nil {
			_, err = io.Copy(io.Discard, res.Body)
			res.Body.Close()
		}
		end <- err
	}()
	return end
}

func TestFaultHang_AnswersAfterItsRelease(t *testing.T) {
	s, _ := hosted(t)
	release := make(chan struct{})
	end := hang(t.Context(), s, sandbox.Fault{Release: release})
	await(t, "the request arrived",
		func() bool { return s.Gateway().Faults().Calls(sandbox.OpCreateOrder) == 1 })
	if n := s.Gateway().OrdersCreated(); n != 0 {
		t.Errorf("%d orders before the release", n)
	}
	close(release)
	if err := <-end; err != nil || s.Gateway().OrdersCreated() != 1 {
		t.Errorf("%v, %d orders", err, s.Gateway().OrdersCreated())
	}
}

func TestFaultHang_EndsWhenTheCallerDisconnects(t *testing.T) {
	s, srv := hosted(t)
	ctx, cancel := context.WithCancel(t.Context())
	end := hang(ctx, s, sandbox.Fault{After: true})
	await(t, "the order is stored", func() bool { return s.Gateway().OrdersCreated() == 1 })
	cancel()
	if err := <-end; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	idle := make(chan struct{})
	go func() { srv.Close(); close(idle) }() // returns when no request is being served
	select {
	case <-idle:
	case <-time.After(timeLimit):
		t.Error("the request continues without its caller")
	}
}

func TestFaultHang_EndsWithClose(t *testing.T) {
	s, _ := hosted(t)
	end := hang(t.Context(), s, sandbox.Fault{})
	await(t, "the request arrived",
		func() bool { return s.Gateway().Faults().Calls(sandbox.OpCreateOrder) == 1 })
	s.Close()
	select {
	case err := <-end:
		if err == nil {
			t.Error("a closed sandbox answered")
		}
	case <-time.After(timeLimit):
		t.Error("the request continues in a closed sandbox")
	}
}

func TestFaults_ApplyToTheirOperationAndCount(t *testing.T) {
	s := start(t, sandbox.Config{})
	withUsers(t, s)
	f := s.Identity().Faults()
	f.Next(2, sandbox.Fault{Kind: sandbox.FaultStatus, On: sandbox.OpSetRole})
	setRole := func() int {
		status, _, _ := call(t, "PATCH", s.Config().URL+"/v1/users/user_1/metadata",
			`{"public_metadata":{"role":"educator"}}`, identityKey(s))
		return status
	}
	fetchKeys(t, s)
	if got := []int{setRole(), setRole(), setRole()}; !cmp.Equal(got, []int{500, 500, 200}) {
		t.Errorf("statuses %v", got)
	}
	f.Next(-1, sandbox.Fault{Kind: sandbox.FaultStatus, Status: 503})
	if got := []int{setRole(), setRole(), setRole()}; !cmp.Equal(got, []int{503, 503, 503}) {
		t.Errorf("statuses %v", got)
	}
	f.Clear()
	f.Next(0, sandbox.Fault{Kind: sandbox.FaultStatus})
	if got := setRole(); got != 200 {
		t.Errorf("status %d after Clear", got)
	}
	if keys, roles := s.Identity().KeyFetches(), s.Identity().RoleCalls(); keys != 1 || roles != 7 {
		t.Errorf("%d key fetches and %d role calls, want 1 and 7", keys, roles)
	}
}

func TestFaults_AndCountersOverHTTP(t *testing.T) {
	s := start(t, sandbox.Config{})
	url := s.Config().URL
	body := `{"provider":"gateway","times":-1,"kind":"status","status":502,"on":"order.create","after":true,"delay":"1ms"}`
	status, _, answer := call(t, "POST", url+"/sandbox/faults", body)
	if status != http.StatusNoContent {
		t.Fatalf("%d %s", status, answer)
	}
	for range 2 {
		status, _, _ := call(t, "POST", url+"/v1/orders", anOrder, gatewayKey(s))
		if status != 502 {
			t.Errorf("status %d", status)
		}
	}
	status, _, _ = call(t, "DELETE", url+"/sandbox/faults", "")
	if status != http.StatusNoContent {
		t.Errorf("status %d", status)
	}
	newOrder(t, s)
	_, _, answer = call(t, "GET", url+"/sandbox/counters", "")
	want := map[string]int{"ordersCreated": 3, "order.create": 3, "order.payments": 0, "keys": 0,
		"user.get": 0, "user.role": 0, "intentsCreated": 0, "intent.create": 0, "intent.get": 0,
		"intent.cancel": 0, "intent.charges": 0, "intent.refund": 0, "intent.refunds": 0,
		"intent.disputes": 0,
		"refund.create":   0, "refund.list": 0, "ai.complete": 0, "aiCancelled": 0}
	if diff := cmp.Diff(want, decode[map[string]int](t, []byte(answer))); diff != "" {
		t.Error(diff)
	}
	call(t, "POST", url+"/sandbox/faults", `{"provider":"identity","kind":"empty"}`)
	if _, _, answer := call(t, "GET", url+"/.well-known/jwks.json", ""); answer != "" {
		t.Errorf("once by default: %s", answer)
	}
	fetchKeys(t, s)
}

func TestCreateOrder_FaultsOfItsAnswer(t *testing.T) {
	s := start(t, sandbox.Config{})
	fault := func(kind string) {
		t.Helper()
		body := `{"provider":"gateway","on":"order.create","kind":"` + kind + `"}`
		status, _, answer := call(t, "POST", s.Config().URL+"/sandbox/faults", body)
		if status != http.StatusNoContent {
			t.Fatalf("%d %s", status, answer)
		}
	}
	fault("same-id")
	first := newOrder(t, s) // the first order is stored
	fault("same-id")
	_, _, answer := call(t, "POST", s.Config().URL+"/v1/orders", anOrder, gatewayKey(s))
	second := decode[sandbox.Order](t, []byte(answer))
	if second.ID != first.ID || second.Receipt == first.Receipt {
		t.Errorf("the second order is %+v, the first %+v", second, first)
	}
	if kept := s.Gateway().Orders(); len(kept) != 1 || kept[0].Receipt != first.Receipt {
		t.Errorf("the gateway has %+v", kept)
	}
	fault("bare")
	_, _, answer = call(t, "POST", s.Config().URL+"/v1/orders", anOrder, gatewayKey(s))
	if got := decode[map[string]any](t, []byte(answer)); len(got) != 1 ||
		got["id"] != s.Gateway().Orders()[1].ID {
		t.Errorf("a bare answer is %s", answer)
	}
}

func TestFaults_InvalidOverHTTPIsRejected(t *testing.T) {
	s := start(t, sandbox.Config{})
	for _, body := range []string{`{`, `{"provider":"bank"}`,
		`{"provider":"gateway","kind":"explode"}`, `{"provider":"gateway","on":"keys"}`,
		`{"provider":"gateway","delay":"soon"}`, `{"provider":"gateway","delay":"-1s"}`,
		`{"provider":"gateway","status":99}`,
		`{"provider":"gateway","kind":"same-id"}`,
		`{"provider":"gateway","kind":"bare","on":"order.payments"}`,
		`{"provider":"ai","kind":"bare","on":"ai.complete"}`,
		`{"provider":"gateway","aftr":true}`} {
		status, _, answer := call(t, "POST", s.Config().URL+"/sandbox/faults", body)
		if status != http.StatusBadRequest || !json.Valid([]byte(answer)) {
			t.Errorf("%s: %d %s", body, status, answer)
		}
	}
	newOrder(t, s)
}
