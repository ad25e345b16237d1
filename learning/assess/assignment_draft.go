package assess

import (
	"cmp"
	"context"
	"slices"

	"github.com/openlectern/openlectern/learning/core"
)

// filesField is the name of the files of a submission, and of the feedback on it.
const filesField = "fileIds"

// Work is what a student hands in.
type Work struct {
	Text    string
	FileIDs []string // of the student's own files
}

// normal returns the work with each file once, or [core.ErrInvalidRequest] if it exceeds a limit.
func (w Work) normal() (Work, error) {
	w.FileIDs = unique(w.FileIDs)
	return w, cmp.Or(core.RequireText("text", w.Text, 0, MaxSubmissionText),
		core.RequireAtMost(filesField, w.FileIDs, MaxSubmissionFiles))
}

// unique returns the elements of a list, each once, in their order.
func unique(list []string) (elements []string) {
	for _, s := range list {
		if !slices.Contains(elements, s) {
			elements = append(elements, s)
		}
	}
	return elements
}

// SaveDraft replaces the draft of the actor in an assignment, and returns it. Errors:
// [core.ErrUnauthenticated], [catalog.ErrCourseNotFound], [study.ErrNotPurchased],
// [catalog.ErrInvalidLecture], [core.ErrInvalidRequest], also for a file that is not the actor's
// and for one more file where the assignment wants none, [ErrTimeOver], [ErrNoAttempts].
func (s *Service) SaveDraft(
	ctx context.Context, actor core.Actor, courseID, lectureID string, work Work,
) (draft AssignmentSubmission, err error) {
	if err := actor.Require(); err != nil {
		return AssignmentSubmission{}, err
	}
	if work, err = work.normal(); err != nil {
		return AssignmentSubmission{}, err
	}
	var w AssignmentWork
	err = s.base.ChangeOfUser(ctx, actor.UserID, func(tx Tx, _ *core.Changes) error {
		// Read the state after the lock of the user, and decide.
		if w, err = lockedWork(ctx, tx, actor.UserID, courseID, lectureID, s.base.Now()); err != nil {
			return err
		}
		if err := w.isOpen(s.base.Now()); err != nil {
			return err
		}
		if !w.Assignment.Files {
			if err := requireFilesOf(ctx, tx, w.Draft.ID, work.FileIDs); err != nil {
				return err
			}
		}

		// Store the draft, and then its files, which are in use from now on.
		draft = w.Draft
		draft.Text, draft.SavedAt = work.Text, s.base.Now()
		if draft.ID == "" {
			draft.Student.ID, draft.CourseID, draft.LectureID = actor.UserID, courseID, lectureID
			draft.Number = len(w.Submissions) + 1
			draft, err = s.insertDraft(ctx, tx, draft)
		} else {
			err = updateSubmission(ctx, tx, &draft)
		}
		if err != nil {
			return err
		}
		const isFeedback = false
		return setSubmissionFiles(ctx, tx, draft, isFeedback, actor.UserID, work.FileIDs,
			s.base.Now())
	})
	if err == nil {
		err = s.showFiles(ctx, &draft)
	}
	return draft, core.Wrap("save a draft", s.deniedWork(ctx, courseID, w, err))
}

// requireFilesOf returns [core.ErrInvalidRequest] if a draft does not have one of the files
// already. An edit of the assignment may have ended that it wants files: what the draft has stays,
// so that the student can still save it.
func requireFilesOf(ctx context.Context, tx Tx, draftID string, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	files, err := tx.SubmissionFiles(ctx, []string{draftID})
	if err != nil {
		return err
	}
	isNew := func(id string) bool {
		return !slices.ContainsFunc(files, func(f SubmittedFile) bool { return f.ID == id })
	}
	return core.Require(!slices.ContainsFunc(ids, isNew), filesField,
		"must be empty, because the assignment takes no files")
}

// insertDraft adds a new draft, and returns it with its id and the educator of its course.
func (s *Service) insertDraft(
	ctx context.Context, tx Tx, draft AssignmentSubmission,
) (AssignmentSubmission, error) {
	c, err := tx.Course(ctx, draft.CourseID)
	if err != nil {
		return AssignmentSubmission{}, err
	}
	draft.ID, draft.EducatorID = s.base.NewID(), c.Educator.ID
	draft.Status, draft.Version = SubmissionDraft, 1
	return draft, tx.InsertAssignmentSubmission(ctx, draft)
}
