package learning

import (
	"cmp"
	"context"
	"slices"
)

// FileTotal is what the files of an owner have together, used ones too. It is kept as the [Total]s
// are.
type FileTotal struct {
	OwnerID string
	Files   int
	Bytes   int64
}

// totalOf returns the total of a file alone.
func totalOf(f File) FileTotal { return FileTotal{OwnerID: f.OwnerID, Files: 1, Bytes: f.Size} }

// minus returns the change that takes t back.
func (t FileTotal) minus() FileTotal {
	return FileTotal{OwnerID: t.OwnerID, Files: -t.Files, Bytes: -t.Bytes}
}

// asTotal returns the correction of a total as RecountTotals returns it.
func (t FileTotal) asTotal() Total {
	return Total{Kind: TotalFiles, Part: t.OwnerID, Number: t.Files, Amount: t.Bytes}
}

// mergeFileTotals returns the sums of the changes of each owner, in the order of the owners, without
// those that change nothing.
func mergeFileTotals(list []FileTotal) (merged []FileTotal) {
	list = slices.Clone(list)
	slices.SortStableFunc(list,
		func(a, b FileTotal) int { return cmp.Compare(a.OwnerID, b.OwnerID) })
	for _, t := range list {
		if last := len(merged) - 1; last >= 0 && merged[last].OwnerID == t.OwnerID {
			merged[last].Files += t.Files
			merged[last].Bytes += t.Bytes
			continue
		}
		merged = append(merged, t)
	}
	return slices.DeleteFunc(merged, func(t FileTotal) bool { return t.Files == 0 && t.Bytes == 0 })
}

// fileTotalReader reads the totals of files.
type fileTotalReader interface {
	// StoredBytes returns the size of all files of an owner together, and of all unfinished uploads.
	StoredBytes(ctx context.Context, ownerID string) (int64, error)
	// UnusedFilesTotal counts the files of an owner that nothing uses.
	UnusedFilesTotal(ctx context.Context, ownerID string) (FileTotal, error)
	// WrongFileTotals returns what must be added to the totals of files so that they are right, in
	// the order of the owners: the difference between the files and the totals, at one moment.
	WrongFileTotals(ctx context.Context) ([]FileTotal, error)
}

// fileTotalWriter changes the totals of files.
type fileTotalWriter interface {
	// AddToFileTotals adds changes to the totals of files. changes must have the order of the owners
	// without repetitions.
	AddToFileTotals(ctx context.Context, changes []FileTotal) error
}
