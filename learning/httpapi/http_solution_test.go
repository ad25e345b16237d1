package httpapi_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/internal/contracttest"
	"github.com/openlectern/openlectern/learning/catalog"
)

// Only the educator who owns the course, and admins in the routes of editors, may read the
// solutions of a quiz: no student, before or after an attempt whose quiz does not show them, and no
// other educator. The solutions of attempt_open, which shows them, have another text.

// solution matches the index of the right option, or an explanation.
var (
	solution = regexp.MustCompile(`"correctIndex": ?\d|` + contracttest.SecretSolution)
	courseID = regexp.MustCompile(`"courseId": ?"(\w+)"`)

	filePath = regexp.MustCompile(` /api/educator/courses/(\w+)/(?:package|quizzes/\w+/qti)\n`)
)

// checkSolutions checks that only the owner's answer has a solution. It reports whether the answer
// has one.
func checkSolutions(t *testing.T, caller, request, answer string) bool {
	t.Helper()
	// which has an example of a quiz
	if !solution.MatchString(answer) || strings.Contains(request, " /openapi.json") {
		return false
	}
	found := courseID.FindAllStringSubmatch(answer, -1)
	for _, found := range found {
		isEditor := caller == "admin" && strings.Contains(request, "/quizzes/")
		if caller == "" || !ownsInFixture(caller, found[1]) && !isEditor {
			t.Errorf("%q gets a solution of %s:\n%s\n%s", caller, found[1], request, answer)
		}
	}
	// A package and a QTI file do not name their course, and are for its editors.
	file := filePath.FindStringSubmatch(request)
	if file != nil && !edits(caller, request, file[1]) || file == nil && found == nil {
		t.Errorf("%q gets a solution of an unknown course:\n%s\n%s", caller, request, answer)
	}
	return true
}

func ownsInFixture(person, courseID string) bool {
	return slices.ContainsFunc(contracttest.FixtureCourses,
		func(c catalog.Course) bool { return c.ID == courseID && c.Educator.ID == person })
}

// TestContractCases_HideSolutions checks the answers in the files. TestEveryRoute_HidesPaidLectures
// sends requests of other callers to all routes.
func TestContractCases_HideSolutions(t *testing.T) {
	shown := map[string]bool{}
	for _, c := range contracttest.LoadCases(t) {
		if checkSolutions(t, callerOf(c), c.Request, c.Answer) {
			shown[c.Route] = true
		}
	}
	want := map[string]bool{"quiz.get": true, "quiz.generate": true, "quiz.editable": true,
		"quiz.export": true, "package.export": true}
	if !maps.Equal(shown, want) {
		t.Errorf("the routes that show a solution to its owner are %v: want %v", shown, want)
	}
}
