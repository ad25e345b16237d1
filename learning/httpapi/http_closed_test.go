package httpapi_test

import (
	"strings"
	"testing"

	"github.com/openlectern/openlectern/internal/contracttest"
	"github.com/openlectern/openlectern/learning/httpapi"
)

// postOfAnother and its total make the post at a lecture, which is that of a student, one of
// another student at the paid lecture; anotherPost changes it.
const (
	postOfAnother = `UPDATE posts SET author_id = 'buyer_twice', lecture_id = 'lecture_2'
		WHERE course_id <> ''`
	totalOfAnother = `UPDATE totals SET part = 'lecture_2' WHERE kind = 'posts' AND course_id <> ''`
	anotherPost    = `UPDATE posts SET content = content || ' And more.' WHERE course_id <> ''`
)

// closed are ways in which lectures are closed to those who are enrolled. SQL makes the fixture so,
// Elsewhere changes what then nobody who is enrolled may read, and Opened reports whether a request
// has opened the paid lecture of a course to a person.
var closed = []struct {
	Name           string
	SQL, Elsewhere []string
	Opened         func(now contracttest.Snapshot, person, courseID string) bool
}{
	{Name: "ended",
		SQL: []string{`UPDATE enrollments SET expires_at = '2026-01-30 23:59:59.000000'`,
			postOfAnother, totalOfAnother},
		Elsewhere: []string{
			`UPDATE quizzes SET questions = REPLACE(questions, '?', ', or not?')`,
			`UPDATE quiz_attempts SET questions = REPLACE(questions, '?', ', or not?')
				WHERE submitted_at IS NULL AND ends_at IS NULL`,
			anotherPost,
		},
		Opened: func(now contracttest.Snapshot, person, courseID string) bool {
			enrollment := now["enrollments "+person+" "+courseID]
			return enrollment != nil && !strings.HasPrefix(enrollment["expires_at"], "2026-01-30")
		}},
	{Name: "not open yet",
		SQL: []string{
			`UPDATE courses SET terms = '{"has_openings":true}'`,
			`UPDATE course_contents SET content = REPLACE(content, '"title":"First steps"',
				'"title":"First steps","opens":{"at":"2999-01-01T00:00:00Z"}')`,
			`DELETE FROM completed_lectures`, postOfAnother, totalOfAnother,
		},
		Elsewhere: []string{
			`UPDATE quizzes SET questions = REPLACE(questions, '?', ', or not?')
				WHERE chapter_id = 'chapter_1'`,
			`UPDATE quiz_attempts SET questions = REPLACE(questions, '?', ', or not?')
				WHERE chapter_id = 'chapter_1' AND submitted_at IS NULL AND ends_at IS NULL`, anotherPost,
		},
		Opened: func(contracttest.Snapshot, string, string) bool { return false }},
	{Name: "one after the other",
		SQL: []string{
			`UPDATE courses SET terms = '{"in_order":true}'`,
			`DELETE FROM completed_lectures`, postOfAnother, totalOfAnother,
		},
		Elsewhere: []string{
			`UPDATE quizzes SET questions = REPLACE(questions, '?', ', or not?')
				WHERE chapter_id = 'chapter_1'`, anotherPost,
		},
		Opened: func(now contracttest.Snapshot, person, courseID string) bool {
			return now["completed_lectures "+person+" "+courseID+" lecture_1"] != nil
		}},
}

// TestEveryRoute_HidesClosedLectures sends the requests of the cases success, for every course, as
// students who are enrolled, while access has ended, or the paid lectures are not open yet. As in
// [TestEveryRoute_HidesPaidLectures] there are two servers, which differ in all that is closed:
// URLs, texts, files, instructions, questions and posts. Requests may open lectures: who buys the
// course again, or completes the lecture before, may read it from then on. Only with
// LEARNING_TEST_CONTRACT=all are lectures closed in all ways, and to more than one student.
func TestEveryRoute_HidesClosedLectures(t *testing.T) {
	t.Parallel()
	w := contracttest.NewFixture(t)
	cases := map[string][]*contracttest.Case{}
	for _, c := range contracttest.LoadCases(t) {
		cases[c.Route] = append(cases[c.Route], c)
	}
	ways, students := closed, []string{"student", "collector", "traveller"}
	if !contracttest.AllCases() {
		ways, students = ways[:1], students[:1]
	}
	for _, way := range ways {
		for _, row := range httpapi.Table() {
			if !row.Private {
				continue
			}
			t.Run(way.Name+"/"+row.ID, func(t *testing.T) {
				t.Parallel()
				p := newPair(t, w, way.SQL, way.Elsewhere)
				p.mayRead = func(student, _, courseID string) bool {
					return way.Opened(p.here.Look(), student, courseID)
				}
				for _, student := range students {
					for _, request := range requestsOf(cases[row.ID], false) {
						p.compare(t, student, request)
					}
				}
				p.checkLogs(t)
			})
		}
	}
}
