package learning_test

import (
	"regexp"
	"slices"
	"testing"

	"github.com/openlectern/openlectern/internal/roomtest"
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

	"file_totals.owner_id":           "of educators; numbers of files that courses use",
	"files.owner_id":                 "of educators; see TestUserDeleted_KeepsTheFilesOfCourses",
	"uploads.owner_id":               "of educators; see TestUserDeleted_RemovesUploads",
	"courses.educator_id":            "of educators; a course shows the educator Deleted user",
	"bundles.educator_id":            "of educators; bundles stay, as their courses do",
	"complaints.decided_by":          "of admins; the id stays, to know who decided",
	"enrollments.granted_by":         "as above",
	"past_enrollments.granted_by":    "as above",
	"enrollments.override_by":        "as above",
	"past_enrollments.override_by":   "as above",
	"past_enrollments.ended_by":      "as above",
	"refunds.created_by":             "as above",
	"decisions.decided_by":           "as above",
	"submissions.educator_id":        "of educators; a submission keeps that of its course",
	"announcements.told_user_id":     "the row has it only while students are told",
	"assignment_dues.told_user_id":   "the row has it only while students are told",
	"quiz_remarks.after_user_id":     "the row has it only while attempts are marked anew",
	"announcements.author_id":        "of educators; announcements stay, and show Deleted user",
	"posts.educator_id":              "of educators; a question keeps that of its course",
	"ratings.educator_id":            "of educators; a review keeps that of its course",
	"submissions.user_id":            "points stay; see TestAssignment_DeletedStudent",
	"submissions.graded_by":          "of educators; the id stays, to know who graded",
	"quiz_extra_attempts.decided_by": "as above",
	"purchase_lines.user_id":         "lines stay with their purchases, which are books",
}

func TestUserDeleted_LeavesNothingBehind(t *testing.T) {
	t.Parallel()
	r := &roomtest.Receiver{}
	w := roomtest.New(t, roomtest.SQLite(t), learningtest.WithPlatform(learning.WithEvents("test", r)))
	const id = "ada-4f1c"
	w.FillMarked(t, id)
	w.FillRest(t, userColumn, id, notOfADeletedUser)
	w.DeleteUser(t, id)
	for _, column := range w.ColumnsWith(t, id) {
		if !slices.Contains(keptIDs, column) {
			t.Errorf("%s has the id of a deleted user: delete the rows in ForgetUser "+
				"of its room (room.go), or add the column to keptIDs "+
				"(learning/identity_deleted_test.go)", column)
		}
	}
	for _, column := range w.ColumnsWith(t, roomtest.Mark) {
		if keptTexts[column] == "" {
			t.Errorf("%s has a text of a deleted user: delete it in ForgetUser "+
				"of its room (room.go), or give the reason in keptTexts "+
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
	"decisions.course_id":       "who has decided what stays, without the reason",
	"complaints.course_id":      "reports stay, closed",
	"purchase_lines.course_id":  "lines stay with their purchases",
	"purchases.course_id":       "failed purchases stay, and a late payment of one is logged",

	"enrollments.course_id":        "a course with it stays (TestDeleteCourse_InUseStays)",
	"bundle_courses.course_id":     "a course with it stays (TestDeleteCourse_InBundleStays)",
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
	r := &roomtest.Receiver{}
	w := roomtest.New(t, roomtest.SQLite(t), learningtest.WithPlatform(learning.WithEvents("test", r)))
	course := w.FillCourse(t)
	w.FillRest(t, courseColumn, course, keptOfADeletedCourse)
	if err := w.Platform.DeleteCourse(ctx(), roomtest.Teacher, course); err != nil {
		t.Fatal(err)
	}
	for _, column := range w.ColumnsWith(t, course) {
		if keptOfADeletedCourse[column] == "" {
			t.Errorf("%s has the id of a deleted course: delete the rows in ForgetCourse "+
				"of its room (room.go), or give the reason in keptOfADeletedCourse "+
				"(learning/forgotten_test.go)", column)
		}
	}
}
