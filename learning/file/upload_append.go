package file

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/openlectern/openlectern/internal/lease"
	"github.com/openlectern/openlectern/internal/partjoin"
	"github.com/openlectern/openlectern/learning/core"
)

// uploadLease is the length of the lease under which the parts of an upload are joined. It is
// extended until they are, so that after a crash another request can do it soon.
const uploadLease = 15 * time.Second

// AppendUpload stores what it reads from content at the end of an upload of the actor, and returns
// the upload. offset must be the number of bytes that are stored already. It stops at the size of
// the upload, and makes the file as [Service.UploadFile] does. It holds a bounded part of content
// in memory. If content returns an error, what came before is kept, and that error is returned with
// the upload. Of concurrent calls for one upload only one stores a part; the others fail.
//
// Errors: [core.ErrUnauthenticated], [core.ErrForbidden], [ErrFilesNotConfigured],
// [ErrUploadNotFound], [ErrUploadOffset], [ErrUploadBusy], [ErrFileTooLarge] if content is longer
// than the rest, of which the last part is not stored then, and [ErrFileRefused] for a type that
// may not be uploaded; the upload is gone then.
func (s *Service) AppendUpload(
	ctx context.Context, actor core.Actor, id string, offset int64, content io.Reader,
) (Upload, error) {
	u, _, err := s.Upload(ctx, actor, id)
	switch {
	case err != nil:
		return Upload{}, err
	case s.files == nil:
		return Upload{}, ErrFilesNotConfigured
	case u.Received != offset:
		return Upload{}, ErrUploadOffset
	}

	// What has arrived is stored also if the caller leaves, which ends the context.
	stored := context.WithoutCancel(ctx)
	in := &receivedContent{in: bufio.NewReader(content)}
	if u.Received == u.Size && !in.hasEnded() {
		return Upload{}, ErrFileTooLarge
	}
	for u.Received < u.Size && ctx.Err() == nil && !in.hasEnded() {
		if u, err = s.appendPart(stored, u, in); err != nil {
			return Upload{}, core.Wrap("store a part of a file", err)
		}
	}
	if in.err == nil {
		in.err = ctx.Err()
	}
	return u, in.err
}

// receivedContent reads the content that a client sends. If that fails, it ends as if the content
// had ended, and keeps the error.
type receivedContent struct {
	in  *bufio.Reader
	err error // other than io.EOF
}

func (r *receivedContent) Read(b []byte) (int, error) {
	n, err := r.in.Read(b)
	if err != nil && err != io.EOF {
		r.err, err = err, io.EOF
	}
	return n, err
}

// hasEnded reports whether there is nothing more to read. It waits for the next byte.
func (r *receivedContent) hasEnded() bool {
	if r.err != nil {
		return true
	}
	_, err := r.in.Peek(1)
	if err != nil && err != io.EOF {
		r.err = err
	}
	return err != nil
}

// appendPart stores the next part of an upload, of which in has at least a byte. With the last byte
// it makes the file.
func (s *Service) appendPart(
	ctx context.Context, u Upload, in *receivedContent,
) (Upload, error) {
	// Store the part under a reserved name, so that one that no upload gets is found and removed.
	rest := min(partjoin.MaxPart, u.Size-u.Received)
	limited := &io.LimitedReader{R: in, N: rest}
	whole := inspect(limited, s.maxFile)
	var content io.Reader = whole
	if rest < u.Size { // the part is not the whole file, whose type and hash are needed
		content = limited
	}
	name, err := s.storeReserved(ctx, content)
	if err != nil {
		return u, err
	}
	part := UploadPart{Name: name, Size: rest - limited.N}
	received := u.Received + part.Size
	if received == u.Size && !in.hasEnded() {
		s.ForRooms().RemoveUnusedFile(ctx, name)
		return u, ErrFileTooLarge
	}
	switch {
	case received == u.Size && len(u.Parts) == 0: // the part is the file
		return s.completeUpload(ctx, u, name, whole)
	case received == u.Size:
		return s.joinParts(ctx, u, append(slices.Clone(u.Parts), part))
	}

	// Many small parts become one, so that an upload has few parts in however small pieces it
	// arrives. If that fails, the next part tries it again.
	parts := append(slices.Clone(u.Parts), part)
	size := func(p UploadPart) int64 { return p.Size }
	if from := partjoin.From(parts, size); from < len(parts)-1 {
		joined, err := s.storeJoined(ctx, parts[from:])
		if err == nil {
			defer s.ForRooms().RemoveUnusedFile(ctx, name) // the joined part has it
			parts = append(parts[:from:from], joined)
		} else if isCurrent, readErr := s.isCurrentUpload(ctx, u); readErr == nil && isCurrent {
			s.base.Log.WarnContext(ctx, "join the parts of an upload", "upload", u.ID, "error", err)
		} // another request may have joined and removed them; saveParts finds that out
	}
	return s.saveParts(ctx, u, received, parts)
}

// storeReserved stores a content under a new name, which it reserves before. If that fails, nothing
// is stored.
func (s *Service) storeReserved(ctx context.Context, content io.Reader) (name string, err error) {
	name = rand.Text()
	if err := s.reserveFileFor(ctx, name, fileReservation); err != nil {
		return "", fmt.Errorf("reserve the name of a file: %w", err)
	}
	if err := s.files.StoreFile(ctx, name, content); err != nil {
		s.ForRooms().RemoveUnusedFile(ctx, name)
		return "", err
	}
	return name, nil
}

// storeJoined stores what parts have together as one part under a reserved name.
func (s *Service) storeJoined(ctx context.Context, parts []UploadPart) (UploadPart, error) {
	all := &storedParts{ctx: ctx, files: s.files, names: namesOf(parts)}
	defer all.Close()
	content := &countedContent{in: all}
	name, err := s.storeReserved(ctx, content)
	if err != nil {
		return UploadPart{}, err
	}
	want := int64(0)
	for _, part := range parts {
		want += part.Size
	}
	if content.size != want {
		s.ForRooms().RemoveUnusedFile(ctx, name)
		return UploadPart{}, fmt.Errorf("the parts have %d bytes, want %d", content.size, want)
	}
	return UploadPart{Name: name, Size: want}, nil
}

// countedContent counts what is read of a content.
type countedContent struct {
	in   io.Reader
	size int64
}

func (c *countedContent) Read(b []byte) (int, error) {
	n, err := c.in.Read(b)
	c.size += int64(n)
	return n, err
}

// isCurrentUpload reports whether an upload has still as many bytes as when it was read.
func (s *Service) isCurrentUpload(ctx context.Context, read Upload) (bool, error) {
	now, err := s.store.Upload(ctx, read.ID)
	if errors.Is(err, core.ErrNoRecord) {
		return false, nil
	}
	return err == nil && now.Received == read.Received, err
}

// saveParts stores that an upload has received some bytes, and its parts, the last of which is
// reserved. Parts that it has no longer become unused. It returns [ErrUploadOffset] if another
// request was faster.
func (s *Service) saveParts(
	ctx context.Context, read Upload, received int64, parts []UploadPart,
) (Upload, error) {
	u, added := read, parts[len(parts)-1].Name
	replaced := namesOf(read.Parts[min(len(parts)-1, len(read.Parts)):])
	u.Received, u.Parts = received, parts
	err := s.base.InTx(ctx, func(tx Tx) error {
		if _, err := s.lockUpload(ctx, tx, read); err != nil {
			return err
		}
		u.ExpiresAt = s.base.Now().Add(UploadTime)
		if err := UseFile(ctx, tx, added); err != nil {
			return err
		}
		if err := tx.InsertUnusedFiles(ctx, replaced, s.base.Now()); err != nil {
			return err
		}
		return tx.SaveUpload(ctx, u)
	})
	switch {
	case err == nil:
		for _, name := range replaced {
			s.ForRooms().RemoveUnusedFile(ctx, name)
		}
	case !errors.Is(err, core.ErrUnknownOutcome):
		s.ForRooms().RemoveUnusedFile(ctx, added)
	}
	return u, err
}

// joinParts stores the file of an upload of which all parts are stored. The last one is only
// reserved: the upload gets the number of its bytes together with the file. So a request that was
// killed is followed by another one with the last part. Only one request joins the parts at a time,
// because that takes as long as the file is large.
func (s *Service) joinParts(ctx context.Context, u Upload, parts []UploadPart) (Upload, error) {
	defer s.ForRooms().RemoveUnusedFile(ctx, parts[len(parts)-1].Name)
	joining := s.base.Leases.NewRenewed("upload:"+u.ID, uploadLease)
	err := lease.Run(ctx, joining, uploadLease, func(ctx context.Context) error {
		// The one that had the lease before may have joined and removed them.
		isCurrent, err := s.isCurrentUpload(ctx, u)
		if err == nil && !isCurrent {
			err = ErrUploadOffset
		}
		if err != nil {
			return err
		}
		all := &storedParts{ctx: ctx, files: s.files, names: namesOf(parts)}
		defer all.Close()
		content := inspect(all, s.maxFile)
		stored, err := s.storeReserved(ctx, content)
		if err == nil && content.size != u.Size {
			s.ForRooms().RemoveUnusedFile(ctx, stored)
			err = fmt.Errorf("the parts have %d bytes, want %d", content.size, u.Size)
		}
		if err != nil {
			return fmt.Errorf("join the parts of a file: %w", err)
		}
		u, err = s.completeUpload(ctx, u, stored, content)
		return err
	})
	if errors.Is(err, lease.ErrHeld) {
		err = ErrUploadBusy
	}
	return u, err
}

// completeUpload makes the file of an upload. Its content is stored under a reserved name. If the
// content has no allowed type, it deletes the upload, and returns [ErrFileRefused].
func (s *Service) completeUpload(
	ctx context.Context, u Upload, stored string, content *inspectedContent,
) (Upload, error) {
	read, refused := u, error(nil)
	limits := s.storageOf(core.Actor{Role: core.Educator}) // only educators and admins have uploads
	f, isAllowed := content.file(u.Name)
	f.ID, f.OwnerID, f.StoredName = s.base.NewID(), u.OwnerID, stored
	var kept File
	err := s.base.ChangeOfUndeleted(ctx, u.OwnerID, func(tx Tx, changes *core.Changes) (err error) {
		// The owner is locked before the upload and the file, as everywhere.
		if u, err = s.lockUpload(ctx, tx, read); err != nil {
			return err
		}
		if !isAllowed {
			refused = content.refusal(u.Name)
			return s.deleteUpload(ctx, tx, u)
		}

		// The file counts in place of the upload.
		if err := tx.InsertUnusedFiles(ctx, namesOf(u.Parts), s.base.Now()); err != nil {
			return err
		}
		u.Received, u.Parts, u.FileID = u.Size, nil, f.ID
		u.ExpiresAt = s.base.Now().Add(UploadTime)
		if err := tx.SaveUpload(ctx, u); err != nil {
			return err
		}
		if kept, err = s.addFile(ctx, tx, changes, f, limits); err != nil || kept.ID == f.ID {
			return err
		}
		u.FileID = kept.ID // the owner has the content already
		return tx.SaveUpload(ctx, u)
	})
	if err != nil && !errors.Is(err, core.ErrUnknownOutcome) || err == nil &&
		kept.StoredName != stored {
		s.ForRooms().RemoveUnusedFile(ctx, stored)
	}
	if err == nil {
		err = refused
	}
	return u, err
}

// storedParts reads stored parts of an upload, one after the other.
type storedParts struct {
	ctx   context.Context
	files Store
	names []string      // that were not opened yet
	open  io.ReadCloser // nil for none
}

func (s *storedParts) Read(b []byte) (n int, err error) {
	for {
		if s.open == nil {
			if len(s.names) == 0 {
				return 0, io.EOF
			}
			if s.open, err = s.files.OpenFile(s.ctx, s.names[0]); err != nil {
				return 0, fmt.Errorf("open a part of a file: %w", err)
			}
			s.names = s.names[1:]
		}
		if n, err = s.open.Read(b); err != io.EOF {
			return n, err
		}
		s.Close()
		if n > 0 {
			return n, nil
		}
	}
}

// Close closes the part that is open. An error does not matter, because nothing was written.
func (s *storedParts) Close() {
	if s.open != nil {
		_ = s.open.Close()
		s.open = nil
	}
}
