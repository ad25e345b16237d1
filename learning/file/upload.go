package file

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/openlectern/openlectern/internal/text"
	"github.com/openlectern/openlectern/learning/core"
)

// The public failures of uploads.
var (
	ErrUploadNotFound = &core.Error{Kind: core.NotFound, Code: "upload_not_found",
		Message: "Upload not found"}
	ErrUploadOffset = &core.Error{Kind: core.Conflict, Code: "upload_offset",
		Message: "The upload is at another offset. Ask for it, and continue there."}
	ErrUploadBusy = &core.Error{Kind: core.Conflict, Code: "upload_busy",
		Message: "This upload is being completed. Please try again later."}
)

// Upload is a file of an educator that arrives in parts (docs/api.md §18).
type Upload struct {
	ID        string
	OwnerID   string
	FileID    string       // of the file; "" until it is complete
	Name      string       // which the file has at the client
	Metadata  string       // what the client has said about the file, as it was sent
	Size      int64        // of the whole file, in bytes
	Received  int64        // how many bytes are stored: Size when the file is complete, and not before
	Parts     []UploadPart // that are stored, in order; they have Received bytes together
	CreatedAt time.Time
	ExpiresAt time.Time // when the upload is removed
}

// UploadPart is a stored part of an [Upload].
type UploadPart struct {
	Name string // in the [Store]
	Size int64  // in bytes
}

// namesOf returns the names of parts.
func namesOf(parts []UploadPart) (names []string) {
	for _, part := range parts {
		names = append(names, part.Name)
	}
	return names
}

// NewUpload is what a client says about a file before it sends the content.
type NewUpload struct {
	Name     string
	Metadata string
	Size     int64 // in bytes
}

// Limits of uploads (docs/api.md §18).
const (
	MaxUploadMetadata = 2_000 // bytes
	maxUploadName     = 1_000 // code points; a longer name is cut
	// UploadTime is how long after its last byte an upload is kept.
	UploadTime = 24 * time.Hour
)

// MaxFile returns the size of the largest file that may be uploaded, in bytes.
func (s *Service) MaxFile() int64 { return s.maxFile }

// CreateUpload begins an upload of the actor. Its size counts as that of an unused file from now
// on.
//
// Errors: [core.ErrUnauthenticated], [core.ErrForbidden], [ErrFilesNotConfigured],
// [core.ErrInvalidRequest] for a negative size and for metadata that are too long,
// [ErrFileTooLarge], [ErrFileRefused] for an empty file, [ErrStorageFull].
func (s *Service) CreateUpload(ctx context.Context, actor core.Actor, n NewUpload) (Upload,
	error) {
	if err := actor.RequireRole(core.Educator, core.Admin); err != nil {
		return Upload{}, err
	}
	switch {
	case s.files == nil:
		return Upload{}, ErrFilesNotConfigured
	case n.Size < 0:
		return Upload{}, core.InvalidField("Upload-Length", "must not be negative")
	case len(n.Metadata) > MaxUploadMetadata || !text.IsStorable(n.Metadata):
		return Upload{}, core.InvalidField("Upload-Metadata",
			fmt.Sprintf("must be UTF-8 of at most %d bytes", MaxUploadMetadata))
	case n.Size > s.maxFile:
		return Upload{}, ErrFileTooLarge
	case n.Size == 0: // an empty file has no type
		return Upload{}, ErrFileRefused
	}
	now := s.base.Now()
	u := Upload{ID: s.base.NewID(), OwnerID: actor.UserID,
		Name: text.Truncate(cleanFileName(n.Name),
			maxUploadName), Metadata: n.Metadata, Size: n.Size,
		CreatedAt: now, ExpiresAt: now.Add(UploadTime)}
	err := s.base.ChangeOfUndeleted(ctx, u.OwnerID, func(tx Tx, _ *core.Changes) error {
		if err := s.storageOf(actor).check(ctx, tx, u.OwnerID, u.Size); err != nil {
			return err
		}
		return tx.InsertUpload(ctx, u)
	})
	return u, core.Wrap("begin an upload", err)
}

// Upload returns an upload of the actor, and its file once it is complete. The file is zero before,
// and after it was deleted. Errors: [core.ErrUnauthenticated], [core.ErrForbidden],
// [ErrUploadNotFound], also for an upload of another educator and for one that has expired.
func (s *Service) Upload(ctx context.Context, actor core.Actor, id string) (u Upload, f File,
	err error) {
	if err := actor.RequireRole(core.Educator, core.Admin); err != nil {
		return Upload{}, File{}, err
	}
	u, err = s.store.Upload(ctx, id)
	switch {
	case errors.Is(err, core.ErrNoRecord):
		return Upload{}, File{}, ErrUploadNotFound
	case err != nil:
		return Upload{}, File{}, core.Wrap("read an upload", err)
	case u.OwnerID != actor.UserID || !s.base.Now().Before(u.ExpiresAt):
		return Upload{}, File{}, ErrUploadNotFound
	}
	if u.FileID == "" {
		return u, File{}, nil
	}
	f, err = s.store.File(ctx, u.FileID)
	if errors.Is(err, core.ErrNoRecord) {
		return u, File{}, nil
	}
	return u, f, core.Wrap("read the file of an upload", err)
}

// lockUpload locks an upload and returns it as it is. It returns [ErrUploadNotFound] if it is gone
// or has expired, and [ErrUploadOffset] if its number of bytes is not that of read, as which it was
// read before: another request has stored a part since.
func (s *Service) lockUpload(ctx context.Context, tx Tx, read Upload) (Upload, error) {
	found, err := tx.LockUpload(ctx, read.ID)
	if err == nil && !found {
		err = ErrUploadNotFound
	}
	if err != nil {
		return Upload{}, err
	}
	u, err := tx.Upload(ctx, read.ID)
	switch {
	case err != nil:
		return Upload{}, err
	case !s.base.Now().Before(u.ExpiresAt):
		return Upload{}, ErrUploadNotFound
	case u.Received != read.Received:
		return Upload{}, ErrUploadOffset
	}
	return u, nil
}

// DeleteUpload deletes an upload of the actor with what is stored of it. The file of a complete
// upload stays. Errors: [core.ErrUnauthenticated], [core.ErrForbidden], [ErrUploadNotFound].
func (s *Service) DeleteUpload(ctx context.Context, actor core.Actor, id string) error {
	if _, _, err := s.Upload(ctx, actor, id); err != nil {
		return err
	}
	var deleted Upload
	err := s.base.InTx(ctx, func(tx Tx) error {
		found, err := tx.LockUpload(ctx, id)
		if err == nil && !found {
			err = ErrUploadNotFound
		}
		if err != nil {
			return err
		}
		if deleted, err = tx.Upload(ctx, id); err != nil {
			return err
		}
		return s.deleteUpload(ctx, tx, deleted)
	})
	if err != nil {
		return core.Wrap("delete an upload", err)
	}
	for _, part := range deleted.Parts {
		s.ForRooms().RemoveUnusedFile(ctx, part.Name)
	}
	return nil
}

// deleteUpload deletes a locked upload, and adds its parts to the list of unused files.
func (s *Service) deleteUpload(ctx context.Context, tx Tx, u Upload) error {
	if err := tx.InsertUnusedFiles(ctx, namesOf(u.Parts), s.base.Now()); err != nil {
		return err
	}
	return tx.DeleteUpload(ctx, u.ID)
}

// giveUpUploads deletes the uploads that have expired, and adds their parts to the list of unused
// files.
func (s *ForRooms) giveUpUploads(ctx context.Context) error {
	for {
		ids, err := s.store.ExpiredUploads(ctx, s.base.Now(), leftoversPerRead)
		if err != nil {
			return err
		}
		for _, id := range ids {
			err := s.base.InTx(ctx, func(tx Tx) error {
				if found, err := tx.LockUpload(ctx, id); err != nil || !found {
					return err
				}
				u, err := tx.Upload(ctx, id)
				if err != nil || s.base.Now().Before(u.ExpiresAt) { // a part was stored since
					return err
				}
				return (*Service)(s).deleteUpload(ctx, tx, u)
			})
			if err != nil {
				return err
			}
		}
		if len(ids) < leftoversPerRead {
			return nil
		}
	}
}

// removeUploadsOf deletes the uploads of a user, and adds their parts to the list of unused files.
func removeUploadsOf(ctx context.Context, tx Tx, userID string, at time.Time) error {
	// The lock comes first, so that no part is stored between the statements.
	if err := tx.LockUploadsOf(ctx, userID); err != nil {
		return err
	}
	parts, err := tx.UploadPartsOf(ctx, userID)
	if err != nil {
		return err
	}
	if err := tx.InsertUnusedFiles(ctx, parts, at); err != nil {
		return err
	}
	return tx.DeleteUploadsOf(ctx, userID)
}

// uploadReader reads uploads.
type uploadReader interface {
	// Upload reads an upload.
	Upload(ctx context.Context, id string) (Upload, error)
	// UploadPartsOf lists the names of the parts of all uploads of an owner, in no order.
	UploadPartsOf(ctx context.Context, ownerID string) ([]string, error)
	// ExpiredUploads lists at most limit ids of uploads that expire at a time or before, those
	// first that have expired first.
	ExpiredUploads(ctx context.Context, at time.Time, limit int) ([]string, error)
}

// uploadWriter writes uploads.
type uploadWriter interface {
	// InsertUpload adds an upload.
	InsertUpload(ctx context.Context, u Upload) error
	// LockUpload locks the row of an upload until the transaction ends, and reports whether there
	// is one.
	LockUpload(ctx context.Context, id string) (bool, error)
	// LockUploadsOf locks all uploads of an owner until the transaction ends.
	LockUploadsOf(ctx context.Context, ownerID string) error
	// SaveUpload stores what an upload has received, its parts, its file and when it expires.
	SaveUpload(ctx context.Context, u Upload) error
	// DeleteUpload deletes an upload.
	DeleteUpload(ctx context.Context, id string) error
	// DeleteUploadsOf deletes all uploads of an owner.
	DeleteUploadsOf(ctx context.Context, ownerID string) error
}
