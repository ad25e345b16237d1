package httpapi_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/internal/contracttest"
	"github.com/openlectern/openlectern/internal/web"
	"github.com/openlectern/openlectern/learning/httpapi"
)

// problemOf returns the problem of an answer, after it has checked what all problems have.
func problemOf(t *testing.T, got *contracttest.Response) web.Problem {
	t.Helper()
	if kind := got.Header.Get("Content-Type"); kind != web.ProblemType {
		t.Fatalf("Content-Type is %q: %s", kind, got.Content)
	}
	d := apiDocument(t)
	if err := d.validate("#/components/schemas/Problem", got.Content); err != nil {
		t.Errorf("%s: %v", got.Content, err)
	}
	var p web.Problem
	check(t, json.Unmarshal(got.Content, &p))
	vary := strings.Join(got.Header.Values("Vary"), ", ")
	switch {
	case p.Status != got.StatusCode:
		t.Errorf("the status is %d, that of the problem %d", got.StatusCode, p.Status)
	case p.RequestID == "" || p.RequestID != got.Header.Get("X-Request-Id"):
		t.Errorf("the id of the request is %q, that of the problem %q",
			got.Header.Get("X-Request-Id"), p.RequestID)
	case p.Type != httpapi.ProblemPage+"#"+p.Code:
		t.Errorf("the type of %s is %s", p.Code, p.Type)
	case !slices.Contains(strings.Split(vary, ", "), "Accept"):
		t.Errorf("Vary is %q", vary)
	case !slices.Contains(codes(t), p.Code):
		t.Errorf("the API document does not list the code %s", p.Code)
	}
	return p
}

// codes returns the codes that the API document lists.
func codes(t *testing.T) (all []string) {
	t.Helper()
	code, _ := apiDocument(t).at("components", "schemas", "Problem", "properties", "code")
	for _, word := range code["x-extensible-enum"].([]any) {
		all = append(all, word.(string))
	}
	return all
}

// A value that is of the wrong type in every field is named, and not quoted. Neither is the name of
// an unknown field.
func TestProblem_QuotesNothingThatWasSent(t *testing.T) {
	t.Parallel()
	const canary = "canary-7f3a"
	w := contracttest.NewFixture(t)
	srv := w.OnSQLite(t, &contracttest.Setup{
		API: []httpapi.Option{httpapi.WithLimiters(unlimited)}})
	for id, c := range successCases(t) {
		i := slices.IndexFunc(httpapi.Table(), func(r httpapi.Row) bool { return r.ID == id })
		if i < 0 || !httpapi.Table()[i].JSON || httpapi.Table()[i].JudgesBody {
			continue
		}
		_, sent, _ := strings.Cut(c.Request, "\n\n")
		var tree map[string]any
		if json.Unmarshal([]byte(sent), &tree) != nil {
			continue // the body has something that is replaced when it is sent
		}
		for name := range tree {
			tree[name] = map[string]any{canary: []string{canary}}
		}
		tree[canary] = canary
		spoilt, err := json.Marshal(tree)
		check(t, err)
		request := header("Accept: application/problem+json")(body(string(spoilt))(c.Request))
		got := contracttest.Send(t, srv.Addr, srv.Expander(t).Build(request))
		if got.StatusCode != http.StatusBadRequest {
			continue // the route ignores the fields, or refuses the request for another reason
		}
		if p := problemOf(t, got); len(p.Errors) == 0 || bytes.Contains(got.Content, []byte(canary)) {
			t.Errorf("%s: %s", id, got.Content)
		}
	}
}

// wrongValues are requests with one value that is wrong, by what a problem says about it.
var wrongValues = []struct {
	name, method, path, user, body string
	code                           string
	places                         []web.InvalidValue
}{
	{"a field is missing", "POST", "/api/user/purchase", "student", `{}`, "invalid_request",
		[]web.InvalidValue{{Pointer: "/courseId", Reason: "is required"}}},
	{"a field has another type", "POST", "/api/user/purchase", "student", `{"courseId":7}`,
		"invalid_request",
		[]web.InvalidValue{{Pointer: "/courseId", Reason: "must be a string"}}},
	{"two fields are wrong", "PUT", "/api/user/position", "student",
		`{"courseId":"","lectureId":"l","seconds":-1}`, "invalid_request", []web.InvalidValue{
			{Pointer: "/courseId", Reason: "must not be blank"},
			{Pointer: "/seconds", Reason: "must be at least 0"}}},
	{"a body is a list", "POST", "/api/user/purchase", "student", `[]`, "invalid_request",
		[]web.InvalidValue{{Pointer: "", Reason: "must be an object"}}},
	{"a body is no JSON", "POST", "/api/user/purchase", "student", `{`, "malformed_json", nil},
	{"a limit of a page", "GET", "/api/course/all?limit=0", "", "", "invalid_request",
		[]web.InvalidValue{{Pointer: "limit", Reason: "must be a whole number between 1 and 100"}}},
	{"a cursor", "GET", "/api/course/all?cursor=x", "", "", "invalid_request",
		[]web.InvalidValue{{Pointer: "cursor",
			Reason: "must be a nextCursor of the same list and order"}}},
	{"a search", "GET", "/api/course/all?q=" + strings.Repeat("x", 201), "", "", "invalid_request",
		[]web.InvalidValue{{Pointer: "q", Reason: "must have at most 200 characters"}}},
	{"a price below the least", "PATCH", "/api/educator/courses/course_go", "educator",
		`{"version":1,"coursePrice":0.05,"discount":0}`, "invalid_request",
		[]web.InvalidValue{{Pointer: "/coursePrice",
			Reason: "must be 0 or at least 1 after the discount"}}},
	{"a price with three decimals", "PATCH", "/api/educator/courses/course_go", "educator",
		`{"version":1,"coursePrice":1.005}`, "invalid_request",
		[]web.InvalidValue{{Pointer: "/coursePrice", Reason: "must have at most two decimals"}}},
	{"a URL of another scheme", "PATCH", "/api/educator/courses/course_go", "educator",
		`{"version":1,"courseContent":[{"chapterTitle":"One","chapterContent":[` +
			`{"lectureTitle":"A","lectureDuration":1,"lectureUrl":"https://example.org/a"},` +
			`{"lectureTitle":"B","lectureDuration":1,"lectureUrl":"ftp://example.org/b"}]}]}`,
		"invalid_request", []web.InvalidValue{{
			Pointer: "/courseContent/0/chapterContent/1/lectureUrl",
			Reason:  "must be an absolute http or https URL of at most 2000 characters"}}},
	{"a course without a lecture", "PATCH", "/api/educator/courses/course_go", "educator",
		`{"version":1,"courseContent":[{"chapterTitle":"One","chapterContent":[]}]}`,
		"invalid_request", []web.InvalidValue{{Pointer: "/courseContent",
			Reason: "must have at least one lecture and at most 1000 altogether"}}},
	{"a coupon that ends before it starts", "POST", "/api/educator/coupons", "educator",
		`{"code":"SPRING","percentOff":10,"courseId":"course_go",` +
			`"startsAt":"2026-03-01T00:00:00Z","endsAt":"2026-02-01T00:00:00Z"}`,
		"invalid_request",
		[]web.InvalidValue{{Pointer: "/endsAt", Reason: "must be after startsAt"}}},
	{"a coupon with two reductions", "POST", "/api/educator/coupons", "educator",
		`{"code":"SPRING","percentOff":10,"amountOff":10,"courseId":"course_go"}`,
		"invalid_request", []web.InvalidValue{{Pointer: "/percentOff",
			Reason: "or amountOff must be sent, and not both"}}},
	{"a page of posts with two starts", "GET", "/api/community/posts?lectureId=l", "", "",
		"invalid_request", []web.InvalidValue{{Pointer: "lectureId",
			Reason: "must be sent together with courseId"}}},
	{"an unknown status", "GET", "/api/admin/purchases?status=lost", "admin", "",
		"invalid_request", []web.InvalidValue{{Pointer: "status",
			Reason: "must be one of the words that the API document lists"}}},
	{"an application without a URL", "POST", "/api/educator/apply", "student",
		`{"professionalTitle":"Baker","bio":"I bake.","expertise":["Bread"],` +
			`"linkedinUrl":"ftp://example.org"}`, "invalid_request",
		[]web.InvalidValue{{Pointer: "/linkedinUrl",
			Reason: "must be an absolute http or https URL of at most 2000 characters"}}},
	{"an unknown term", "PATCH", "/api/educator/courses/course_go", "educator",
		`{"version":1,"terms":{"certificat":"quizzes"}}`, "invalid_request",
		[]web.InvalidValue{{Pointer: "/terms", Reason: "must not have an unknown field"}}},
	{"no such path", "GET", "/api/nowhere", "", "", "route_not_found", nil},
	{"no such method", "DELETE", "/api/course/all", "", "", "method_not_allowed", nil},
}

// Schemas, types and rules say which value is wrong, by the name that it has in the request.
func TestProblem_NamesTheValueThatIsWrong(t *testing.T) {
	t.Parallel()
	srv := contracttest.NewFixture(t).OnSQLite(t, &contracttest.Setup{
		API: []httpapi.Option{httpapi.WithLimiters(unlimited)}})
	for _, c := range wrongValues {
		request := c.method + " " + c.path + "\nAccept: application/problem+json"
		if c.user != "" {
			request += "\nAuthorization: Bearer {{token " + c.user + "}}"
		}
		if c.body != "" {
			request += "\nContent-Type: application/json\n\n" + c.body
		}
		got := contracttest.Send(t, srv.Addr, srv.Expander(t).Build(request))
		p := problemOf(t, got)
		if p.Code != c.code || !slices.Equal(p.Errors, c.places) {
			t.Errorf("%s: %s", c.name, got.Content)
		}
	}
}

// Only a request that names the media type, with a weight above 0, gets problems.
func TestProblem_OnlyForRequestsThatNameIt(t *testing.T) {
	t.Parallel()
	h := fixtureSite(t)
	for accept, want := range map[string]string{
		"":                                web.JSONType,
		"*/*":                             web.JSONType,
		"application/*":                   web.JSONType,
		"application/json":                web.JSONType,
		"application/problem+json;q=0":    web.JSONType,
		"application/problem+xml":         web.JSONType,
		"application/problem+json":        web.ProblemType,
		"Application/Problem+JSON; q=0.1": web.ProblemType,
		"application/json, application/problem+json;q=0.5": web.ProblemType,
		"text/html, application/problem+json":              web.ProblemType,
	} {
		for _, path := range []string{"/api/nowhere", "/api/certificate/verify/unknown"} {
			got := h.do(http.MethodGet, path, "", "Accept", accept)
			if kind := got.Header().Get("Content-Type"); kind != want ||
				!slices.Contains(got.Header().Values("Vary"), "Accept") {
				t.Errorf("%s, Accept %q: %q, Vary %q", path, accept, kind, got.Header().Values("Vary"))
			}
		}
	}
}

// The id of a request is the one that middleware of the host has set on the answer, and never the
// one that a client sends.
func TestRequestID_IsThatOfTheHost(t *testing.T) {
	t.Parallel()
	api := fixtureSite(t)
	for name, want := range map[string]string{"X-Request-Id": "host-1", "X-Request-ID": "host-2"} {
		got := httptest.NewRecorder()
		got.Header()[name] = []string{want} // as middleware that does not use Set
		r := httptest.NewRequest(http.MethodGet, "/api/nowhere", nil)
		r.Header.Set("X-Request-Id", "client-1")
		r.Header.Set("Accept", web.ProblemType)
		api.handler.ServeHTTP(got, r)
		var p web.Problem
		check(t, json.Unmarshal(got.Body.Bytes(), &p))
		if p.RequestID != want || len(got.Header()) == 0 {
			t.Errorf("%s: the problem has %q", name, p.RequestID)
		}
		for other, values := range got.Header() {
			if strings.EqualFold(other, name) && !slices.Equal(values, []string{want}) {
				t.Errorf("%s is %q", other, values)
			}
		}
	}
	r := httptest.NewRequest(http.MethodGet, "/api/nowhere", nil)
	r.Header.Set("X-Request-Id", "client-1")
	got := httptest.NewRecorder()
	api.handler.ServeHTTP(got, r)
	if id := got.Header().Get("X-Request-Id"); id == "" || id == "client-1" {
		t.Errorf("without middleware the id is %q", id)
	}
}

// docs/problems.md has the status and the title of each failure, and the API document its code
// unless it is that of a webhook.
func TestProblemsPage_HasStatusAndTitle(t *testing.T) {
	page, err := os.ReadFile("../../docs/problems.md")
	check(t, err)
	listed := codes(t)
	for code, failure := range httpapi.FailuresByCode() {
		row := fmt.Sprintf("| <a id=%q></a>`%s` | %d | %s | ", code, code, failure.Status,
			failure.Message)
		if !strings.Contains(string(page), row) {
			t.Errorf("docs/problems.md has no row that begins with %s", row)
		}
		isOfWebhook := strings.HasSuffix(code, "_signature") && strings.HasPrefix(code, "invalid_") &&
			code != "invalid_payment_signature" ||
			code == "identity_webhooks_not_configured" || code == "provider_not_found"
		if slices.Contains(listed, code) == isOfWebhook {
			t.Errorf("the API document lists the code %s: %v", code, !isOfWebhook)
		}
	}
}
