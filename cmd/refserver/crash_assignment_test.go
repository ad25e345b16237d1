package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/learning/sandbox"
)

const essayCourse = `{"courses": [
	{"_id": "essays", "educatorId": "user_teacher", "courseTitle": "Essays", "courseDescription": "",
	 "coursePrice": 0, "courseContent": [{"chapterTitle": "One", "chapterContent": [
		{"lectureId": "essay", "lectureTitle": "Essay", "kind": "assignment",
		 "assignment": {"rubric": [{"criterion": "Content", "points": 10}], "files": true}}]}]}
]}`

const essayPath = "/api/user/assignments/essays/essay"

// essays is a deployment in which students submit work, and an admin decides on it, while the
// program is killed repeatedly.
type essays struct {
	*deployment
	admin   student
	running sync.RWMutex // locked for writing from each kill until the program runs again
	done    atomic.Int64 // requests that were answered
	failed  atomic.Int64 // requests that were not
}

// essayDecisions are the decisions on the submissions of each student, in their order.
var essayDecisions = []string{"returned", "graded", "returned", "graded"}

func newEssays(t *testing.T, database string) *essays {
	t.Helper()
	settings := newEventReceiver(t).settings("/hooks")
	settings["LEARNING_FILES_SECRET"] = "a secret of files"
	e := &essays{deployment: newDeployment(t, database, settings)}
	if code, _, stderr := commandWith(t, e.env, "import",
		write(t, t.TempDir(), "essays.json", essayCourse)); code != 0 {
		t.Fatal(stderr)
	}
	err := e.box.Identity().PutUserQuietly(sandbox.User{ID: "chief", Role: "admin"})
	if err != nil {
		t.Fatal(err)
	}
	e.admin.id = "chief"
	if e.admin.token, err = e.box.Identity().Token("chief"); err != nil {
		t.Fatal(err)
	}
	return e
}

// ask sends a request, and decodes the answer. It reports whether there was one: the program may be
// killed before. A refusal other than 409 is an error of the test.
func (e *essays) ask(
	t *testing.T, method, path string, s student, body string, to any,
) (status int, isAnswered bool) {
	a := e.request(t.Context(), method, path, s, body)
	switch a.status {
	case 0:
		e.awaitRunning()
		return 0, false
	case http.StatusOK:
		if err := json.Unmarshal([]byte(a.body), to); err != nil {
			t.Errorf("%s %s: %v: %s", method, path, err, a.body)
		}
	case http.StatusConflict:
	default:
		t.Errorf("%s %s of %s: %d %s", method, path, s.id, a.status, a.body)
	}
	e.done.Add(1)
	return a.status, true
}

// awaitRunning counts a request that was not answered, and waits until the program runs again.
func (e *essays) awaitRunning() {
	e.failed.Add(1)
	e.running.RLock()
	defer e.running.RUnlock()
}

// killAndStart kills the program, and starts it again.
func (e *essays) killAndStart(t *testing.T) {
	t.Helper()
	e.running.Lock()
	defer e.running.Unlock()
	e.kill()
	e.start(t)
}

// essayWork is the work of a student, as the API shows it.
type essayWork struct {
	Draft struct {
		Text  string
		Files []essayFile
	}
	Submissions []essaySubmission
}

type essaySubmission struct {
	ID       string `json:"_id"`
	Number   int
	Version  int
	Status   string
	Text     string
	Feedback string
	Files    []essayFile
}

type essayFile struct {
	ID   string `json:"fileId"`
	Name string
}

// upload uploads a file of a student. It reports whether it was answered.
func (e *essays) upload(t *testing.T, s student, name string) (id string, isAnswered bool) {
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, err := w.CreateFormFile("file", name)
	if err == nil {
		_, err = fmt.Fprint(part, name, " of ", s.id)
	}
	var r *http.Request
	if err = errors.Join(err, w.Close()); err == nil {
		r, err = http.NewRequestWithContext(t.Context(), http.MethodPost, e.at()+"/api/user/files",
			&form)
	}
	if err != nil {
		t.Error(err)
		return "", false
	}
	r.Header.Set("Content-Type", w.FormDataContentType())
	r.Header.Set("Authorization", "Bearer "+s.token)
	a := send(r)
	if a.status == 0 {
		e.awaitRunning()
		return "", false
	}
	e.done.Add(1)
	var body struct{ File essayFile }
	if err := json.Unmarshal([]byte(a.body), &body); err != nil || a.status != http.StatusOK {
		t.Errorf("upload of %s: %d %s", s.id, a.status, a.body)
	}
	return body.File.ID, true
}

// study does the next step of a student who submits as often as there are decisions. It reports
// whether all are made. After a request without an answer it looks at what is stored.
func (e *essays) study(t *testing.T, s student) (isDone bool) {
	var w essayWork
	if _, ok := e.ask(t, http.MethodGet, essayPath, s, "", &w); !ok {
		return false
	}
	if last := len(w.Submissions) - 1; last >= 0 && w.Submissions[last].Status == "submitted" {
		return false
	}
	n := len(w.Submissions) + 1
	if n > len(essayDecisions) {
		return true
	}
	file, ok := e.upload(t, s, fmt.Sprintf("%d.txt", n))
	if !ok {
		return false
	}
	draft := fmt.Sprintf(`{"text":"Work %d","fileIds":[%q]}`, n, file)
	if _, ok := e.ask(t, http.MethodPut, essayPath, s, draft, &struct{}{}); !ok {
		return false
	}
	e.ask(t, http.MethodPost, essayPath+"/submit", s, "", &struct{}{})
	return false
}

// studyAll lets a student study until all submissions are decided.
func (e *essays) studyAll(t *testing.T, s student) {
	for deadline := time.Now().Add(longEnough); !e.study(t, s); {
		if t.Failed() || time.Now().After(deadline) {
			t.Errorf("%s is not done", s.id)
			return
		}
	}
}

// grade decides on all submissions that wait, each twice at once, as two graders do.
func (e *essays) grade(t *testing.T) {
	var list struct{ Submissions []essaySubmission }
	e.ask(t, http.MethodGet, "/api/educator/submissions?courseId=essays&status=submitted&limit=100",
		e.admin, "", &list)
	for _, s := range list.Submissions {
		var two sync.WaitGroup
		for grader := range 2 {
			two.Go(func() {
				body := fmt.Sprintf(`{"version":%d,"status":%q,"points":[5],"feedback":"by %d"}`,
					s.Version, essayDecisions[s.Number-1], grader)
				e.ask(t, http.MethodPut, "/api/educator/submissions/"+s.ID+"/grade", e.admin, body,
					&struct{}{})
			})
		}
		two.Wait()
	}
}

// Students submit and are graded while the program is killed again and again. Each submission is
// made once and decided once, its file is counted, and the events and the marks follow the rows.
func TestAssignment_KilledDuringSubmissionsAndGrades(t *testing.T) {
	t.Parallel()
	enginetest.Need(t, "kill", nil)
	const people, kills = 6, 8
	onEngines(t, func(t *testing.T, database string) {
		e := newEssays(t, database)
		all := e.students(t, people)
		for _, s := range all {
			if a := e.request(t.Context(), http.MethodPost, "/api/user/purchase", s,
				`{"courseId":"essays"}`); a.status != http.StatusOK {
				t.Fatalf("to enrol got %d: %s", a.status, a.body)
			}
		}

		// Work until all submissions are decided, and kill the program meanwhile.
		var students, grader sync.WaitGroup
		for _, s := range all {
			students.Go(func() { e.studyAll(t, s) })
		}
		var isFinished atomic.Bool
		grader.Go(func() {
			for !isFinished.Load() {
				e.grade(t)
			}
		})
		for range kills {
			at := e.done.Load() + 20
			await(t, "more answers", func() bool { return e.done.Load() >= at })
			e.killAndStart(t)
		}
		students.Wait()
		isFinished.Store(true)
		grader.Wait()
		t.Logf("%d requests were answered, %d were not", e.done.Load(), e.failed.Load())
		if e.failed.Load() < kills && !t.Failed() {
			t.Error("too few requests failed by a kill")
		}
		for _, s := range all {
			e.wantDecidedOnce(t, s)
		}
		e.wantRows(t, people)
		e.wantInvariants(t)
		e.wantTotals(t)
	})
}

// wantDecidedOnce checks the work of a student: as many submissions as decisions, each with its
// text, its file, and one decision.
func (e *essays) wantDecidedOnce(t *testing.T, s student) {
	t.Helper()
	var w essayWork
	e.ask(t, http.MethodGet, essayPath, s, "", &w)
	if len(w.Submissions) != len(essayDecisions) || w.Draft.Text != "" {
		t.Fatalf("the work of %s is %+v", s.id, w)
	}
	for i, got := range w.Submissions {
		name := fmt.Sprintf("%d.txt", i+1)
		if got.Number != i+1 || got.Status != essayDecisions[i] ||
			got.Text != fmt.Sprintf("Work %d", i+1) || !strings.HasPrefix(got.Feedback, "by ") ||
			!slices.ContainsFunc(got.Files, func(f essayFile) bool { return f.Name == name }) {
			t.Errorf("submission %d of %s is %+v", i+1, s.id, got)
		}
	}
}

// wantRows checks that the events and the marks follow from the submissions of all students, of
// which each was graded twice.
func (e *essays) wantRows(t *testing.T, people int) {
	t.Helper()
	for rows, want := range map[string]int{
		"{submissions}":      4 * people,
		"{submission_files}": 4 * people,
		"{files}":            4 * people,
		"event_deliveries WHERE type = 'assignment.submitted'": 4 * people,
		"event_deliveries WHERE type = 'assignment.returned'":  2 * people,
		"event_deliveries WHERE type = 'assignment.graded'":    2 * people,
		"event_deliveries WHERE type = 'lecture.completed'":    2 * people,
		"{completed_lectures} WHERE course_id = 'essays'":      people,
	} {
		if n := e.count(t, rows); n != want {
			t.Errorf("%d rows, want %d: %s", n, want, rows)
		}
	}
}
