package learning_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// A new table is easily forgotten where users and courses are deleted. These tests find the columns
// with ids in the schema. A column that no use of the platform has filled gets a row, so that each
// one is tried by a deletion or is excused here.

// userColumn and courseColumn match the names of columns with the id of a user or of a course.
var (
	userColumn = regexp.MustCompile(
		`(^|[_.])(user|person|author|educator|reporter|student|admin|owner)_id$|_by$`)
	courseColumn = regexp.MustCompile(`(^|[_.])course_id$`)
)

// notOfADeletedUser are the columns that the rows of a deleted user do not fill, with the reason.
var notOfADeletedUser = map[string]string{
	"ai_reservations.user_id": "the row exists only during a call to the AI, and expires",

	"file_totals.owner_id":        "of educators; numbers of files that courses use",
	"files.owner_id":              "of educators; see TestUserDeleted_KeepsTheFilesOfCourses",
	"uploads.owner_id":            "of educators; see TestUserDeleted_RemovesUploads",
	"courses.educator_id":         "of educators; a course shows the educator Deleted user",
	"complaints.decided_by":       "of admins; the id stays, to know who decided",
	"enrollments.granted_by":      "as above",
	"past_enrollments.granted_by": "as above",
	"past_enrollments.ended_by":   "as above",
	"refunds.created_by":          "as above",
	"submissions.educator_id":     "of educators; a submission keeps that of its course",
	"submissions.user_id":         "points stay; see TestAssignment_DeletedStudent",
	"submissions.graded_by":       "of educators; the id stays, to know who graded",
}

func TestUserDeleted_LeavesNothingBehind(t *testing.T) {
	t.Parallel()
	r := &receiver{}
	w := newFixture(t, sqlite(t), learningtest.WithPlatform(learning.WithEvents("test", r)))
	const id = "ada-4f1c"
	w.fillMarked(t, id)
	w.fillRest(t, userColumn, id, notOfADeletedUser)
	w.deleteUser(t, id)
	for _, column := range w.columnsWith(t, id) {
		if !slices.Contains(keptIDs, column) {
			t.Errorf("%s has the id of a deleted user: delete the rows in removeData "+
				"(learning/identity_delete.go), or add the column to keptIDs "+
				"(learning/identity_deleted_test.go)", column)
		}
	}
	for _, column := range w.columnsWith(t, mark) {
		if keptTexts[column] == "" {
			t.Errorf("%s has a text of a deleted user: delete it in removeData "+
				"(learning/identity_delete.go), or give the reason in keptTexts "+
				"(learning/identity_deleted_test.go)", column)
		}
	}
}

// keptOfADeletedCourse are the columns that keep the id of a deleted course, or that no deleted
// course fills, with the reason.
var keptOfADeletedCourse = map[string]string{
	"deleted_courses.course_id": "it is the record of the deletion",
	"deleted_courses.title":     "as above; the title of a course of these tests contains its id",
	"event_deliveries.data":     "it is an event, which is deleted some time after its delivery",
	"event_deliveries.subject":  "as above",
	"purchases.course_id":       "failed purchases stay, and a late payment of one is logged",

	"enrollments.course_id":        "a course with it stays (TestDeleteCourse_InUseStays)",
	"past_enrollments.course_id":   "as above",
	"certificates.course_id":       "only students have it",
	"completed_lectures.course_id": "as above",
	"course_completions.course_id": "as above",
	"lecture_positions.course_id":  "as above",
	"notes.course_id":              "as above",
	"quiz_results.course_id":       "as above",
	"quiz_attempts.course_id":      "as above",
	"submissions.course_id":        "as above",
	"ratings.course_id":            "as above",
	"course_files.course_id":       "see TestDeleteCourse_ReleasesItsMaterial",
	"lecture_texts.course_id":      "as above",
	"time_entries.course_id":       "the time was spent, whatever becomes of the course",
}

func TestDeleteCourse_LeavesNothingBehind(t *testing.T) {
	t.Parallel()
	r := &receiver{}
	w := newFixture(t, sqlite(t), learningtest.WithPlatform(learning.WithEvents("test", r)))
	course := w.fillCourse(t)
	w.fillRest(t, courseColumn, course, keptOfADeletedCourse)
	if err := w.Platform.DeleteCourse(ctx(), teacher, course); err != nil {
		t.Fatal(err)
	}
	for _, column := range w.columnsWith(t, course) {
		if keptOfADeletedCourse[column] == "" {
			t.Errorf("%s has the id of a deleted course: delete the rows in deleteCourse "+
				"(learning/course_delete.go), or give the reason in keptOfADeletedCourse "+
				"(learning/forgotten_test.go)", column)
		}
	}
}

// fillCourse creates a course that can be deleted, with everything that such a course can have.
func (w *fixture) fillCourse(t *testing.T) (id string) {
	t.Helper()
	id = w.Course(t, "course-4f1c", 499_00)
	w.coupon(t, learning.NewCoupon{Code: "CODE", CourseID: id, PercentOff: 50})
	_, err := w.Platform.Quiz(ctx(), teacher, id, "chapter", nil)
	must(t, err)
	question, err := w.Platform.CreatePost(ctx(), teacher, learning.NewPost{CourseID: id,
		LectureID: "lecture", Title: "Title", Content: "Content"})
	must(t, err)
	w.newReply(t, teacher, question.ID)
	_, err = w.Platform.TogglePostVote(ctx(), teacher, question.ID)
	must(t, err)
	failed := w.order(t, w.Person(t, "ada", learning.Student), id)
	w.exec(t, `UPDATE purchases SET status = 'failed', is_open = NULL WHERE id = ?`,
		failed.PurchaseID)
	w.exec(t, `INSERT INTO totals (course_id, kind, part, slot, number, amount)
		VALUES (?, 'test', '', 0, 1, 1)`, id)
	w.Clock.Advance(time.Minute)
	return id
}

// fillRest inserts a row with the id for each column of the schema whose name matches, if no row
// has it there and the column is not excused. No excuse may be for a column that the schema does
// not have.
func (w *fixture) fillRest(
	t *testing.T, name *regexp.Regexp, id string, excused map[string]string,
) {
	t.Helper()
	all, filled := w.columns(t), w.columnsWith(t, id)
	for _, column := range all {
		if !name.MatchString(column) || slices.Contains(filled, column) || excused[column] != "" {
			continue
		}
		table, column, _ := strings.Cut(column, ".")
		enginetest.InsertRows(t, w.db, table, 1, w.Clock.Now(), func(other string, _ int) string {
			if other == column {
				return id
			}
			return mark
		})
	}
	for column := range excused {
		if !slices.Contains(all, column) {
			t.Errorf("the schema has no %s: remove it from notOfADeletedUser or "+
				"keptOfADeletedCourse in learning/forgotten_test.go", column)
		}
	}
}

// columns lists the columns of all tables on SQLite, as table.column.
func (w *fixture) columns(t *testing.T) (all []string) {
	t.Helper()
	rows, err := w.db.Query(`
		SELECT m.name || '.' || c.name FROM sqlite_master m, pragma_table_info(m.name) c
		WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND m.name NOT LIKE 'learning_%'
		ORDER BY 1`)
	must(t, err)
	defer rows.Close()
	for rows.Next() {
		var column string
		must(t, rows.Scan(&column))
		all = append(all, column)
	}
	must(t, rows.Err())
	if len(all) < 100 {
		t.Fatalf("%d columns: %v", len(all), all)
	}
	return all
}
