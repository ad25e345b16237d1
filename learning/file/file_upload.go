package file

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"path"
	"strings"
	"time"
	"unicode"

	"github.com/openlectern/openlectern/internal/filetype"
	"github.com/openlectern/openlectern/internal/text"
	"github.com/openlectern/openlectern/learning/core"
)

// fileReservation is how long after it was reserved the content of a file is removed that no file
// has. It is much longer than a slow upload takes.
const fileReservation = 24 * time.Hour

// UploadFile stores a file of the actor, and returns it. It reads content once, and holds a bounded
// part of it in memory. name is the name that the file has at the actor. If the actor has a file
// with the same content, that file is returned and nothing is stored. If content returns an error,
// nothing is stored, and that error is returned.
//
// Errors: [core.ErrUnauthenticated], [core.ErrForbidden], [ErrFilesNotConfigured],
// [ErrFileTooLarge], [ErrFileRefused] for a type that may not be uploaded, [ErrStorageFull],
// [ErrNoSpace].
func (s *Service) UploadFile(
	ctx context.Context, actor core.Actor, name string, content io.Reader,
) (File, error) {
	if err := actor.RequireRole(core.Educator, core.Admin); err != nil {
		return File{}, err
	}
	return s.ForRooms().UploadFileUpTo(ctx, actor, name, content, s.maxFile)
}

// UploadFileUpTo stores a file of an actor who may upload it. The file has at most maxSize bytes,
// and no more than any file may have.
func (s *ForRooms) UploadFileUpTo(
	ctx context.Context, actor core.Actor, name string, content io.Reader, maxSize int64,
) (File, error) {
	if s.files == nil {
		return File{}, ErrFilesNotConfigured
	}

	// Refuse what the storage of the actor has no room for when it is read. This is checked again
	// after the lock.
	received, err := (*Service)(s).Receive(ctx, actor, content)
	if err != nil {
		return File{}, err
	}
	defer received.Close()

	// Store the content under a name that cannot be guessed, which is reserved, so that a content
	// which no file gets is found and removed.
	upload := inspect(received, min(maxSize, s.maxFile))
	stored, err := (*Service)(s).storeReserved(ctx, upload)
	if err != nil {
		return File{}, core.Wrap("store a file", err)
	}

	// Its type is known when all of it was read.
	f, isAllowed := upload.file(cleanFileName(name))
	if !isAllowed {
		s.RemoveUnusedFile(ctx, stored)
		return File{}, upload.refusal(name)
	}
	f.ID, f.OwnerID, f.StoredName = s.base.NewID(), actor.UserID, stored
	kept, err := (*Service)(s).insertFile(ctx, f, (*Service)(s).storageOf(actor))
	if err != nil && !errors.Is(err, core.ErrUnknownOutcome) || err == nil &&
		kept.StoredName != stored {
		s.RemoveUnusedFile(ctx, stored)
	}
	return kept, core.Wrap("store a file", err)
}

// insertFile stores the row of an uploaded file whose content is reserved, within the limits of its
// owner. It returns the file, or the one with the same content that the owner has already. Errors:
// [ErrStorageFull], and [core.ErrUnauthenticated] if the owner was deleted.
func (s *Service) insertFile(
	ctx context.Context, f File, limits storageLimits,
) (kept File, err error) {
	// Others of the owner wait, so that two do not read the same sum of files.
	err = s.base.ChangeOfUndeleted(ctx, f.OwnerID, func(tx Tx, changes *core.Changes) (err error) {
		kept, err = s.addFile(ctx, tx, changes, f, limits)
		return err
	})
	return kept, err
}

// addFile is insertFile in a transaction of Base.ChangeOfUndeleted.
func (s *Service) addFile(
	ctx context.Context, tx Tx, changes *core.Changes, f File, limits storageLimits,
) (File, error) {
	f.CreatedAt = s.base.Now()
	f.UnusedSince = f.CreatedAt
	hasSame, err := tx.RenewFile(ctx, f.OwnerID, f.SHA256, f.UnusedSince)
	if err != nil {
		return File{}, err
	}
	if hasSame {
		return tx.FileByHash(ctx, f.OwnerID, f.SHA256)
	}

	// The new file must fit into what the owner may store.
	if err := limits.check(ctx, tx, f.OwnerID, f.Size); err != nil {
		return File{}, err
	}
	if err := UseFile(ctx, tx, f.StoredName); err != nil {
		return File{}, err
	}
	countFiles(changes, tx, totalOf(f))
	return f, tx.InsertFile(ctx, f)
}

// cleanFileName returns the name of a file without folders and control characters. A name of which
// nothing is left becomes "file".
func cleanFileName(name string) string {
	name = path.Base(strings.ReplaceAll(text.Storable(name), `\`, `/`))
	name = strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return -1
		}
		return r
	}, name))
	if name == "" || name == "." || name == "/" {
		return "file"
	}
	return name
}

// inspectedContent reads the content of a file, and finds out what it is meanwhile.
type inspectedContent struct {
	in       io.Reader
	left     int64 // how many bytes it may have yet
	size     int64
	hash     hash.Hash
	detector filetype.Detector
}

// inspect returns a reader of content that finds out what it is. It may have maxSize bytes.
func inspect(content io.Reader, maxSize int64) *inspectedContent {
	return &inspectedContent{in: content, left: maxSize, hash: sha256.New()}
}

// file returns what follows from the content, which was read to its end, and from the name that the
// file has at its sender. It reports whether the type is one that may be uploaded.
func (c *inspectedContent) file(name string) (f File, isAllowed bool) {
	f = File{Name: text.Truncate(name, MaxFileName), Size: c.size,
		SHA256: hex.EncodeToString(c.hash.Sum(nil))}
	f.Type, isAllowed = c.detector.Type(name)
	return f, isAllowed
}

// refusal returns the refusal of a content that has no allowed type: [ErrFileRefused], with what
// was found and what to do. name is the name that the file has at its sender.
func (c *inspectedContent) refusal(name string) error {
	reason := "this is none of them. These types are taken: " + filetype.Taken
	if found := c.detector.Found(name); found != "" {
		reason = "this is " + found
	}
	return &core.ImportError{Failure: ErrFileRefused, Reason: reason}
}

// Read returns [ErrFileTooLarge] if the content is too large.
func (c *inspectedContent) Read(b []byte) (n int, err error) {
	n, err = c.in.Read(b)
	if c.left -= int64(n); c.left < 0 {
		return 0, ErrFileTooLarge
	}
	c.size += int64(n)
	_, _ = c.hash.Write(b[:n])     // a hash never fails
	_, _ = c.detector.Write(b[:n]) // nor does a detector
	return n, err
}
