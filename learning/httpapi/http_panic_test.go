package httpapi_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/internal/contracttest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/purchase"
)

const panicAnswer = `{"success":false,"message":"Internal server error"}`

func panicking(http.ResponseWriter, *http.Request) { panic("what went wrong: /var/lib/secret") }

func begunAndPanicking(w http.ResponseWriter, _ *http.Request) {
	_, _ = io.WriteString(w, "half of ")
	_ = http.NewResponseController(w).Flush()
	panic("the other half is missing")
}

func aborting(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

func panicSite(t *testing.T) (*site, *httptest.Server) {
	t.Helper()
	s := newSite(t, learningtest.New(t), httpapi.WithRoutes(
		route(http.MethodGet, "/panics", panicking),
		route(http.MethodGet, "/begins", begunAndPanicking),
		route(http.MethodGet, "/aborts", aborting)))
	server := httptest.NewServer(s.handler)
	t.Cleanup(server.Close)
	return s, server
}

func TestPanic_Is500AndTheProcessContinues(t *testing.T) {
	s, server := panicSite(t)
	for range 2 {
		answer, err := server.Client().Get(server.URL + "/panics")
		check(t, err)
		body, err := io.ReadAll(answer.Body)
		check(t, err)
		_ = answer.Body.Close()
		if answer.StatusCode != http.StatusInternalServerError || string(body) != panicAnswer {
			t.Errorf("the answer is %d %s", answer.StatusCode, body)
		}
		for name, value := range contracttest.Helmet {
			if answer.Header.Get(name) != value {
				t.Errorf("header %s is %q", name, answer.Header.Get(name))
			}
		}
	}
	if got := s.get("/").Body.String(); got != "API Working" {
		t.Errorf("the next answer is %q", got)
	}
	log := s.Log.String()
	if !strings.Contains(log, "what went wrong") || strings.Count(log, "status=500") != 2 {
		t.Errorf("the log does not have the message:\n%s", log)
	}
}

// paymentPanics is a store that panics when a webhook reads the purchase of a payment.
type paymentPanics struct{ learning.Store }

func (paymentPanics) PurchasesByOrder(context.Context, string) ([]purchase.Purchase, error) {
	panic("no purchase")
}

func TestGatewayWebhook_PanicHasTheGatewaysErrorBody(t *testing.T) {
	s := newSite(t, wrapped(t, func(st learning.Store) learning.Store { return paymentPanics{st} }))
	body := `{"event":"payment.captured","payload":{"payment":{"entity":{"id":"pay_1","order_id":"order_1","notes":{"purchaseId":"p"}}}}}`
	r := httptest.NewRequest(http.MethodPost, "/gateway", strings.NewReader(body))
	r.Header.Set("x-gateway-signature", s.Sandbox.Gateway().SignWebhook([]byte(body)))
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, r)
	if got := w.Body.String(); w.Code != http.StatusInternalServerError ||
		got != `{"error":"Internal server error"}` {
		t.Errorf("the answer is %d %s", w.Code, got)
	}
}

// Operators find the defect by the stack. It has nothing of the request.
func TestPanic_LogsTheStackWithoutTheRequest(t *testing.T) {
	s, _ := panicSite(t)
	r := httptest.NewRequest(http.MethodGet, "/panics?query=private-query",
		strings.NewReader("private-body"))
	r.Header.Set("Authorization", "Bearer private-token")
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, r)
	if got := w.Body.String(); got != panicAnswer {
		t.Errorf("the answer is %s", got)
	}
	if log := s.Log.String(); !strings.Contains(log, "http_panic_test.go") ||
		strings.Contains(log, "private") {
		t.Errorf("the log does not have the stack, or has more than it:\n%s", log)
	}
}

// The client must see that the answer is incomplete.
func TestPanic_AfterTheAnswerBeganBreaksTheConnection(t *testing.T) {
	s, server := panicSite(t)
	answer, err := server.Client().Get(server.URL + "/begins")
	check(t, err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err == nil || string(body) != "half of " {
		t.Errorf("read %q and the error %v", body, err)
	}
	if !strings.Contains(s.Log.String(), "the other half is missing") {
		t.Errorf("the log does not say why:\n%s", s.Log.String())
	}
}

func TestPanic_AbortHandlerIsPassedOn(t *testing.T) {
	s, server := panicSite(t)
	_, err := server.Client().Get(server.URL + "/aborts")
	if !errors.Is(err, io.EOF) {
		t.Errorf("the error is %v, want a connection that ended", err)
	}
	if log := s.Log.String(); strings.Contains(log, "panicked") ||
		strings.Count(log, "msg=request") != 1 {
		t.Errorf(
			"the log reports an abort as a panic, or does not have one line for the request:\n%s",
			log)
	}
}

// panickingStore is a store that panics when the list of courses is read, which happens in a
// goroutine of its own.
type panickingStore struct{ learning.Store }

func (panickingStore) Courses(
	context.Context, catalog.CourseQuery, core.WordSearch, learning.PageRequest,
) ([]catalog.Course, error) {
	panic("no list")
}

func TestPanic_DuringTheListOfCoursesIsA500(t *testing.T) {
	s := newSite(t,
		wrapped(t, func(st learning.Store) learning.Store { return panickingStore{st} }))
	for range 2 {
		if got := s.get("/api/course/all"); got.Code != http.StatusInternalServerError ||
			got.Body.String() != panicAnswer {
			t.Errorf("the answer is %d %s", got.Code, got.Body)
		}
	}
	if log := s.Log.String(); !strings.Contains(log, "no list") ||
		!strings.Contains(log, "http_panic_test.go") {
		t.Errorf("the log does not say why and where:\n%s", log)
	}
}
