package file

import (
	"context"

	"github.com/openlectern/openlectern/learning/core"
)

// TotalFiles is the kind by which System.RecountTotals of package learning returns the correction
// of a [Total], which is kept beside the totals too: Number is that of the files, Amount their
// bytes, and Part the id of the owner.
const TotalFiles core.TotalKind = "files"

// Total is what the files of an owner have together, used ones too. It is kept as the
// [core.Total]s are.
type Total struct {
	OwnerID string
	Files   int
	Bytes   int64
}

// totalOf returns the total of a file alone.
func totalOf(f File) Total { return Total{OwnerID: f.OwnerID, Files: 1, Bytes: f.Size} }

// minus returns the change that takes t back.
func (t Total) minus() Total {
	return Total{OwnerID: t.OwnerID, Files: -t.Files, Bytes: -t.Bytes}
}

// AsTotal returns the correction of a total as RecountTotals returns it.
func (t Total) AsTotal() core.Total {
	return core.Total{Kind: TotalFiles, Part: t.OwnerID, Number: t.Files, Amount: t.Bytes}
}

// countFiles adds a change of the total of an owner to what the transaction writes at its end. A
// transaction changes the total of one owner, once.
func countFiles(changes *core.Changes, tx fileTotalWriter, change Total) {
	changes.AtEnd(func(ctx context.Context) error {
		if change.Files == 0 && change.Bytes == 0 {
			return nil
		}
		return tx.AddToFileTotals(ctx, []Total{change})
	})
}

// fileTotalReader reads the totals of files.
type fileTotalReader interface {
	// UnusedFilesTotal counts the files of an owner that nothing uses.
	UnusedFilesTotal(ctx context.Context, ownerID string) (Total, error)
	// WrongFileTotals returns what must be added to the totals of files so that they are right, in
	// the order of the owners: the difference between the files and the totals, at one moment.
	WrongFileTotals(ctx context.Context) ([]Total, error)
}

// fileTotalWriter changes the totals of files.
type fileTotalWriter interface {
	// AddToFileTotals adds changes to the totals of files. changes must have the order of the
	// owners without repetitions.
	AddToFileTotals(ctx context.Context, changes []Total) error
}
