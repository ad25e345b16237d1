package store

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/file"
)

type fileRow struct {
	ID          string    `db:"id"`
	OwnerID     string    `db:"owner_id"`
	Name        string    `db:"name"`
	Type        string    `db:"type"`
	Size        int64     `db:"size"`
	SHA256      string    `db:"sha256"`
	StoredName  string    `db:"stored_name"`
	Uses        int       `db:"uses"`
	UnusedSince timestamp `db:"unused_since"`
	CreatedAt   timestamp `db:"created_at"`
}

const fileColumns = ` f.id, f.owner_id, f.name, f.type, f.size, f.sha256, f.stored_name, f.uses,
		f.unused_since, f.created_at`

const selectFiles = `SELECT` + fileColumns + ` FROM {files} f`

func (r *fileRow) file() file.File {
	return file.File{
		ID:          r.ID,
		OwnerID:     r.OwnerID,
		Name:        r.Name,
		Type:        r.Type,
		Size:        r.Size,
		SHA256:      r.SHA256,
		StoredName:  r.StoredName,
		Uses:        r.Uses,
		UnusedSince: r.UnusedSince.Time(),
		CreatedAt:   r.CreatedAt.Time(),
	}
}

// filesFrom lists the files that a statement selects.
func (r reader) filesFrom(
	ctx context.Context, action, query string, args ...any,
) ([]file.File, error) {
	var rows []fileRow
	if err := r.q.List(ctx, action, &rows, query, args...); err != nil {
		return nil, err
	}
	files := make([]file.File, len(rows))
	for i := range rows {
		files[i] = rows[i].file()
	}
	return files, nil
}

func (r reader) File(ctx context.Context, id string) (file.File, error) {
	var row fileRow
	err := r.q.Get(ctx, "read a file", &row, selectFiles+` WHERE f.id = ?`, key(id))
	return row.file(), err
}

func (r reader) FileByHash(ctx context.Context, ownerID, sha256 string) (file.File, error) {
	var row fileRow
	err := r.q.Get(ctx, "read the file of a content", &row,
		selectFiles+` WHERE f.owner_id = ? AND f.sha256 = ?`, key(ownerID), key(sha256))
	return row.file(), err
}

// fileOrder is the order of FilesOf.
var fileOrder = order{columns: []string{"f.created_at", "f.id"}, descending: true}

func (r reader) FilesOf(
	ctx context.Context, ownerID string, page core.PageRequest,
) ([]file.File, error) {
	var f filter
	f.add(`f.owner_id = ?`, key(ownerID))
	tail, limit := r.engine().addPage(&f, fileOrder, page)
	return r.filesFrom(ctx, "list the files of an educator", selectFiles+f.where()+tail,
		append(f.args, limit)...)
}

func (r reader) FilesOfCourse(ctx context.Context, courseID string) ([]file.File, error) {
	return r.filesFrom(ctx, "list the files of a course", `SELECT`+fileColumns+`
		FROM {course_files} u JOIN {files} f ON f.id = u.file_id
		WHERE u.course_id = ?`, key(courseID))
}

// FilesByID reads idBatchSize files at a time, with a statement that always has as many
// placeholders.
func (r reader) FilesByID(ctx context.Context, ids []string) (list []file.File, err error) {
	for chunk := range slices.Chunk(ids, idBatchSize) {
		files, err := r.filesFrom(ctx, "read the files of a list",
			selectFiles+` WHERE f.id IN (`+placeholders(idBatchSize)+`)`, batchArgs(chunk)...)
		if err != nil {
			return nil, err
		}
		list = append(list, files...)
	}
	return list, nil
}

func (r reader) UnusedBytes(ctx context.Context, ownerID string) (n int64, err error) {
	err = r.q.Get(ctx, "add the sizes of unused files", &n, `
		SELECT (SELECT COALESCE(SUM(size), 0) FROM {files} WHERE owner_id = ? AND uses = 0) +
			(SELECT COALESCE(SUM(size), 0) FROM {uploads} WHERE owner_id = ? AND file_id = '')`,
		key(ownerID), key(ownerID))
	return n, err
}

func (r reader) UnusedFileIDs(
	ctx context.Context, at time.Time, limit int,
) (ids []string, err error) {
	err = r.q.List(ctx, "list files that no course uses", &ids,
		`SELECT id FROM {files} WHERE unused_since <= ? ORDER BY unused_since, id LIMIT ?`,
		timestamp(at), limit)
	return ids, err
}

// InsertFile returns ErrDuplicate if the owner has a file with the content.
func (t *tx) InsertFile(ctx context.Context, f file.File) error {
	return t.Insert(ctx, "insert a file", `
		INSERT INTO {files} (id, owner_id, name, type, size, sha256, stored_name, uses, unused_since,
			created_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		key(f.ID), key(f.OwnerID), f.Name, f.Type, f.Size, key(f.SHA256), key(f.StoredName), f.Uses,
		optional(f.UnusedSince), timestamp(f.CreatedAt))
}

// LockFile is an UPDATE that changes nothing, which locks the row on every engine.
func (t *tx) LockFile(ctx context.Context, id string) (bool, error) {
	return t.Lock(ctx, "file", id, `UPDATE {files} SET uses = uses WHERE id = ?`)
}

// LockFilesOf is an UPDATE that changes nothing.
func (t *tx) LockFilesOf(ctx context.Context, ownerID string) error {
	_, err := t.Exec(ctx, "lock the files of a user",
		`UPDATE {files} SET uses = uses WHERE owner_id = ?`, key(ownerID))
	return err
}

// RenewFile reports whether the owner has a file with the content.
func (t *tx) RenewFile(
	ctx context.Context, ownerID, sha256 string, at time.Time,
) (bool, error) {
	return t.Update(ctx, "renew a file", `
		UPDATE {files} SET unused_since = CASE WHEN uses = 0 THEN ? ELSE unused_since END
		WHERE owner_id = ? AND sha256 = ?`,
		timestamp(at), key(ownerID), key(sha256))
}

func (t *tx) DeleteFile(ctx context.Context, id string) error {
	return t.MustUpdate(ctx, "delete a file", `DELETE FROM {files} WHERE id = ?`, key(id))
}

func (t *tx) InsertUnusedFilesOf(ctx context.Context, ownerID string, at time.Time) error {
	return t.InsertAll(ctx, "list the unused files of a user", `
		INSERT INTO {unused_files} (name, since)
		SELECT stored_name, ? FROM {files} WHERE owner_id = ? AND uses = 0`,
		timestamp(at), key(ownerID))
}

func (t *tx) DeleteUnusedFilesOf(ctx context.Context, ownerID string) error {
	_, err := t.Exec(ctx, "delete the unused files of a user",
		`DELETE FROM {files} WHERE owner_id = ? AND uses = 0`, key(ownerID))
	return err
}

// AddFileUses counts the rows of idBatchSize ids at a time.
func (t *tx) AddFileUses(ctx context.Context, ownerID string, ids []string) (found int, err error) {
	for chunk := range slices.Chunk(ids, idBatchSize) {
		n, err := t.Exec(ctx, "use files", `
			UPDATE {files} SET uses = uses + 1, unused_since = NULL
			WHERE owner_id = ? AND id IN (`+placeholders(idBatchSize)+`)`,
			append([]any{key(ownerID)}, batchArgs(chunk)...)...)
		if err != nil {
			return 0, err
		}
		found += int(n)
	}
	return found, nil
}

// EndFileUses changes the rows of idBatchSize ids at a time. MySQL sets columns one after the
// other, so unused_since, which depends on uses, comes first.
func (t *tx) EndFileUses(ctx context.Context, ids []string, at time.Time) error {
	for chunk := range slices.Chunk(ids, idBatchSize) {
		_, err := t.Exec(ctx, "end uses of files", `
			UPDATE {files} SET unused_since = CASE WHEN uses = 1 THEN ? ELSE unused_since END,
				uses = uses - 1
			WHERE id IN (`+placeholders(idBatchSize)+`)`,
			append([]any{timestamp(at)}, batchArgs(chunk)...)...)
		if err != nil {
			return err
		}
	}
	return nil
}

// courseFileBatch is how many rows one statement of InsertCourseFiles inserts.
const courseFileBatch = 200

// InsertCourseFiles does nothing if there are no ids.
func (t *tx) InsertCourseFiles(ctx context.Context, courseID string, fileIDs []string) error {
	for chunk := range slices.Chunk(fileIDs, courseFileBatch) {
		var args []any
		for _, id := range chunk {
			args = append(args, key(courseID), key(id))
		}
		err := t.InsertAll(ctx, "insert the files of a course",
			`INSERT INTO {course_files} (course_id, file_id) VALUES `+
				strings.TrimPrefix(strings.Repeat(`, (?, ?)`, len(chunk)), `, `), args...)
		if err != nil {
			return err
		}
	}
	return nil
}

// DeleteCourseFiles deletes the rows of idBatchSize ids at a time.
func (t *tx) DeleteCourseFiles(ctx context.Context, courseID string, fileIDs []string) error {
	for chunk := range slices.Chunk(fileIDs, idBatchSize) {
		_, err := t.Exec(ctx, "delete files of a course", `
			DELETE FROM {course_files}
			WHERE course_id = ? AND file_id IN (`+placeholders(idBatchSize)+`)`,
			append([]any{key(courseID)}, batchArgs(chunk)...)...)
		if err != nil {
			return err
		}
	}
	return nil
}
