package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/internal/contracttest"

	"github.com/openlectern/openlectern/learning"
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
	staff     = [6]int{401, 403, 200, 200, 200, 401}
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
	"anyCaller": anyCaller, "signedIn": signedIn, "staff": staff, "educators": educators,
	"editors": editors, "authors": authors, "owners": owners, "enrolled": enrolled,
}

// attemptOf returns the attempt of a route: that of attempts, or else the request of the case
// success, which succeeds for the callers that the file names. If it names none, the request is for
// all whom the access rule allows. That is known without the line only of routes without objects of
// users: of those for everyone or for admins, and of a GET without parameters.
func attemptOf(success *contracttest.Case, row httpapi.Row) (a attempt, known bool) {
	if a, known = attempts[row.ID]; known || success == nil {
		return a, known
	}
	_, body, _ := strings.Cut(success.Request, "\n\n")
	a = attempt{path: success.Path(), body: body}
	switch {
	case success.Callers != "":
		a.want, known = callersByName[success.Callers]
		return a, known
	case !row.Private:
		a.want = anyCaller
	case row.Role == learning.Admin:
		a.want = admins
	case !isPlainRead(row):
		return a, false
	case row.Role == "":
		a.want = staff
	case row.Role == learning.Educator:
		a.want = educators
	default:
		a.want = signedIn
	}
	return a, true
}

// isPlainRead reports whether a row is a GET without parameters in its path.
func isPlainRead(row httpapi.Row) bool {
	return row.Method == http.MethodGet && !strings.ContainsAny(row.Path, ":*")
}

// attempts has the routes of which one word does not say who may do what, or whose case success is
// not for the callers of the table. An upload is always the same.
var attempts = map[string]attempt{
	"user.data":       {want: [6]int{401, 200, 200, 200, 200, 200}}, // "User Not Found" is a 200
	"purchase.quote":  {body: `{"courseId":"course_go"}`, want: signedIn},
	"purchase.create": {body: `{"courseId":"course_go"}`, want: signedIn},
	// None of the callers is the buyer of this purchase.
	"purchase.verify": {body: verification, want: [6]int{401, 404, 404, 404, 404, 401}},

	// One of the callers has bought this course.
	"enrollment.get":  {path: "/api/user/enrolled-courses/course_odd", want: enrolled},
	"progress.update": {body: `{"courseId":"course_odd","lectureId":"lecture_1"}`, want: enrolled},
	"position.save": {body: `{"courseId":"course_odd","lectureId":"lecture_1","seconds":1}`,
		want: enrolled},
	// each caller's own progress, which is null for most
	"progress.get": {body: `{"courseId":"course_odd"}`, want: signedIn},
	"rating.add":   {body: `{"courseId":"course_odd","rating":5}`, want: enrolled},
	"time.track": {body: `{"page":"Course Player","path":"/player/course_odd","duration":12.5}`,
		want: signedIn},
	"chat.ask":  {body: `{"content":"Why?"}`, want: signedIn},
	"chat.list": {want: signedIn},
	// One of the callers has this chat.
	"chat.get":    {path: "/api/user/chat/chat_of_another", want: owners},
	"chat.delete": {path: "/api/user/chat/chat_of_another", want: owners},
	// One of the callers has a course.
	"roadmap.personal": {want: [6]int{401, 200, 409, 409, 409, 401}},
	"roadmap.custom":   {body: `{"topic":"Sailing"}`, want: signedIn},

	"certificate.check":    {path: "/api/user/certificate/check/course_odd", want: enrolled},
	"certificate.generate": {path: "/api/user/certificate/generate/course_odd", want: enrolled},
	// not generated yet
	"certificate.get": {path: "/api/user/certificate/course_odd",
		want: [6]int{401, 404, 403, 403, 403, 401}},
	"group.create":     {body: `{"name":"New"}`, want: signedIn},
	"group.membership": {path: "/api/community/groups/group_go/membership", want: signedIn},
	"post.create":      {body: `{"title":"New","content":"Hello"}`, want: signedIn},
	"post.upvote":      {path: "/api/community/posts/post_question/upvote", want: signedIn},
	// The post is the student's. An admin may delete it, but not change it.
	"post.resolve": {path: "/api/community/posts/post_question/resolve", want: authors},
	"post.delete": {path: "/api/community/posts/post_question",
		want: [6]int{401, 200, 403, 403, 200, 401}},
	"reply.create": {path: "/api/community/posts/post_question/replies", body: `{"content":"So?"}`,
		want: signedIn},
	"reply.edit": {path: "/api/community/posts/post_question/replies/reply_first",
		body: `{"content":"So."}`, want: [6]int{401, 403, 200, 403, 403, 401}},
	"reply.upvote": {path: "/api/community/posts/post_question/replies/reply_first/upvote",
		want: signedIn},
	"reply.accept": {path: "/api/community/posts/post_question/replies/reply_first/accept",
		want: authors},

	"reply.delete": {path: "/api/community/posts/post_question/replies/reply_first",
		want: [6]int{401, 403, 200, 403, 200, 401}},
	// Every user may report what any user may read.
	"complaint.create": {path: "/api/community/posts/post_question/report",
		body: `{"reason":"Advertising"}`, want: signedIn},

	// the admin has one
	"application.apply": {
		body: `{"professionalTitle":"Baker","bio":"I bake.","expertise":["Bread"]}`,
		want: [6]int{401, 200, 200, 200, 409, 401}},
	"course.add": {want: educators},
	// educator is the owner of course_go.
	"course.editable": {path: "/api/educator/courses/course_go", want: editors},
	"course.edit": {path: "/api/educator/courses/course_go",
		body: `{"version":1,"courseTitle":"New"}`, want: editors},
	"course.thumbnail": {path: "/api/educator/courses/course_go/thumbnail", want: editors},
	"course.delete":    {path: "/api/educator/courses/course_draft", want: editors},

	// educator is the owner of the file.
	"file.upload": {want: staff},
	"file.delete": {path: "/api/educator/files/file_spare",
		want: [6]int{401, 403, 200, 404, 404, 401}},

	// None of the callers is enrolled in a course with an assignment, and none has the file.
	"file.upload-submitted": {want: [6]int{401, 403, 403, 403, 403, 401}},
	"file.delete-own":       {path: "/api/user/files/file_sketch", want: ofAnother},

	// As above; the course is not published any more. other_educator is its owner.
	"assignment.get": {path: "/api/user/assignments/course_older/lecture_2", want: ofAnother},
	"assignment.save": {path: "/api/user/assignments/course_older/lecture_2",
		body: `{"text":"A"}`, want: ofAnother},
	"assignment.submit": {path: "/api/user/assignments/course_older/lecture_2/submit",
		want: ofAnother},
	"submission.list": {path: "/api/educator/submissions?courseId=course_older",
		want: [6]int{401, 403, 403, 200, 200, 401}},
	"submission.get": {path: "/api/educator/submissions/submission_waiting",
		want: [6]int{401, 403, 403, 200, 200, 401}},
	"submission.grade": {path: "/api/educator/submissions/submission_waiting/grade",
		body: `{"version":2,"status":"graded","points":[1,2],"feedback":""}`,
		want: [6]int{401, 403, 403, 200, 200, 401}},

	// educator is the owner of the uploads.
	"upload.create": {want: [6]int{401, 403, 201, 201, 201, 401}},
	"upload.get": {path: "/api/educator/uploads/upload_open",
		want: [6]int{401, 403, 200, 404, 404, 401}},
	"upload.append": {path: "/api/educator/uploads/upload_open", body: "tes", offset: "4",
		want: [6]int{401, 403, 204, 404, 404, 401}},

	// Educator is the owner of course_go, for which coupon_go is.
	"coupon.create": {body: `{"code":"NEW","percentOff":10,"courseId":"course_go"}`,
		want: [6]int{401, 403, 200, 403, 200, 401}},
	"coupon.change": {path: "/api/educator/coupons/coupon_go", body: `{"isActive":false}`,
		want: [6]int{401, 403, 200, 403, 200, 401}},

	// None of the callers is enrolled in course_go, and educator is its owner.
	"quiz.generate": {body: `{"courseId":"course_go","chapterId":"chapter_1"}`,
		want: [6]int{401, 403, 200, 403, 403, 401}},
	"quiz.submit": {
		body: `{"courseId":"course_go","chapterId":"chapter_1","answers":[0,0,0]}`,
		want: [6]int{401, 403, 403, 403, 403, 401}},
	"quiz.results":      {path: "/api/quiz/results/course_go/chapter_1", want: signedIn},
	"quiz.course-marks": {path: "/api/quiz/course-results/course_go", want: signedIn},
	"quiz.get": {path: "/api/quiz/course_go/chapter_1",
		want: [6]int{401, 403, 200, 403, 403, 401}},

	// None of the callers is enrolled in course_go, and none has the attempts.
	"attempt.start": {body: `{"courseId":"course_go","chapterId":"chapter_1"}`,
		want: [6]int{401, 403, 403, 403, 403, 401}},
	"attempt.list": {path: "/api/quiz/attempts?courseId=course_odd&chapterId=chapter_1",
		want: enrolled},
	"attempt.get":  {path: "/api/quiz/attempts/attempt_open", want: ofAnother},
	"attempt.save": {path: "/api/quiz/attempts/attempt_open", body: `{"answers":{}}`, want: ofAnother},
	"attempt.submit": {path: "/api/quiz/attempts/attempt_open/submit", body: `{}`,
		want: ofAnother},

	// A token does not replace a signature.
	"gateway.webhook":  {body: `{}`, want: [6]int{400, 400, 400, 400, 400, 400}},
	"identity.webhook": {body: `{}`, want: [6]int{500, 500, 500, 500, 500, 500}},
}

const verification = `{"gateway_order_id":"order_open","gateway_payment_id":"pay_1","gateway_signature":"{{signature order_open pay_1}}"}`

// TestEveryRoute_EnforcesItsAccessRule calls each route of the table as each caller, each on a
// fixture of their own. A route without expectations fails, so that none is
// forgotten.
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
				"it, add the route to attempts there", row.Method, row.Path, row.ID)
			continue
		}
		for i, caller := range callers {
			t.Run(fmt.Sprintf("%s/by_%s", row.ID, caller), func(t *testing.T) {
				t.Parallel()
				setup := &contracttest.Setup{}
				if _, isOther := attempts[row.ID]; !isOther {
					setup = contracttest.Prepare(t, success)
				}
				srv := w.OnSQLite(t, setup)
				got := contracttest.Send(t, srv.Addr, srv.Expander(t).Build(a.request(row, caller)))
				if got.StatusCode != a.want[i] {
					t.Errorf("the status is %d, want %d: %s", got.StatusCode, a.want[i],
						got.Content)
				}
			})
		}
	}
	for id := range attempts {
		if !known[id] {
			t.Errorf(
				"%s is no route: remove it from attempts in learning/httpapi/http_access_test.go",
				id)
		}
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
