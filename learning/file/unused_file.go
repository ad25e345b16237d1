package file

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// reservationTime is how long after it was reserved a file that no course uses is removed. It
// is much longer than an upload takes.
const reservationTime = time.Hour

// leftoversPerRead is the number of unused files, or of expired uploads, that are read at a time.
const leftoversPerRead = 100

// reserveFile adds the name of a file that is going to be stored to the list of unused files,
// from reservationTime on. The transaction that gives the file to a course removes it from
// there: see UseFile. So the file of an instance that was killed, or that could neither store
// the course nor remove the file, is removed when the host tidies.
func (s *Service) reserveFile(ctx context.Context, name string) error {
	return s.reserveFileFor(ctx, name, reservationTime)
}

// reserveFileFor is reserveFile for a file that may take another time to store.
func (s *Service) reserveFileFor(ctx context.Context, name string, reserved time.Duration) error {
	return s.base.InTx(ctx,
		func(tx Tx) error { return tx.InsertUnusedFile(ctx, name, s.base.Now().Add(reserved)) })
}

// errFileRemoved means that a file was removed before a course used it, because its
// reservation had expired.
var errFileRemoved = errors.New("learning: the reservation of a file has expired")

// UseFile removes a reserved file from the list of unused files. It returns errFileRemoved if the
// list does not have it, or if its removal has begun.
func UseFile(ctx context.Context, tx ThumbnailTx, name string) error {
	isReserved, err := tx.UseReservedFile(ctx, name)
	if err == nil && !isReserved {
		err = errFileRemoved
	}
	return err
}

// unusedFileRetry is how long after a failure an unused file is deleted again. Until then it
// does not hold up the files after it.
const unusedFileRetry = time.Hour

// RemoveUnusedFile deletes a file that no course uses any more, and its row in the list of
// unused files. It logs a failure: the host deletes the file later, when it tidies.
func (s *ForRooms) RemoveUnusedFile(ctx context.Context, name string) {
	if name == "" || !(*Service)(s).canRemove(name) {
		return
	}
	// The file is removed also if the caller has left.
	if err := (*Service)(s).tryRemoveFile(context.WithoutCancel(ctx), name); err != nil {
		s.base.Log.WarnContext(ctx, "remove an unused file", "name", name, "error", err)
	}
}

// removeListedFile deletes a file that was in the list of unused files when it was read. It does
// nothing if the list does not have the file any more, because a course uses it meanwhile.
func (s *Service) removeListedFile(ctx context.Context, name string) error {
	// Mark the row, so that no course uses the file while the media store deletes it.
	var isUnused bool
	err := s.base.InTx(ctx, func(tx Tx) (err error) {
		tx.Repeatable() // a second run marks it again
		isUnused, err = tx.MarkFileRemoving(ctx, name)
		return err
	})
	if err != nil || !isUnused {
		return err
	}
	return s.tryRemoveFile(ctx, name)
}

// tryRemoveFile deletes a file, and then its row in the list of unused files: if it fails in
// between, the next run deletes both. The caller must know that nothing uses the file, and that
// nothing will.
func (s *Service) tryRemoveFile(ctx context.Context, name string) error {
	mediaCtx, cancel := s.base.Provider(ctx)
	defer cancel()
	remove := s.deleteStored(name)
	if err := remove(mediaCtx, name); err != nil {
		return fmt.Errorf("delete a file: %w", err)
	}
	return s.base.InTx(ctx, func(tx Tx) error {
		tx.Repeatable()                          // a second run finds nothing to delete
		_, err := tx.DeleteUnusedFile(ctx, name) // another call may have deleted the row
		return err
	})
}

// isPrivateFile reports whether a file of the list is in the [Store]. Its names have no
// extension, and those of public files have one.
func isPrivateFile(name string) bool { return !strings.Contains(name, ".") }

// canRemove reports whether the store is configured that has a file of the list.
func (s *Service) canRemove(name string) bool {
	if isPrivateFile(name) {
		return s.files != nil
	}
	return s.media != nil
}

// deleteStored returns the method that deletes a file of the list. It returns an error for a store
// that is not configured, so that the file stays in the list.
func (s *Service) deleteStored(name string) func(context.Context, string) error {
	switch {
	case !s.canRemove(name):
		return func(context.Context, string) error { return ErrMediaNotConfigured }
	case isPrivateFile(name):
		return s.files.DeleteFile
	}
	return s.media.Delete
}

// deleteUnusedFiles deletes the files that nothing uses any more or has ever used, and that
// could not be deleted before. If a file cannot be deleted, it continues with the others and
// returns the first error with the number of failures. An error of the database ends it.
func (s *ForRooms) deleteUnusedFiles(ctx context.Context) error {
	var first error
	failures := 0
	for {
		names, err := s.store.UnusedFiles(ctx, s.base.Now(), leftoversPerRead)
		if err != nil {
			return errors.Join(err, first)
		}
		for _, name := range names {
			err := (*Service)(s).removeListedFile(ctx, name)
			if err == nil {
				continue
			}

			// Keep the first error and the number of all.
			failures++
			if first == nil {
				first = err
			}
			// The file comes after the others from now on, so that the next read has others.
			if err := (*Service)(s).postponeFile(ctx, name); err != nil {
				return errors.Join(err, first)
			}
		}
		if len(names) < leftoversPerRead {
			break
		}
	}
	if first != nil {
		first = fmt.Errorf("%d files, which are tried again after %v; the first: %w", failures,
			unusedFileRetry, first)
	}
	return first
}

// postponeFile puts an unused file off for unusedFileRetry.
func (s *Service) postponeFile(ctx context.Context, name string) error {
	return s.base.InTx(ctx, func(tx Tx) error {
		tx.Repeatable() // a second run sets a time that is as good
		// Another call may have deleted the row: then there is nothing to put off.
		_, err := tx.PostponeUnusedFile(ctx, name, s.base.Now().Add(unusedFileRetry))
		return err
	})
}

// MarkUnused adds a file to the list of unused files, to be deleted from a time on. It does nothing
// if name is "".
func MarkUnused(ctx context.Context, tx UnusedFileTx, name string, at time.Time) error {
	if name == "" {
		return nil
	}
	return tx.InsertUnusedFile(ctx, name, at)
}

// unusedFileReader reads the list of unused files.
type unusedFileReader interface {
	// UnusedFiles lists at most limit names of files that nothing has used since a time, those
	// first that have been unused for the longest time.
	UnusedFiles(ctx context.Context, at time.Time, limit int) ([]string, error)
}

// UnusedFileTx adds files to the list of unused files.
type UnusedFileTx interface {
	// InsertUnusedFile adds a file to the list that nothing uses from a time on. It returns
	// [core.ErrDuplicate] if the list has the file.
	InsertUnusedFile(ctx context.Context, name string, at time.Time) error
	// PostponeUnusedFile sets the time from which on nothing uses a file of the list. It reports
	// whether the list has the file.
	PostponeUnusedFile(ctx context.Context, name string, at time.Time) (bool, error)
}

// ThumbnailTx is what a transaction needs that replaces a thumbnail: see [ReplaceThumbnail].
type ThumbnailTx interface {
	UnusedFileTx
	// UseReservedFile removes a file from the list, unless it is marked as being removed. It
	// reports whether it did.
	UseReservedFile(ctx context.Context, name string) (bool, error)
}

// unusedFileWriter writes the list of unused files.
type unusedFileWriter interface {
	ThumbnailTx
	// InsertUnusedFiles is InsertUnusedFile for any number of files, also none.
	InsertUnusedFiles(ctx context.Context, names []string, at time.Time) error
	// MarkFileRemoving marks a file of the list, so that UseReservedFile does not find it
	// any more. It reports whether the list has the file.
	MarkFileRemoving(ctx context.Context, name string) (bool, error)
	// DeleteUnusedFile removes a file from the list, and reports whether it had the file.
	DeleteUnusedFile(ctx context.Context, name string) (bool, error)
}
