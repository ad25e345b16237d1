package learning

import (
	"context"
	"fmt"
	"time"
)

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

// tidyFiles deletes the files that no course uses any more, and that could not be deleted
// before. It logs failures.
func (p *Platform) tidyFiles(ctx context.Context) {
	if p.media == nil {
		return
	}
	names, err := p.store.UnusedFiles(ctx, unusedFilesPerRead)
	if err != nil && ctx.Err() == nil {
		p.log.ErrorContext(ctx, "list unused files", "error", err)
	}
	for _, name := range names {
		p.removeUnusedFile(ctx, name)
	}
}

// fileReader reads the list of unused files.
type fileReader interface {
	// UnusedFiles lists at most limit names of files that no course uses any more.
	UnusedFiles(ctx context.Context, limit int) ([]string, error)
}

// fileWriter writes the list of unused files.
type fileWriter interface {
	// InsertUnusedFile adds a file to the list. It returns [ErrDuplicate] if it has the file.
	InsertUnusedFile(ctx context.Context, name string, at time.Time) error
	// DeleteUnusedFile removes a file from the list, and reports whether it had the file.
	DeleteUnusedFile(ctx context.Context, name string) (bool, error)
}
