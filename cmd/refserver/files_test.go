package main

import (
	"bytes"
	"errors"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/sandbox"
)

const material = "only for students"

// uploadFile uploads a text file with the content material, and returns its id.
func uploadFile(t *testing.T, server, token string) (fileID string) {
	t.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, err := w.CreateFormFile("file", "notes.txt")
	if err == nil {
		_, err = part.Write([]byte(material))
	}
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost,
		server+"/api/educator/files", &form)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", w.FormDataContentType())
	r.Header.Set("Authorization", "Bearer "+token)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	_, answer := call(t, http.MethodGet, server+"/api/educator/files", token, "")
	files, _ := answer["files"].([]any)
	if res.StatusCode != http.StatusOK || len(files) != 1 {
		t.Fatalf("status %d, files %v", res.StatusCode, files)
	}
	return files[0].(map[string]any)["fileId"].(string)
}

// addMaterial adds a free course with a lecture for each of some files, none of which is a free
// preview, and returns its id.
func addMaterial(t *testing.T, server, educator string, fileIDs ...string) (courseID string) {
	t.Helper()
	_, courses := addCourse(t, server, educator)
	courseID = courses[0].(map[string]any)["_id"].(string)
	var lectures []string
	for _, id := range fileIDs {
		lectures = append(lectures, fmt.Sprintf(
			`{"lectureTitle":"L","lectureDuration":1,"kind":"file","fileId":%q}`, id))
	}
	status, answer := call(t, http.MethodPatch, server+"/api/educator/courses/"+courseID, educator,
		`{"version":1,"coursePrice":0,"isPublished":true,"courseContent":[{"chapterTitle":"C",
			"chapterContent":[`+strings.Join(lectures, ",")+`]}]}`)
	if status != http.StatusOK {
		t.Fatalf("status %d, %v", status, answer)
	}
	return courseID
}

// lectureURLs returns the URLs of the lectures in an answer with a course of one chapter in a
// field.
func lectureURLs(t *testing.T, answer map[string]any, field string) (urls []string) {
	t.Helper()
	course, _ := answer[field].(map[string]any)
	chapters, _ := course["courseContent"].([]any)
	if len(chapters) == 0 {
		t.Fatalf("no chapters: %v", answer)
	}
	for _, lecture := range chapters[0].(map[string]any)["chapterContent"].([]any) {
		urls = append(urls, lecture.(map[string]any)["lectureUrl"].(string))
	}
	return urls
}

// An outsider finds no way to a file of a lecture: no answer has its URL, and no URL works that was
// not signed as it is. Secrets are rotated: a server with the new secret and the old one serves
// what was signed before, and one without the old secret does not.
func TestMaterial_OnlyBySignedURLs(t *testing.T) {
	t.Parallel()
	box := providers(t)
	env := configured(box, t.TempDir())
	env["LEARNING_FILES_SECRET"] = "the first secret"
	_, server, log := process(t, env)
	educator := join(t, box, server,
		sandbox.User{ID: "user_educator", Role: string(core.Educator)})
	admin := join(t, box, server, sandbox.User{ID: "user_admin", Role: string(core.Admin)})
	student := join(t, box, server, sandbox.User{ID: "user_student"})

	id := addMaterial(t, server, educator, uploadFile(t, server, educator))

	// Only who may read the lecture gets its URL.
	for who, token := range map[string]string{"nobody": "", "a student": student} {
		_, answer := call(t, http.MethodGet, server+"/api/course/"+id, token, "")
		if shown := lectureURLs(t, answer, "courseData"); shown[0] != "" {
			t.Errorf("%s gets %s", who, shown)
		}
	}
	enrolled := server + "/api/user/enrolled-courses/" + id
	if status, _ := call(t, http.MethodGet, enrolled, student, ""); status != http.StatusForbidden {
		t.Errorf("before the purchase: status %d", status)
	}
	call(t, http.MethodPost, server+"/api/user/purchase", student, `{"courseId":"`+id+`"}`)
	_, answer := call(t, http.MethodGet, enrolled, student, "")
	signed, err := url.Parse(lectureURLs(t, answer, "courseData")[0])
	if err != nil {
		t.Fatal(err)
	}
	get := func(server, path string) (int, string) {
		t.Helper()
		status, body := rawCall(t, http.MethodGet, server+path, "", "")
		return status, string(body)
	}
	if status, body := get(server, signed.RequestURI()); status != http.StatusOK || body != material {
		t.Fatalf("%s: %d %s", signed, status, body)
	}

	// No other URL works, also none that a user with access has changed.
	name := strings.TrimPrefix(signed.Path, filesPath+"/")
	for _, path := range []string{
		signed.Path, signed.Path + "?" + strings.Replace(signed.RawQuery, "until=1", "until=2", 1),
		signed.Path + "?" + strings.Replace(signed.RawQuery, "plain", "html", 1),
		signed.RequestURI() + "&more=1", filesPath + "/", filesPath + "/.incoming/" + name,
		filesPath + "/../media/.files/" + name, "/media/.files/" + name, "/media/" + name,
		"/media/%2efiles/" + name, "/media/%2e%2e/media/.files/" + name,
		"/media/.files%2f" + name, `/media/.files%5c` + name, "/media/.files/" + name + "?" + signed.RawQuery,
	} {
		if status, body := get(server, path); status != http.StatusForbidden &&
			status != http.StatusNotFound || strings.Contains(body, material) {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}

	// The access ends: there is no new URL, and the one from before works until its end.
	call(t, http.MethodDelete, server+"/api/admin/enrollments/user_student/"+id, admin, "")
	if status, answer := call(t, http.MethodGet, enrolled, student, ""); status !=
		http.StatusForbidden {
		t.Errorf("after the end: %d %v", status, answer)
	}
	for secret, want := range map[string]int{"a new secret ---,the first secret": http.StatusOK,
		"a new secret ---": http.StatusForbidden} {
		env["LEARNING_FILES_SECRET"] = secret
		_, other, _ := process(t, env)
		if status, body := get(other, signed.RequestURI()); status != want {
			t.Errorf("with the secret %s: %d %s", secret, status, body)
		}
	}
	if text := log.String(); strings.Contains(text, signed.Query().Get("signature")) ||
		strings.Contains(text, "the first secret") {
		t.Error("the log has a signature or a secret")
	}
}

func TestParseSize_Units(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{"1B": 1, "3kb": 3_000, "500MB": 500_000_000,
		" 2 GB ": 2_000_000_000, "": 0, "MB": 0, "1": 0, "-1GB": 0, "1.5GB": 0, "9999999999GB": 0} {
		if got, err := parseSize(text); got != want || (err == nil) != (want > 0) {
			t.Errorf("%q: %d, %v", text, got, err)
		}
	}
}
