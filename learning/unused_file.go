package learning

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// reservationTime is how long after it was reserved a file that no course uses is removed. It
// is much longer than an upload takes.
const reservationTime = time.Hour

// reserveFile adds the name of a file that is going to be stored to the list of unused files,
// from reservationTime on. The transaction that gives the file to a course removes it from
// there: see useFile. So the file of an instance that was killed, or that could neither store
// the course nor remove the file, is removed by [System.ReconcilePurchases].
func (p *Platform) reserveFile(ctx context.Context, name string) error {
	return p.store.InTx(ctx, func(tx Tx) error { return tx.InsertUnusedFile(ctx, name, p.now().Add(reservationTime)) })
}

// errFileRemoved means that a file was removed before a course used it, because its
// reservation had expired.
var errFileRemoved = errors.New("learning: the reservation of a file has expired")

// useFile removes a reserved file from the list of unused files.
func useFile(ctx context.Context, tx Tx, name string) error {
	isReserved, err := tx.DeleteUnusedFile(ctx, name)
	if err == nil && !isReserved {
		err = errFileRemoved
	}
	return err
}

// unusedFilesPerRead is the number of unused files that are read at a time.
const unusedFilesPerRead = 100

// removeUnusedFile deletes a file that no course uses any more, and its row in the list of
// unused files. It logs a failure: [System.ReconcilePurchases] deletes the file later.
func (p *Platform) removeUnusedFile(ctx context.Context, name string) {
	if name == "" || p.media == nil {
		return
	}
	if err := p.tryRemoveFile(context.WithoutCancel(ctx), name); err != nil {
		p.log.WarnContext(ctx, "remove an unused thumbnail", "name", name, "error", err)
	}
}

func (p *Platform) tryRemoveFile(ctx context.Context, name string) error {
	mediaCtx, cancel := p.provider(ctx)
	defer cancel()
	if err := p.media.Delete(mediaCtx, name); err != nil {
		return fmt.Errorf("delete a file: %w", err)
	}
	return p.store.InTx(ctx, func(tx Tx) error {
		tx.Repeatable()
		_, err := tx.DeleteUnusedFile(ctx, name)
		return err
	})
}

// tidyFiles deletes the files that no course uses any more or has ever used, and that could not
// be deleted before. It logs failures.
func (p *Platform) tidyFiles(ctx context.Context) {
	if p.media == nil {
		return
	}
	names, err := p.store.UnusedFiles(ctx, p.now(), unusedFilesPerRead)
	if err != nil && ctx.Err() == nil {
		p.log.ErrorContext(ctx, "list unused files", "error", err)
	}
	for _, name := range names {
		p.removeUnusedFile(ctx, name)
	}
}

// fileReader reads the list of unused files.
type fileReader interface {
	// UnusedFiles lists at most limit names of files that no course has used since a time.
	UnusedFiles(ctx context.Context, at time.Time, limit int) ([]string, error)
}

// fileWriter writes the list of unused files.
type fileWriter interface {
	// InsertUnusedFile adds a file to the list that no course uses from a time on. It returns [ErrDuplicate] if it has the file.
	InsertUnusedFile(ctx context.Context, name string, at time.Time) error
	// DeleteUnusedFile removes a file from the list, and reports whether it had the file.
	DeleteUnusedFile(ctx context.Context, name string) (bool, error)
}
