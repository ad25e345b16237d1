package roomtest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/file"
)

// TheEssay is the id of the lecture that is an assignment.
const TheEssay = "essay"

// Essay returns a chapter whose only lecture is an assignment.
func Essay(a catalog.Assignment) catalog.Chapter {
	return catalog.Chapter{ID: "essays", Title: "Essays", Lectures: []catalog.Lecture{{
		ID: TheEssay, Title: "Essay", Kind: catalog.KindAssignment, Assignment: &a}}}
}

// Drafts saves a draft, which must succeed.
func (w *World) Drafts(t *testing.T, who core.Actor, course, text string, files ...string) {
	t.Helper()
	_, err := w.Platform.Assess.SaveDraft(ctx(), who, course, TheEssay,
		assess.Work{Text: text, FileIDs: files})
	Must(t, err)
}

// SubmitsWork submits a draft, which must succeed.
func (w *World) SubmitsWork(
	t *testing.T, who core.Actor, course string,
) assess.AssignmentSubmission {
	t.Helper()
	s, err := w.Platform.Assess.Submit(ctx(), who, course, TheEssay)
	Must(t, err)
	return s
}

// Hands uploads a file of a student.
func (w *World) Hands(t *testing.T, who core.Actor, name, content string) file.File {
	t.Helper()
	f, err := w.Platform.Assess.UploadSubmittedFile(ctx(), who, name, strings.NewReader(content))
	Must(t, err)
	return f
}

// GradeOf returns a decision with all points of the rubric of newEssayFixture.
func GradeOf(s assess.AssignmentSubmission, status assess.SubmissionStatus) assess.Grade {
	return assess.Grade{Version: s.Version, Status: status, Points: []int{10, 5},
		Feedback: "Feedback"}
}

// Grades decides on a submission, which must succeed.
func (w *World) Grades(
	t *testing.T, s assess.AssignmentSubmission, status assess.SubmissionStatus,
) assess.AssignmentSubmission {
	t.Helper()
	g := GradeOf(s, status)
	g.Points = g.Points[:len(s.Rubric)]
	s, err := w.Platform.Assess.Grade(ctx(), w.Person(t, "chief", core.Admin), s.ID, g)
	Must(t, err)
	return s
}

// GradesWork lets a student submit work, which is returned and then graded.
func (w *World) GradesWork(t *testing.T, student core.Actor, course, lecture string) {
	t.Helper()
	_, err := w.Platform.Assess.SaveDraft(ctx(), student, course, lecture,
		assess.Work{Text: "Work"})
	Must(t, err)
	s, err := w.Platform.Assess.Submit(ctx(), student, course, lecture)
	Must(t, err)
	w.Grades(t, w.Grades(t, s, assess.SubmissionReturned), assess.SubmissionGraded)
}

// WantCompleted checks which lectures a student has completed.
func (w *World) WantCompleted(t *testing.T, who core.Actor, course string, want ...string) {
	t.Helper()
	p, err := w.Platform.Study.Progress(ctx(), who, course)
	Must(t, err)
	var got []string
	if p != nil {
		got = p.Lectures
	}
	if !slices.Equal(got, want) {
		t.Errorf("completed: %v, want %v", got, want)
	}
}

// WantWork checks how often a student may submit yet, and until when; -1 is no limit.
func (w *World) WantWork(
	t *testing.T, who core.Actor, course string, left int, closesAt time.Time,
) {
	t.Helper()
	work, err := w.Platform.Assess.AssignmentWork(ctx(), who, course, TheEssay)
	Must(t, err)
	if got := work.Left; got == nil != (left < 0) || got != nil && *got != left {
		t.Errorf("%v attempts left, want %d", got, left)
	}
	if !work.ClosesAt.Equal(closesAt) {
		t.Errorf("it closes at %v, want %v", work.ClosesAt, closesAt)
	}
}
