package store

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"
)

// sameMoment is how many neighbours in a list have the same time, price, number of students and
// rating, so that only their ids tell them apart.
const sameMoment = 7

// placed returns the SQL of the time at a place of a list.
func placed(place int) string {
	return quoted(seedEnd.Add(time.Duration(place/sameMoment) * time.Minute))
}

// placeOf returns the place in the key of a row, whose ids have six digits of it.
func placeOf(tb testing.TB, id string) int {
	tb.Helper()
	_, text, _ := strings.Cut(strings.Fields(id)[0], "-")
	place, err := strconv.Atoi(text[:6])
	if err != nil {
		tb.Fatalf("the id %q has no place: %v", id, err)
	}
	return place
}

// courseTable has published courses of an educator.
func courseTable(prefix, educator string) pagedTable {
	into := "courses (id, title, thumbnail, price, discount, is_published, educator_id, " +
		"rating_sum, rating_count, lectures, minutes, " +
		"students, revision, created_at, updated_at, description)"
	return pagedTable{into, func(id string, place int) string {
		tie := place / sameMoment
		return fmt.Sprintf(
			"'%s%s', 'To sea', '', %[3]d, 0, 1, '%[4]s', %[5]d, 1000, 1, 1, %[3]d, 1, %[6]s, "+
				"%[6]s, ''",
			prefix, id, tie, educator, tie*100, placed(place))
	}}
}

// wordTable has a word of each course of a courseTable.
func wordTable(prefix string) pagedTable {
	return pagedTable{"search_words (person_id, list, row_id, word)",
		func(id string, _ int) string {
			return fmt.Sprintf("'', 1, '%s%s', 'sea'", prefix, id)
		}}
}

var enrollmentTable = pagedTable{"enrollments (user_id, course_id, purchase_id, created_at)",
	func(id string, place int) string {
		return fmt.Sprintf("'reader', 'course%s', 'p', %s", id, placed(place))
	}}

// studentTable has enrolments in courses of the teacher.
var studentTable = pagedTable{"enrollments (user_id, course_id, purchase_id, created_at)",
	func(id string, place int) string {
		return fmt.Sprintf("'student%s', 'taught-%06d', 'p', %s", id, place%taughtCourses,
			placed(place))
	}}

// taughtCourses is the number of the teacher's courses.
const taughtCourses = 40

var resultTable = pagedTable{
	"quiz_results (id, user_id, course_id, chapter_id, version, score, total, percentage, " +
		"mastery, created_at, " +
		"answers, recommendations)", func(id string, place int) string {
		return fmt.Sprintf(
			"'result%s', 'reader', 'course-000000', 'chapter', 1, 1, 1, 100, 'mastered', %s, "+
				"'[]', ''", id, placed(place))
	}}

var chatTable = pagedTable{"chats (user_id, id, created_at, updated_at)",
	func(id string, place int) string {
		return fmt.Sprintf("'reader', 'chat%s', %[2]s, %[2]s", id, placed(place))
	}}

var messageTable = pagedTable{"chat_messages (user_id, chat_id, number, role, created_at, content)",
	func(id string, place int) string {
		return fmt.Sprintf("'reader', 'chat%s', 0, 'user', %s, 'Hello'", id, placed(place))
	}}

var complaintTable = pagedTable{
	"complaints (id, post_id, reply_id, reporter_id, status, created_at, reason, excerpt)",
	func(id string, place int) string {
		return fmt.Sprintf("'complaint%s', 'post', '', 'user%[1]s', 'open', %s, '', ''", id,
			placed(place))
	}}

var decisionTable = pagedTable{
	"decisions (id, kind, decided_by, user_id, course_id, created_at, reason)",
	func(id string, place int) string {
		return fmt.Sprintf("'decision%s', 'enrollment.ended', 'admin', 'reader', 'course', %s, ''",
			id, placed(place))
	}}

var applicationTable = pagedTable{
	"applications (id, user_id, professional_title, linkedin_url, status, rejection_reason, " +
		"created_at, " +
		"updated_at, previous_role, expertise, bio)", func(id string, place int) string {
		return fmt.Sprintf(
			"'application%s', 'user%[1]s', '', '', 'pending', '', %[2]s, %[2]s, 'student', "+
				"'[]', ''", id, placed(place))
	}}

var purchaseTable = pagedTable{
	"purchases (id, user_id, course_id, amount, currency, status, created_at, updated_at, " +
		"completed_at)",
	func(id string, place int) string {
		return fmt.Sprintf(
			"'purchase%s', 'user%[1]s', 'course-%06d', 100, 'INR', 'completed', %[3]s, "+
				"%[3]s, %[3]s", id, place%1000, placed(place))
	}}

var userTable = pagedTable{"users (id, name, email, image_url, created_at, changed_at)",
	func(id string, place int) string {
		return fmt.Sprintf("'user%s', '', '', '', %[2]s, %[2]s", id, placed(place))
	}}

// educatorTable and roleTable have users with the role educator.
var educatorTable = pagedTable{userTable.into, func(id string, place int) string {
	return userTable.values("educator"+id, place)
}}

var roleTable = pagedTable{"roles (user_id, role, decided_at, listed_at)",
	func(id string, place int) string {
		return fmt.Sprintf("'usereducator%s', 'educator', %[2]s, %[2]s", id, placed(place))
	}}

// fillLists inserts n rows of each list, or of the large ones only.
func fillLists(tb testing.TB, s *Store, n int, onlyLarge bool) {
	tb.Helper()
	for _, rows := range listsInPages {
		if rows.shared || onlyLarge && !rows.large {
			continue
		}
		for _, table := range rows.tables {
			bulk(tb, s, table.into, n,
				func(i int) string { return table.values(fmt.Sprintf("-%06d", i), i) })
		}
	}
	for _, taught := range []pagedTable{courseTable("taught", "teacher"), wordTable("taught")} {
		bulk(tb, s, taught.into, taughtCourses,
			func(i int) string { return taught.values(fmt.Sprintf("-%06d", i), i) })
	}
	if _, err := s.db.Writer().Exec(
		`UPDATE courses SET students = (SELECT COUNT(*) FROM enrollments e WHERE e.course_id = courses.id)
		WHERE educator_id = 'teacher'`); err != nil {
		tb.Fatal(err)
	}
	bulk(tb, s,
		"quizzes (id, course_id, chapter_id, chapter_title, version, created_at, updated_at, "+
			"questions)", 1, func(int) string {
			return fmt.Sprintf("'quiz', 'course-000000', 'chapter', '', 1, %[1]s, %[1]s, '[]'",
				placed(0))
		})
	recount(tb, s)
	analyze(tb, s)
}
