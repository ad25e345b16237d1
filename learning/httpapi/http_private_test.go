package httpapi_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/internal/contracttest"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/purchase"
)

// Only enrolled students, and the editors of a course on the routes for them, may read the URLs of
// lectures that are not free previews. Others must not get them, or values that depend on them,
// such as an entity tag.

// outsiders send requests to every route: the users of their tokens, "" for no token. Most are
// enrolled in no course; student and collector are enrolled in some. buyer_open has an order that
// is not paid. educator and other_educator own courses.
var outsiders = []string{"", "other_student", "educator", "other_educator", "admin", "gone",
	"newcomer", "buyer_open",
	"student", "collector", "other_student expired"}

// fewOutsiders are those of the everyday run, one for each kind of access: a visitor, a user, one
// who is enrolled in another course, and one who edits another course.
var fewOutsiders = []string{"", "other_student", "student", "other_educator"}

// paidURL matches the URL of a paid lecture and its course, with slashes in any encoding.
var paidURL = regexp.MustCompile(`(?i)\bpaid(?:/|\\/|%2f|\\u002f)(\w+?)(?:/|\\/|%2f|\\u002f)`)

// paidFile is the name of the file of a paid lecture, which is in each URL of it.
var paidFile = contracttest.FixtureFiles[0].StoredName

// coursesIn returns the courses of the URLs of paid lectures in a text, of their texts, which have
// such URLs, and of their files.
func coursesIn(text string) (ids []string) {
	if strings.Contains(text, paidFile) {
		ids = append(ids, "course_odd")
	}
	for _, found := range paidURL.FindAllStringSubmatch(text, -1) {
		ids = append(ids, found[1])
	}
	return ids
}

// TestEveryRoute_HidesPaidLectures sends the request of the case success of each route, for every
// course, as a few of the outsiders, to two servers that differ only in the URLs of the paid
// lectures. With LEARNING_TEST_CONTRACT=all it sends the requests of all cases as all of them. A
// leak of any form makes the two answers different. New routes are included, because they have
// cases.
func TestEveryRoute_HidesPaidLectures(t *testing.T) {
	t.Parallel()
	w := contracttest.NewFixture(t)
	cases, tried := map[string][]*contracttest.Case{}, fewOutsiders
	for _, c := range contracttest.LoadCases(t) {
		cases[c.Route] = append(cases[c.Route], c)
	}
	if contracttest.AllCases() {
		tried = outsiders
	}
	for _, row := range httpapi.Table() {
		t.Run(row.ID, func(t *testing.T) {
			t.Parallel()
			p := newPair(t, w, nil, nil)
			p.mayRead = func(outsider, request, courseID string) bool {
				return isEnrolled(p.here, outsider, courseID) || edits(outsider, request, courseID)
			}
			for _, outsider := range tried {
				for _, request := range requestsOf(cases[row.ID], contracttest.AllCases()) {
					p.compare(t, outsider, request)
				}
			}
			p.checkLogs(t)
		})
	}
}

var (
	caseToken  = regexp.MustCompile(`(?m)^Authorization: Bearer \{\{token .*\}\}$`)
	caseCourse = regexp.MustCompile(`\bcourse_(?:go|odd|older?)\b`)
)

// requestsOf returns the requests of all cases, or of the case success only, without those that
// differ only in the caller, and the request of the case success for each course of the fixture.
func requestsOf(cases []*contracttest.Case, all bool) (requests []string) {
	for _, c := range cases {
		if !all && c.Name != "success" {
			continue
		}
		request := caseToken.ReplaceAllString(c.Request, "Authorization: {{outsider}}")
		requests = append(requests, request)
		if c.Name == "success" {
			for _, course := range contracttest.FixtureCourses {
				requests = append(requests, caseCourse.ReplaceAllString(request, course.ID))
			}
		}
	}
	slices.Sort(requests)
	return slices.Compact(requests)
}

// pair is two servers that differ in the URLs of paid lectures. mayRead reports whether who sends a
// request may get those of a course.
type pair struct {
	here, there *contracttest.Server
	mayRead     func(person, request, courseID string) bool
}

// newPair changes both databases by the first statements, and that of there by the others too.
func newPair(t *testing.T, w contracttest.Fixture, both, elsewhere []string) pair {
	t.Helper()
	options := []httpapi.Option{httpapi.WithLimiters(unlimited)}
	return pair{
		here: w.OnSQLite(t, &contracttest.Setup{API: options, SQL: both}),
		there: w.OnSQLite(t, &contracttest.Setup{API: options, SQL: slices.Concat(both, elsewhere, []string{
			`UPDATE course_contents SET content = REPLACE(content, 'videos.example.org/paid/', 'another-and-longer.example.net/not-the-same/paid/')`,
			`UPDATE lecture_texts SET body = REPLACE(body, 'videos.example.org/paid/', 'another-and-longer.example.net/not-the-same/paid/')`,
			`UPDATE course_contents SET content = REPLACE(content, '"title":"Notes"', '"title":"Other notes"')`,
			`UPDATE files SET stored_name = '` + contracttest.AnotherName +
				`' WHERE id = 'file_notes'`})}),
	}
}

// compare sends a request to both servers. Answers that differ or have the URL of a paid lecture
// must be about courses in which the caller is enrolled, or which the caller edits.
func (p pair) compare(t *testing.T, outsider, request string) {
	t.Helper()
	request = as(outsider, request)
	here, there := answerTo(t, p.here, request), answerTo(t, p.there, request)
	checkSolutions(t, outsider, request, here)
	courses := coursesIn(here)
	// the length of the body differs
	if path, isHead := strings.CutPrefix(request, "HEAD "); isHead && differ(here, there) {
		courses = coursesIn(answerTo(t, p.here, "GET "+path))
	}
	if len(courses) == 0 && differ(here, there) {
		t.Errorf("%q gets another answer when paid lectures have other URLs:\n%s\n%s\n%s", outsider,
			request, here, there)
	}
	for _, id := range courses {
		if !p.mayRead(outsider, request, id) {
			t.Errorf("%q gets the URL of a paid lecture of %s:\n%s\n%s", outsider, id, request,
				here)
		}
	}
	if len(courses) > 0 {
		checkNotCached(t, request, here)
	}
}

// as returns the request with the token of a user.
func as(outsider, request string) string {
	if outsider == "" {
		return strings.ReplaceAll(request, "\nAuthorization: {{outsider}}", "")
	}
	return strings.ReplaceAll(request, "{{outsider}}", "Bearer {{token "+outsider+"}}")
}

// checkNotCached checks that the headers of a private answer forbid caching.
func checkNotCached(t *testing.T, request, answer string) {
	t.Helper()
	head, _, _ := strings.Cut(answer, "\n\n")
	if head += "\n"; !strings.Contains(head, "\nCache-Control: private, no-store\n") ||
		strings.Contains(head, "\nETag: ") {
		t.Errorf("an answer with paid lectures can be cached:\n%s\n%s", request, head)
	}
}

// variable matches values that may differ between the answers to the same request.
var variable = regexp.MustCompile(
	`[0-9a-f]{20}|[0-9a-f]{8}-[0-9a-f]{4}-[47][0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}|order_[A-Z2-7]{14}|"slug":"[a-z2-7]{26}"`)

// differ reports whether two answers differ in more than variable values. Most answers are equal,
// and replacing the values takes longer than the request.
func differ(a, b string) bool {
	return a != b && variable.ReplaceAllString(a, "<variable>") !=
		variable.ReplaceAllString(b, "<variable>")
}

// answerTo returns the whole answer to a request without its id.
func answerTo(t *testing.T, srv *contracttest.Server, request string) string {
	t.Helper()
	got := contracttest.Send(t, srv.Addr, srv.Expander(t).Build(request))
	id := got.Header.Get("X-Request-Id")
	got.Header.Del("X-Request-Id")
	return strings.ReplaceAll(got.Text(true), `"requestId":"`+id+`"`, `"requestId":""`)
}

// isEnrolled reports whether the database has the enrolment, because a request may have bought a
// course.
func isEnrolled(srv *contracttest.Server, person, courseID string) bool {
	person, _, _ = strings.Cut(person, " ")
	return srv.Look()["enrollments "+person+" "+courseID] != nil
}

// edits reports whether a request is to a route for the editors of a course, and the caller is one.
func edits(person, request, courseID string) bool {
	path := " /api/educator/courses/" + courseID
	return (strings.Contains(request, path+"\n") || strings.Contains(request, path+"/package\n") ||
		strings.Contains(request, path+"/quizzes/")) &&
		(person == "admin" ||
			slices.ContainsFunc(contracttest.FixtureCourses, func(c catalog.Course) bool {
				return c.ID == courseID && c.Educator.ID == person
			}))
}

func (p pair) checkLogs(t *testing.T) {
	t.Helper()
	for _, log := range []string{p.here.Log(), p.there.Log()} {
		if found := paidURL.FindString(log); found != "" {
			t.Errorf("%q is in the log:\n%s", found, log)
		}
	}
}

// TestDamagedContent_IsNotLogged reads courses whose content cannot be parsed. The log must not
// contain any of the content.
func TestDamagedContent_IsNotLogged(t *testing.T) {
	w := contracttest.NewFixture(t)
	for name, sql := range map[string]string{
		"cut short":          `UPDATE course_contents SET content = SUBSTR(content, 1, LENGTH(content) - 3)`,
		"twice":              `UPDATE course_contents SET content = content || content`,
		"a URL for a number": `UPDATE course_contents SET content = REPLACE(content, '"minutes":', '"minutes":"https://videos.example.org/paid/course_go/x","was":')`,
	} {
		t.Run(name, func(t *testing.T) {
			srv := w.OnSQLite(t, &contracttest.Setup{SQL: []string{sql}})
			for _, request := range []string{"GET /api/course/course_go",
				"GET /api/user/enrolled-courses/course_go\nAuthorization: Bearer {{token " +
					"collector}}"} {
				got := answerTo(t, srv, request)
				if !strings.Contains(got, "500 Internal Server Error") || len(coursesIn(got)) > 0 {
					t.Errorf("%s is answered\n%s", request, got)
				}
			}
			if log := srv.Log(); len(coursesIn(log)) > 0 ||
				!strings.Contains(log, "parse a course's content") {
				t.Errorf("the log says\n%s", log)
			}
		})
	}
}

// TestContractCases_HidePaidLectures checks the answers in the files.
func TestContractCases_HidePaidLectures(t *testing.T) {
	shown := 0
	for _, c := range contracttest.LoadCases(t) {
		for _, id := range coursesIn(c.Answer) {
			shown++
			if caller := callerOf(c); !enrolledInFixture(caller, id) &&
				!edits(caller, c.Request, id) &&
				!strings.Contains(c.Changes, "+ enrollments "+caller+" "+id+"\n") {
				t.Errorf("%s: %q gets the URL of a paid lecture of %s", c.File, caller, id)
			}
			checkNotCached(t, c.Request, c.Answer)
		}
	}
	if shown == 0 {
		t.Error("no case shows a paid lecture: the pattern of this test is wrong")
	}
}

// callerOf returns the user who makes the request of a case; "" without a token.
func callerOf(c *contracttest.Case) string {
	_, rest, _ := strings.Cut(caseToken.FindString(c.Request), "{{token ")
	name, _, _ := strings.Cut(strings.TrimSuffix(rest, "}}"), " ")
	return name
}

func enrolledInFixture(person, courseID string) bool {
	return slices.ContainsFunc(contracttest.FixturePurchases, func(p purchase.Purchase) bool {
		paid := p.Status == purchase.Completed || p.Status == purchase.Refunded
		return person != "" && p.UserID == person && p.CourseID == courseID && paid
	})
}

// TestEveryRoute_WithATokenForbidsCaching sends a request with a token to each route that
// requires one.
func TestEveryRoute_WithATokenForbidsCaching(t *testing.T) {
	t.Parallel()
	w := contracttest.NewFixture(t)
	srv := w.OnSQLite(t,
		&contracttest.Setup{API: []httpapi.Option{httpapi.WithLimiters(unlimited)}})
	cases := successCases(t)
	for _, row := range httpapi.Table() {
		if !row.Private || cases[row.ID] == nil {
			continue
		}
		a, _ := attemptOf(cases[row.ID], row)
		for _, caller := range callers {
			got := contracttest.Send(t, srv.Addr,
				srv.Expander(t).Build(a.request(row, caller)))
			if value := got.Header.Values("Cache-Control"); len(value) != 1 ||
				value[0] != "private, no-store" || got.Header.Get("ETag") != "" {
				t.Errorf("%s for %q: %d, Cache-Control %q, ETag %q", row.ID, caller, got.StatusCode,
					value, got.Header.Get("ETag"))
			}
		}
	}
}
