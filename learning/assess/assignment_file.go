package assess

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/file"
)

// setSubmissionFiles makes a submission, or the feedback on it, use files, and no longer those that
// it used before. It returns [core.ErrInvalidRequest] if one of the files is not the owner's.
func setSubmissionFiles(ctx context.Context, tx Tx, s AssignmentSubmission, isFeedback bool,
	ownerID string, ids []string, now time.Time) error {
	files, err := tx.SubmissionFiles(ctx, []string{s.ID})
	if err != nil {
		return err
	}
	var before []string
	for _, f := range files {
		if f.IsFeedback == isFeedback {
			before = append(before, f.ID)
		}
	}
	if slices.Equal(before, ids) {
		return nil
	}

	// Those of before that another grader has added need not be the owner's.
	if _, _, err := file.ReplaceUses(ctx, tx, ownerID, before, ids, now); err != nil {
		return core.InField(filesField, err)
	}
	if err := tx.DeleteSubmissionFiles(ctx, s.ID, isFeedback); err != nil {
		return err
	}
	return tx.InsertSubmissionFiles(ctx, s.ID, isFeedback, ids)
}

// UploadSubmittedFile is [file.Service.UploadFile] for a student who is enrolled in a course
// with an assignment, with bounds of its own: [file.MaxSubmittedFile], and
// [file.MaxUnusedFilesOfStudent] and [file.MaxStorageOfStudent] unless the student is an
// educator or admin too. It returns [core.ErrForbidden] to others.
func (s *Service) UploadSubmittedFile(
	ctx context.Context, actor core.Actor, name string, content io.Reader,
) (file.File, error) {
	if err := actor.Require(); err != nil {
		return file.File{}, err
	}
	hasAssignments, err := s.store.HasAssignments(ctx, actor.UserID, s.base.Now())
	if err == nil && !hasAssignments {
		err = core.ErrForbidden
	}
	if err != nil {
		return file.File{}, core.Wrap("look for an assignment", err)
	}
	return s.files.UploadFileUpTo(ctx, actor, name, content, file.MaxSubmittedFile)
}

// showFiles sets the files of submissions, with signed URLs. Submissions without an id have none.
func (s *Service) showFiles(ctx context.Context, list ...*AssignmentSubmission) error {
	byID := map[string]*AssignmentSubmission{}
	var ids []string
	for _, submission := range list {
		submission.Files, submission.FeedbackFiles = nil, nil
		if submission.ID != "" {
			byID[submission.ID], ids = submission, append(ids, submission.ID)
		}
	}
	files, err := s.store.SubmissionFiles(ctx, ids)
	if err != nil {
		return fmt.Errorf("read the files of submissions: %w", err)
	}
	for _, f := range files {
		if f.URL, err = s.files.SignedURL(ctx, f.File); err != nil {
			return err
		}
		submission := byID[f.SubmissionID]
		if f.IsFeedback {
			submission.FeedbackFiles = append(submission.FeedbackFiles, f)
		} else {
			submission.Files = append(submission.Files, f)
		}
	}
	return nil
}
