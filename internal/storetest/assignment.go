package storetest

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/due"
	"github.com/openlectern/openlectern/learning/study"
)

var assignmentTests = []test{
	{"an assignment is a part of the content, and its course is found", assignmentRoundTrip},
	{"a submission is read as it was stored, also with the longest texts", submissionRoundTrip},
	{"a submission is changed, and no other one", submissionChange},
	{"the submissions in a course are listed in pages, the oldest first", submissionList},
	{"an assignment is graded if the latest decision is a grade", gradedAssignments},
	{"due times are kept by lecture, and move from where they were read", dueTimes},
	{"students are told of a due time in the order of their enrolments", studentsDue},
	{"the files of submissions have an order, and those of a user are found", submissionFiles},
	{"of a deleted user's submissions only the points of decided ones stay", submissionsForgotten},
	{"a user's submissions with their files are exported in pages, and no others",
		exportSubmissions},
}

func assignmentRoundTrip(t *testing.T, f *fixture) {
	whole := &catalog.Assignment{Instructions: "<b>\u2028", DueAfterDays: new(0), LateDays: 3,
		Rubric:   []catalog.Criterion{{Text: "A", Points: 3}, {Text: "B", Points: 1}},
		Attempts: 2, Files: true}
	content := []catalog.Chapter{{ID: "c", Title: "C", Lectures: []catalog.Lecture{
		{ID: "l1", Kind: catalog.KindAssignment, Assignment: whole},
		{ID: "l2", URL: "https://example.org"},
		{ID: "l3", Kind: catalog.KindAssignment, Assignment: &catalog.Assignment{
			DueAt: noon.Add(time.Millisecond)}}}}}
	has := func(want bool) {
		t.Helper()
		got, err := f.HasAssignments(t.Context(), "u", noon)
		equal(t, got, err, want)
		for courseID, isIn := range map[string]bool{"": true, "c": true, "d": false} {
			list, err := f.AssignmentCourses(t.Context(), "u", courseID, noon)
			equal(t, len(list) == 1 && list[0].ID == "c" && list[0].EnrolledAt.Equal(noon), err,
				want && isIn)
			if want && isIn && len(list) > 0 {
				equal(t, list[0].Content, nil, content)
			}
		}
	}
	f.add(study.Enrollment{UserID: "u", CourseID: "c", CreatedAt: noon},
		study.Enrollment{UserID: "u", CourseID: "d", CreatedAt: noon}, course("d"))
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.InsertCourse(ctx, course("c"), content)
	})
	has(true)
	got, err := f.CourseContent(t.Context(), "c")
	equal(t, got, err, content)
	ids, kinds, err := f.LectureKinds(t.Context(), "c")
	equal(t, ids, err, []string{"l1", "l2", "l3"})
	equal(t, kinds, nil, []catalog.LectureKind{catalog.KindAssignment, "",
		catalog.KindAssignment})
	content[0].Lectures = content[0].Lectures[1:2]
	for _, want := range []bool{false, true} {
		f.do(func(ctx context.Context, tx learning.Tx) error {
			return tx.UpdateContent(ctx, "c", content)
		})
		has(want)
		content[0].Lectures[0].Assignment = whole
	}
	other, err := f.HasAssignments(t.Context(), "v", noon)
	equal(t, other, err, false)
}

// submission returns a submission of "student" in the course "course" at lecture "l", with a value
// in every field.
func submission(id string, number int) assess.AssignmentSubmission {
	return assess.AssignmentSubmission{ID: id,
		Student:  core.Person{ID: "student", Name: core.UnknownUser},
		CourseID: "course", EducatorID: "educator", LectureID: "l", Number: number,
		Status: assess.SubmissionGraded, Version: 3, Text: "Text <b>\u2028 of " + id, SavedAt: noon,
		SubmittedAt: noon.Add(time.Duration(number) * time.Second), IsLate: true,
		Rubric: []catalog.Criterion{{Text: "A", Points: 3}, {Text: "B", Points: 1}},
		Points: []int{0, 1}, Feedback: "Feedback on " + id, GradedBy: "educator",
		GradedAt: noon.Add(time.Hour)}
}

// draft returns the draft of a submission.
func draft(id string, number int) assess.AssignmentSubmission {
	s := submission(id, number)
	return assess.AssignmentSubmission{ID: id, Student: s.Student, CourseID: s.CourseID,
		EducatorID: s.EducatorID, LectureID: s.LectureID, Number: number,
		Status: assess.SubmissionDraft, Version: 1,
		Text: s.Text, SavedAt: noon}
}

func submissionRoundTrip(t *testing.T, f *fixture) {
	longest := submission(long(10), 1)
	longest.Student.ID, longest.CourseID = long(20), strings.Repeat("c", 64)
	longest.LectureID = long(catalog.MaxContentID)
	longest.Text, longest.Feedback = long(assess.MaxSubmissionText), long(assess.MaxFeedback)
	longest.Rubric, longest.Points = nil, nil
	for range catalog.MaxCriteria {
		longest.Rubric = append(longest.Rubric, catalog.Criterion{Text: long(catalog.MaxCriterion),
			Points: catalog.MaxCriterionPoints})
		longest.Points = append(longest.Points, catalog.MaxCriterionPoints)
	}
	named := submission("a", 1)
	named.Student = core.Person{ID: "u", Name: user("u").Name, ImageURL: user("u").ImageURL}
	f.add(user("u"))
	for _, want := range []assess.AssignmentSubmission{named, longest, draft("d", 3),
		submission("b", 2)} {
		f.add(want)
		got, err := f.Submission(t.Context(), want.ID)
		equal(t, got, err, want)
	}
	latest := submission("b", 2)
	latest.Text, latest.Feedback = "", ""
	studied, err := f.Studied(t.Context(),
		study.StudiedQuery{UserID: "student", CourseID: "course", Submitted: true})
	equal(t, studied, err, study.Studied{Submitted: map[string]bool{"l": true}})
	list, err := f.LatestSubmissions(t.Context(), "student", []string{"other", "course"})
	equal(t, list, err, []assess.AssignmentSubmission{latest})
	list, err = f.Submissions(t.Context(), "student", "course", "l")
	equal(t, list, err, []assess.AssignmentSubmission{submission("b", 2), draft("d", 3)})
	waits := submission("waits", 9)
	waits.LectureID, waits.Status, waits.GradedAt = "other", assess.SubmissionWaiting, time.Time{}
	f.add(waits)
	waits.Text, waits.Feedback, waits.Rubric = "", "", nil
	list, err = f.WaitingSubmissionsOf(t.Context(), "student")
	equal(t, list, err, []assess.AssignmentSubmission{waits})
	f.fails(core.ErrDuplicate, func(ctx context.Context, tx learning.Tx) error {
		return tx.InsertAssignmentSubmission(ctx, submission("c", 2))
	})
	for _, id := range []string{"", "A", "a ", "\xff"} {
		got, err := f.Submission(t.Context(), id)
		missing(t, got, err)
		list, err := f.Submissions(t.Context(), "student", "course", id)
		equal(t, list, err, nil)
	}
}

func submissionChange(t *testing.T, f *fixture) {
	f.add(draft("a", 1), draft("b", 2))
	want := submission("a", 1)
	f.do(func(ctx context.Context, tx learning.Tx) error { return tx.UpdateSubmission(ctx, want) })
	got, err := f.Submission(t.Context(), "a")
	equal(t, got, err, want)
	got, err = f.Submission(t.Context(), "b")
	equal(t, got, err, draft("b", 2))
}

func submissionList(t *testing.T, f *fixture) {
	f.add(user("student"))
	var all, waiting []assess.AssignmentSubmission
	for i, id := range []string{"b", "a", "d", "c", "e"} {
		s := submission(id, i+1)
		s.SubmittedAt = noon.Add(time.Duration(i/2) * time.Second)
		if i%2 == 0 {
			s.Status, s.GradedAt, s.GradedBy = assess.SubmissionWaiting, time.Time{}, ""
		}
		f.add(s)
		s.Student = core.Person{ID: "student", Name: user("student").Name,
			ImageURL: user("student").ImageURL}
		s.Text, s.Feedback, s.Rubric = "", "", nil
		all = append(all, s)
	}
	other := submission("other", 1)
	other.CourseID, other.EducatorID = "other", "another"
	f.add(other, draft("draft", 9))
	slices.SortFunc(all, func(a, b assess.AssignmentSubmission) int {
		if c := a.SubmittedAt.Compare(b.SubmittedAt); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	for _, s := range all {
		if s.Status == assess.SubmissionWaiting {
			waiting = append(waiting, s)
		}
	}
	for status, want := range map[assess.SubmissionStatus][]assess.AssignmentSubmission{
		"": all, assess.SubmissionWaiting: waiting, assess.SubmissionReturned: nil,
	} {
		for _, courseID := range []string{"course", ""} { // "" is all of the educator
			q := assess.SubmissionQuery{CourseID: courseID, Status: status}
			pages := paged(t, func(ctx context.Context, page core.PageRequest) (
				[]assess.AssignmentSubmission, error) {
				return f.SubmissionsIn(ctx, "educator", q, page)
			}, func(s assess.AssignmentSubmission) core.Position {
				return core.Position{At: s.SubmittedAt, ID: s.ID}
			})
			equal(t, pages, nil, want)
		}
	}
}

func gradedAssignments(t *testing.T, f *fixture) {
	returned, waiting, other := submission("returned", 1), submission("waiting", 3),
		submission("other", 1)
	returned.Status = assess.SubmissionReturned
	waiting.Status, waiting.GradedAt = assess.SubmissionWaiting, time.Time{}
	other.CourseID = "other"
	graded := func(want ...string) {
		t.Helper()
		got, err := f.GradedAssignments(t.Context(), "student", "course")
		equal(t, got, err, want)
	}
	f.add(returned, waiting, other)
	graded()
	again, second := submission("again", 2), submission("second", 1)
	second.LectureID = "m"
	f.add(again, second)
	graded("l", "m")
	again.Number, again.ID, again.Status = 4, "last", assess.SubmissionReturned
	f.add(again)
	graded("m")
}

func submissionFiles(t *testing.T, f *fixture) {
	f.add(storedFile("x"), storedFile("y"), storedFile("z"), submission("a", 1), submission("b", 2))
	insert := func(id string, isFeedback bool, files ...string) {
		t.Helper()
		f.do(func(ctx context.Context, tx learning.Tx) error {
			return tx.InsertSubmissionFiles(ctx, id, isFeedback, files)
		})
	}
	insert("a", false, "y", "x")
	insert("a", true, "z")
	insert("b", true, "x")
	insert("b", false)
	list := func(want ...string) {
		t.Helper()
		files, err := f.SubmissionFiles(t.Context(), []string{"b", "none", "a"})
		var got []string
		for _, one := range files {
			part := " submission "
			if one.IsFeedback {
				part = " feedback "
			}
			got = append(got, one.SubmissionID+part+one.Name)
		}
		equal(t, got, err, want)
	}
	list("a submission y.pdf", "a submission x.pdf", "a feedback z.pdf", "b feedback x.pdf")
	used, err := f.FilesOfSubmissionsOf(t.Context(), "student")
	var uses []string
	for _, one := range used {
		uses = append(uses, one.SubmissionID+one.ID)
	}
	slices.Sort(uses)
	equal(t, uses, err, []string{"ax", "ay", "az", "bx"})
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.DeleteSubmissionFiles(ctx, "a", false)
	})
	list("a feedback z.pdf", "b feedback x.pdf")
	none, err := f.SubmissionFiles(t.Context(), nil)
	equal(t, none, err, nil)
}

func submissionsForgotten(t *testing.T, f *fixture) {
	waiting, other := submission("waiting", 2), submission("other", 1)
	waiting.Status, waiting.GradedAt = assess.SubmissionWaiting, time.Time{}
	other.Student.ID = "student2"
	f.add(storedFile("x"), submission("a", 1), waiting, draft("draft", 3), other)
	f.do(func(ctx context.Context, tx learning.Tx) error {
		for _, s := range []string{"a", "draft", "other"} {
			if err := tx.InsertSubmissionFiles(ctx, s, s == "a", []string{"x"}); err != nil {
				return err
			}
		}
		if err := tx.DeleteFilesOfSubmissions(ctx, []string{"draft", "a", "none"}); err != nil {
			return err
		}
		if err := tx.DeleteUndecidedSubmissions(ctx, "student"); err != nil {
			return err
		}
		return tx.ForgetSubmissions(ctx, "student")
	})
	left := submission("a", 1)
	left.Text, left.Feedback = "", ""
	list, err := f.Submissions(t.Context(), "student", "course", "l")
	equal(t, list, err, []assess.AssignmentSubmission{left})
	got, err := f.Submission(t.Context(), "other")
	equal(t, got, err, other)
	files, err := f.SubmissionFiles(t.Context(), []string{"a", "draft", "other"})
	equal(t, len(files), err, 1)
}

func exportSubmissions(t *testing.T, f *fixture) {
	first, second, later := submission("z", 1), submission("y", 2), submission("x", 1)
	later.LectureID = "m"
	f.add(later, second, first, storedFile("x"), storedFile("y"))
	for _, id := range otherUsers {
		other := submission("of "+id, 1)
		other.Student.ID = id
		f.add(other)
	}
	f.do(func(ctx context.Context, tx learning.Tx) error {
		if err := tx.InsertSubmissionFiles(ctx, "y", true, []string{"x"}); err != nil {
			return err
		}
		return tx.InsertSubmissionFiles(ctx, "y", false, []string{"y", "x"})
	})
	exports(t, f, "submissions", func(s assess.AssignmentSubmission) []any {
		return []any{s.ID, s.CourseID, s.LectureID, int64(s.Number), string(s.Status), s.Text,
			s.SavedAt, s.SubmittedAt, s.IsLate, []int64{0, 1}, s.Feedback, s.GradedAt}
	}, first, second, later)
	exports(t, f, "submissionFiles", func(row [3]string) []any {
		return []any{"y", row[0] == "feedback", row[1], row[1] + ".pdf", row[1]}
	}, [3]string{"submission", "y"}, [3]string{"submission", "x"}, [3]string{"feedback", "x"})
}

func dueTimes(t *testing.T, f *fixture) {
	list := func(want ...due.AssignmentDue) {
		t.Helper()
		got, err := f.DuesOf(t.Context(), "course")
		slices.SortFunc(got, func(a, b due.AssignmentDue) int {
			return cmp.Compare(a.LectureID, b.LectureID)
		})
		equal(t, got, err, want)
	}
	dueAt := func(now time.Time, limit int, want ...due.AssignmentDue) {
		t.Helper()
		got, err := f.DuesAt(t.Context(), now, limit)
		equal(t, got, err, want)
	}
	set := func(list ...due.AssignmentDue) {
		t.Helper()
		f.do(func(ctx context.Context, tx learning.Tx) error { return tx.SetDues(ctx, list) })
	}
	move := func(want bool, from, to due.AssignmentDue) {
		t.Helper()
		f.reports(want, func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.MoveDue(ctx, from, to)
		})
	}
	a := due.AssignmentDue{ID: "1", CourseID: "course", LectureID: "a", AfterDays: 3,
		NextAt: noon.Add(time.Microsecond), ToldTo: core.Position{At: noon, ID: "student"}}
	b := due.AssignmentDue{ID: "2", CourseID: "course", LectureID: "b",
		DueAt: noon.Add(time.Hour), NextAt: noon}
	never := due.AssignmentDue{ID: "3", CourseID: "course", LectureID: "c", DueAt: noon}
	other := due.AssignmentDue{ID: "4", CourseID: "other", LectureID: "a", AfterDays: 2,
		NextAt: noon.Add(time.Minute)}
	list()
	set(never, b, a, other)
	list(a, b, never)
	dueAt(noon.Add(-time.Microsecond), 9)
	dueAt(noon, 9, b)
	dueAt(noon.Add(time.Hour), 9, b, a, other)
	dueAt(noon.Add(time.Hour), 2, b, a)

	// It moves from where it was read.
	moved := a
	moved.NextAt, moved.ToldTo = noon.Add(time.Hour), core.Position{At: noon}
	move(true, a, moved)
	move(false, a, moved)
	list(moved, b, never)
	ended := b
	ended.NextAt = time.Time{}
	move(true, b, ended)
	move(false, b, ended)
	dueAt(noon.Add(time.Hour), 9, other, moved)
	ended.DueAt, ended.NextAt = noon.Add(24*time.Hour), noon
	set(ended)
	list(moved, ended, never)

	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.DeleteDuesIn(ctx, "course", []string{"a", "c", "A", "x"})
	})
	list(ended)
	f.do(func(ctx context.Context, tx learning.Tx) error { return tx.DeleteDues(ctx, "course") })
	list()
	dueAt(noon.Add(time.Hour), 9, other)
}

func studentsDue(t *testing.T, f *fixture) {
	enroll := func(userID, courseID string, at, expires time.Time) core.Position {
		f.add(study.Enrollment{UserID: userID, CourseID: courseID, PurchaseID: "p " + userID,
			CreatedAt: at, ExpiresAt: expires})
		return core.Position{At: at, ID: userID}
	}
	enroll("early", "course", noon.Add(-time.Microsecond), time.Time{})
	b := enroll("b", "course", noon, noon.Add(time.Hour))
	a := enroll("a", "course", noon.Add(time.Second), time.Time{})
	enroll("gone", "course", noon, noon.Add(time.Minute))
	enroll("student", "course", noon, time.Time{})
	enroll("late", "course", noon.Add(time.Minute), time.Time{})
	enroll("other", "other", noon, time.Time{})
	done, draft := submission("1", 1), submission("2", 1)
	draft.Student.ID, draft.SubmittedAt = "b", time.Time{}
	f.add(done, draft)
	d := due.AssignmentDue{CourseID: "course", LectureID: "l"}
	w := due.DueWindow{From: noon, Until: noon.Add(time.Minute), Now: noon.Add(time.Minute)}
	told := func(after core.Position, limit int, want ...core.Position) {
		t.Helper()
		d.ToldTo = after
		list, err := f.StudentsDue(t.Context(), d, w, limit)
		equal(t, list, err, append([]core.Position{}, want...))
	}
	told(core.Position{}, 9, b, a)
	told(core.Position{}, 1, b)
	told(b, 9, a)
	first := func(since, want time.Time) {
		t.Helper()
		got, err := f.FirstEnrolled(t.Context(), "course", since)
		equal(t, got, err, want)
	}
	first(noon, noon)
	first(noon.Add(2*time.Second), noon.Add(time.Minute))
	first(noon.Add(time.Hour), time.Time{})
}
