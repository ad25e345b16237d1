package learning

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
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
	if _, _, err := catalog.ReplaceFileUses(ctx, tx, ownerID, before, ids, now); err != nil {
		return err
	}
	if err := tx.DeleteSubmissionFiles(ctx, s.ID, isFeedback); err != nil {
		return err
	}
	return tx.InsertSubmissionFiles(ctx, s.ID, isFeedback, ids)
}

// UploadSubmittedFile is [catalog.Service.UploadFile] for a student who is enrolled in a course
// with an assignment, with bounds of its own: [catalog.MaxSubmittedFile], and
// [catalog.MaxUnusedFilesOfStudent] and [catalog.MaxStorageOfStudent] unless the student is an
// educator or admin too. It returns [core.ErrForbidden] to others.
func (p *Platform) UploadSubmittedFile(
	ctx context.Context, actor core.Actor, name string, content io.Reader,
) (catalog.File, error) {
	if err := actor.Require(); err != nil {
		return catalog.File{}, err
	}
	hasAssignments, err := p.store.HasAssignments(ctx, actor.UserID)
	if err == nil && !hasAssignments {
		err = core.ErrForbidden
	}
	if err != nil {
		return catalog.File{}, core.Wrap("look for an assignment", err)
	}
	return p.Catalog.ForRooms().UploadFileUpTo(ctx, actor, name, content, min(p.Catalog.MaxFile(),
		catalog.MaxSubmittedFile))
}

// showFiles sets the files of submissions, with signed URLs. Submissions without an id have none.
func (p *Platform) showFiles(ctx context.Context, list ...*AssignmentSubmission) error {
	byID := map[string]*AssignmentSubmission{}
	var ids []string
	for _, s := range list {
		s.Files, s.FeedbackFiles = nil, nil
		if s.ID != "" {
			byID[s.ID], ids = s, append(ids, s.ID)
		}
	}
	files, err := p.store.SubmissionFiles(ctx, ids)
	if err != nil {
		return fmt.Errorf("read the files of submissions: %w", err)
	}
	for _, f := range files {
		if f.URL, err = p.Catalog.ForRooms().SignedURL(ctx, f.File); err != nil {
			return err
		}
		s := byID[f.SubmissionID]
		if f.IsFeedback {
			s.FeedbackFiles = append(s.FeedbackFiles, f)
		} else {
			s.Files = append(s.Files, f)
		}
	}
	return nil
}
