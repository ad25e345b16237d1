package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// serve returns the URLs of a platform with two courses and one student, and of its sandbox.
func serve(t *testing.T) (api, sandbox string) {
	t.Helper()
	kit := learningtest.New(t)
	kit.Course(t, "course-1", 499_00)
	kit.Course(t, "course-2", 0)
	kit.Person(t, "user_student", core.Student)
	handler, err := httpapi.New(kit.Platform)
	if err != nil {
		t.Fatal(err)
	}
	return kit.Serve(t, handler, ""), kit.Sandbox.Config().URL
}

func TestRun_BuysTheCoursesOneAfterTheOther(t *testing.T) {
	api, sandbox := serve(t)
	for _, want := range []struct {
		text    string
		courses int
	}{{"for 49900 INR", 1}, {"for 0 INR", 2}, {"You are already enrolled in this course", 2}} {
		var out bytes.Buffer
		if err := run(t.Context(), api, sandbox, "user_student", &out); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), want.text) ||
			strings.Count(out.String(), "enrolled in Course") != want.courses {
			t.Errorf("want %q and %d courses:\n%s", want.text, want.courses, out.String())
		}
	}
}

func TestRun_ReturnsTheFailureOfTheAPI(t *testing.T) {
	api, sandbox := serve(t)
	err := run(t.Context(), api+"/nowhere", sandbox, "user_student", &bytes.Buffer{})
	if err == nil || !strings.Contains(err.Error(), "404 Not Found: Route not found") {
		t.Errorf("got %v", err)
	}
}

const generated = "lectern/client.gen.go"

var generatorVersion = regexp.MustCompile(`oapi-codegen@(v\S+) -config generate.yaml`)

// generate makes a client from the document of a server with generate.yaml, changed by change,
// and returns the code.
func generate(t *testing.T, change func(config string) string) string {
	t.Helper()
	program := "../../.cache/oapi-codegen-" +
		generatorVersion.FindStringSubmatch(read(t, "main.go"))[1] + "/oapi-codegen"
	_, err := os.Stat(program)
	enginetest.Need(t, "oapi-codegen", err)
	api, _ := serve(t)
	file := filepath.Join(t.TempDir(), "client.go")
	config := filepath.Join(t.TempDir(), "generate.yaml")
	text := strings.Replace(change(read(t, "generate.yaml")), "output: "+generated, "output: "+file,
		1)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(program, "-config", config,
		api+"/openapi.json").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return read(t, file)
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestClient_IsGeneratedFromThisDocument(t *testing.T) {
	stored := read(t, generated)
	if stored != generate(t, func(config string) string { return config }) {
		t.Errorf("%s is out of date: start cmd/refserver, then run go generate ./examples/client",
			generated)
	}
}

// TestClient_OfTheWholeAPI generates a client of every route, as a reader does who removes
// include-operation-ids from generate.yaml.
func TestClient_OfTheWholeAPI(t *testing.T) {
	code := generate(t, func(config string) string {
		return regexp.MustCompile(`(?m)^ *include-operation-ids.*$`).ReplaceAllString(config, "")
	})
	for _, name := range []string{"Course", "Lecture", "User", "Certificate", "Quiz", "Post",
		"Reply", "Application", "PurchaseReport", "Failure"} {
		if !strings.Contains(code, "\ntype "+name+" struct {") {
			t.Errorf("the client has no type %s", name)
		}
	}
}
