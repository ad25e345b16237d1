package httpapi_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/internal/contracttest"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/httpapi"
)

// callers are the columns of the access table: the users of the tokens, "" for no token. The other
// educator has courses, but none of those in the requests. gone is a deleted user with a token.
var callers = []string{"", "student", "educator", "other_educator", "admin", "gone"}

// attempt is a request to a route that would succeed, and the status that each of
// the callers gets for it.
type attempt struct {
	path, body string // the path of the table and no body, when empty
	offset     string // of an upload
	want       [6]int
}

// Statuses that many routes share.
var (
	anyCaller = [6]int{200, 200, 200, 200, 200, 200}
	signedIn  = [6]int{401, 200, 200, 200, 200, 401}
	staffOnly = [6]int{401, 403, 200, 200, 200, 401}
	educators = [6]int{401, 403, 200, 200, 403, 401}
	editors   = [6]int{401, 403, 200, 403, 200, 401} // the educator of a course, and admins
	admins    = [6]int{401, 403, 403, 403, 200, 401}
	authors   = [6]int{401, 200, 403, 403, 403, 401}
	owners    = [6]int{401, 200, 404, 404, 404, 401} // only the owner has access
	enrolled  = [6]int{401, 200, 403, 403, 403, 401}
	ofAnother = [6]int{401, 404, 404, 404, 404, 401} // none of the callers has access
)

// callersByName are the words of the line "callers" in the case success.
var callersByName = map[string][6]int{
	"anyCaller": anyCaller, "signedIn": signedIn, "staff": staffOnly, "educators": educators,
	"editors": editors, "authors": authors, "owners": owners, "enrolled": enrolled,
	"none": ofAnother,
}

// attemptOf returns the attempt of a route: that of attempts, or else the request of the case
// success, which succeeds for the callers that the file names. If it names none, the request is for
// all whom the access rule allows. That is known without the line only of routes without objects of
// users: of those for everyone or for admins, and of a GET without parameters.
func attemptOf(success *contracttest.Case, row httpapi.Row) (a attempt, known bool) {
	if a, known = attempts[row.ID]; known || success == nil {
		return a, known
	}
	line, _, _ := strings.Cut(success.Request, "\n")
	_, body, _ := strings.Cut(success.Request, "\n\n")
	a = attempt{path: strings.TrimPrefix(line, row.Method+" "), body: body}
	switch {
	case success.Callers != "":
		a.want, known = wantOf(success.Callers)
		return a, known
	case !row.Private:
		a.want = anyCaller
	case row.Role == core.Admin:
		a.want = admins
	case !isPlainRead(row):
		return a, false
	case row.Role == "":
		a.want = staffOnly
	case row.Role == core.Educator:
		a.want = educators
	default:
		a.want = signedIn
	}
	return a, true
}

// wantOf returns what the line "callers" of a case says: a word, or the status that each of the
// callers gets. It reports whether the line is valid.
func wantOf(text string) (want [6]int, ok bool) {
	if want, ok = callersByName[text]; ok {
		return want, true
	}
	fields := strings.Fields(text)
	for i, field := range fields {
		status, err := strconv.Atoi(field)
		if err != nil || len(fields) != len(want) {
			return want, false
		}
		want[i] = status
	}
	return want, len(fields) == len(want)
}

// isPlainRead reports whether a row is a GET without parameters in its path.
func isPlainRead(row httpapi.Row) bool {
	return row.Method == http.MethodGet && !strings.ContainsAny(row.Path, ":*")
}

// attempts has the routes whose case success has a request that says nothing of the callers of the
// table, such as one for an object that all of them lack. An upload is always the same.
var attempts = map[string]attempt{
	// One of the callers has bought this course.
	"enrollment.get":  {path: "/api/user/enrolled-courses/course_odd", want: enrolled},
	"progress.update": {body: `{"courseId":"course_odd","lectureId":"lecture_1"}`, want: enrolled},
	"position.save": {body: `{"courseId":"course_odd","lectureId":"lecture_1","seconds":1}`,
		want: enrolled},
	// not generated yet
	"certificate.get": {path: "/api/user/certificate/course_odd",
		want: [6]int{401, 404, 403, 403, 403, 401}},

	// One of the callers has this chat.
	"chat.get":    {path: "/api/user/chat/chat_of_another", want: owners},
	"chat.delete": {path: "/api/user/chat/chat_of_another", want: owners},

	// The feedback has no file, because files are those of one grader.
	"submission.grade": {path: "/api/educator/submissions/submission_waiting/grade",
		body: `{"version":2,"status":"graded","points":[1,2],"feedback":""}`,
		want: [6]int{401, 403, 403, 200, 200, 401}},

	// Nothing is submitted here, and whose attempt it is, is checked by package assess
	// (TestStudentAttempt_IsForGradersOfTheCourse).
	"educator.attempt": {path: "/api/educator/attempts/attempt_open",
		want: [6]int{401, 403, 404, 404, 404, 401}},

	// educator is the owner of the upload.
	"upload.append": {path: "/api/educator/uploads/upload_open", body: "tes", offset: "4",
		want: [6]int{401, 403, 204, 404, 404, 401}},
	"upload.delete": {path: "/api/educator/uploads/upload_open\nTus-Resumable: 1.0.0",
		want: [6]int{401, 403, 204, 404, 404, 401}},

	// None of the callers is enrolled in course_go.
	"attempt.start": {body: `{"courseId":"course_go","chapterId":"chapter_1"}`,
		want: [6]int{401, 403, 403, 403, 403, 401}},
	"attempt.list": {path: "/api/quiz/attempts?courseId=course_odd&chapterId=chapter_1",
		want: enrolled},
}

// TestEveryRoute_EnforcesItsAccessRule calls each route of the table as each caller. A caller whose
// request changes something has a fixture of its own. A route without expectations fails, so that
// none is forgotten.
func TestEveryRoute_EnforcesItsAccessRule(t *testing.T) {
	t.Parallel()
	w := contracttest.NewFixture(t)
	known, cases := map[string]bool{}, successCases(t)
	for _, row := range httpapi.Table() {
		known[row.ID] = true
		success := cases[row.ID]
		if success == nil {
			continue // TestContractCases_CoverTheTable fails
		}
		a, ok := attemptOf(success, row)
		if _, twice := attempts[row.ID]; twice && success.Callers != "" {
			t.Errorf("%s is in attempts, and the case success names the callers too: remove one", row.ID)
		}
		if !ok {
			t.Errorf("%s %s: say in testdata/contract/%s.http for whom its request "+
				"succeeds, by a line such as \"callers: owners\" before the request; the words are "+
				"those of callersByName in learning/httpapi/http_access_test.go. If no word says "+
				"it, write the status of each of %q, such as \"callers: 401 403 200 404 404 401\"",
				row.Method, row.Path, row.ID, callers)
			continue
		}
		t.Run(row.ID, func(t *testing.T) {
			t.Parallel()
			start := func(t *testing.T) *contracttest.Server {
				setup := &contracttest.Setup{}
				if _, isOther := attempts[row.ID]; !isOther {
					setup = contracttest.Prepare(t, success)
				}
				return w.OnSQLite(t, setup)
			}
			a.tryEach(t, row, start)
		})
	}
	for id := range attempts {
		if !known[id] {
			t.Errorf(
				"%s is no route: remove it from attempts in learning/httpapi/http_access_test.go",
				id)
		}
	}
}

// tryEach calls a route as each of the callers. Those who change nothing share a server: the
// callers of a GET, and those who are refused.
func (a attempt) tryEach(
	t *testing.T, row httpapi.Row, start func(*testing.T) *contracttest.Server,
) {
	t.Helper()
	shared := start(t)
	for i, caller := range callers {
		t.Run("by_"+caller, func(t *testing.T) {
			srv := shared
			if row.Method != http.MethodGet && a.want[i] < http.StatusBadRequest {
				srv = start(t)
			}
			got := contracttest.Send(t, srv.Addr, srv.Expander(t).Build(a.request(row, caller)))
			if got.StatusCode != a.want[i] {
				t.Errorf("the status is %d, want %d: %s", got.StatusCode, a.want[i], got.Content)
			}
		})
	}
}

// request is the attempt as a case would write it.
func (a attempt) request(row httpapi.Row, caller string) string {
	path := row.Path
	if a.path != "" {
		path = a.path
	}
	text := row.Method + " " + path
	if caller != "" {
		text += "\nAuthorization: Bearer {{token " + caller + "}}"
	}
	switch {
	case row.Multipart && a.body != "":
		return text + "\n\n" + a.body
	case row.Multipart:
		return text +
			"\n\nmultipart:\npart: courseData\n{{course}}\npart: image filename=picture.png " +
			"type=image/png\n{{file drawing.png}}\npart: file filename=notes.md type=text/markdown\n# Notes"
	case row.TakesFile:
		return text + "\nTus-Resumable: 1.0.0\nUpload-Length: 9\nUpload-Offset: " + a.offset +
			"\nContent-Type: application/offset+octet-stream\n\n" + a.body
	case row.Method == http.MethodPost || a.body != "":
		return text + "\nContent-Type: application/json\n\n" + a.body
	default:
		return text
	}
}
