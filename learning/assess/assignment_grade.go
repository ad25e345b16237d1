package assess

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/openlectern/openlectern/internal/paging"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/study"
)

// Grade is the decision of a grader on a submission.
type Grade struct {
	Version  int64 // of the submission that the grader has read
	Status   SubmissionStatus
	Points   []int // for each criterion of the submission's rubric; may be empty if it is returned
	Feedback string
	FileIDs  []string // of the grader's own files
}

// check returns an error if the grade is not within the limits, or not within a rubric.
func (g Grade) check(rubric []catalog.Criterion) error {
	isStatus := g.Status == SubmissionGraded || g.Status == SubmissionReturned
	hasPoints := len(g.Points) == len(rubric) ||
		len(g.Points) == 0 && g.Status == SubmissionReturned
	err := cmp.Or(core.Require(isStatus, "status", "must be graded or returned"),
		core.Require(hasPoints, "points", "must have an element for each line of the rubric"),
		core.RequireText("feedback", g.Feedback, 0, MaxFeedback),
		core.RequireAtMost(filesField, g.FileIDs, MaxSubmissionFiles))
	if err != nil {
		return err
	}
	for i, points := range g.Points {
		err := core.RequireBetween(fmt.Sprint("points/", i), points, 0, rubric[i].Points)
		if err != nil {
			return err
		}
	}
	return nil
}

// SubmissionQuery selects submissions.
type SubmissionQuery struct {
	CourseID string           // "" for all courses of which the actor is the educator
	Status   SubmissionStatus // "" for all but drafts
}

// Submissions returns a page of the submissions that a query selects, the oldest first: in a course
// for its educator and admins, or in all courses of the actor. They have neither texts nor files,
// and no rubric and feedback. Errors: [core.ErrUnauthenticated], [core.ErrForbidden],
// [catalog.ErrCourseNotFound], [core.ErrInvalidRequest] for a status that no submission has and if
// page has no valid limit.
func (s *Service) Submissions(
	ctx context.Context, actor core.Actor, q SubmissionQuery, page core.PageRequest,
) (core.Page[AssignmentSubmission], error) {
	err := actor.RequireRole(core.Educator, core.Admin)
	if err == nil && q.CourseID != "" {
		_, err = s.catalog.Editable(ctx, actor, q.CourseID)
	}
	if err != nil {
		return core.Page[AssignmentSubmission]{}, err
	}
	if q.Status != "" && q.Status != SubmissionWaiting && q.Status != SubmissionGraded &&
		q.Status != SubmissionReturned {
		return core.Page[AssignmentSubmission]{}, core.InvalidField("status",
			"must be submitted, graded or returned")
	}
	read := func(ctx context.Context, page core.PageRequest) ([]AssignmentSubmission, error) {
		list, err := s.store.SubmissionsIn(ctx, actor.UserID, q, page)
		if err == nil {
			err = s.addTitles(ctx, list)
		}
		return list, err
	}
	return paging.ReadPage(ctx, "list submissions", page, read,
		func(s AssignmentSubmission) core.Position {
			return core.Position{At: s.SubmittedAt,
				ID: s.ID}
		})
}

// addTitles sets the titles of the lectures of submissions.
func (s *Service) addTitles(ctx context.Context, list []AssignmentSubmission) error {
	var courseIDs []string
	for _, submission := range list {
		courseIDs = append(courseIDs, submission.CourseID)
	}
	slices.Sort(courseIDs)
	titles, err := s.store.Titles(ctx, slices.Compact(courseIDs))
	for i := range list {
		list[i].LectureTitle = titles[list[i].CourseID].Lectures[list[i].LectureID].Title
	}
	return err
}

// GradedWork is a submission with what a grader needs beside it.
type GradedWork struct {
	AssignmentSubmission
	// Earlier are the earlier submissions of the student in the lecture, the oldest first, without
	// their files.
	Earlier []AssignmentSubmission
	// NextID is the submission in the course that waits after this one; "" for none.
	NextID string
}

// Submission returns a submission with its files, for the educator of the course and admins.
// Errors: [core.ErrUnauthenticated], [core.ErrForbidden], [ErrSubmissionNotFound], also for a
// draft.
func (s *Service) Submission(
	ctx context.Context, actor core.Actor, id string,
) (work GradedWork, err error) {
	if work.AssignmentSubmission, err = s.gradable(ctx, actor, id); err != nil {
		return GradedWork{}, err
	}
	return s.graded(ctx, work.AssignmentSubmission)
}

// graded returns a submission with its files, its title and what a grader needs beside it.
func (s *Service) graded(ctx context.Context, of AssignmentSubmission) (GradedWork, error) {
	const action = "read what is beside a submission"
	titled := []AssignmentSubmission{of}
	if err := s.addTitles(ctx, titled); err != nil {
		return GradedWork{}, core.Wrap(action, err)
	}
	work := GradedWork{AssignmentSubmission: titled[0]}
	list, err := s.store.Submissions(ctx, of.Student.ID, of.CourseID, of.LectureID)
	if err != nil {
		return GradedWork{}, core.Wrap(action, err)
	}
	for _, other := range list {
		if other.Number < of.Number && other.Status != SubmissionDraft {
			work.Earlier = append(work.Earlier, other)
		}
	}
	next, err := s.store.SubmissionsIn(ctx, of.EducatorID,
		SubmissionQuery{CourseID: of.CourseID, Status: SubmissionWaiting},
		core.PageRequest{After: core.Position{At: of.SubmittedAt, ID: of.ID}, Limit: 1})
	if err != nil {
		return GradedWork{}, core.Wrap(action, err)
	}
	if len(next) > 0 {
		work.NextID = next[0].ID
	}
	return work, s.showFiles(ctx, &work.AssignmentSubmission)
}

// gradable reads a submission that the actor may grade. Errors: those of [Service.Submission].
func (s *Service) gradable(
	ctx context.Context, actor core.Actor, id string,
) (AssignmentSubmission, error) {
	if err := actor.RequireRole(core.Educator, core.Admin); err != nil {
		return AssignmentSubmission{}, err
	}
	submission, err := submissionOf(ctx, s.store, id)
	if err != nil {
		return AssignmentSubmission{}, core.Wrap("read a submission", err)
	}
	// A course with submissions is never deleted.
	_, err = s.catalog.Editable(ctx, actor, submission.CourseID)
	return submission, err
}

// submissionOf reads a submission. Error: [ErrSubmissionNotFound], also for a draft.
func submissionOf(ctx context.Context, r Reader, id string) (AssignmentSubmission, error) {
	s, err := r.Submission(ctx, id)
	if errors.Is(err, core.ErrNoRecord) || err == nil && s.Status == SubmissionDraft {
		return AssignmentSubmission{}, ErrSubmissionNotFound
	}
	return s, err
}

// Grade stores the decision of the actor on a submission, for the educator of the course and
// admins, and returns the submission. A submission may be decided again. Of two decisions on one
// version one gets [ErrSubmissionChanged]. The lecture is completed while the student's latest
// submission in it that is decided, by its number, is graded.
//
// Errors: [core.ErrUnauthenticated], [core.ErrForbidden], [ErrSubmissionNotFound], also if the
// student was deleted, [ErrSubmissionChanged], [core.ErrInvalidRequest] for points outside the
// rubric, and for a file that is not the actor's.
func (s *Service) Grade(
	ctx context.Context, actor core.Actor, id string, g Grade,
) (graded AssignmentSubmission, err error) {
	read, err := s.gradable(ctx, actor, id)
	if err != nil {
		return AssignmentSubmission{}, err
	}
	g.FileIDs = unique(g.FileIDs)
	if err := g.check(read.Rubric); err != nil { // the rubric never changes
		return AssignmentSubmission{}, err
	}
	title, err := s.catalog.EventTitle(ctx, read.CourseID)
	if err != nil {
		return AssignmentSubmission{}, err
	}
	studentID := read.Student.ID
	err = s.base.ChangeOfUser(ctx, studentID, func(tx Tx, changes *core.Changes) error {
		// Read the state after the lock of the student. A deleted one gets no feedback any more.
		if graded, err = submissionOf(ctx, tx, id); err != nil {
			return err
		}
		state, err := tx.AccountState(ctx, studentID)
		switch {
		case err != nil:
			return err
		case state.Deleted:
			return ErrSubmissionNotFound
		case graded.Version != g.Version:
			return ErrSubmissionChanged
		}

		// Store the decision with its event and its files.
		before := graded
		graded.Status, graded.Points, graded.Feedback = g.Status, g.Points, g.Feedback
		graded.GradedBy, graded.GradedAt = actor.UserID, s.base.Now()
		changes.Count(graded.ID, core.TotalsChange(before.totals(), graded.totals())...)
		addSubmissionEvent(changes, decisionEvents[g.Status], graded, title)
		if err := notifyOfDecision(ctx, tx, changes, actor, graded); err != nil {
			return err
		}
		if err := updateSubmission(ctx, tx, &graded); err != nil {
			return err
		}
		const isFeedback = true
		if err := setSubmissionFiles(ctx, tx, graded, isFeedback, actor.UserID, g.FileIDs,
			s.base.Now()); err != nil {
			return err
		}
		return s.markDecided(ctx, tx, changes, graded, title)
	})
	if err == nil {
		err = s.afterDecision(ctx, graded)
	}
	if err == nil {
		err = s.showFiles(ctx, &graded)
	}
	return graded, core.Wrap("grade a submission", err)
}

// decisionEvents are the events of decisions.
var decisionEvents = map[SubmissionStatus]core.EventType{
	SubmissionGraded:   EventAssignmentGraded,
	SubmissionReturned: EventAssignmentReturned,
}

// decisionNotifications are the notifications of decisions.
var decisionNotifications = map[SubmissionStatus]core.NotificationKind{
	SubmissionGraded:   NotifyAssignmentGraded,
	SubmissionReturned: NotifyAssignmentReturned,
}

// notifyOfDecision tells the student of the actor's decision on a submission. Without access to the
// course the student cannot read it, and is not told.
func notifyOfDecision(
	ctx context.Context, tx Tx, changes *core.Changes, actor core.Actor,
	decided AssignmentSubmission,
) error {
	isEnrolled, err := tx.Enrolled(ctx, decided.Student.ID, decided.CourseID)
	if err == nil && isEnrolled {
		notifyOfSubmission(changes, decisionNotifications[decided.Status], decided.Student.ID,
			actor.UserID, decided)
	}
	return err
}

// markDecided sets or removes the mark that the student has completed the lecture of a submission
// that was decided, as the latest decision says. It does not remove the mark of a lecture that is
// of another kind now, because the student sets that mark.
func (s *Service) markDecided(
	ctx context.Context, tx Tx, changes *core.Changes, decided AssignmentSubmission,
	title string,
) error {
	studentID, courseID, lectureID := decided.Student.ID, decided.CourseID, decided.LectureID
	list, err := tx.Submissions(ctx, studentID, courseID, lectureID)
	if err != nil {
		return err
	}
	done, err := tx.CompletedLectures(ctx, studentID, courseID)
	if err != nil {
		return err
	}
	isMarked := slices.ContainsFunc(done,
		func(l study.CompletedLecture) bool { return l.LectureID == lectureID })
	switch isCompleted := isGraded(list); {
	case isCompleted && !isMarked:
		study.AddLectureCompletedEvent(changes, studentID, courseID, title, lectureID)
		return tx.InsertCompletedLecture(ctx, studentID, courseID,
			study.CompletedLecture{LectureID: lectureID, At: s.base.Now()})
	case !isCompleted && isMarked:
		ids, kinds, err := tx.LectureKinds(ctx, courseID)
		if err != nil {
			return err
		}
		if i := slices.Index(ids, lectureID); i >= 0 && kinds[i] != catalog.KindAssignment {
			return nil
		}
		return tx.DeleteCompletedLecture(ctx, studentID, courseID, lectureID)
	}
	return nil
}

// isGraded reports whether an assignment is completed by its submissions, which have the order of
// their numbers: whether the latest one that is decided is graded. One that waits changes nothing.
func isGraded(list []AssignmentSubmission) bool {
	for _, s := range slices.Backward(list) {
		if s.isDecided() {
			return s.Status == SubmissionGraded
		}
	}
	return false
}

// afterDecision stores the completion of the course, if the decision on a submission has completed
// its last lecture. It follows the transaction for the reason of
// StoreCompletion.
func (s *Service) afterDecision(ctx context.Context, decided AssignmentSubmission) error {
	progress, err := study.ProgressOf(ctx, s.store, decided.Student.ID, decided.CourseID)
	if err != nil || !progress.Completed() {
		return err
	}
	return s.study.StoreCompletion(ctx, decided.Student.ID, decided.CourseID)
}
