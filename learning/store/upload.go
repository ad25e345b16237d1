package store

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/openlectern/openlectern/learning/file"
)

type uploadRow struct {
	ID        string    `db:"id"`
	OwnerID   string    `db:"owner_id"`
	FileID    string    `db:"file_id"`
	Name      string    `db:"name"`
	Metadata  string    `db:"metadata"`
	Size      int64     `db:"size"`
	Received  int64     `db:"received"`
	Parts     string    `db:"parts"` // NAME:SIZE, with spaces between them
	CreatedAt timestamp `db:"created_at"`
	ExpiresAt timestamp `db:"expires_at"`
}

func (r reader) Upload(ctx context.Context, id string) (file.Upload, error) {
	var row uploadRow
	err := r.q.Get(ctx, "read an upload", &row, `
		SELECT id, owner_id, file_id, name, metadata, size, received, parts, created_at, expires_at
		FROM {uploads} WHERE id = ?`, key(id))
	if err != nil {
		return file.Upload{}, err
	}
	parts, err := partsOf(row.Parts)
	if err != nil {
		return file.Upload{}, fmt.Errorf("read an upload: %w", err)
	}
	return file.Upload{
		ID:        row.ID,
		OwnerID:   row.OwnerID,
		FileID:    row.FileID,
		Name:      row.Name,
		Metadata:  row.Metadata,
		Size:      row.Size,
		Received:  row.Received,
		Parts:     parts,
		CreatedAt: row.CreatedAt.Time(),
		ExpiresAt: row.ExpiresAt.Time(),
	}, nil
}

// partsOf returns the parts of an upload from the text of its row.
func partsOf(text string) ([]file.UploadPart, error) {
	parts := []file.UploadPart{}
	for field := range strings.FieldsSeq(text) {
		name, size, _ := strings.Cut(field, ":")
		n, err := strconv.ParseInt(size, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("the part %q has no size", field)
		}
		parts = append(parts, file.UploadPart{Name: name, Size: n})
	}
	return parts, nil
}

// textOf is the reverse of partsOf.
func textOf(parts []file.UploadPart) string {
	var text []string
	for _, part := range parts {
		text = append(text, part.Name+":"+strconv.FormatInt(part.Size, 10))
	}
	return strings.Join(text, " ")
}

func (r reader) UploadPartsOf(ctx context.Context, ownerID string) ([]string, error) {
	var lists []string
	err := r.q.List(ctx, "list the parts of uploads", &lists,
		`SELECT parts FROM {uploads} WHERE owner_id = ?`, key(ownerID))
	if err != nil {
		return nil, err
	}
	parts, err := partsOf(strings.Join(lists, " "))
	if err != nil {
		return nil, fmt.Errorf("list the parts of uploads: %w", err)
	}
	var names []string
	for _, part := range parts {
		names = append(names, part.Name)
	}
	return names, nil
}

func (r reader) ExpiredUploads(
	ctx context.Context, at time.Time, limit int,
) (ids []string, err error) {
	err = r.q.List(ctx, "list expired uploads", &ids,
		`SELECT id FROM {uploads} WHERE expires_at <= ? ORDER BY expires_at, id LIMIT ?`,
		timestamp(at), limit)
	return ids, err
}

func (t *tx) InsertUpload(ctx context.Context, u file.Upload) error {
	return t.Insert(ctx, "insert an upload", `
		INSERT INTO {uploads} (id, owner_id, file_id, name, metadata, size, received, parts,
			created_at, expires_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		key(u.ID), key(u.OwnerID), key(u.FileID), u.Name, u.Metadata, u.Size, u.Received,
		textOf(u.Parts), timestamp(u.CreatedAt), timestamp(u.ExpiresAt))
}

// LockUpload is an UPDATE that changes nothing, which locks the row on every engine.
func (t *tx) LockUpload(ctx context.Context, id string) (bool, error) {
	return t.Lock(ctx, "upload", id, `UPDATE {uploads} SET received = received WHERE id = ?`)
}

// LockUploadsOf is an UPDATE that changes nothing.
func (t *tx) LockUploadsOf(ctx context.Context, ownerID string) error {
	_, err := t.Exec(ctx, "lock the uploads of a user",
		`UPDATE {uploads} SET received = received WHERE owner_id = ?`, key(ownerID))
	return err
}

func (t *tx) SaveUpload(ctx context.Context, u file.Upload) error {
	return t.MustUpdate(ctx, "save an upload", `
		UPDATE {uploads} SET received = ?, parts = ?, file_id = ?, expires_at = ? WHERE id = ?`,
		u.Received, textOf(u.Parts), key(u.FileID), timestamp(u.ExpiresAt), key(u.ID))
}

func (t *tx) DeleteUpload(ctx context.Context, id string) error {
	return t.MustUpdate(ctx, "delete an upload", `DELETE FROM {uploads} WHERE id = ?`, key(id))
}

func (t *tx) DeleteUploadsOf(ctx context.Context, ownerID string) error {
	_, err := t.Exec(ctx, "delete the uploads of a user",
		`DELETE FROM {uploads} WHERE owner_id = ?`, key(ownerID))
	return err
}
