package main

import (
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/internal/till"
)

// instances are two servers behind a proxy, which share a database, Redis and a bucket. Requests of
// the deployment go to the proxy.
type instances struct {
	*proxied
	shop   *deployment
	direct [2]string // URLs of the servers
}

// newInstances starts them, as newProxied does.
func newInstances(t *testing.T, more environment, edits ...string) *instances {
	t.Helper()
	shared := newBucketService(t).settings(maps.Clone(more))
	shared["LEARNING_REDIS_URL"] = enginetest.StartRedis(t).URL() + "?timeout=1m"
	f := &instances{proxied: newProxied(t, shared, edits...)}
	database := f.env["LEARNING_DATABASE"]
	f.shop = &deployment{box: f.box, till: till.Gateway(f.box), env: f.env, database: database,
		db: openDatabase(t, database), url: f.open}
	for i, addr := range f.addrs {
		f.direct[i] = "http://" + addr
	}
	return f
}

// wantBoth checks the status of a route for a user on each server.
func (f *instances) wantBoth(t *testing.T, status int, path string, by student) {
	t.Helper()
	for i, server := range f.direct {
		got := requestAt(t.Context(), server, http.MethodGet, path, by, "")
		if got.status != status {
			t.Errorf("%s of %s on server %d: %d %s, want %d", path, by.id, i, got.status, got.body,
				status)
		}
	}
}

func TestInstances_ActAsOneServer(t *testing.T) {
	t.Parallel()
	f := newInstances(t, environment{})
	people := f.shop.students(t, 10)
	f.wantSharedLimit(t, people[0])
	f.wantSharedRole(t, people[1], people[2])
	f.wantSharedPicture(t, people[2])
	f.wantSharedQuiz(t, people[3:])
}

// wantSharedLimit checks that a user has the limit of payments once, over both servers.
func (f *instances) wantSharedLimit(t *testing.T, who student) {
	t.Helper()
	const limit = 10
	got := map[int]int{}
	for range 2 * limit {
		got[f.shop.request(t.Context(), http.MethodPost, "/api/user/purchase", who, `{}`).status]++
	}
	if refused := got[http.StatusTooManyRequests]; refused != limit || got[0] != 0 {
		t.Errorf("of %d requests %d were refused: %v", 2*limit, refused, got)
	}
	for i, log := range f.logs {
		await(t, "both servers to have counted",
			func() bool { return strings.Contains(log.String(), `"route":"purchase.create"`) })
		if strings.Contains(log.String(), "not shared") {
			t.Errorf("server %d has counted alone", i)
		}
	}
}

// wantSharedRole makes a user an administrator, who makes another an educator. Both servers let
// them in at once, with the tokens of before.
func (f *instances) wantSharedRole(t *testing.T, admin, educator student) {
	t.Helper()
	const applications, courses = "/api/admin/educator-applications", "/api/educator/courses"
	f.wantBoth(t, http.StatusForbidden, applications, admin)
	f.wantBoth(t, http.StatusForbidden, courses, educator)
	f.shop.printed(t, "admin", admin.id)
	f.wantBoth(t, http.StatusOK, applications, admin)

	wish := `{"professionalTitle":"Baker","bio":"I bake.","expertise":["Bread"]}`
	if a := requestAt(t.Context(), f.direct[0], http.MethodPost, "/api/educator/apply", educator,
		wish); a.status != http.StatusOK {
		t.Fatalf("apply: %d %s", a.status, a.body)
	}
	_, list := call(t, http.MethodGet, f.direct[1]+applications, admin.token, "")
	id := list["applications"].([]any)[0].(map[string]any)["_id"].(string)
	if a := requestAt(t.Context(), f.direct[1], http.MethodPatch, applications+"/"+id+"/approve",
		admin, ""); a.status != http.StatusOK {
		t.Fatalf("approve: %d %s", a.status, a.body)
	}
	f.wantBoth(t, http.StatusOK, courses, educator)
}

// wantSharedPicture uploads a picture to one server. Both serve it.
func (f *instances) wantSharedPicture(t *testing.T, educator student) {
	t.Helper()
	status, courses := addCourse(t, f.direct[0], educator.token)
	if status != http.StatusOK || len(courses) != 1 {
		t.Fatalf("add a course: status %d, courses %v", status, courses)
	}
	picture, err := url.Parse(courses[0].(map[string]any)["courseThumbnail"].(string))
	if err != nil {
		t.Fatal(err)
	}
	f.wantBoth(t, http.StatusOK, picture.Path, student{})
}

// wantSharedQuiz has all people ask both servers at the same time for a quiz that is not written
// yet.
func (f *instances) wantSharedQuiz(t *testing.T, people []student) {
	t.Helper()
	f.shop.startBuyers(t, people, f.open).wait(t)
	_, course := call(t, http.MethodGet, f.open+"/api/course/paid", "", "")
	chapter := at(t, course, "courseData", "courseContent", 0, "chapterId").(string)
	answers := make([]answer, 2*len(people))
	var all sync.WaitGroup
	for i := range answers {
		all.Go(func() {
			answers[i] = requestAt(t.Context(), f.direct[i%2], http.MethodGet,
				"/api/quiz/paid/"+chapter, people[i/2], "")
		})
	}
	all.Wait()
	for _, a := range answers {
		if a.status != http.StatusOK || a.body != answers[0].body {
			t.Errorf("the quiz: %d %s, and another answer was %s", a.status, a.body,
				answers[0].body)
		}
	}
	if calls := len(f.box.AI().Calls()); calls != 1 {
		t.Errorf("%d calls of the AI for one quiz", calls)
	}
}
