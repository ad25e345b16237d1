package httpapi_test

import (
	"regexp"
	"slices"
	"testing"

	"github.com/openlectern/openlectern/learning"
)

// The solutions of a quiz are for the educator whose course it is, and for nobody else:
// no student before or after an attempt, no other educator, no admin.

// solution finds one in an answer: the index of the right option, or an explanation.
var (
	solution = regexp.MustCompile(`"correctIndex": ?\d|` + secretSolution)
	courseID = regexp.MustCompile(`"courseId": ?"(\w+)"`)
)

// checkSolutions checks that an answer has a solution for its owner alone. It returns
// whether it has one.
func checkSolutions(t *testing.T, caller, request, answer string) bool {
	t.Helper()
	if !solution.MatchString(answer) {
		return false
	}
	for _, found := range courseID.FindAllStringSubmatch(answer, -1) {
		if caller == "" || !ownsInTheWorld(caller, found[1]) {
			t.Errorf("%q is shown a solution of %s:\n%s\n%s", caller, found[1], request, answer)
		}
	}
	if !courseID.MatchString(answer) {
		t.Errorf("%q is shown a solution of who knows what:\n%s\n%s", caller, request, answer)
	}
	return true
}

func ownsInTheWorld(person, courseID string) bool {
	return slices.ContainsFunc(worldCourses, func(c learning.Course) bool { return c.ID == courseID && c.Educator.ID == person })
}

// TestContractCases_HideSolutions reads the cases themselves. Everybody
// else is walked through all routes by TestEveryRoute_HidesPaidLectures.
func TestContractCases_HideSolutions(t *testing.T) {
	shown := map[string]bool{}
	for _, c := range loadCases(t) {
		if checkSolutions(t, c.caller(), c.request, c.answer) {
			shown[c.route] = true
		}
	}
	if len(shown) != 2 || !shown["quiz.get"] || !shown["quiz.generate"] {
		t.Errorf("the routes that show a solution to its owner are %v: this test looks for the wrong thing", shown)
	}
}
