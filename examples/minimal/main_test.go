package main

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	"image/png"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/openlectern/openlectern/learning/media"
	"github.com/openlectern/openlectern/learning/sandbox"
	"github.com/openlectern/openlectern/learning/store/sqlite"
)

// start runs the routes of the example on a free port, with the sandbox as providers.
func start(t *testing.T) (url string, box *sandbox.Sandbox) {
	t.Helper()
	st, err := sqlite.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "learning.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	srv := httptest.NewUnstartedServer(nil)
	url = "http://" + srv.Listener.Addr().String()
	disk, err := media.NewDisk(t.TempDir(), url+"/media")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = disk.Close() })
	if box, err = sandbox.Listen(sandbox.Config{WebhookURL: url}); err != nil {
		t.Fatal(err)
	}
	platform, handler := routes(st, disk, box.Config())
	srv.Config.Handler = handler
	srv.Start()
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { platform.Run(ctx) })
	t.Cleanup(func() { stop(); running.Wait(); srv.Close(); box.Close() })
	return url, box
}

// join creates a user at the sandbox, which sends the event to the platform, and returns a token.
func join(t *testing.T, box *sandbox.Sandbox, user sandbox.User) (token string) {
	t.Helper()
	if err := box.Identity().PutUser(user); err != nil {
		t.Fatal(err)
	}
	if err := box.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	token, err := box.Identity().Token(user.ID)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// send makes a request, fails the test unless it succeeds, and returns the answer.
func send(t *testing.T, method, url, token, contentType string, body io.Reader) map[string]any {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", contentType)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var answer map[string]any
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil || answer["success"] != true {
		t.Fatalf("%s: status %d, %v, %v", url, res.StatusCode, answer, err)
	}
	return answer
}

// course returns a form that uploads a course with a thumbnail.
func course(t *testing.T) (contentType string, form io.Reader) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	data, err := w.CreateFormField("courseData")
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(data,
		`{"courseTitle": "Engines", "courseDescription": "", "coursePrice": 499, "discount": 0, "courseContent": [
		{"chapterTitle": "One", "chapterContent": [{"lectureTitle": "A", "lectureDuration": 5, "lectureUrl": "https://v.example.com/a"}]}]}`)
	picture, err := w.CreateFormFile("image", "engines.png")
	if err != nil {
		t.Fatal(err)
	}
	if err := png.Encode(picture, image.NewGray(image.Rect(0, 0, 8, 8))); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return w.FormDataContentType(), &b
}

func TestRoutes_PublishAndBuyACourse(t *testing.T) {
	url, box := start(t)
	educator := join(t, box, sandbox.User{ID: "user_1", FirstName: "Ada", Role: "educator"})
	student := join(t, box, sandbox.User{ID: "user_2", FirstName: "Ben"})

	contentType, form := course(t)
	id := send(t, http.MethodPost, url+"/api/educator/add-course", educator, contentType,
		form)["courseId"].(string)
	order := send(t, http.MethodPost, url+"/api/user/purchase", student, "application/json",
		strings.NewReader(`{"courseId": "`+id+`"}`))["orderId"].(string)
	payment, err := box.Gateway().Pay(order)
	if err != nil {
		t.Fatal(err)
	}
	proof, err := json.Marshal(map[string]string{
		"gateway_order_id": order, "gateway_payment_id": payment.ID,
		"gateway_signature": box.Gateway().Signature(order, payment.ID)})
	if err != nil {
		t.Fatal(err)
	}
	send(t, http.MethodPost, url+"/api/user/verify-gateway", student, "application/json",
		bytes.NewReader(proof))

	user := send(t, http.MethodGet, url+"/api/user/data", student, "", nil)["user"].(map[string]any)
	if courses := user["enrolledCourses"].([]any); len(courses) != 1 || courses[0] != id {
		t.Errorf("enrolled in %v", courses)
	}
	listed := send(t, http.MethodGet, url+"/api/course/all", "", "", nil)["courses"].([]any)
	thumbnail := listed[0].(map[string]any)["courseThumbnail"].(string)
	if status := get(t, thumbnail); status != http.StatusOK {
		t.Errorf("the thumbnail %s answers %d", thumbnail, status)
	}
	if status := get(t, url+"/about"); status != http.StatusOK {
		t.Errorf("the server's own page answers %d", status)
	}
}

func get(t *testing.T, url string) (status int) {
	t.Helper()
	res, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	return res.StatusCode
}

// TestDocumentation_ShowsThisProgram compares main.go with the code in the package
// comment and in the README, so that the documented program is the tested one.
func TestDocumentation_ShowsThisProgram(t *testing.T) {
	source, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	_, program, _ := strings.Cut(string(source), "\nfunc main()")
	program = "func main()" + program
	doc, err := os.ReadFile("../../doc.go")
	if err != nil {
		t.Fatal(err)
	}
	var shown strings.Builder
	for line := range strings.Lines(string(doc)) {
		line = strings.TrimPrefix(strings.TrimPrefix(line, "//"), "\t")
		shown.WriteString(line)
	}
	if !strings.Contains(shown.String(), program) {
		t.Error("doc.go does not show the program of main.go")
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(readme), program) {
		t.Error("README.md does not show the program of main.go")
	}
}
