package httpapi_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/httpapi"
)

func TestWithRoutes_HandlerGetsTheActorAndThePathValues(t *testing.T) {
	show := func(w http.ResponseWriter, r *http.Request) {
		actor := httpapi.ActorFrom(r.Context())
		fmt.Fprintf(w, "%s %s %q %q", actor.UserID, actor.Role, r.PathValue("list"),
			r.PathValue("rest"))
	}
	public, private := route(http.MethodGet, "/lists/:list/files/*rest", show),
		route(http.MethodGet, "/lists/:list", show)
	private.Access = httpapi.Educators
	s := fixtureSite(t, httpapi.WithRoutes(public, private))
	for path, want := range map[string]string{
		"/lists/a%20b/files/c/d": `  "a b" "c/d"`,
		"/lists/a":               `educator educator "a" ""`,
	} {
		if got := s.do(http.MethodGet, path, "", s.as("educator")...); got.Code != http.StatusOK ||
			got.Body.String() != want {
			t.Errorf("%s: %d %s, want %s", path, got.Code, got.Body, want)
		}
	}
}

// An error of a route of the host is answered as those of all routes, and the cause of an internal
// one is in the log only.
func TestHandleFunc_AnswersErrors(t *testing.T) {
	errNoInvoice := &core.Error{Kind: core.NotFound, Code: "invoice_not_found",
		Message: "Invoice not found"}
	fail := httpapi.Route{ID: "own.fail", Method: http.MethodPost, Path: "/own/:what",
		Access: httpapi.Public, Errors: []error{errNoInvoice},
		Do: httpapi.HandleFunc(func(w http.ResponseWriter, r *http.Request) error {
			switch r.PathValue("what") {
			case "missing":
				return fmt.Errorf("find an invoice: %w", errNoInvoice)
			case "busy":
				return fmt.Errorf("find an invoice: %w", core.ErrBusy)
			case "broken":
				return errors.New("the table of invoices is gone")
			}
			body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 4))
			if err == nil {
				fmt.Fprintf(w, "%s for %q", body, httpapi.ActorFrom(r.Context()).UserID)
			}
			return err
		})}
	s := fixtureSite(t, httpapi.WithRoutes(fail))
	for path, want := range map[string]string{
		"/own/missing": `404 {"success":false,"message":"Invoice not found"}`,
		"/own/busy":    `503 {"success":false,"message":"The server is busy. Please try again."}`,
		"/own/broken":  `500 {"success":false,"message":"An unexpected error occurred"}`,
		"/own/echo":    `413 {"success":false,"message":"Request body too large"}`,
	} {
		got := s.do(http.MethodPost, path, "12345")
		if got := fmt.Sprint(got.Code, " ", got.Body); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
	// The page of our failures knows none of the host's.
	for path, want := range map[string]string{"/own/missing": "about:blank",
		"/own/busy": httpapi.ProblemPage + "#busy"} {
		got := s.do(http.MethodPost, path, "", "Accept", "application/problem+json")
		if !strings.Contains(got.Body.String(), `"type":"`+want+`"`) {
			t.Errorf("%s: %s, want %s", path, got.Body, want)
		}
	}
	if got := s.do(http.MethodPost, "/own/echo", "1234"); got.Body.String() != `1234 for ""` {
		t.Errorf("%d %s", got.Code, got.Body)
	}
	if !strings.Contains(s.Log.String(), "the table of invoices is gone") {
		t.Error("the log has no cause of the 500")
	}
}
