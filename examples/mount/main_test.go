package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/learning/media"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/sandbox"
	"github.com/openlectern/openlectern/learning/store/sqlite"
	"github.com/openlectern/openlectern/learning/tutor"
)

// model answers in two parts. It sends the second part when heard is closed.
type model struct {
	tutor.AI
	heard chan struct{}
}

func (m model) Stream(ctx context.Context, _ tutor.AIRequest,
	write func(string) error) (tutor.AIReply, error) {
	if err := write("Because "); err != nil {
		return tutor.AIReply{}, err
	}
	select {
	case <-m.heard:
	case <-ctx.Done():
		return tutor.AIReply{}, ctx.Err()
	}
	return tutor.AIReply{Text: "Because of the wind."}, write("of the wind.")
}

// host is the server with one of the routers.
type host struct {
	*testing.T
	url      string
	sessions *sessions
	box      *sandbox.Sandbox
	model    model
}

func start(t *testing.T, router string) *host {
	t.Helper()
	st, err := sqlite.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "learning.db"))
	check(t, err)
	t.Cleanup(func() { _ = st.Close() })
	check(t, st.Migrate(t.Context()))
	server := httptest.NewUnstartedServer(nil)
	h := &host{T: t, url: "http://" + server.Listener.Addr().String(), sessions: newSessions(),
		model: model{heard: make(chan struct{})}}
	disk, err := media.NewDisk(t.TempDir(), h.url+prefix+"/media")
	check(t, err)
	t.Cleanup(func() { _ = disk.Close() })
	h.box, err = sandbox.Listen(sandbox.Config{WebhookURL: h.url + prefix})
	check(t, err)
	server.Config.Handler = servers[router](school(st, disk, h.model, h.box.Config(), h.sessions,
		h.url), h.sessions)
	server.Start()
	t.Cleanup(func() { server.Close(); h.box.Close() })
	return h
}

// client is a browser: it has a cookie of the server, or none.
type client struct {
	*host
	http.Client
}

// as returns the browser of a user, who signs in, or of a visitor, who is "".
func (h *host) as(user string) *client {
	h.Helper()
	c := &client{host: h}
	if user != "" {
		c.signIn(user)
	}
	return c
}

func (c *client) signIn(user string) {
	c.Helper()
	jar, err := cookiejar.New(nil)
	check(c.T, err)
	c.Jar = jar
	answer, err := c.PostForm(c.url+"/sign-in", url.Values{"user": {user}})
	check(c.T, err)
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		c.Fatalf("sign in as %s: %s", user, answer.Status)
	}
}

// send makes a request below the prefix. headers are name, value, name, value.
func (c *client) send(method, path, body string, headers ...string) *http.Response {
	c.Helper()
	r, err := http.NewRequestWithContext(c.Context(), method, c.url+prefix+path,
		strings.NewReader(body))
	check(c.T, err)
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	answer, err := c.Do(r)
	check(c.T, err)
	c.Cleanup(func() { _ = answer.Body.Close() })
	return answer
}

// call makes a request that must succeed, and decodes the answer.
func call[T any](c *client, method, path, body string, headers ...string) (answer T) {
	c.Helper()
	got := c.send(method, path, body, headers...)
	text, err := io.ReadAll(got.Body)
	check(c.T, err)
	if got.StatusCode != http.StatusOK {
		c.Fatalf("%s %s: %s %s", method, path, got.Status, text)
	}
	check(c.T, json.Unmarshal(text, &answer))
	return answer
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// upload publishes a course with a thumbnail, and returns its id.
func (c *client) upload() string {
	c.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	check(c.T, w.WriteField("courseData",
		`{"courseTitle": "Sailing", "courseDescription": "", "coursePrice": 499, "discount": 0, "courseContent": [
		{"chapterTitle": "Knots", "chapterContent": [{"lectureTitle": "The bowline", "lectureDuration": 5, "lectureUrl": "https://v.example.com/a"}]}]}`))
	picture, err := w.CreateFormFile("image", "sailing.png")
	check(c.T, err)
	check(c.T, png.Encode(picture, image.NewGray(image.Rect(0, 0, 8, 8))))
	check(c.T, w.Close())
	return call[struct{ CourseID string }](c, http.MethodPost, "/api/educator/add-course",
		form.String(), "Content-Type", w.FormDataContentType()).CourseID
}

type courses struct {
	Courses []struct {
		ID        string `json:"_id"`
		Thumbnail string `json:"courseThumbnail"`
	}
}

func TestRouters_ServeThePlatformBelowThePrefix(t *testing.T) {
	for router := range servers {
		t.Run(router, func(t *testing.T) {
			h := start(t, router)
			id := h.as("ada").upload()
			listed := call[courses](h.as(""), http.MethodGet, "/api/course/all", "").Courses
			if len(listed) != 1 || listed[0].ID != id {
				t.Fatalf("the catalogue has %v, want %s", listed, id)
			}
			thumbnail, err := http.Get(listed[0].Thumbnail)
			check(t, err)
			defer thumbnail.Body.Close()
			if thumbnail.Header.Get("Content-Type") != "image/png" {
				t.Errorf("the thumbnail %s answers %s", listed[0].Thumbnail, thumbnail.Status)
			}
			ben := h.as("ben")
			ben.buy(id)
			ben.askTutor()
			ben.sendFromOtherOrigins()
			h.as("root").readUsers()
		})
	}
}

// buy pays for a course; the webhook of the gateway enrols the buyer.
func (c *client) buy(course string) {
	c.Helper()
	order := call[struct{ OrderID string }](c, http.MethodPost, "/api/user/purchase",
		`{"courseId": "`+course+`"}`)
	_, err := c.box.Gateway().Pay(order.OrderID)
	check(c.T, err)
	check(c.T, c.box.Wait(c.Context()))
	enrolled := call[struct{ EnrolledCourses []any }](c, http.MethodGet,
		"/api/user/enrolled-courses", "").EnrolledCourses
	if len(enrolled) != 1 {
		c.Errorf("enrolled in %v", enrolled)
	}
}

// askTutor reads the first part of an answer before the model has sent the second.
func (c *client) askTutor() {
	c.Helper()
	answer := c.send(http.MethodPost, "/api/user/ai-chat", `{"content": "Why?"}`, "Accept",
		"text/event-stream")
	lines := bufio.NewScanner(answer.Body)
	for lines.Scan() && !strings.Contains(lines.Text(), "Because ") {
	}
	close(c.model.heard)
	rest := ""
	for lines.Scan() {
		rest += lines.Text() + "\n"
	}
	if err := lines.Err(); err != nil || !strings.Contains(rest, "of the wind.") ||
		!strings.Contains(rest, "event: done") {
		c.Errorf("the tutor answers %s with the rest %q and the error %v", answer.Status, rest, err)
	}
}

// readUsers reads a list of the administration that is longer than what is written at once.
func (c *client) readUsers() {
	c.Helper()
	const users = 60
	image := "https://images.example.org/" + strings.Repeat("x", 1900)
	for i := range users {
		check(c.T, c.sessions.platform.System().ApplyIdentityEvent(c.Context(),
			people.IdentityEvent{
				Type: people.UserCreated,
				User: people.IdentityUser{ID: fmt.Sprint("user_", i), ImageURL: image}}))
	}
	answer := c.send(http.MethodGet, "/api/admin/users", "")
	var list struct{ Users []any }
	check(c.T, json.NewDecoder(answer.Body).Decode(&list))
	if len(list.Users) < users || answer.ContentLength >= 0 {
		c.Errorf("the list has %d users and the length %d", len(list.Users), answer.ContentLength)
	}
}

// sendFromOtherOrigins makes requests that the pages of another site could make.
func (c *client) sendFromOtherOrigins() {
	c.Helper()
	const visit = `{"page": "Course", "path": "/course", "duration": 1}`
	for origin, want := range map[string]int{c.url: http.StatusOK,
		"https://other.example.org": http.StatusForbidden} {
		if got := c.send(http.MethodPost, "/api/user/track-time", visit, "Origin",
			origin); got.StatusCode != want {
			c.Errorf("from %s: %s, want %d", origin, got.Status, want)
		}
	}
}

func TestRouters_CookieDecidesWhoCalls(t *testing.T) {
	for router := range servers {
		t.Run(router, func(t *testing.T) {
			h := start(t, router)
			for user, want := range map[string]int{"": http.StatusUnauthorized,
				"ben": http.StatusForbidden, "root": http.StatusOK} {
				answer := h.as(user).send(http.MethodGet, "/api/admin/stats", "")
				if answer.StatusCode != want ||
					!strings.Contains(strings.Join(answer.Header["Vary"], ","), "Cookie") {
					t.Errorf("user %q: %s with %v, want %d", user, answer.Status,
						answer.Header["Vary"], want)
				}
			}
		})
	}
}
