package store

import (
	"context"

	"github.com/openlectern/openlectern/internal/sqldb"
	"github.com/openlectern/openlectern/learning/file"
)

// The columns of the table file_totals.
var (
	fileTotalKey     = []string{"owner_id"}
	fileTotalNumbers = []string{"files", "bytes"}
)

// AddToFileTotals deletes the row of an owner who has no files any more.
func (t *tx) AddToFileTotals(ctx context.Context, changes []file.Total) error {
	for _, c := range changes {
		_, err := t.Exec(ctx, "add to the total of files", `
			INSERT INTO {file_totals} (owner_id, files, bytes) VALUES (?, ?, ?)`+
			t.Dialect().AddToRow("file_totals", fileTotalKey, fileTotalNumbers),
			key(c.OwnerID), c.Files, c.Bytes)
		if err == nil && c.Files < 0 {
			_, err = t.Exec(ctx, "delete the total of no files",
				`DELETE FROM {file_totals} WHERE owner_id = ? AND files = 0 AND bytes = 0`,
				key(c.OwnerID))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r reader) StoredBytes(ctx context.Context, ownerID string) (n int64, err error) {
	err = r.q.Get(ctx, "read the size of all files of an owner", &n, `
		SELECT COALESCE((SELECT bytes FROM {file_totals} WHERE owner_id = ?), 0) +
			(SELECT COALESCE(SUM(size), 0) FROM {uploads} WHERE owner_id = ? AND file_id = '')`,
		key(ownerID), key(ownerID))
	return n, err
}

func (r reader) UnusedFilesTotal(
	ctx context.Context, ownerID string,
) (file.Total, error) {
	var row struct {
		Files int   `db:"files"`
		Bytes int64 `db:"bytes"`
	}
	err := r.q.Get(ctx, "count the unused files of a user", &row, `
		SELECT COUNT(*) AS files, COALESCE(SUM(size), 0) AS bytes FROM {files}
		WHERE owner_id = ? AND uses = 0`, key(ownerID))
	return file.Total{OwnerID: ownerID, Files: row.Files, Bytes: row.Bytes}, err
}

// WrongFileTotals is one statement, so that it reads the totals and the files at one moment.
func (r reader) WrongFileTotals(ctx context.Context) ([]file.Total, error) {
	var rows []struct {
		OwnerID string `db:"owner_id"`
		Files   int    `db:"files"`
		Bytes   int64  `db:"bytes"`
	}
	err := r.q.List(sqldb.WithReadTimeout(ctx, recountTime), "compare the totals of files", &rows, `
		SELECT d.owner_id, SUM(d.files) AS files, SUM(d.bytes) AS bytes FROM (
			SELECT owner_id, -files AS files, -bytes AS bytes FROM {file_totals}
			UNION ALL
			SELECT owner_id, COUNT(*), SUM(size) FROM {files} GROUP BY owner_id
		) d
		GROUP BY d.owner_id HAVING SUM(d.files) <> 0 OR SUM(d.bytes) <> 0
		ORDER BY d.owner_id`)
	if err != nil {
		return nil, err
	}
	list := make([]file.Total, len(rows))
	for i, row := range rows {
		list[i] = file.Total{OwnerID: row.OwnerID, Files: row.Files, Bytes: row.Bytes}
	}
	return list, nil
}
