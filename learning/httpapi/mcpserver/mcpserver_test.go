package mcpserver_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/httpapi/mcpserver"
	"github.com/openlectern/openlectern/learning/learningtest"
)

func check(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// school serves a kit to agents.
type school struct {
	*learningtest.Kit
	url string
}

func newSchool(t *testing.T, tools httpapi.AgentTools) *school {
	t.Helper()
	kit := learningtest.New(t)
	server := httptest.NewUnstartedServer(nil)
	url := "http://" + server.Listener.Addr().String()
	handler, err := httpapi.New(kit.Platform, httpapi.WithAgents(mcpserver.New(), tools),
		httpapi.WithPublicURL(url))
	check(t, err)
	server.Config.Handler = handler
	server.Start()
	t.Cleanup(server.Close)
	return &school{Kit: kit, url: url}
}

// bearer adds a token to each request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if b != "" {
		r.Header.Set("Authorization", "Bearer "+string(b))
	}
	return http.DefaultTransport.RoundTrip(r)
}

// agent connects as the agent of a user, or as that of nobody for "".
func (s *school) agent(t *testing.T, userID string) *mcp.ClientSession {
	t.Helper()
	var token bearer
	if userID != "" {
		token = bearer(s.Token(t, userID))
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint: s.url + "/mcp", HTTPClient: &http.Client{Transport: token},
		DisableStandaloneSSE: true}, nil)
	check(t, err)
	t.Cleanup(func() { session.Close() })
	return session
}

// result is the answer of a tool.
type result map[string]any

// use calls a tool, which must succeed.
func use(t *testing.T, agent *mcp.ClientSession, tool string, arguments any) result {
	t.Helper()
	text, failed := try(t, agent, tool, arguments)
	if failed {
		t.Fatalf("%s fails: %s", tool, text)
	}
	var answer result
	check(t, json.Unmarshal([]byte(text), &answer))
	return answer
}

// try calls a tool, which may fail.
func try(
	t *testing.T, agent *mcp.ClientSession, tool string, arguments any,
) (text string, failed bool) {
	t.Helper()
	a, err := agent.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	check(t, err)
	return a.Content[0].(*mcp.TextContent).Text, a.IsError
}

// toolsOf returns the tools that an agent sees, by name.
func toolsOf(t *testing.T, agent *mcp.ClientSession) map[string]*mcp.Tool {
	t.Helper()
	tools := map[string]*mcp.Tool{}
	for tool, err := range agent.Tools(t.Context(), nil) {
		check(t, err)
		tools[tool.Name] = tool
	}
	return tools
}

// An agent does what its user could do, from the catalogue to the marks.
func TestServer_AgentsWalkAPurchaseAQuizAndAnAssignment(t *testing.T) {
	s := newSchool(t, httpapi.AllTools)
	educator := s.Person(t, "educator", core.Educator)
	s.Person(t, "ada", core.Student)
	_, err := s.Platform.Catalog.AddCourse(t.Context(), educator, catalog.NewCourse{ID: "go",
		Title: "Go", Price: 10_00, Published: true, Content: []catalog.Chapter{{
			ID: "chapter", Title: "Chapter", Lectures: []catalog.Lecture{{ID: "essay",
				Title: "Essay", Kind: catalog.KindAssignment, Minutes: 10,
				Assignment: &catalog.Assignment{Instructions: "Write."}}}}}},
		learningtest.Thumbnail(t))
	check(t, err)
	teacher, student := s.agent(t, "educator"), s.agent(t, "ada")
	quiz := map[string]any{"courseId": "go", "chapterId": "chapter"}
	work := map[string]any{"courseId": "go", "lectureId": "essay"}
	with := func(base map[string]any, name string, value any) map[string]any {
		more := maps.Clone(base)
		more[name] = value
		return more
	}

	// The educator writes a quiz.
	use(t, teacher, "quiz_save", with(quiz, "questions", []any{map[string]any{
		"questionId": "sum", "kind": "number", "question": "1 + 1?", "answer": 2}}))

	// The student finds the course and buys it. The payment is made by the person.
	found := use(t, student, "course_list", map[string]any{"q": "go"})
	if courses := found["courses"].([]any); len(courses) != 1 {
		t.Fatalf("found %v", found)
	}
	order := use(t, student, "purchase_create", map[string]any{"courseId": "go"})
	orderID := order["orderId"].(string)
	payment, err := s.Sandbox.Gateway().Pay(orderID)
	check(t, err)
	use(t, student, "purchase_verify", map[string]any{"gateway_order_id": orderID,
		"gateway_payment_id": payment.ID,
		"gateway_signature":  s.Sandbox.Gateway().Signature(orderID, payment.ID)})

	// The student answers the quiz.
	attempt := use(t, student, "attempt_start", quiz)["attempt"].(map[string]any)
	marked := use(t, student, "attempt_submit", map[string]any{"attemptId": attempt["_id"],
		"answers": map[string]any{"sum": 2}})["result"].(map[string]any)
	if marked["percentage"] != 100.0 {
		t.Errorf("the attempt has %v", marked)
	}

	// The student hands in, and the educator grades.
	use(t, student, "assignment_save", with(work, "text", "My essay."))
	use(t, student, "assignment_submit", work)
	course := map[string]any{"courseId": "go"}
	list := use(t, teacher, "submission_list", course)["submissions"].([]any)
	if len(list) != 1 {
		t.Fatalf("%d submissions", len(list))
	}
	id := list[0].(map[string]any)["_id"]
	read := use(t, teacher, "submission_get", map[string]any{"submissionId": id})
	version := read["submission"].(map[string]any)["version"]
	use(t, teacher, "submission_grade", map[string]any{"submissionId": id, "version": version,
		"status": "graded", "points": []int{}, "feedback": "Good."})
}

// An agent sees what its user may use, and nothing that moves money or ends access unless the host
// wants it to.
func TestServer_ListsWhatTheCallerMayUse(t *testing.T) {
	s := newSchool(t, httpapi.OrdinaryTools)
	s.Person(t, "ada", core.Student)
	s.Person(t, "educator", core.Educator)
	s.Person(t, "admin", core.Admin)
	for who, c := range map[string]struct{ has, lacks []string }{
		"": {has: []string{"course_list", "course_get"},
			lacks: []string{"user_data", "admin_users", "educator_courses"}},
		"ada": {has: []string{"course_list", "user_data", "purchase_quote", "quiz_submit"},
			lacks: []string{"admin_users", "educator_courses"}},
		"educator": {has: []string{"user_data", "quiz_save", "educator_courses"},
			lacks: []string{"admin_users"}},
		"admin": {has: []string{"user_data", "admin_users"}},
	} {
		tools := toolsOf(t, s.agent(t, who))
		for _, name := range c.has {
			if tools[name] == nil {
				t.Errorf("the agent of %q lacks %s", who, name)
			}
		}
		for _, name := range append(c.lacks, "purchase_create", "purchase_verify",
			"purchase_refund", "coupon_create", "admin_enroll", "admin_approve", "course_delete",
			"post_delete", "user_export", "identity_webhook", "course_create", "agent") {
			if tools[name] != nil {
				t.Errorf("the agent of %q has %s", who, name)
			}
		}
	}
}

func TestServer_DescribesTools(t *testing.T) {
	s := newSchool(t, httpapi.AllTools)
	s.Person(t, "educator", core.Educator)
	tools := toolsOf(t, s.agent(t, "educator"))
	reads, edits, deletes := tools["course_list"], tools["course_edit"], tools["course_delete"]
	switch {
	case !reads.Annotations.ReadOnlyHint || *reads.Annotations.DestructiveHint:
		t.Errorf("a list: %+v", reads.Annotations)
	case edits.Annotations.ReadOnlyHint || !*edits.Annotations.DestructiveHint:
		t.Errorf("a change: %+v", edits.Annotations)
	case !*deletes.Annotations.DestructiveHint:
		t.Errorf("a deletion: %+v", deletes.Annotations)
	case !strings.HasPrefix(reads.Description, reads.Title+"."):
		t.Errorf("the description of %q: %s", reads.Title, reads.Description)
	}
}

func TestServer_ListsHave20RowsUnlessAsked(t *testing.T) {
	s := newSchool(t, httpapi.OrdinaryTools)
	for n := range 22 {
		s.Course(t, fmt.Sprintf("course-%d", n), 0)
	}
	agent := s.agent(t, "")
	for limit, want := range map[int]int{0: 20, 3: 3} {
		arguments := map[string]any{}
		if limit > 0 {
			arguments["limit"] = limit
		}
		list := use(t, agent, "course_list", arguments)["courses"].([]any)
		if len(list) != want {
			t.Errorf("%v: %d rows, want %d", arguments, len(list), want)
		}
	}
}

// A failure says what to change.
func TestServer_FailuresAreErrorsOfTools(t *testing.T) {
	s := newSchool(t, httpapi.AllTools)
	s.Person(t, "ada", core.Student)
	agent := s.agent(t, "ada")
	for _, c := range []struct {
		tool      string
		arguments any
		want      string
	}{
		{"course_get", map[string]any{"id": "none"}, "Course not found"},
		{"course_get", nil, "The argument id is missing."},
		{"course_get", map[string]any{"id": "x", "secret": "canary"},
			"An argument is unknown. The tool has these: id."},
		{"course_get", map[string]any{"id": "../../docs"}, "not found"},
		{"note_create", map[string]any{"courseId": "go"}, `"code":"invalid_request"`},
		{"note_create", map[string]any{"courseId": "go", "lectureId": "l", "text": ""},
			`{"pointer":"/text","reason":"must not be blank"}`},
		{"purchase_create", map[string]any{"courseId": "none"}, "Course not found"},
	} {
		text, failed := try(t, agent, c.tool, c.arguments)
		if !failed || !strings.Contains(text, c.want) || strings.Contains(text, "canary") {
			t.Errorf("%s %v: %t %s", c.tool, c.arguments, failed, text)
		}
	}
}

// post sends a message by hand.
func (s *school) post(t *testing.T, body string, headers ...string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/mcp",
		strings.NewReader(body))
	check(t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	a, err := http.DefaultClient.Do(r)
	check(t, err)
	t.Cleanup(func() { a.Body.Close() })
	return a
}

const listTools = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`

func TestServer_RefusesBadRequests(t *testing.T) {
	s := newSchool(t, httpapi.OrdinaryTools)
	for name, c := range map[string]struct {
		body    string
		headers []string
		want    int
	}{
		"bad token": {listTools, []string{"Authorization", "Bearer x"}, http.StatusUnauthorized},
		"no bearer": {listTools, []string{"Authorization", "Basic x"}, http.StatusUnauthorized},
		"foreign origin": {listTools, []string{"Origin", "https://evil.example"},
			http.StatusForbidden},
		"a batch": {"[" + listTools + "]", nil, http.StatusBadRequest},
		"no JSON": {"{", nil, http.StatusBadRequest},
		"another type": {listTools, []string{"Content-Type", "text/plain"},
			http.StatusUnsupportedMediaType},
		"too long": {`{"a":"` + strings.Repeat("a", 1<<20) + `"}`, nil,
			http.StatusRequestEntityTooLarge},
		"too many values": {`{"a":[` + strings.Repeat("[],", 300_000) + "[]]}", nil,
			http.StatusBadRequest},
		"good": {listTools, nil, http.StatusOK},
	} {
		a := s.post(t, c.body, c.headers...)
		if a.StatusCode != c.want {
			t.Errorf("%s: %d, want %d", name, a.StatusCode, c.want)
		}
		if c.want == http.StatusUnauthorized && a.Header.Get("WWW-Authenticate") == "" {
			t.Errorf("%s: no WWW-Authenticate", name)
		}
	}
}

// Calls of tools count for the limits of their routes, as requests of the same address.
func TestServer_CallsHaveTheLimitsAndTheLogLineOfTheirRoutes(t *testing.T) {
	s := newSchool(t, httpapi.OrdinaryTools)
	s.Person(t, "ada", core.Student)
	agent := s.agent(t, "ada")
	s.Course(t, "go", 10_00)
	arguments := map[string]any{"courseId": "go"}
	for range 30 {
		use(t, agent, "purchase_quote", arguments)
	}
	if text, failed := try(t, agent, "purchase_quote", arguments); !failed ||
		!strings.Contains(text, "Too many quotes") {
		t.Errorf("after the limit: %s", text)
	}
	if n := strings.Count(s.Log.String(), "route=purchase.quote"); n != 31 {
		t.Errorf("%d lines in the log, want 31", n)
	}
}
