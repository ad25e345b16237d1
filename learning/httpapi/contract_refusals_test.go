package httpapi_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/internal/contracttest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/file"
	"github.com/openlectern/openlectern/learning/httpapi"
)

// refusal is a property of many routes: what each of them answers to a request that
// differs from its case success in one way, or when one thing around it is broken.
// A row of the table says whether it has the property; case files are for behaviour
// that a row does not imply.
type refusal struct {
	name string
	// on selects the rows that have the property.
	on func(httpapi.Row) bool
	// change makes the request from that of the case success; nil leaves it as it is.
	change func(request string) string
	// status and message are what the route answers. The message of status 429 is
	// that of the row's limit class.
	status  int
	message string
	// unlimited: the request is refused before it takes a token of the limit.
	unlimited bool
	// unmarked: the answer does not forbid caching, because the request is refused before the
	// access rule.
	unmarked bool
	// retries: the answer says when to try again.
	retries bool
	// readable: the request comes from the front end, which may read the answer.
	readable bool
}

const (
	unauthorized = "Unauthorized Access"
	invalidBody  = "Invalid request data"
	unexpected   = "An unexpected error occurred"
)

// requestRefusals are caused by the request itself.
var requestRefusals = []refusal{
	{name: "foreign_origin", on: func(r httpapi.Row) bool { return !r.EveryOrigin },
		change: header("Origin: https://elsewhere.example.org"),
		status: 403, message: "Origin not allowed", unlimited: true, unmarked: true},
	{name: "path_in_capitals",
		on:     func(r httpapi.Row) bool { return strings.Contains(r.Path, "/api/") },
		change: capitalPath,
		status: 404, message: "Route not found", unlimited: true, unmarked: true},
	{name: "no_token", on: needsToken, change: withoutToken, status: 401, message: unauthorized},
	{name: "expired_token", on: needsToken, change: tokenIs("expired"), status: 401,
		message: unauthorized},
	{name: "unsigned_token", on: needsToken, change: tokenIs("unsigned"), status: 401,
		message: unauthorized},
	{name: "token_signed_with_a_public_secret", on: needsToken, change: tokenIs("hmac"),
		status: 401, message: unauthorized},
	{name: "token_of_another_issuer", on: needsToken,
		change: tokenIs("issuer=https://elsewhere.example.org"), status: 401,
		message: unauthorized},
	{name: "token_of_a_deleted_user", on: needsUser, change: caller("gone"), status: 401,
		message: unauthorized},
	{name: "student", on: needsRole, change: caller("student"), status: 403, message: unauthorized},
	{name: "user_whose_record_has_not_arrived", on: needsRole, change: caller("newcomer"),
		status: 403, message: unauthorized},
	{name: "unknown_role", on: needsRole, change: caller("student role=owner"), status: 403,
		message: unauthorized},
	{name: "role_in_capitals", on: needsRole, change: caller("student role=Admin"), status: 403,
		message: unauthorized},
	{name: "admin", on: forEducators, change: caller("admin"), status: 403, message: unauthorized},
	{name: "educator", on: forAdmins, change: caller("educator"), status: 403,
		message: unauthorized},
	{name: "former_educator_with_an_old_token", on: forEducators,
		change: caller("demoted role=educator iat=2026-01-15T00:00:00Z"), status: 403,
		message: unauthorized},
	{name: "former_admin_with_an_old_token", on: forAdmins,
		change: caller("demoted role=admin iat=2026-01-15T00:00:00Z"), status: 403,
		message: unauthorized},
	{name: "body_too_large", on: hasSmallBody, change: body(`{"a":"{{repeat x 102400}}"}`),
		status: 413, message: "Request body too large"},
	{name: "large_body_too_large", on: hasLargeBody, change: body(`{"a":"{{repeat x 1048576}}"}`),
		status: 413, message: "Request body too large"},
	{name: "body_not_json", on: hasBody, change: body(`{`), status: 400, message: invalidBody},
	{name: "body_is_a_list", on: hasBody, change: body(`[]`), status: 400, message: invalidBody},
	{name: "content_type_text", on: hasBody, change: header("Content-Type: text/plain"),
		status: 415, message: "Content-Type must be application/json"},
	{name: "body_too_large_before_the_access_rule", on: hasSmallBody,
		change: both(withoutToken, body(`{"a":"{{repeat x 102400}}"}`)),
		status: 413, message: "Request body too large", unmarked: true},
	{name: "body_not_json_before_the_access_rule", on: hasBody,
		change: both(withoutToken, body(`{`)), status: 400, message: invalidBody, unmarked: true},
	{name: "access_rule_before_the_schema", on: hasBody, change: both(withoutToken, body(`[]`)),
		status: 401, message: unauthorized},
}

// stateRefusals are caused by the state of the server: a failing database, an unavailable
// provider, a missing configuration, a reached limit.
var stateRefusals = []struct {
	name  string
	given contracttest.Setup
	all   []refusal
}{
	{"database_fails", contracttest.Setup{Store: contracttest.Closed},
		[]refusal{
			{name: "success", on: needsDatabase, status: 500, message: unexpected},
			{name: "front_end_origin", on: needsDatabase,
				change: header("Origin: http://localhost:5173"), status: 500, message: unexpected,
				readable: true},
		}},
	{"database_is_busy", contracttest.Setup{Store: contracttest.Busy},
		[]refusal{
			{name: "success", on: saysBusy, status: 503, message: core.ErrBusy.Error(),
				retries: true},
			{name: "webhook_of_the_identity_provider", on: isIdentityWebhook, status: 500,
				message: unexpected},
		}},
	{"database_is_read_only",
		contracttest.Setup{
			Store: func(st learning.Store) learning.Store {
				return contracttest.ReadOnly{
					Store: st}
			}},
		[]refusal{{name: "success", on: writes, status: 500, message: unexpected}}},
	{"identity_provider_never_answered", givenSetup("identity provider never answered"),
		[]refusal{{name: "success", on: needsToken, status: 503,
			message: "Identity provider is unavailable"}}},
	{"identity_provider_not_configured", givenSetup("identity provider is not configured"),
		[]refusal{{name: "success", on: needsToken, status: 503,
			message: "Identity provider is not configured"}}},
	{"disk_is_full", givenSetup("the disk is full"),
		[]refusal{{name: "success", on: storesFile, status: 507,
			message: file.ErrNoSpace.Message}}},
	{"limit_is_reached", contracttest.Setup{API: []httpapi.Option{httpapi.WithLimiters(exhausted)}},
		[]refusal{
			{name: "success", on: isLimited, status: 429},
			{name: "before_the_access_rule", on: isLimited, change: withoutToken, status: 429,
				unmarked: true},
		}},
}

func needsToken(r httpapi.Row) bool { return r.Private }

// which answers "User Not Found"
func needsUser(r httpapi.Row) bool    { return r.Private && r.ID != "user.data" }
func needsRole(r httpapi.Row) bool    { return r.Role != core.Student }
func forEducators(r httpapi.Row) bool { return r.Role == core.Educator }
func forAdmins(r httpapi.Row) bool    { return r.Role == core.Admin }
func hasBody(r httpapi.Row) bool      { return r.JSON }
func hasSmallBody(r httpapi.Row) bool { return r.JSON && !r.Large }
func hasLargeBody(r httpapi.Row) bool { return r.JSON && r.Large }
func isLimited(r httpapi.Row) bool    { return r.Limited }

// needsDatabase reports whether a route cannot answer without the database.
func needsDatabase(r httpapi.Row) bool { return withoutDatabase[r.ID] == "" }

// saysBusy reports whether a route says that the server is busy when the database does not answer
// in time. The interface has another answer to a webhook of the identity provider.
func saysBusy(r httpapi.Row) bool          { return needsDatabase(r) && !isIdentityWebhook(r) }
func isIdentityWebhook(r httpapi.Row) bool { return r.ID == "identity.webhook" }

// readsOnly names the routes that only read although their method is not GET, with the reason.
var readsOnly = map[string]string{
	"progress.get":   "the course is in the body",
	"chat.list":      "the interface has it as a POST",
	"purchase.quote": "the code of a coupon must not be in a URL",
	"stripe.webhook": "the payment of its case belongs to no purchase",
}

// storesFile reports whether the request of the success of a route stores a file.
func storesFile(r httpapi.Row) bool {
	return slices.Contains([]string{"course.add", "course.thumbnail", "bundle.thumbnail", "file.upload",
		"file.upload-submitted", "upload.append", "package.import"}, r.ID)
}

func writes(r httpapi.Row) bool { return r.Method != http.MethodGet && readsOnly[r.ID] == "" }

// TestEveryRoute_Refuses sends the request of the success case to each route, with one thing
// wrong. A refusal must not change anything, so one server serves all routes whose case has no
// preconditions. Each other one has a server of its own, which fulfils them.
func TestEveryRoute_Refuses(t *testing.T) {
	t.Parallel()
	w := contracttest.NewFixture(t)
	cases := successCases(t)
	refuse := func(t *testing.T, given contracttest.Setup, all []refusal) {
		t.Parallel()
		if given.API == nil {
			given.API = []httpapi.Option{httpapi.WithLimiters(unlimited)}
		}
		var alike []httpapi.Row
		for _, row := range httpapi.Table() {
			success := cases[row.ID]
			switch {
			case success == nil: // TestContractCases_CoverTheTable fails
			case success.HasGivens():
				setup := contracttest.Prepare(t, success)
				setup.Add(given)
				srv := w.OnSQLite(t, setup)
				setup.SendEarlier(t, srv) // which fails if the state makes every request fail
				refuseAll(t, srv, all, cases, row)
			default:
				alike = append(alike, row)
			}
		}
		refuseAll(t, w.OnSQLite(t, &given), all, cases, alike...)
	}
	t.Run("request", func(t *testing.T) { refuse(t, contracttest.Setup{}, requestRefusals) })
	for _, s := range stateRefusals {
		t.Run(s.name, func(t *testing.T) { refuse(t, s.given, s.all) })
	}
}

// refuseAll sends all refusals of each row to a server, on which they must change nothing.
func refuseAll(t *testing.T, srv *contracttest.Server, all []refusal,
	cases map[string]*contracttest.Case, rows ...httpapi.Row) {
	t.Helper()
	before := srv.Look()
	for _, row := range rows {
		for _, r := range all {
			if r.on(row) {
				r.check(t, srv, row, cases[row.ID].Request)
			}
		}
	}
	if changed := srv.ChangesSince(before); changed != "" {
		t.Errorf("a refused request changed something:\n%s", changed)
	}
}

// successes returns the requests of the cases success, by route. A route without this case has
// none: TestContractCases_CoverTheTable fails for it, and the other tests leave the route out.
func successes(t *testing.T) map[string]string {
	t.Helper()
	requests := map[string]string{}
	for route, c := range successCases(t) {
		requests[route] = c.Request
	}
	return requests
}

// successCases returns the cases success that have an answer, by route.
func successCases(tb testing.TB) map[string]*contracttest.Case {
	tb.Helper()
	found := map[string]*contracttest.Case{}
	for _, c := range contracttest.LoadCases(tb) {
		if c.Name == "success" {
			found[c.Route] = c
		}
	}
	return found
}

// check sends one request and compares status, body and the headers that a refusal
// must have.
func (r refusal) check(t *testing.T, srv *contracttest.Server, row httpapi.Row, request string) {
	t.Helper()
	if r.change != nil {
		request = r.change(request)
	}
	got := contracttest.Send(t, srv.Addr, srv.Expander(t).Build(request))
	got.CheckCommon(t)
	want := r.answer(row)
	if string(got.Content) != want || got.StatusCode != r.status {
		t.Errorf(
			"%s/%s: %s %s, want %d %s (contract_refusals_test.go says which rows have this "+
				"refusal)", row.ID, r.name, got.Status, got.Content, r.status, want)
	}
	message := r.message
	if r.status == http.StatusTooManyRequests {
		message = row.LimitMessage
	}
	problem := contracttest.Send(t, srv.Addr,
		srv.Expander(t).Build(header("Accept: application/problem+json")(request)))
	if row.Signed { // a provider never gets a problem
		if string(problem.Content) != want || problem.StatusCode != r.status {
			t.Errorf("%s/%s with problems: %s %s", row.ID, r.name, problem.Status, problem.Content)
		}
	} else if p := problemOf(t, problem); p.Title != message || p.Status != r.status {
		t.Errorf("%s/%s: problem %s, want %d %s", row.ID, r.name, problem.Content, r.status, message)
	}
	limited := row.Limited && !r.unlimited
	if has := got.Header.Get("RateLimit-Limit") != ""; has != limited {
		t.Errorf("%s/%s: RateLimit-Limit is %q, want it: %t", row.ID, r.name,
			got.Header.Get("RateLimit-Limit"), limited)
	}
	if has := got.Header.Get("Access-Control-Allow-Origin") == "http://localhost:5173"; has !=
		r.readable && !row.EveryOrigin {
		t.Errorf("%s/%s: Access-Control-Allow-Origin is %q", row.ID, r.name,
			got.Header.Get("Access-Control-Allow-Origin"))
	}
	if has := got.Header.Get("Retry-After") != ""; has !=
		(r.retries || r.status == http.StatusTooManyRequests) {
		t.Errorf("%s/%s: Retry-After is %q", row.ID, r.name, got.Header.Get("Retry-After"))
	}
	// A route that judges its body asks the access rule before it refuses the body.
	isJudged := row.JudgesBody &&
		(r.status == http.StatusBadRequest || r.status == http.StatusUnsupportedMediaType)
	if private := got.Header.Get("Cache-Control") == "private, no-store"; private !=
		(row.Private && (isJudged || !r.unmarked && r.status != http.StatusTooManyRequests &&
			!r.beforeAccess())) {
		t.Errorf("%s/%s: Cache-Control is %q", row.ID, r.name, got.Header.Get("Cache-Control"))
	}
}

// beforeAccess reports whether a request is refused for its size or syntax, which comes
// before the access rule.
func (r refusal) beforeAccess() bool {
	return r.status == http.StatusRequestEntityTooLarge ||
		r.status == http.StatusUnsupportedMediaType || r.name == "body_not_json"
}

// answer returns the body of a refusal.
func (r refusal) answer(row httpapi.Row) string {
	message := r.message
	if r.status == http.StatusTooManyRequests {
		message = row.LimitMessage
	}
	if row.ID == "gateway.webhook" || row.ID == "stripe.webhook" {
		return fmt.Sprintf(`{"error":%q}`, message)
	}
	return fmt.Sprintf(`{"success":false,"message":%q}`, message)
}

// refusalsShow reports whether a refusal of the matrix shows a failure of a row.
func refusalsShow(row httpapi.Row, f httpapi.Failure) bool {
	all := slices.Clone(requestRefusals)
	for _, s := range stateRefusals {
		all = append(all, s.all...)
	}
	return slices.ContainsFunc(all, func(r refusal) bool {
		return r.on(row) && r.status == f.Status &&
			(r.message == f.Message || r.status == http.StatusTooManyRequests &&
				row.LimitMessage == f.Message)
	})
}

// Changes to a request.

func header(line string) func(string) string {
	name, _, _ := strings.Cut(line, ":")
	return func(request string) string {
		head, rest, found := strings.Cut(withoutHeader(request, name), "\n\n")
		if found {
			rest = "\n\n" + rest
		}
		return head + "\n" + line + rest
	}
}

func withoutHeader(request, name string) string {
	head, rest, found := strings.Cut(request, "\n\n")
	lines := slices.DeleteFunc(strings.Split(head, "\n"),
		func(line string) bool { return strings.HasPrefix(line, name+":") })
	if found {
		rest = "\n\n" + rest
	}
	return strings.Join(lines, "\n") + rest
}

func withoutToken(request string) string { return withoutHeader(request, "Authorization") }

func caller(token string) func(string) string {
	return header("Authorization: Bearer {{token " + token + "}}")
}

// tokenIs makes the token of the request wrong in one way.
func tokenIs(how string) func(string) string {
	return func(request string) string {
		before, rest, _ := strings.Cut(request, "{{token ")
		name, rest, _ := strings.Cut(rest, "}}")
		return before + "{{token " + name + " " + how + "}}" + rest
	}
}

func body(text string) func(string) string {
	return func(request string) string {
		head, _, _ := strings.Cut(request, "\n\n")
		return head + "\n\n" + text
	}
}

func both(first, second func(string) string) func(string) string {
	return func(request string) string { return second(first(request)) }
}

func capitalPath(request string) string { return strings.Replace(request, "/api/", "/API/", 1) }

// givenSetup returns the setup for a precondition, as a line "given: …" of a case names it.
func givenSetup(text string) contracttest.Setup {
	s := &contracttest.Setup{}
	for _, g := range contracttest.Givens {
		if args := g.Pattern.FindStringSubmatch(text); args != nil {
			g.Apply(s, &contracttest.Case{}, args[1:])
			return *s
		}
	}
	panic("unknown precondition: " + text)
}
