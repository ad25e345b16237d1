package file

import (
	"context"
	"errors"
	"time"

	"github.com/openlectern/openlectern/internal/paging"
	"github.com/openlectern/openlectern/learning/core"
)

// The public failures of files.
var (
	ErrFileNotFound = &core.Error{Kind: core.NotFound, Code: "file_not_found",
		Message: "File not found"}
	ErrFileInUse = &core.Error{Kind: core.Conflict, Code: "file_in_use",
		Message: "This file is in use"}
	ErrFileMissing = &core.Error{Kind: core.Invalid, Code: "file_missing",
		Message: "File Not Attached"}
	ErrFileRefused = &core.Error{Kind: core.Invalid, Code: "file_refused",
		Message: "Only video, audio, PDF, images, zip, office documents and text are allowed"}
	ErrFileTooLarge = &core.Error{Kind: core.TooLarge, Code: "file_too_large",
		Message: "This file is too large"}
	ErrNoSpace = &core.Error{Kind: core.NoSpace, Code: "no_space",
		Message: "There is no space left"}
	ErrStorageFull = &core.Error{Kind: core.TooLarge, Code: "storage_full",
		Message: "Your storage is full"}
	ErrFilesNotConfigured = &core.Error{Kind: core.Unavailable, Code: "files_not_configured",
		Message: "Files are not configured"}
)

// File is an uploaded file. Lectures of its owner's courses, submissions and drafts of its owner,
// and feedback that its owner gives may use it (docs/api.md §18, §19). The same content is stored
// once for each owner.
type File struct {
	ID          string
	OwnerID     string
	Name        string    // under which a browser saves it
	Type        string    // the media type, such as video/mp4, which the content has
	Size        int64     // in bytes
	SHA256      string    // of the content, in hexadecimal
	StoredName  string    // in the [Store]
	Uses        int       // the number of courses, submissions and pieces of feedback that use it
	UnusedSince time.Time // zero while it is used
	CreatedAt   time.Time
}

// Limits of files (docs/api.md §18).
const (
	MaxFileName    = 200 // code points; a longer name is cut
	DefaultMaxFile = 500_000_000
	// MaxUnusedFiles is how many bytes the files of an educator or admin may have together that
	// nothing uses, unfinished uploads included.
	MaxUnusedFiles = 20_000_000_000
	// MaxSubmittedFile is the size of the largest file for an assignment, in bytes, and
	// MaxUnusedFilesOfStudent what MaxUnusedFiles is for others.
	MaxSubmittedFile        = 50_000_000
	MaxUnusedFilesOfStudent = 1_000_000_000
	// DefaultMaxStorage is how many bytes all files of an educator or admin may have together, used
	// ones too, unless the host sets another number, and MaxStorageOfStudent those of others.
	DefaultMaxStorage   = 100_000_000_000
	MaxStorageOfStudent = 5_000_000_000
	// UnusedFileTime is how long a file is kept that nothing uses.
	UnusedFileTime = 7 * 24 * time.Hour
)

// List returns a page of the actor's own files, the newest first. Errors:
// [core.ErrUnauthenticated], [core.ErrInvalidRequest] if page has no valid limit.
func (s *Service) List(ctx context.Context, actor core.Actor,
	page core.PageRequest) (core.Page[File], error) {
	if err := actor.Require(); err != nil {
		return core.Page[File]{}, err
	}
	read := func(ctx context.Context, page core.PageRequest) ([]File, error) {
		return s.store.FilesOf(ctx, actor.UserID, page)
	}
	return paging.ReadPage(ctx, "list the files of a user", page, read,
		func(f File) core.Position { return core.Position{At: f.CreatedAt, ID: f.ID} })
}

// DeleteFile deletes a file of the actor. Errors: [core.ErrUnauthenticated], [ErrFileNotFound],
// also for a file of another user, and [ErrFileInUse] if a course, a draft, a submission or
// feedback uses it.
func (s *Service) DeleteFile(ctx context.Context, actor core.Actor, id string) error {
	if err := actor.Require(); err != nil {
		return err
	}
	var deleted File
	err := s.base.Change(ctx, func(tx Tx, changes *core.Changes) (err error) {
		deleted, err = s.ForRooms().RemoveFile(ctx, tx, changes, id, func(f File) error {
			switch {
			case f.OwnerID != actor.UserID:
				return ErrFileNotFound
			case f.Uses > 0:
				return ErrFileInUse
			}
			return nil
		})
		return err
	})
	if err != nil {
		return core.Wrap("delete a file", err)
	}
	s.ForRooms().RemoveUnusedFile(ctx, deleted.StoredName)
	return nil
}

// RemoveFile deletes the row of a file in a transaction, unless decide returns an error, and adds
// its content to the list of unused files. decide gets the file as it is after the lock, so that
// nothing begins to use it meanwhile. It returns [ErrFileNotFound] if there is no such file.
func (s *ForRooms) RemoveFile(
	ctx context.Context, tx ChangeTx, changes *core.Changes, id string, decide func(File) error,
) (File, error) {
	found, err := tx.LockFile(ctx, id)
	if err == nil && !found {
		err = ErrFileNotFound
	}
	if err != nil {
		return File{}, err
	}
	f, err := tx.File(ctx, id)
	if err != nil {
		return File{}, err
	}
	if err := decide(f); err != nil {
		return File{}, err
	}
	if err := tx.InsertUnusedFile(ctx, f.StoredName, s.base.Now()); err != nil {
		return File{}, err
	}
	countFiles(changes, tx, totalOf(f).minus())
	return f, tx.DeleteFile(ctx, id)
}

// ErrFileKept means that a file is used again, or was uploaded again, since it was listed.
var ErrFileKept = errors.New("learning: the file is kept")

// giveUpUnusedFiles deletes the rows of the files that nothing has used for [UnusedFileTime], and
// adds their contents to the list of unused files.
func (s *ForRooms) giveUpUnusedFiles(ctx context.Context) error {
	before := s.base.Now().Add(-UnusedFileTime)
	for {
		ids, err := s.store.UnusedFileIDs(ctx, before, leftoversPerRead)
		if err != nil {
			return err
		}
		for _, id := range ids {
			err := s.base.Change(ctx, func(tx Tx, changes *core.Changes) error {
				_, err := s.RemoveFile(ctx, tx, changes, id, func(f File) error {
					if f.Uses > 0 || f.UnusedSince.After(before) {
						return ErrFileKept
					}
					return nil
				})
				return err
			})
			if err != nil && !errors.Is(err, ErrFileKept) && !errors.Is(err, ErrFileNotFound) {
				return err
			}
		}
		if len(ids) < leftoversPerRead {
			return nil
		}
	}
}

// removeUnusedFilesOf deletes the files of a user that no course uses, and adds their contents to
// the list of unused files. The files of courses stay, as the courses do. The lock comes first, so
// that no course begins to use one of them between the statements.
func removeUnusedFilesOf(
	ctx context.Context, tx Tx, changes *core.Changes, userID string, at time.Time,
) error {
	if err := tx.LockFilesOf(ctx, userID); err != nil {
		return err
	}
	removed, err := tx.UnusedFilesTotal(ctx, userID)
	if err != nil {
		return err
	}
	countFiles(changes, tx, removed.minus())
	if err := tx.InsertUnusedFilesOf(ctx, userID, at); err != nil {
		return err
	}
	return tx.DeleteUnusedFilesOf(ctx, userID)
}

// ChangeTx is what a transaction needs that adds, uses or removes files.
type ChangeTx interface {
	fileReader
	fileWriter
	fileTotalWriter
	unusedFileWriter
}

// UseTx counts the uses of files.
type UseTx interface {
	// AddFileUses counts one use more of each file of an owner that has one of the ids. It returns
	// how many of the ids are those of files of the owner.
	AddFileUses(ctx context.Context, ownerID string, ids []string) (int, error)
	// EndFileUses counts one use less of each file that has one of the ids. Those that have none
	// any more are unused from a time on.
	EndFileUses(ctx context.Context, ids []string, at time.Time) error
}

// ReplaceUses counts the uses of files by something that has used those of before, and uses
// those of after from now on. It returns the ids that only after has, and those that only before
// has. It returns [core.ErrInvalidRequest] if an added file is not one of the owner.
func ReplaceUses(
	ctx context.Context, tx UseTx, ownerID string, before, after []string, now time.Time,
) (added, removed []string, err error) {
	added, removed = without(after, before), without(before, after)
	found, err := tx.AddFileUses(ctx, ownerID, added)
	if err == nil && found != len(added) {
		err = core.InvalidField("", "must name files of their owner only")
	}
	if err == nil {
		err = tx.EndFileUses(ctx, removed, now)
	}
	return added, removed, err
}

// without returns the elements of a list that another one does not have.
func without(list, other []string) (rest []string) {
	isOther := map[string]bool{}
	for _, s := range other {
		isOther[s] = true
	}
	for _, s := range list {
		if !isOther[s] {
			rest = append(rest, s)
		}
	}
	return rest
}

// fileReader reads files.
type fileReader interface {
	// File reads a file.
	File(ctx context.Context, id string) (File, error)
	// FileByHash reads the file of an owner that has a content.
	FileByHash(ctx context.Context, ownerID, sha256 string) (File, error)
	// FilesOf lists a page of the files of an owner, the newest first.
	FilesOf(ctx context.Context, ownerID string, page core.PageRequest) ([]File, error)
	// FilesByID lists the files that have one of the ids, in no order.
	FilesByID(ctx context.Context, ids []string) ([]File, error)
	storageReader
	// UnusedFileIDs lists at most limit ids of files that no course has used since a time, those
	// first that have been unused for the longest time.
	UnusedFileIDs(ctx context.Context, at time.Time, limit int) ([]string, error)
}

// fileWriter writes files.
type fileWriter interface {
	UseTx
	// InsertFile adds a file. It returns [core.ErrDuplicate] if its owner has one with its content.
	InsertFile(ctx context.Context, f File) error
	// LockFile locks the row of a file until the transaction ends, and reports whether there is
	// one.
	LockFile(ctx context.Context, id string) (bool, error)
	// RenewFile sets the time since which the file of an owner with a content is unused, unless a
	// course uses it. It reports whether there is such a file, which is locked then.
	RenewFile(ctx context.Context, ownerID, sha256 string, at time.Time) (bool, error)
	// DeleteFile deletes a file.
	DeleteFile(ctx context.Context, id string) error
	// DeleteUnusedFilesOf deletes the files of an owner that no course uses.
	DeleteUnusedFilesOf(ctx context.Context, ownerID string) error
	// InsertUnusedFilesOf adds the contents of the files of an owner that no course uses to the
	// list of unused files.
	InsertUnusedFilesOf(ctx context.Context, ownerID string, at time.Time) error
	// LockFilesOf locks all files of an owner until the transaction ends.
	LockFilesOf(ctx context.Context, ownerID string) error
}
