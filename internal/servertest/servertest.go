// Package servertest has what tests and benchmarks of the reference server share: those of
// cmd/refserver, and those of the module checks.
package servertest

import (
	"bytes"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"testing"

	"github.com/openlectern/openlectern/learning/sandbox"
)

// Settings returns the settings of a server in production that name the identity provider and the
// gateway of a sandbox.
func Settings(box sandbox.Config) map[string]string {
	return map[string]string{
		"LEARNING_IDENTITY_JWKS_URL":       box.URL + "/.well-known/jwks.json",
		"LEARNING_IDENTITY_ISSUER":         box.URL,
		"LEARNING_IDENTITY_API_URL":        box.URL,
		"LEARNING_IDENTITY_API_KEY":        box.IdentityAPIKey,
		"LEARNING_IDENTITY_WEBHOOK_SECRET": box.IdentityWebhookSecret,
		"LEARNING_GATEWAY_URL":             box.URL,
		"LEARNING_GATEWAY_KEY_ID":          box.GatewayKeyID,
		"LEARNING_GATEWAY_KEY_SECRET":      box.GatewayKeySecret,
		"LEARNING_GATEWAY_WEBHOOK_SECRET":  box.GatewayWebhookSecret,
	}
}

// Send sends a request, and returns the status and the body of the answer. If there is none, the
// status is 0 and the body is the error.
func Send(r *http.Request) (status int, body string) {
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err.Error()
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, err.Error()
	}
	return res.StatusCode, string(b)
}

// aCourse is the data of a new course.
const aCourse = `{"courseTitle":"Large","courseDescription":"","coursePrice":0,"discount":0,
	"courseContent":[{"chapterTitle":"One","chapterContent":[{"lectureTitle":"A",
	"lectureDuration":1,"lectureUrl":"https://v.example.com/a"}]}]}`

// CourseForm returns the body and the content type of a request that adds a course with a
// thumbnail.
func CourseForm(tb testing.TB, thumbnail []byte) (body []byte, contentType string) {
	tb.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	err := w.WriteField("courseData", aCourse)
	part, partErr := w.CreateFormFile("image", "large.png")
	if err = errors.Join(err, partErr); err == nil {
		_, err = part.Write(thumbnail)
	}
	if err = errors.Join(err, w.Close()); err != nil {
		tb.Fatal(err)
	}
	return form.Bytes(), w.FormDataContentType()
}
