package learningtest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// exampleT takes the place of the *testing.T that a test has.
type exampleT struct {
	testing.TB
	cleanups []func()
}

func (*exampleT) Helper()                  {}
func (*exampleT) Context() context.Context { return context.Background() }
func (*exampleT) Fatal(args ...any)        { log.Fatal(args...) }
func (t *exampleT) Cleanup(f func())       { t.cleanups = append([]func(){f}, t.cleanups...) }

func (t *exampleT) TempDir() string {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func (t *exampleT) end() {
	for _, f := range t.cleanups {
		f()
	}
}

// A test buys a course. The sandbox takes the place of the payment gateway.
func ExampleNew() {
	t := &exampleT{} // in a test: the *testing.T
	defer t.end()

	kit := learningtest.New(t)
	ada := kit.Person(t, "ada", core.Student)
	course := kit.Course(t, "sailing", 499_00)
	kit.Buy(t, ada, course)

	enrolled, err := kit.Platform.Study.EnrolledCourses(
		context.Background(), ada, learning.PageRequest{Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println("ada is enrolled in", enrolled.Rows[0].Title)
	// Output: ada is enrolled in Course sailing
}

// A test calls the host's handler as a browser does, and the sandbox sends its webhooks to
// it.
func ExampleKit_Serve() {
	t := &exampleT{} // in a test: the *testing.T
	defer t.end()

	kit := learningtest.New(t)
	api, err := httpapi.New(kit.Platform)
	if err != nil {
		t.Fatal(err)
	}
	url := kit.Serve(t, http.StripPrefix("/school", api), "/school")
	token := kit.Token(t, kit.Person(t, "ada", core.Student).UserID)

	rename := sandbox.User{ID: "ada", FirstName: "Ada", LastName: "Lovelace",
		Email: "ada@example.com"}
	if err := errors.Join(kit.Sandbox.Identity().PutUser(rename),
		kit.Sandbox.Wait(t.Context())); err != nil {
		t.Fatal(err)
	}
	request, _ := http.NewRequest(http.MethodGet, url+"/api/user/data", nil)
	request.Header.Set("Authorization", "Bearer "+token)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, _ := io.ReadAll(answer.Body)
	fmt.Println(answer.StatusCode, strings.Contains(string(body), "Ada Lovelace"))
	// Output: 200 true
}
