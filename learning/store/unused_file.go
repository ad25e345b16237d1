package store

import (
	"context"
	"slices"
	"strings"
	"time"
)

// UnusedFiles lists the files that have been unused since the time at, or longer, those first that
// have been unused for longest.
func (r reader) UnusedFiles(
	ctx context.Context, at time.Time, limit int,
) (names []string, err error) {
	err = r.q.List(ctx, "list unused files", &names,
		`SELECT name FROM {unused_files} WHERE since <= ? ORDER BY since, name LIMIT ?`,
		timestamp(at), limit)
	return names, err
}

// InsertUnusedFile returns ErrDuplicate if the file is in the list.
func (t *tx) InsertUnusedFile(ctx context.Context, name string, at time.Time) error {
	return t.Insert(ctx, "insert an unused file",
		`INSERT INTO {unused_files} (name, since) VALUES (?, ?)`, key(name), timestamp(at))
}

// unusedFileBatch is how many rows one statement of InsertUnusedFiles inserts.
const unusedFileBatch = 200

// InsertUnusedFiles returns ErrDuplicate if one of the files is in the list.
func (t *tx) InsertUnusedFiles(ctx context.Context, names []string, at time.Time) error {
	for chunk := range slices.Chunk(names, unusedFileBatch) {
		var args []any
		for _, name := range chunk {
			args = append(args, key(name), timestamp(at))
		}
		err := t.InsertAll(ctx, "insert unused files", `INSERT INTO {unused_files} (name, since) VALUES `+
			strings.TrimPrefix(strings.Repeat(`, (?, ?)`, len(chunk)), `, `), args...)
		if err != nil {
			return err
		}
	}
	return nil
}

// PostponeUnusedFile replaces the time since which a file is unused, so that UnusedFiles lists it
// later. It reports whether the file is in the list.
func (t *tx) PostponeUnusedFile(ctx context.Context, name string, at time.Time) (bool, error) {
	return t.Update(ctx, "postpone an unused file",
		`UPDATE {unused_files} SET since = ? WHERE name = ?`, timestamp(at), key(name))
}

// MarkFileRemoving reports whether the file is in the list.
func (t *tx) MarkFileRemoving(ctx context.Context, name string) (bool, error) {
	return t.Update(ctx, "mark an unused file",
		`UPDATE {unused_files} SET is_removing = 1 WHERE name = ?`, key(name))
}

// UseReservedFile removes the file from the list, and reports whether it was there and not marked.
func (t *tx) UseReservedFile(ctx context.Context, name string) (bool, error) {
	return t.Update(ctx, "use a reserved file",
		`DELETE FROM {unused_files} WHERE name = ? AND is_removing = 0`, key(name))
}

// DeleteUnusedFile removes a file from the list, and reports whether it was there.
func (t *tx) DeleteUnusedFile(ctx context.Context, name string) (bool, error) {
	return t.Update(ctx, "delete an unused file", `DELETE FROM {unused_files} WHERE name = ?`,
		key(name))
}
