package httpapi_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"github.com/openlectern/openlectern/internal/contracttest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/httpapi"
)

// The callers of grownRequests: a student, an educator who owns course 0, and a user who is about
// to pay.
const (
	grownStudent  = "{student}"
	grownEducator = "{educator}"
	grownBuyer    = "{buyer}"
	grownAdmin    = "admin"
	anyOne        = "user_{i}" // another student in each request
)

// grownRequest is a request that BenchmarkGrowth measures. Its texts may have marks; see
// grownRows.marks.
type grownRequest struct {
	of   string // what distinguishes it from other requests to the route; "" for the only one
	as   string // the caller; "" for none
	path string // the path of the table when empty; a text that begins with ? is added to it
	body string
	// offset is that of an upload.
	offset string
}

// grownRequestsOf returns the requests of a route. A route that grownRequests does not have is
// requested for the objects that each size has: a list is asked for a page, and a change is that of
// another student in each request. A body is that of the case success, for a course that each size
// has. cases are the cases success by route.
func grownRequestsOf(cases map[string]*contracttest.Case, row httpapi.Row) []grownRequest {
	requests, known := grownRequests[row.ID]
	success := cases[row.ID]
	if known || notMeasured[row.ID] != "" || row.Multipart || success == nil {
		return requests
	}
	_, body, _ := strings.Cut(success.Request, "\n\n")
	body = courseField.ReplaceAllString(body, `"courseId":"{popular}"`)
	as := map[learning.Role]string{
		core.Student: grownStudent, core.Educator: grownEducator, "": grownEducator,
		core.Admin: grownAdmin,
	}[row.Role]
	switch {
	case !row.Private:
		as = ""
	case strings.HasPrefix(row.Path, "/api/educator/"):
		as = grownEducator
	case row.Method != http.MethodGet && row.Role == core.Student:
		as = anyOne
	}
	if isPlainRead(row) {
		return []grownRequest{{as: as, path: "?limit=20"}}
	}
	path := pathParameter.ReplaceAllStringFunc(row.Path, func(parameter string) string {
		switch {
		case grownParameters[parameter] != "":
			return grownParameters[parameter]
		case as == anyOne && parameter != ":courseId":
			return "{own}"
		}
		return "{popular}"
	})
	return []grownRequest{{as: as, path: path, body: body}}
}

var (
	pathParameter = regexp.MustCompile(`[:*]\w+`) // of the path of a row
	courseField   = regexp.MustCompile(`"courseId": ?"[^"]*"`)
)

// grownParameters are the values of parameters of paths, in all courses.
var grownParameters = map[string]string{
	":chapterId": "chapter_1",
	":lectureId": "lecture_3", // the assignment
	":userId":    "user_0",
	":attemptId": "attempt_0",
}

// grownRequests are the requests of BenchmarkGrowth by route, in the order of the table. Those
// whose answer is a list ask for a page. {i} is the number of the request, so that each write
// changes something.
var grownRequests = map[string][]grownRequest{
	"health": {{}},
	"course.list": {
		{of: "oldest", path: "?limit=20"},
		{of: "newest", path: "?limit=20&sort=newest"},
		{of: "popular", path: "?limit=20&sort=popular"},
		{of: "rating", path: "?limit=20&sort=rating"},
		{of: "price", path: "?limit=20&sort=price"},
		{of: "educator", path: "?limit=20&educatorId={educator}"},
		{of: "rare_word", path: "?limit=20&q=rarely"},
		{of: "word_of_all", path: "?limit=20&q=often"},
		{of: "two_words_of_all", path: "?limit=20&q=often+always"},
		{of: "rare_metadata", path: "?limit=20&metadata.level=rarely"},
		{of: "metadata_of_all", path: "?limit=20&metadata.level=often"},
		{of: "metadata_and_word_of_all", path: "?limit=20&sort=popular&q=often" +
			"&metadata.level=often&metadata.lang=often"},
	},
	"credential.get":     {{path: "/api/certificate/credential/{certificate}"}},
	"credential.status":  {{path: "/api/certificate/status/0"}},
	"certificate.verify": {{path: "/api/certificate/verify/{certificate}"}},

	"post.list": {
		{of: "all", as: grownStudent, path: "?limit=15"},
		{of: "page_50", as: grownStudent, path: "?limit=15&page=50"},
		{of: "trending", as: grownStudent, path: "?limit=15&tab=trending"},
		{of: "trending_page_50", as: grownStudent, path: "?limit=15&tab=trending&page=50"},
		{of: "group", as: grownStudent, path: "?limit=15&groupId={popular}"},
		{of: "group_trending", as: grownStudent, path: "?limit=15&tab=trending&groupId={popular}"},
		{of: "small_group", as: grownStudent, path: "?limit=15&tab=trending&groupId={small}"},
		{of: "my_groups", as: grownStudent, path: "?limit=15&tab=myGroups"},
	},
	"post.get":         {{as: grownStudent, path: "/api/community/posts/{post}"}},
	"group.create":     {{as: grownStudent, body: `{"name":"New {i}"}`}},
	"group.membership": {{as: grownStudent, path: "/api/community/groups/{popular}/membership"}},
	"post.create": {{
		as:   grownStudent,
		body: `{"title":"New","content":"Hello","groupId":"{popular}"}`,
	}},
	"post.upvote":  {{as: grownEducator, path: "/api/community/posts/{post}/upvote"}},
	"post.resolve": {{as: grownStudent, path: "/api/community/posts/{popular}/resolve"}},
	"post.delete":  {{as: grownAdmin, path: "/api/community/posts/{last post}"}},
	"reply.create": {{
		as:   grownStudent,
		path: "/api/community/posts/{post}/replies",
		body: `{"content":"So?"}`,
	}},
	"reply.upvote": {{
		as:   grownEducator,
		path: "/api/community/posts/{post}/replies/{post}/upvote",
	}},
	"reply.accept": {{
		as:   grownStudent,
		path: "/api/community/posts/{popular}/replies/{popular}/accept",
	}},
	"reply.delete": {{as: grownAdmin, path: "/api/community/posts/{post}/replies/{reply}"}},
	"review.report": {{as: anyOne, path: "/api/course/{popular}/reviews/{chat}/report",
		body: `{"reason":"Advertising"}`}},
	"review.answer": {{as: grownAdmin, path: "/api/educator/reviews/{chat}/answer",
		body: `{"text":"Thank you."}`}},
	"complaint.create": {{
		as:   grownEducator,
		path: "/api/community/posts/{odd}/report",
		body: `{"reason":"Advertising"}`,
	}},

	"user.data":   {{as: grownStudent}},
	"user.export": {{as: grownStudent}},
	"purchase.quote": {
		{of: "price", as: grownStudent, body: `{"courseId":"{new course}"}`},
		{of: "coupon", as: grownStudent, body: `{"courseId":"{new course}","couponCode":"{code}"}`},
	},
	"purchase.create":     {{as: grownStudent, body: `{"courseId":"{new course}"}`}},
	"purchase.list":       {{as: grownStudent, path: "?limit=10"}},
	"purchase.get":        {{as: grownBuyer, path: "/api/user/purchases/{paid purchase}"}},
	"receipt.get":         {{as: grownAdmin, path: "/api/user/purchases/{own}/receipt"}},
	"notification.stream": {{as: grownStudent, path: "?seconds=0"}},
	"receipt.note":        {{as: grownAdmin, path: "/api/user/purchases/{own}/credit-notes/{note}"}},
	"sale.record": {{as: grownAdmin, body: `{"userId":"{student}","courseId":"{new course}",` +
		`"amount":5,"currency":"INR","reference":"{i}","source":"invoice"}`}},
	"purchase.verify": {{
		as: grownBuyer,
		body: `{"gateway_order_id":"order_open_{i}","gateway_payment_id":"new_{i}",` +
			`"gateway_signature":"{{signature order_open_{i} new_{i}}}"}`,
	}},
	"enrollment.list": {
		{of: "oldest", as: grownStudent, path: "?limit=10"},
		{of: "recent", as: grownStudent, path: "?limit=10&sort=recent"},
	},
	"progress.update": {{as: anyOne,
		body: `{"courseId":"{popular}","lectureId":"lecture_2"}`}},
	"progress.get":         {{as: grownStudent, body: `{"courseId":"{popular}"}`}},
	"rating.add":           {{as: anyOne, body: `{"courseId":"{popular}","rating":5}`}},
	"certificate.list":     {{as: grownStudent}},
	"certificate.check":    {{as: anyOne, path: "/api/user/certificate/check/{popular}"}},
	"certificate.generate": {{as: anyOne, path: "/api/user/certificate/generate/{popular}"}},
	"certificate.get":      {{as: anyOne, path: "/api/user/certificate/{popular}"}},

	"time.track": {{
		as:   grownStudent,
		body: `{"page":"Course Player","path":"/player/{popular}","duration":12.5}`,
	}},
	"analytics.get":    {{as: grownStudent}},
	"chat.ask":         {{as: grownStudent, body: `{"content":"Why?"}`}},
	"chat.list":        {{as: grownStudent, path: "?limit=10"}},
	"chat.delete":      {{as: "{chatting}", path: "/api/user/chat/{chat}"}},
	"roadmap.personal": {{as: grownStudent}},
	"roadmap.custom":   {{as: grownStudent, body: `{"topic":"Sailing"}`}},

	"application.apply": {{
		as:   anyOne,
		body: `{"professionalTitle":"Baker","bio":"I bake.","expertise":["Bread"]}`,
	}},
	"application.status": {{as: anyOne}},
	"course.add":         {{as: grownEducator}},
	"course.editable":    {{as: grownEducator, path: "/api/educator/courses/{popular}"}},
	"course.edit": {
		{
			of:   "price",
			as:   grownEducator,
			path: "/api/educator/courses/{taught}",
			body: `{"version":{version},"coursePrice":1{i}.5}`,
		},
		{
			of:   "title",
			as:   grownAdmin,
			path: "/api/educator/courses/{odd}",
			body: `{"version":1,"courseTitle":"Renamed {i}"}`,
		},
	},
	"course.thumbnail": {{as: grownEducator, path: "/api/educator/courses/{popular}/thumbnail"}},
	"course.text": {{
		as:   grownAdmin,
		path: "/api/educator/courses/{even}/lectures/lecture_2/text",
		body: `{"version":1,"text":"Text {i}"}`,
	}},
	"file.upload-submitted": {{as: grownStudent}},
	"assignment.save": {{
		as:   anyOne,
		path: "/api/user/assignments/{popular}/lecture_3",
		body: `{"text":"Work {i}"}`,
	}},
	"assignment.list": {
		{of: "all", as: grownStudent, path: "?limit=20"},
		{of: "status", as: grownStudent, path: "?limit=20&status=open"},
		{of: "course", as: grownStudent, path: "?limit=20&courseId={popular}"},
	},
	"submission.list": {
		{of: "educator", as: grownEducator, path: "?limit=20"},
		{of: "educator status", as: grownEducator, path: "?limit=20&status=graded"},
		{of: "course", as: grownEducator, path: "?limit=20&courseId={popular}"},
		{of: "status", as: grownEducator, path: "?limit=20&courseId={popular}&status=graded"},
	},
	"submission.grade": {{
		as:   grownAdmin,
		path: "/api/educator/submissions/{chat}/grade",
		body: `{"version":2,"status":"graded","points":[],"feedback":"{i}"}`,
	}},
	"file.upload":   {{as: grownEducator}},
	"file.list":     {{as: grownEducator, path: "?limit=10"}},
	"file.delete":   {{as: grownEducator, path: "/api/educator/files/spare_{i}"}},
	"upload.create": {{as: grownEducator}},
	"upload.get":    {{as: grownEducator, path: "/api/educator/uploads/{taught}"}},
	"upload.append": {{
		as:     grownEducator,
		path:   "/api/educator/uploads/{taught}",
		body:   "x",
		offset: "{round}",
	}},
	"upload.delete":    {{as: grownEducator, path: "/api/educator/uploads/spare_{i}"}},
	"course.delete":    {{as: grownAdmin, path: "/api/educator/courses/{last course}"}},
	"educator.courses": {{as: grownEducator, path: "?limit=10"}},

	"bundle.create": {{
		as:   grownEducator,
		body: `{"title":"Bundle","courseIds":["{taught}","{popular}"],"price":10}`,
	}},
	"bundle.list": {{as: anyOne, path: "?limit=10"}},
	"bundle.own":  {{as: grownEducator, path: "?limit=10"}},
	"bundle.get":  {{as: anyOne, path: "/api/bundle/{popular}"}},
	"bundle.edit": {{
		as:   grownAdmin,
		path: "/api/educator/bundles/{even}",
		body: `{"version":1,"price":20}`,
	}},
	"coupon.create": {{
		as:   grownEducator,
		body: `{"code":"NEW{i}","percentOff":10,"courseId":"{popular}"}`,
	}},
	"coupon.list": {{as: grownEducator}},
	"coupon.change": {{
		as:   grownEducator,
		path: "/api/educator/coupons/{popular}",
		body: `{"maxRedemptions":1{i}}`,
	}},

	"quiz.generate": {{
		as:   grownEducator,
		body: `{"courseId":"{taught}","chapterId":"chapter_1"}`,
	}},
	"quiz.insights": {{as: grownEducator}},
	"quiz.submit": {{
		as:   anyOne,
		body: `{"courseId":"{popular}","chapterId":"chapter_1","answers":[0,0]}`,
	}},
	"quiz.student-results": {{
		as:   grownEducator,
		path: "/api/educator/courses/{popular}/quizzes/chapter_1/results?limit=20",
	}},
	"quiz.save": {{
		as:   grownEducator,
		path: "/api/educator/courses/{taught}/quizzes/chapter_1",
		body: `{"questions":[{"kind":"text","question":"Why?","answer":["So"]}]}`,
	}},
	"quiz.extra-attempts": {{
		as:   grownEducator,
		path: "/api/educator/courses/{popular}/quizzes/chapter_1/extra",
		body: `{"studentId":"{student}","attempts":2}`,
	}},
	"quiz.delete": {{
		as:   grownEducator,
		path: "/api/educator/courses/{taught}/quizzes/chapter_1",
	}},
	"attempt.start": {{as: grownStudent, body: `{"courseId":"{popular}","chapterId":"chapter_1"}`}},
	"attempt.list": {{
		as:   grownStudent,
		path: "/api/quiz/attempts?courseId={popular}&chapterId=chapter_1&limit=20",
	}},
	"attempt.save": {{
		as:   grownStudent,
		path: "/api/quiz/attempts/attempt_0",
		body: `{"answers":{}}`,
	}},
	"attempt.submit": {{
		as:   grownStudent,
		path: "/api/quiz/attempts/attempt_0/submit",
		body: `{}`,
	}},
	"quiz.marks": {{as: grownStudent, path: "?limit=10"}},

	"admin.applications": {
		{of: "all", as: grownAdmin, path: "?limit=20"},
		{of: "status", as: grownAdmin, path: "?limit=20&status=pending"},
	},
	"admin.approve": {{as: grownAdmin, path: "/api/admin/educator-applications/{applied}/approve"}},
	"admin.reject": {{as: grownAdmin,
		path: "/api/admin/educator-applications/{applied too}/reject"}},
	"admin.stats":  {{as: grownAdmin}},
	"admin.charts": {{as: grownAdmin}},
	"educator.students": {
		{of: "all", as: grownEducator, path: "?limit=20"},
		{of: "course", as: grownEducator, path: "?limit=20&courseId={popular}"},
		{of: "recent", as: grownEducator, path: "?limit=20&courseId={popular}&sort=recent"},
		{of: "active", as: grownEducator, path: "?limit=20&courseId={popular}&sort=active"},
		{of: "rare_word", as: grownEducator, path: "?limit=20&courseId={popular}&q=rarely"},
		{of: "name_of_all", as: grownEducator,
			path: "?limit=20&courseId={popular}&q=name&sort=active"},
		// Educators find students by their names only, so that this page is empty.
		{of: "word_of_no_name", as: grownEducator,
			path: "?limit=20&courseId={popular}&q=often&sort=active"},
		// Many users have each of the words, and none has both.
		{of: "words_of_no_name", as: grownEducator,
			path: "?limit=20&courseId={popular}&q=name1+name2&sort=active"},
	},
	"admin.purchases": {
		{of: "all", as: grownAdmin, path: "?limit=20"},
		{of: "status", as: grownAdmin, path: "?limit=20&status=completed"},
		{of: "rare_status", as: grownAdmin, path: "?limit=20&status=pending"},
		{of: "user", as: grownAdmin, path: "?limit=20&userId={student}"},
		{of: "course", as: grownAdmin, path: "?limit=20&courseId={popular}"},
		{of: "course_and_rare_status", as: grownAdmin,
			path: "?limit=20&courseId={popular}&status=pending"},
		{of: "times", as: grownAdmin,
			path: "?limit=20&from=2020-01-01T00:00:00Z&to=2099-01-01T00:00:00Z"},
		{of: "rare_word", as: grownAdmin, path: "?limit=20&q=rarely"},
		{of: "word_of_all", as: grownAdmin, path: "?limit=20&q=often"},
		{of: "word_and_status", as: grownAdmin, path: "?limit=20&q=often&status=pending"},
		{of: "payment", as: grownAdmin, path: "?limit=20&q=pay-1"},
	},
	"purchase.refund": {{
		as:   grownAdmin,
		path: "/api/admin/purchases/{refunded}/refund",
		body: `{"amount":1}`,
	}},
	"admin.users": {
		{of: "all", as: grownAdmin, path: "?limit=20"},
		{of: "role", as: grownAdmin, path: "?limit=20&role=educator"},
		{of: "rare_role", as: grownAdmin, path: "?limit=20&role=admin"},
		{of: "rare_word", as: grownAdmin, path: "?limit=20&q=rarely"},
		{of: "word_of_all", as: grownAdmin, path: "?limit=20&q=often"},
		{of: "word_and_role", as: grownAdmin, path: "?limit=20&q=often&role=educator"},
	},
	"admin.enrollments": {
		{of: "all", as: grownAdmin, path: "?limit=20"},
		{of: "user", as: grownAdmin, path: "?limit=20&userId={student}"},
		{of: "course", as: grownAdmin, path: "?limit=20&courseId={popular}"},
	},
	"admin.decisions": {
		{of: "all", as: grownAdmin, path: "?limit=20"},
		{of: "user", as: grownAdmin, path: "?limit=20&userId={student}"},
		{of: "course", as: grownAdmin, path: "?limit=20&courseId={popular}"},
		{of: "user in a course", as: grownAdmin,
			path: "?limit=20&userId={student}&courseId={popular}"},
	},
	"admin.user": {{as: grownAdmin, path: "/api/admin/users/{student}"}},
	"admin.enroll": {{as: grownAdmin,
		body: `{"userId":"{new user}","courseId":"{popular}"}`}},
	"admin.end-enrollment": {{as: grownAdmin, path: "/api/admin/enrollments/{new user}/{popular}"}},
	"educator.questions": {
		{of: "all", as: grownEducator, path: "?limit=20"},
		{of: "waiting", as: grownEducator, path: "?limit=20&answered=false"},
		{of: "course", as: grownEducator, path: "?limit=20&courseId={popular}"},
		{of: "course waiting", as: grownEducator,
			path: "?limit=20&courseId={popular}&answered=false"},
	},
	"educator.reviews": {
		{of: "all", as: grownEducator, path: "?limit=20"},
		{of: "waiting", as: grownEducator, path: "?limit=20&answered=false"},
		{of: "course", as: grownEducator, path: "?limit=20&courseId={popular}"},
		{of: "course waiting", as: grownEducator,
			path: "?limit=20&courseId={popular}&answered=false"},
	},
	"complaint.list": {
		{of: "all", as: grownAdmin, path: "?limit=20"},
		{of: "status", as: grownAdmin, path: "?limit=20&status=open"},
		{of: "rare_status", as: grownAdmin, path: "?limit=20&status=removed"},
	},
	"complaint.decide": {{
		as:   grownAdmin,
		path: "/api/admin/reports/{complaint}",
		body: `{"status":"dismissed"}`,
	}},

	"gateway.webhook": {{body: `{"event":"payment.captured","payload":{"payment":{"entity":{` +
		`"id":"hook_{i}","amount":44910,"currency":"INR","status":"captured",` +
		`"order_id":"order_open_{paid}","method":"card",` +
		`"notes":{"purchaseId":"{paid purchase}"},"created_at":1769850000}}}}`}},
	"stripe.webhook": {{body: `{"id":"evt_{i}","type":"payment_intent.succeeded","data":{"object":{` +
		`"id":"pi_{i}","object":"payment_intent"}}}`}},
	"provider.webhook": {{path: "/providers/gateway",
		body: `{"event":"payment.captured","payload":{"payment":{"entity":{` +
			`"id":"other_{i}","amount":44910,"currency":"INR","status":"captured",` +
			`"order_id":"order_open_{paid}","method":"card",` +
			`"notes":{"purchaseId":"{paid purchase}"},"created_at":1769850000}}}}`}},
	"identity.webhook": {{body: `{"type":"user.updated","data":{"id":"user_{i}",` +
		`"first_name":"New","last_name":"Name {i}","image_url":"https://images.example.org/n.png",` +
		`"email_addresses":[{"id":"idn_1","email_address":"new.{i}@example.com"}],` +
		`"primary_email_address_id":"idn_1","updated_at":1769850000000}}`}},
}

// notMeasured are the routes that BenchmarkGrowth leaves out, with the reason.
var notMeasured = map[string]string{
	"announcement.delete": "it can be done once, and changes one row by its id",
	"bundle.delete":       "as above",
	"bundle.thumbnail":    "it does what course.thumbnail does",
	"group.list":          "its answer is a list in full",
	"educator.dashboard":  "its answer has a list in full, of the students",
	"credential.key":      "it reads no table",
	"credential.keys":     "it reads no table",
	"file.delete-own":     "it does what file.delete does",
	"package.export":      "the files of the grown tables have no contents",
	"package.import":      "it does what course.add and file.upload do",
	"quiz.import":         "it does what quiz.save does",
	"receipt.link":        "its URL is signed; it reads what receipt.get does",
	"openapi":             "it reads no table",
	"docs":                "it reads no table",
	"docs.file":           "it reads no table",
}

// name returns the name of a request to a route in the table of results.
func (r grownRequest) name(row httpapi.Row) string {
	if r.of == "" {
		return row.ID
	}
	return row.ID + "/" + r.of
}

// text returns the request as a case of the contract would write it, for the i-th time.
func (r grownRequest) text(n grownRows, row httpapi.Row, i int) string {
	path := r.path
	if query, isQuery := strings.CutPrefix(path, "?"); isQuery {
		path = row.Path + "?" + query
	}
	text := attempt{path: path, body: r.body, offset: r.offset}.request(row, r.as)
	switch row.ID {
	case "upload.delete":
		text += "\nTus-Resumable: 1.0.0"
	case "stripe.webhook":
		text = strings.Replace(text, "\n\n", "\nStripe-Signature: {{stripe-signature}}\n\n", 1)
	case "gateway.webhook", "provider.webhook":
		text = strings.Replace(text, "\n\n", "\nx-gateway-signature: {{gateway-signature}}\n\n", 1)
	case "identity.webhook":
		text = strings.Replace(text, "\n\n", "\n{{hook message_{i}}}\n\n", 1)
	}
	return n.marks(i).Replace(text)
}

// marks replaces the marks of the i-th request: objects that each size has.
func (n grownRows) marks(i int) *strings.Replacer {
	students := n.users()
	half := int(n) / 2
	last := int(n) - 1 - i
	fresh := n.newCourse(i)
	return strings.NewReplacer(
		"{i}", strconv.Itoa(i),
		"{student}", grownUser(0),
		"{educator}", grownUser(half),
		"{buyer}", grownUser(int(n)/4),
		"{popular}", grownID(0), // also what the student has first of everything
		"{small}", grownID(1), // a group of one post
		"{taught}", grownID((1+i%18)*students),
		"{version}", strconv.Itoa(1+i/18), // of the taught course
		"{round}", strconv.Itoa(i/18), // how often the upload has grown
		"{odd}", grownID(2*i+1), // not one of the educator's
		"{even}", grownID(2*i+2),
		"{new course}", grownID(fresh),
		"{code}", "CODE"+strconv.Itoa(fresh),
		"{last course}", grownID(last),
		"{certificate}", grownID(100+i),
		"{post}", grownID(i%40),
		"{last post}", grownID(last),
		"{reply}", grownID((1+i/40)*int(n)/10+i%40),
		"{chat}", grownID(i),
		"{own}", grownID(i), // what the user with the number i has
		"{chatting}", grownUser(i%students),
		"{applied}", grownID(100+i),
		"{applied too}", grownID(200+i),
		"{refunded}", grownID(last),
		"{new user}", grownUser(int(n)/4+1+i),
		"{complaint}", grownID(2*i),
		"{paid}", strconv.Itoa(100+i),
		"{note}", fmt.Sprintf("C-2026-%06d", i+1),
		"{paid purchase}", grownID(int(n)+100+i),
	)
}

// newCourse returns the number of the i-th published course in which the student is not enrolled.
func (n grownRows) newCourse(i int) int {
	for course := 1; ; course++ {
		if course%n.users() == 1 || course%10 == 9 {
			continue
		}
		if i == 0 {
			return course
		}
		i--
	}
}
