package contracttest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file in which each line of the format occurs.
const wishFile = `# Wishes of a user.
POST /api/user/wishes
Authorization: Bearer {{token student}}
Content-Type: application/json

HTTP/1.1
Content-Type: application/json; charset=utf-8
RateLimit-Limit: 60
RateLimit-Remaining: 59
Vary: Origin

### success: A wish is stored.
# A second line.
callers: signedIn
{"courseId":"course_go"}
HTTP/1.1 200 OK
{"success":true}
=== changes
+ wishes student course_go

### again: The second request shows the rest of the limit, and needs no preflight.
given: the request was sent 1 time before
show: all headers
Authorization: Bearer {{token other_student}}
{"courseId":"course_go"}
HTTP/1.1 200 OK
RateLimit-Remaining: 58
-Vary
{"success":true}

### list: Another request, without a body.
GET /api/user/wishes
-Content-Type
HTTP/1.1 204 No Content
-Content-Type
-RateLimit-*

### text

data: a text that looks like a header
HTTP/1.1 400 Bad Request

data: another
`

// TestCaseFile_SaysCommonLinesOnce reads a file and writes it again.
func TestCaseFile_SaysCommonLinesOnce(t *testing.T) {
	t.Parallel()
	f, err := parseCaseFile("wish.add.http", wishFile)
	check(t, err)
	if got := f.text(); got != wishFile {
		t.Errorf("the file is written as\n%s", got)
	}
	const json = "Content-Type: application/json"
	for i, want := range []Case{
		{Name: "success", Callers: "signedIn", Changes: "+ wishes student course_go\n",
			Request: "POST /api/user/wishes\nAuthorization: Bearer {{token student}}\n" + json +
				"\n\n{\"courseId\":\"course_go\"}",
			Answer: "HTTP/1.1 200 OK\n" + json + "; charset=utf-8\nRateLimit-Limit: 60\n" +
				"RateLimit-Remaining: 59\nVary: Origin\n\n{\"success\":true}\n"},
		{Name: "again", Request: "POST /api/user/wishes\n" + json +
			"\nAuthorization: Bearer {{token other_student}}\n\n{\"courseId\":\"course_go\"}",
			Answer: "HTTP/1.1 200 OK\n" + json + "; charset=utf-8\nRateLimit-Limit: 60\n" +
				"RateLimit-Remaining: 58\n\n{\"success\":true}\n"},
		{Name: "list", Request: "GET /api/user/wishes\nAuthorization: Bearer {{token student}}",
			Answer: "HTTP/1.1 204 No Content\nVary: Origin\n\n"},
		{Name: "text", Request: "POST /api/user/wishes\nAuthorization: Bearer {{token student}}\n" +
			json + "\n\ndata: a text that looks like a header",
			Answer: "HTTP/1.1 400 Bad Request\n" + json + "; charset=utf-8\n" +
				"RateLimit-Limit: 60\nRateLimit-Remaining: 59\nVary: Origin\n\ndata: another\n"},
	} {
		got := f.cases[i]
		if got.Name != want.Name || got.Callers != want.Callers || got.Request != want.Request ||
			got.Answer != want.Answer || got.Changes != want.Changes {
			t.Errorf("case %d is\n%+v\nwant\n%+v", i, got, want)
		}
	}
	if again := f.cases[1]; len(again.givens) != 1 || !again.allHeaders {
		t.Errorf("the case again has the preconditions %q", again.givens)
	}
}

// TestCaseFile_KeepsWhatIsNotRewritten writes the first answers of a new file, whose head ends with
// the request or with the mark of an answer.
func TestCaseFile_KeepsWhatIsNotRewritten(t *testing.T) {
	t.Parallel()
	head, _, _ := strings.Cut(wishFile, "HTTP/1.1\n")
	writeFirstAnswers(t, head)
	writeFirstAnswers(t, head+"HTTP/1.1\n\n")
}

// writeFirstAnswers writes all answers of wishFile into a file that has its cases and a head.
func writeFirstAnswers(t *testing.T, head string) {
	t.Helper()
	_, cases, _ := strings.Cut(wishFile, "HTTP/1.1\n")
	_, cases, _ = strings.Cut(cases, "\n\n")
	unanswered := head
	for _, section := range strings.SplitAfter(cases, "\n\n### ") {
		request, _, answered := strings.Cut(section, "HTTP/1.1 ")
		if unanswered += request; answered && strings.HasSuffix(section, "### ") {
			unanswered += "\n### "
		}
	}
	full, err := parseCaseFile("wish.add.http", wishFile)
	check(t, err)
	f, err := parseCaseFile(filepath.Join(t.TempDir(), "wish.add.http"), unanswered)
	check(t, err)
	for i, c := range f.cases {
		if c.Answer != "" {
			t.Errorf("%s has the answer %q", c.Name, c.Answer)
		}
		check(t, c.write(full.cases[i].Answer, full.cases[i].Changes))
	}
	got, err := os.ReadFile(f.name)
	check(t, err)
	if string(got) != wishFile {
		t.Errorf("the file is\n%s", got)
	}
}

// TestCaseFile_SaysRepeatedTextsOnce reads and writes a body and changes that two cases have.
func TestCaseFile_SaysRepeatedTextsOnce(t *testing.T) {
	t.Parallel()
	const body, changes = "{\n  \"a\": 1,\n  \"b\": 2\n}\n", "+ a\n    a: 1\n    b: 2\n    c: 3\n"
	const first = "GET /api/a\n\nHTTP/1.1\nVary: Origin\n\n### success\nHTTP/1.1 200 OK\n" + body +
		"=== changes\n" + changes + "\n### again\nHTTP/1.1 201 Created\n"
	const once = first + "=== body of success\n=== changes of success\n"
	for _, text := range []string{once, first + body + "=== changes\n" + changes} {
		f, err := parseCaseFile("a.http", text)
		check(t, err)
		if got := f.text(); got != once {
			t.Errorf("the file is written as\n%s", got)
		}
		again := f.cases[1]
		if want := "HTTP/1.1 201 Created\nVary: Origin\n\n" + body; again.Answer != want ||
			again.Changes != changes {
			t.Errorf("the case is %q with the changes %q", again.Answer, again.Changes)
		}
	}
	for _, mark := range []string{"=== body of none", "=== changes of none"} {
		_, err := parseCaseFile("a.http", first+mark+"\n")
		if err == nil || !strings.Contains(err.Error(), `no case "none" precedes it`) {
			t.Errorf("%s: %v", mark, err)
		}
	}
}

// TestCaseFile_ChangesTheHead writes answers after a limit was changed.
func TestCaseFile_ChangesTheHead(t *testing.T) {
	t.Parallel()
	f, err := parseCaseFile(filepath.Join(t.TempDir(), "wish.add.http"), wishFile)
	check(t, err)
	for _, c := range f.cases {
		check(t, c.write(strings.Replace(c.Answer, "Limit: 60", "Limit: 30", 1), c.Changes))
	}
	got, err := os.ReadFile(f.name)
	check(t, err)
	if want := strings.Replace(wishFile, "Limit: 60", "Limit: 30", 1); string(got) != want {
		t.Errorf("the file is\n%s", got)
	}
}

// TestCaseFile_RefusesWhatItWouldMisread checks files that have an error, and an answer that the
// format cannot express.
func TestCaseFile_RefusesWhatItWouldMisread(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"no case":                    "GET /\n",
		"no request":                 "### a\n",
		"two cases with one name":    "GET /\n\n### a\n\n### a\n",
		"a line before the request":  "### a\n\nGET /\n",
		"a request line in the body": "POST /\n\n### a\n\nGET /\n",
		"a misspelt line":            "GET /\n\n### a\nshow: all heads\n",
	} {
		if _, err := parseCaseFile("a.http", text); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	f, err := parseCaseFile(filepath.Join(t.TempDir(), "a.http"), "GET /\n\n### a\n")
	check(t, err)
	if err := f.cases[0].write("HTTP/1.1 200 OK\n\n### b\n", ""); err == nil {
		t.Error("a body that begins another case is written")
	}
}

func TestKeepMarks_OfHeadersThatMatch(t *testing.T) {
	t.Parallel()
	old := "HTTP/1.1 200 OK\nContent-Length: <length>\nETag: \"<hash>\"\n\n{}\n"
	got := keepMarks(old, "HTTP/1.1 200 OK\nContent-Length: 42\nETag: \"1\"\n\n{\"a\":1}\n")
	if want := "HTTP/1.1 200 OK\nContent-Length: <length>\nETag: \"1\"\n\n{\"a\":1}\n"; got != want {
		t.Errorf("the answer is\n%s", got)
	}
}

// TestIndented_IsReadBackUnchanged checks that no character of a JSON body is lost.
func TestIndented_IsReadBackUnchanged(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("x", longLine)
	answer := `HTTP/1.1 200 OK` + "\n\n" + `{"a":[1,{"b, c: \"":"d, \\"}],"e":1.50,"f":"` + text +
		`","g":{},"h":[]}` + "\n"
	want := "HTTP/1.1 200 OK\n\n{\n  \"a\": [1, {\"b, c: \\\"\": \"d, \\\\\"}],\n  \"e\": 1.50,\n  \"f\": \"" +
		text + "\",\n  \"g\": {},\n  \"h\": []\n}\n"
	got := Indented(answer)
	if got != want {
		t.Errorf("the answer is written as\n%s", got)
	}
	if back := Compacted(got); back != answer {
		t.Errorf("it is read back as\n%s", back)
	}
}
