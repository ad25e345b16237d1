package main

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
)

func TestDemo_WholeJourneyOfAFrontEnd(t *testing.T) {
	onDatabases(t, testWholeJourney)
}

func testWholeJourney(t *testing.T, database string) {
	t.Helper()
	visitor := startForBrowsers(t, database)
	student := visitor.signIn(demoStudent)
	educator := visitor.signIn(demoEducator)
	admin := visitor.signIn(demoAdmin)
	course := student.buy(visitor.browse())
	student.learn(course)
	student.certify(course)
	student.takeQuiz(course)
	student.plan()
	student.chat()
	student.discuss()
	educator.publish()
	visitor.signIn("student_rosa").becomeEducator(admin)
	admin.administer()
}

// browse finds a course that the demo's student has not bought.
func (b browser) browse() string {
	b.t.Helper()
	courses := objects(b.send(http.MethodGet, "/api/course/all", nil)["courses"])
	for _, c := range courses {
		if c["_id"] == "clear-writing" {
			detail := b.send(http.MethodGet, "/api/course/clear-writing",
				nil)["courseData"].(object)
			if detail["courseContent"] == nil || detail["educatorId"].(object)["imageUrl"] == "" {
				b.t.Errorf("the course has no content, or its educator no picture: %v", detail)
			}
			return "clear-writing"
		}
	}
	b.t.Fatalf("%d courses, and not the one wanted", len(courses))
	return ""
}

func (b browser) buy(course string) string {
	b.t.Helper()
	order := b.send(http.MethodPost, "/api/user/purchase",
		object{"courseId": course, "couponCode": nil, "platform": "web"})
	proof := b.request(http.MethodPost, b.sandbox+"/checkout/"+order["orderId"].(string),
		"application/json", b.encode(object{"action": "pay"}))
	proof["purchaseId"], proof["note"] = nil, ""
	b.send(http.MethodPost, "/api/user/verify-gateway", proof)
	user := b.send(http.MethodGet, "/api/user/data", nil)["user"].(object)
	if !strings.Contains(fmt.Sprint(user["enrolledCourses"]), course) || user["imageUrl"] == "" {
		b.t.Errorf("after the purchase: %v", user)
	}
	return course
}

func (b browser) learn(course string) {
	b.t.Helper()
	b.send(http.MethodGet, "/api/user/enrolled-courses", nil)
	detail := b.send(http.MethodGet, "/api/user/enrolled-courses/"+course,
		nil)["courseData"].(object)
	var last object
	for _, chapter := range objects(detail["courseContent"]) {
		for _, lecture := range objects(chapter["chapterContent"]) {
			last = b.send(http.MethodPost, "/api/user/update-course-progress",
				object{"courseId": course, "lectureId": lecture["lectureId"], "completed": true})
		}
	}
	if last["isCourseCompleted"] != true {
		b.t.Errorf("the course is not completed: %v", last)
	}
	b.send(http.MethodPost, "/api/user/get-course-progress",
		object{"courseId": course, "userId": nil})
	b.send(http.MethodPost, "/api/user/add-rating",
		object{"courseId": course, "rating": 5, "comment": nil})
	b.send(http.MethodPost, "/api/user/track-time",
		object{"page": "Learning", "path": "/player/" + course, "duration": 12.5, "sessionId": nil})
	analytics := b.send(http.MethodGet, "/api/user/analytics", nil)["analytics"].(object)
	pages := map[any]bool{}
	for _, p := range objects(analytics["pageStats"]) {
		if pages[p["page"]] {
			b.t.Errorf("the page %v is there twice", p["page"])
		}
		pages[p["page"]] = true
	}
	if !pages["Learning"] || !pages["Quiz"] {
		b.t.Errorf("the pages are %v", pages)
	}
}

func (b browser) certify(course string) {
	b.t.Helper()
	if check := b.send(http.MethodGet, "/api/user/certificate/check/"+course,
		nil); check["eligible"] != true {
		b.t.Errorf("no certificate: %v", check)
	}
	made := b.send(http.MethodPost, "/api/user/certificate/generate/"+course,
		object{"template": nil})
	got := b.send(http.MethodGet, "/api/user/certificate/"+course, nil)
	if made["pdfUrl"] != got["pdfUrl"] {
		b.t.Errorf("made %v, got %v", made, got)
	}
	name := got["pdfUrl"].(string)
	status, _, text := b.raw(http.MethodGet, name, journeyOrigin, "", nil)
	if status != http.StatusOK || !bytes.HasPrefix(text, []byte("%PDF")) {
		b.t.Errorf("%s: status %d, %.50s", name, status, text)
	}
	status, header, _ := b.raw(http.MethodGet, b.api+"/.well-known/jwks.json",
		"https://verifier.example.org", "", nil)
	if status != http.StatusOK || header.Get("Access-Control-Allow-Origin") != "*" {
		b.t.Errorf("a verifier gets status %d for the keys", status)
	}
}

func (b browser) takeQuiz(course string) {
	b.t.Helper()
	quiz := b.send(http.MethodGet, "/api/quiz/"+course+"/1", nil)["quiz"].(object)
	answers := make([]int, len(objects(quiz["questions"])))
	result := b.send(http.MethodPost, "/api/quiz/submit",
		object{"courseId": course, "chapterId": "1", "answers": answers, "version": nil,
			"timeTaken": "35"})["result"].(object)
	for line := range strings.Lines(fmt.Sprint(result["recommendations"])) {
		if !strings.HasPrefix(line, "• ") {
			b.t.Errorf("a recommendation is %q", line)
		}
	}
	for _, path := range []string{"results/" + course + "/1", "course-results/" + course,
		"my-results"} {
		list := objects(b.send(http.MethodGet, "/api/quiz/"+path, nil)["results"])
		if len(list) == 0 {
			b.t.Errorf("%s is empty", path)
		}
	}
}

func (b browser) plan() {
	b.t.Helper()
	for _, roadmap := range []object{
		b.send(http.MethodPost, "/api/user/generate-personal-roadmap", object{"goal": nil}),
		b.send(http.MethodPost, "/api/user/generate-custom-roadmap",
			object{"topic": "Baking bread", "level": nil}),
	} {
		stages := objects(roadmap["roadmap"].(object)["stages"])
		for _, stage := range stages {
			for _, path := range objects(stage["paths"]) {
				if _, isList := path["gap"].([]any); !isList {
					b.t.Errorf("a gap is %v", path["gap"])
				}
			}
		}
		if len(stages) == 0 {
			b.t.Errorf("no stages: %v", roadmap)
		}
	}
}

func (b browser) chat() {
	b.t.Helper()
	before := len(b.chats())
	first := b.send(http.MethodPost, "/api/user/ai-chat",
		object{"content": "What next?", "sessionId": nil, "model": nil})
	session := first["activeSessionId"]
	second := b.send(http.MethodPost, "/api/user/ai-chat",
		object{"content": "And then?", "sessionId": session})
	if n := len(objects(second["conversationHistory"])); n != 4 ||
		second["activeSessionId"] != session {
		b.t.Errorf("%d messages in %v, begun as %v", n, second["activeSessionId"], session)
	}
	if n := len(b.chats()); n != before+1 {
		b.t.Errorf("%d chats after %d", n, before)
	}
	path := fmt.Sprint("/api/user/chat/", session)
	b.send(http.MethodGet, path, nil)
	b.send(http.MethodDelete, path, nil)
}

func (b browser) chats() []object {
	b.t.Helper()
	return objects(b.send(http.MethodPost, "/api/user/previous-chats", object{})["chats"])
}

func (b browser) discuss() {
	b.t.Helper()
	group := b.send(http.MethodPost, "/api/community/groups",
		object{"name": "Journeys", "description": nil, "icon": nil,
			"color": "#fff"})["group"].(object)
	b.send(http.MethodPost, "/api/community/posts",
		object{"title": "Alone", "content": "In no group", "groupId": nil, "tags": nil,
			"image": nil})
	long := strings.Repeat("x", 40)
	post := b.send(http.MethodPost, "/api/community/posts",
		object{"title": "Together", "content": "In a group", "groupId": group["_id"],
			"tags": "a, " + long})["post"].(object)
	if fmt.Sprint(post["tags"]) != "[a "+long[:30]+"]" {
		b.t.Errorf("the tags are %v", post["tags"])
	}
	path := fmt.Sprint("/api/community/posts/", post["_id"])
	reply := b.send(http.MethodPost, path+"/replies",
		object{"content": "Indeed", "parentId": nil})["reply"].(object)
	b.send(http.MethodPost, path+"/upvote", nil)
	b.send(http.MethodPost, fmt.Sprint(path, "/replies/", reply["_id"], "/upvote"), nil)
	b.send(http.MethodPatch, fmt.Sprint(path, "/replies/", reply["_id"], "/accept"), nil)
	b.send(http.MethodPatch, path+"/resolve", nil)
	b.send(http.MethodGet, path, nil)
	page := b.send(http.MethodGet, "/api/community/posts?page=1&limit=2&tab=all&groupId=", nil)
	if len(objects(page["posts"])) != 2 || page["hasMore"] != true {
		b.t.Errorf("a page has %d posts", len(objects(page["posts"])))
	}
	b.send(http.MethodDelete, path, nil)
}

func (b browser) taught() []object {
	b.t.Helper()
	return objects(b.send(http.MethodGet, "/api/educator/courses", nil)["courses"])
}

// publish adds a course with the fields of a form.
func (b browser) publish() {
	b.t.Helper()
	before := len(b.taught())
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	data := b.encode(object{"courseTitle": "Journeys", "courseDescription": "<p>Far</p>",
		"coursePrice": "499.50", "discount": "12.5", "isPublished": nil, "category": nil,
		"courseContent": []object{{"chapterId": "c1", "chapterOrder": "1", "chapterTitle": "One",
			"collapsed": false, "chapterContent": []object{
				{"lectureId": "l1", "lectureTitle": "Start", "lectureDuration": "12",
					"lectureUrl": "https://videos.example.org/1", "isPreviewFree": true,
					"lectureOrder": "1"},
				{"lectureId": "l2", "lectureTitle": "Rest", "lectureDuration": "0",
					"lectureUrl": "https://videos.example.org/2", "isPreviewFree": nil,
					"lectureOrder": ""}}}}})
	_ = form.WriteField("courseData", string(data)) // into memory
	image, _ := form.CreateFormFile("image", "picture.png")
	_, _ = io.WriteString(image, tinyPicture(b.t))
	_ = form.Close()
	b.request(http.MethodPost, b.api+"/api/educator/add-course", form.FormDataContentType(),
		body.Bytes())
	taught := b.taught()
	if len(taught) != before+1 || taught[0]["coursePrice"] != 499.5 {
		b.t.Errorf("the educator has %d courses, the newest %v", len(taught), taught[0])
	}
	b.send(http.MethodGet, "/api/educator/dashboard", nil)
	students := objects(b.send(http.MethodGet, "/api/educator/enrolled-students",
		nil)["enrolledStudents"])
	if n := len(students); n < 2 ||
		students[0]["purchaseDate"].(string) > students[n-1]["purchaseDate"].(string) {
		b.t.Errorf("%d students, or not the oldest enrolment first", n)
	}
	if insights := objects(b.send(http.MethodGet, "/api/quiz/educator-insights",
		nil)["insights"]); len(insights) == 0 {
		b.t.Error("the educator has no insights")
	}
}

// becomeEducator applies twice: the first application is rejected.
func (b browser) becomeEducator(admin browser) {
	b.t.Helper()
	apply := func() string {
		application := b.send(http.MethodPost, "/api/educator/apply",
			object{"professionalTitle": "Baker", "bio": "I bake.", "expertise": []string{"Bread"},
				"linkedinUrl": nil, "resume": nil})
		return fmt.Sprint("/api/admin/educator-applications/",
			application["application"].(object)["_id"])
	}
	admin.send(http.MethodPatch, apply()+"/reject", object{"reason": nil})
	path := apply()
	admin.send(http.MethodGet, "/api/admin/educator-applications?status=pending", nil)
	admin.send(http.MethodPatch, path+"/approve", object{"note": nil})
	b.send(http.MethodGet, "/api/educator/application-status", nil)
	b.send(http.MethodGet, "/api/educator/courses", nil) // with the token from before
}

func (b browser) administer() {
	b.t.Helper()
	for _, path := range []string{"stats", "chart-data", "courses", "purchases?status=all"} {
		b.send(http.MethodGet, "/api/admin/"+path, nil)
	}
	for _, u := range objects(b.send(http.MethodGet, "/api/admin/users", nil)["users"]) {
		status, header, _ := b.raw(http.MethodGet, fmt.Sprint(u["imageUrl"]), journeyOrigin, "",
			nil)
		if status != http.StatusOK || header.Get("Content-Type") != "image/svg+xml" {
			b.t.Errorf("the picture of %v: status %d, %s", u["_id"], status,
				header.Get("Content-Type"))
		}
	}
	for _, page := range []string{b.api, b.sandbox} {
		if status, _, _ := (browser{t: b.t}).raw(http.MethodGet, page+"/favicon.ico", page, "",
			nil); status != http.StatusOK {
			b.t.Errorf("%s/favicon.ico: status %d", page, status)
		}
	}
}
