package contracttest

import (
	"context"
	"strings"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/file"
)

// assignmentCourse is the course whose paid lecture is an assignment.
const assignmentCourse = "course_older"

var fixtureRubric = []catalog.Criterion{{Text: "Content", Points: 10}, {Text: "Style", Points: 5}}

// withAssignment makes the paid lecture of a content an assignment. collector was enrolled on the
// 17th, so that work is late when the cases run, also with the real clock.
func withAssignment(content []catalog.Chapter) []catalog.Chapter {
	l := &content[0].Lectures[1]
	l.Kind, l.URL = catalog.KindAssignment, ""
	l.Assignment = &catalog.Assignment{
		Instructions: "Compare <it> with https://videos.example.org/paid/course_older/essay.",
		Rubric:       fixtureRubric, DueAfterDays: new(13), LateDays: 3_650, Attempts: 3, Files: true,
	}
	return content
}

// assignmentFiles are files of a student, of which nothing uses the last one, and one of a grader.
var assignmentFiles = []file.File{
	{ID: "file_essay", OwnerID: "collector", Name: "Essay.pdf", Type: "application/pdf", Size: 9,
		SHA256: strings.Repeat("2", 64), StoredName: "ESSAYOFCOLLECTORAAAAAAAAAA", Uses: 2,
		CreatedAt: day(27)},
	{ID: "file_sketch", OwnerID: "collector", Name: "Sketch.txt", Type: "text/plain", Size: 9,
		SHA256: strings.Repeat("3", 64), StoredName: "SKETCHOFCOLLECTORAAAAAAAAA",
		UnusedSince: day(28), CreatedAt: day(28)},
	{ID: "file_remarks", OwnerID: "other_educator", Name: "Remarks.pdf", Type: "application/pdf",
		Size: 9, SHA256: strings.Repeat("4", 64), StoredName: "REMARKSOFOTHEREDUCATORAAAA", Uses: 1,
		CreatedAt: day(28)},
}

// fixtureSubmissions are a submission of collector that was returned, the draft of the next one,
// and a submission that waits. Its student is not enrolled any more.
var fixtureSubmissions = []assess.AssignmentSubmission{
	{ID: "submission_returned", Student: by("collector"), CourseID: assignmentCourse,
		EducatorID: "other_educator", LectureID: "lecture_2", Number: 1,
		Status: assess.SubmissionReturned, Version: 3,
		Text: "My <first> try.", SavedAt: day(27), SubmittedAt: day(27), Rubric: fixtureRubric,
		Points: []int{4, 0}, Feedback: "More *style*, please.", GradedBy: "other_educator",
		GradedAt: day(28)},
	{ID: "submission_draft", Student: by("collector"), CourseID: assignmentCourse,
		EducatorID: "other_educator", LectureID: "lecture_2", Number: 2,
		Status: assess.SubmissionDraft, Version: 2,
		Text: "My second try.", SavedAt: day(29)},
	{ID: "submission_waiting", Student: by("buyer_open"), CourseID: assignmentCourse,
		EducatorID: "other_educator", LectureID: "lecture_2", Number: 1,
		Status: assess.SubmissionWaiting, Version: 2,
		Text: "Mine.", SavedAt: day(28), SubmittedAt: day(29), IsLate: true, Rubric: fixtureRubric},
}

// insertSubmissions stores the submissions with their files.
func insertSubmissions(ctx context.Context, tx learning.Tx) error {
	for _, f := range assignmentFiles {
		if err := tx.InsertFile(ctx, f); err != nil {
			return err
		}
	}
	for _, s := range fixtureSubmissions {
		if err := tx.InsertAssignmentSubmission(ctx, s); err != nil {
			return err
		}
		if s.Student.ID != assignmentFiles[0].OwnerID {
			continue
		}
		if err := tx.InsertSubmissionFiles(ctx, s.ID, false, []string{"file_essay"}); err != nil {
			return err
		}
	}
	return tx.InsertSubmissionFiles(ctx, "submission_returned", true, []string{"file_remarks"})
}
