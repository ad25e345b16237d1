package assess

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/file"
	"github.com/openlectern/openlectern/learning/study"
)

// The public failures of submissions.
var (
	ErrDraftEmpty = &core.Error{Kind: core.Conflict, Code: "draft_empty",
		Message: "Your draft is empty. Write a text or add a file first."}
	ErrSubmissionWaiting = &core.Error{Kind: core.Conflict, Code: "submission_waiting",
		Message: "Your last submission is not graded yet. Please wait for the grade."}
	ErrSubmissionNotFound = &core.Error{Kind: core.NotFound, Code: "submission_not_found",
		Message: "Submission not found"}
	ErrSubmissionChanged = &core.Error{Kind: core.Conflict, Code: "submission_changed",
		Message: "This submission has changed. Please load it again."}
)

// The events of submissions. UserID is the student. The decision on a submission may be told
// several times, because graders may decide again.
const (
	EventAssignmentSubmitted core.EventType = "assignment.submitted"
	EventAssignmentGraded    core.EventType = "assignment.graded"
	EventAssignmentReturned  core.EventType = "assignment.returned"
)

// AssignmentSubmission is the work of a student on an assignment (docs/api.md §19). It is a draft
// until the student submits it. After that only its grade changes.
type AssignmentSubmission struct {
	ID         string
	Student    core.Person
	CourseID   string
	EducatorID string // of the course
	LectureID  string // the course may not have it any more
	// LectureTitle is the present one, where graders see the submission; "" if the course does not
	// have the lecture any more.
	LectureTitle string
	Number       int // 1 for the first one of the student in the lecture
	Status       SubmissionStatus
	Version      int64 // grows by one with each change
	Text         string
	SavedAt      time.Time           // when the draft was saved last
	SubmittedAt  time.Time           // zero for a draft
	IsLate       bool                // whether it was submitted after the due time
	Rubric       []catalog.Criterion // when it was submitted
	Points       []int               // for each criterion; empty until it is graded
	Feedback     string
	GradedBy     string // the grader's user id; "" for none
	GradedAt     time.Time

	Files         []SubmittedFile // set where the submission is shown
	FeedbackFiles []SubmittedFile
}

// SubmissionStatus is the state of a submission.
type SubmissionStatus string

// The states of a submission. A grader may decide again.
const (
	SubmissionDraft    SubmissionStatus = "draft"
	SubmissionWaiting  SubmissionStatus = "submitted"
	SubmissionGraded   SubmissionStatus = "graded"
	SubmissionReturned SubmissionStatus = "returned" // to be done again
)

// isDecided reports whether a grader has decided on the submission.
func (s AssignmentSubmission) isDecided() bool {
	return s.Status == SubmissionGraded || s.Status == SubmissionReturned
}

// TotalWaitingSubmissions counts the submissions that wait for a decision, by course.
const TotalWaitingSubmissions core.TotalKind = "waiting submissions"

// totals returns what the submission adds to the totals.
func (s AssignmentSubmission) totals() []core.Total {
	if s.Status != SubmissionWaiting {
		return nil
	}
	return []core.Total{{Kind: TotalWaitingSubmissions, CourseID: s.CourseID, Number: 1}}
}

// SubmittedFile is a file of a submission or of the feedback on it.
type SubmittedFile struct {
	file.File
	SubmissionID string
	IsFeedback   bool
	URL          string // signed
}

// Limits of submissions (docs/api.md §19). Lengths count code points.
const (
	MaxSubmissionText  = 50_000
	MaxFeedback        = 20_000
	MaxSubmissionFiles = 10 // of a submission, and of the feedback on it
)

// returnedWorkTime is how long work can be submitted again at least after it was returned.
const returnedWorkTime = 7 * 24 * time.Hour

// AssignmentWork is an assignment with what a student has done.
type AssignmentWork struct {
	// Assignment is nil if the student may not read the lecture any more, or if the course does not
	// have it.
	Assignment *catalog.Assignment
	WorkBounds
	Draft       AssignmentSubmission   // zero if there is none
	Submissions []AssignmentSubmission // without the draft, the oldest first
}

// AssignmentWork returns an assignment with the draft and the submissions of the actor. Own work
// stays readable when the access to the course has ended. Errors: [core.ErrUnauthenticated],
// [catalog.ErrCourseNotFound], [study.ErrNotPurchased], [catalog.ErrInvalidLecture] for a lecture
// that is no assignment.
func (s *Service) AssignmentWork(
	ctx context.Context, actor core.Actor, courseID, lectureID string,
) (AssignmentWork, error) {
	if err := actor.Require(); err != nil {
		return AssignmentWork{}, err
	}
	work, err := readWork(ctx, s.store, actor.UserID, courseID, lectureID, s.base.Now())
	if err != nil && !work.isBegun() {
		return AssignmentWork{}, core.Wrap("read an assignment", s.deniedWork(ctx, courseID, work,
			err))
	}
	return work, s.showFiles(ctx, work.all()...)
}

// isBegun reports whether there is a draft or a submission.
func (w AssignmentWork) isBegun() bool { return w.Draft.ID != "" || len(w.Submissions) > 0 }

// deniedWork returns err or, if it is [study.ErrNotPurchased] and the user has never worked on the
// assignment, the error of denied, because the course may be a draft then.
func (s *Service) deniedWork(
	ctx context.Context, courseID string, w AssignmentWork, err error,
) error {
	if errors.Is(err, study.ErrNotPurchased) && !w.isBegun() {
		return s.study.Denied(ctx, courseID)
	}
	return err
}

// all returns pointers to the draft and the submissions.
func (w *AssignmentWork) all() []*AssignmentSubmission {
	list := []*AssignmentSubmission{&w.Draft}
	for i := range w.Submissions {
		list = append(list, &w.Submissions[i])
	}
	return list
}

// readWork reads the work of a user on an assignment. With [study.ErrNotPurchased], if the user is
// not enrolled, [study.ErrAccessEnded], [study.ErrLectureLocked], and [catalog.ErrInvalidLecture],
// if the course does not have the assignment, it returns the work without the assignment.
func readWork(
	ctx context.Context, r Reader, userID, courseID, lectureID string, now time.Time,
) (w AssignmentWork, err error) {
	w.Submissions, err = r.Submissions(ctx, userID, courseID, lectureID)
	if err != nil {
		return AssignmentWork{}, err
	}
	if last := len(w.Submissions) - 1; last >= 0 && w.Submissions[last].Status == SubmissionDraft {
		w.Draft, w.Submissions = w.Submissions[last], w.Submissions[:last]
	}

	// The student must have access, and the lecture be open. An educator has no work.
	access, err := study.AccessOf(ctx, r, core.Actor{UserID: userID}, courseID, now)
	if err != nil {
		return AssignmentWork{}, err
	}
	if err := access.RequireOpen(lectureID); err != nil {
		return w, err
	}
	content, err := catalog.ContentOf(ctx, r, courseID)
	if err != nil {
		return AssignmentWork{}, err
	}
	if w.Assignment = catalog.LecturesByID(content)[lectureID].Assignment; w.Assignment == nil {
		return w, catalog.ErrInvalidLecture
	}
	var last AssignmentSubmission
	if n := len(w.Submissions); n > 0 {
		last = w.Submissions[n-1]
	}
	w.WorkBounds = BoundsOf(*w.Assignment, access.Enrollment.CreatedAt, last)
	return w, nil
}

// WorkBounds are until when and how often a student may submit work.
type WorkBounds struct {
	DueAt    time.Time // for this student; zero for none
	ClosesAt time.Time // from then on no work is taken; zero for no end
	Left     *int      // how often the student may submit until then; nil for no limit
}

// BoundsOf returns the bounds of an assignment for a student who was enrolled at a time. last is
// the latest submission of the student, with its number; zero for none.
func BoundsOf(
	a catalog.Assignment, enrolledAt time.Time, last AssignmentSubmission,
) (b WorkBounds) {
	b.DueAt, b.ClosesAt = a.Due(enrolledAt)
	if a.Attempts > 0 {
		b.Left = new(max(0, a.Attempts-last.Number))
	}
	b.extendReturned(last)
	return b
}

// extendReturned lets a student do work again that was returned, though the attempts or the time
// are used up: once at least, until seven days after the return or the closing time, whichever is
// later. That ends with the next submission, and with another decision on the work.
func (b *WorkBounds) extendReturned(last AssignmentSubmission) {
	if last.Status != SubmissionReturned {
		return
	}
	if b.Left != nil {
		*b.Left = max(1, *b.Left)
	}
	if !b.ClosesAt.IsZero() {
		b.ClosesAt = core.Latest(b.ClosesAt, last.GradedAt.Add(returnedWorkTime))
	}
}

// isOpen returns nil if work is taken at a time, and else [ErrTimeOver] or [ErrNoAttempts].
func (w AssignmentWork) isOpen(now time.Time) error {
	switch {
	case !w.ClosesAt.IsZero() && !now.Before(w.ClosesAt):
		return ErrTimeOver
	case w.Left != nil && *w.Left == 0:
		return ErrNoAttempts
	}
	return nil
}

// waiting returns the submission that waits for a decision. There is at most one, the latest.
func (w AssignmentWork) waiting() (AssignmentSubmission, bool) {
	last := len(w.Submissions) - 1
	if last < 0 || w.Submissions[last].isDecided() {
		return AssignmentSubmission{}, false
	}
	return w.Submissions[last], true
}

// lockedWork is readWork in a transaction that has locked the user. It returns
// [core.ErrUnauthenticated] if the user was deleted.
func lockedWork(
	ctx context.Context, tx Tx, userID, courseID, lectureID string, now time.Time,
) (AssignmentWork, error) {
	if err := core.RequireUndeleted(ctx, tx, userID); err != nil {
		return AssignmentWork{}, err
	}
	return readWork(ctx, tx, userID, courseID, lectureID, now)
}

// updateSubmission stores a submission that the transaction has read after the lock of its student,
// with the next version.
func updateSubmission(ctx context.Context, tx Tx, s *AssignmentSubmission) error {
	s.Version++
	return tx.UpdateSubmission(ctx, *s)
}

// LatestSubmissions lists the latest submission of a user in each lecture of a course, without
// drafts, by the ids of the lectures. They have no texts and feedback.
func (s *ForRooms) LatestSubmissions(
	ctx context.Context, userID, courseID string,
) ([]AssignmentSubmission, error) {
	return s.store.LatestSubmissions(ctx, userID, []string{courseID})
}

// Submit submits the draft of the actor in an assignment, and returns the submission. A repeated
// call returns the submission that waits for its grade. Errors: [core.ErrUnauthenticated],
// [catalog.ErrCourseNotFound], [study.ErrNotPurchased], [catalog.ErrInvalidLecture], [ErrTimeOver],
// [ErrNoAttempts], [ErrDraftEmpty], [ErrSubmissionWaiting].
func (s *Service) Submit(
	ctx context.Context, actor core.Actor, courseID, lectureID string,
) (submitted AssignmentSubmission, err error) {
	if err := actor.Require(); err != nil {
		return AssignmentSubmission{}, err
	}
	title, err := s.catalog.EventTitle(ctx, courseID)
	if err != nil {
		return AssignmentSubmission{}, err
	}
	var w AssignmentWork
	err = s.base.ChangeOfUser(ctx, actor.UserID, func(tx Tx, changes *core.Changes) error {
		if w, err = lockedWork(ctx, tx, actor.UserID, courseID, lectureID, s.base.Now()); err != nil {
			return err
		}
		files, err := tx.SubmissionFiles(ctx, []string{w.Draft.ID})
		if err != nil {
			return err
		}
		var isNew bool
		if submitted, isNew, err = w.submitted(len(files) > 0, s.base.Now()); err != nil || !isNew {
			return err
		}
		changes.Count(submitted.ID, submitted.totals()...)
		addSubmissionEvent(changes, EventAssignmentSubmitted, submitted, title)
		notifyOfSubmission(changes, NotifyAssignmentSubmitted, submitted.EducatorID, actor.UserID,
			submitted)
		return updateSubmission(ctx, tx, &submitted)
	})
	if err == nil {
		err = s.showFiles(ctx, &submitted)
	}
	return submitted, core.Wrap("submit work", s.deniedWork(ctx, courseID, w, err))
}

// submitted decides what a call of [Service.Submit] at a time does. It returns the
// submission, and whether the call makes it. The cases are tried in this order:
//
//	draft  latest submission  time and attempts  then
//	none   waits              any                the call is repeated: the latest one is returned
//	any    any                over, none left    ErrTimeOver, ErrNoAttempts
//	none   decided, or none   in time            ErrDraftEmpty, also for one without text and files
//	one    waits              in time            ErrSubmissionWaiting
//	one    decided, or none   in time            the draft becomes a submission
func (w AssignmentWork) submitted(
	hasFiles bool, now time.Time,
) (s AssignmentSubmission, isNew bool, err error) {
	waiting, waits := w.waiting()
	hasDraft := strings.TrimSpace(w.Draft.Text) != "" || hasFiles
	if waits && w.Draft.ID == "" {
		return waiting, false, nil
	}
	if err := w.isOpen(now); err != nil {
		return AssignmentSubmission{}, false, err
	}
	switch {
	case !hasDraft:
		return AssignmentSubmission{}, false, ErrDraftEmpty
	case waits:
		return AssignmentSubmission{}, false, ErrSubmissionWaiting
	}
	s = w.Draft
	s.Status, s.SubmittedAt, s.Rubric = SubmissionWaiting, now, w.Assignment.Rubric
	s.IsLate = !w.DueAt.IsZero() && !now.Before(w.DueAt)
	return s, true, nil
}

// removeSubmissionsOf deletes the drafts of a user and the submissions that wait, and the texts and
// feedback of those that are decided. Their points stay.
func removeSubmissionsOf(
	ctx context.Context, tx Tx, changes *core.Changes, userID string, at time.Time,
) error {
	waiting, err := tx.WaitingSubmissionsOf(ctx, userID)
	if err != nil {
		return err
	}
	for _, s := range waiting {
		changes.Count(s.ID, core.TotalsChange(s.totals(), nil)...)
	}
	files, err := tx.FilesOfSubmissionsOf(ctx, userID)
	if err != nil {
		return err
	}
	ids, submissions := make([]string, len(files)), make([]string, len(files))
	for i, f := range files {
		ids[i], submissions[i] = f.ID, f.SubmissionID
	}
	if err := tx.DeleteFilesOfSubmissions(ctx, sortedSet(submissions)); err != nil {
		return err
	}
	// A file that several submissions use is in the list as often. A statement counts one use of
	// each.
	slices.Sort(ids)
	for len(ids) > 0 {
		var once, again []string
		for i, id := range ids {
			if i > 0 && id == ids[i-1] {
				again = append(again, id)
			} else {
				once = append(once, id)
			}
		}
		if err := tx.EndFileUses(ctx, once, at); err != nil {
			return err
		}
		ids = again
	}
	if err := tx.DeleteUndecidedSubmissions(ctx, userID); err != nil {
		return err
	}
	return tx.ForgetSubmissions(ctx, userID)
}

// LatestSubmissionReader reads the latest submissions of a student.
type LatestSubmissionReader interface {
	// LatestSubmissions lists the latest submission of a user in each lecture of courses, without
	// drafts, by the ids of courses and lectures. It does not read their texts and feedback.
	LatestSubmissions(ctx context.Context, userID string,
		courseIDs []string) ([]AssignmentSubmission, error)
}

// submissionReader reads submissions, drafts included, with their students.
type submissionReader interface {
	// Submissions lists the submissions of a user in a lecture by their numbers, the draft last.
	Submissions(ctx context.Context, userID, courseID, lectureID string) ([]AssignmentSubmission,
		error)
	LatestSubmissionReader
	// Submission reads a submission, which may be a draft.
	Submission(ctx context.Context, id string) (AssignmentSubmission, error)
	// SubmissionsIn lists a page of the submissions that a query selects in a course or, if it has
	// none, in all courses of an educator, the oldest first. It does not read their texts, rubrics
	// and feedback, and lists no drafts.
	SubmissionsIn(ctx context.Context, educatorID string, q SubmissionQuery,
		page core.PageRequest) ([]AssignmentSubmission, error)
	// WaitingSubmissionsOf lists the submissions of a user that wait for a decision, without their
	// texts, rubrics and feedback.
	WaitingSubmissionsOf(ctx context.Context, userID string) ([]AssignmentSubmission, error)
	// SubmissionFiles lists the files of submissions and of the feedback on them, those of each in
	// their order.
	SubmissionFiles(ctx context.Context, submissionIDs []string) ([]SubmittedFile, error)
	// FilesOfSubmissionsOf lists the files that the submissions of a user and the feedback on them
	// use, each as often as it is used. They have the fields ID and SubmissionID only.
	FilesOfSubmissionsOf(ctx context.Context, userID string) ([]SubmittedFile, error)
	// HasAssignments reports whether a user has access at a time to a course with an assignment.
	HasAssignments(ctx context.Context, userID string, now time.Time) (bool, error)
}

// submissionWriter writes submissions.
type submissionWriter interface {
	// InsertAssignmentSubmission adds a submission without its files. It returns
	// [core.ErrDuplicate] if its student has one with its number in the lecture.
	InsertAssignmentSubmission(ctx context.Context, s AssignmentSubmission) error
	// UpdateSubmission overwrites a submission, except its files and what it is on.
	UpdateSubmission(ctx context.Context, s AssignmentSubmission) error
	// InsertSubmissionFiles stores the files of a submission, or of the feedback on it, in their
	// order.
	InsertSubmissionFiles(ctx context.Context, submissionID string, isFeedback bool,
		fileIDs []string) error
	// DeleteSubmissionFiles removes the files of a submission, or of the feedback on it.
	DeleteSubmissionFiles(ctx context.Context, submissionID string, isFeedback bool) error
	// DeleteFilesOfSubmissions removes the files of submissions and of the feedback on them.
	DeleteFilesOfSubmissions(ctx context.Context, submissionIDs []string) error
	// DeleteUndecidedSubmissions deletes the submissions of a user without a decision.
	DeleteUndecidedSubmissions(ctx context.Context, userID string) error
	// ForgetSubmissions removes the texts and the feedback of the submissions of a user.
	ForgetSubmissions(ctx context.Context, userID string) error
}

// The notifications of assignments.
const (
	// NotifyAssignmentSubmitted tells the educator of a submission.
	NotifyAssignmentSubmitted core.NotificationKind = "assignment.submitted"
	// NotifyAssignmentGraded and NotifyAssignmentReturned tell the student of the decision on one.
	NotifyAssignmentGraded   core.NotificationKind = "assignment.graded"
	NotifyAssignmentReturned core.NotificationKind = "assignment.returned"
)

// notifyOfSubmission tells a reader of what doneBy has done with a submission.
func notifyOfSubmission(
	changes *core.Changes, kind core.NotificationKind, readerID, doneBy string,
	s AssignmentSubmission,
) {
	changes.Notify(doneBy, core.Notification{
		Kind:     kind,
		ReaderID: readerID,
		ActorID:  doneBy,
		Thing:    s.ID,
		NotificationIDs: core.NotificationIDs{CourseID: s.CourseID, LectureID: s.LectureID,
			SubmissionID: s.ID},
	})
}

// addSubmissionEvent adds an event of a submission. title is that of its course.
func addSubmissionEvent(changes *core.Changes, t core.EventType, s AssignmentSubmission,
	title string) {
	changes.Add(t, "user", s.Student.ID, core.EventData{UserID: s.Student.ID, CourseID: s.CourseID,
		CourseTitle: title, LectureID: s.LectureID, SubmissionID: s.ID})
}
