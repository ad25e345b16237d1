package file

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/openlectern/openlectern/internal/thumbnail"
	"github.com/openlectern/openlectern/learning/core"
)

// The public failures of thumbnails.
var (
	ErrThumbnailMissing = &core.Error{Kind: core.Invalid, Code: "thumbnail_missing",
		Message: "Thumbnail Not Attached"}
	ErrThumbnailRefused = &core.Error{Kind: core.Invalid, Code: "thumbnail_refused",
		Message: "Only JPEG, PNG and WebP images up to 5 MB are allowed"}
	ErrThumbnailBusy = &core.Error{Kind: core.Unavailable, Code: "thumbnail_busy",
		Message: "Too many images are being processed. Please try again later."}
	ErrMediaNotConfigured = &core.Error{Kind: core.Unavailable, Code: "media_not_configured",
		Message: "Media store is not configured"}
)

const (
	// MaxThumbnail is the maximum size of an uploaded image, in bytes.
	MaxThumbnail = 5 << 20

	// thumbnailWait is how long an image waits for others to be processed;
	// thumbnailRetry is when its caller should try again after that.
	thumbnailWait  = 20 * time.Second
	thumbnailRetry = 5 * time.Second
)

// StoreThumbnail stores an image in the media store under a random name, for a transaction that
// uses it: see [UseFile] and [ReplaceThumbnail]. The image is decoded and encoded again, so that
// hidden data in it is removed. PNG and WebP become PNG, JPEG remains JPEG. It is rotated upright
// and scaled down to [thumbnail.MaxSide]. Errors: [ErrMediaNotConfigured], [ErrThumbnailMissing],
// [ErrThumbnailRefused], [ErrThumbnailBusy].
func (s *ForRooms) StoreThumbnail(ctx context.Context, image []byte) (name string, err error) {
	switch {
	case s.media == nil:
		return "", ErrMediaNotConfigured
	case len(image) == 0:
		return "", ErrThumbnailMissing
	}
	encoded, format, err := (*Service)(s).processImage(ctx, image)
	if err != nil {
		return "", err
	}
	return (*Service)(s).putThumbnail(ctx, encoded, format)
}

// ReplaceThumbnail marks an old file, "" for none, as unused from a time on, and a stored one, ""
// for none, as used. The caller removes the old one after the commit: see
// [ForRooms.RemoveUnusedFile].
func ReplaceThumbnail(
	ctx context.Context, tx ThumbnailTx, old, name string, at time.Time,
) error {
	if err := MarkUnused(ctx, tx, old, at); err != nil || name == "" {
		return err
	}
	return UseFile(ctx, tx, name)
}

// KeepThumbnail stores an image of a package in the media store, as it is if it could be a stored
// thumbnail, and returns its name. Errors: those of processImage but [ErrThumbnailMissing].
func (s *ForRooms) KeepThumbnail(ctx context.Context, data []byte) (name string, err error) {
	encoded, format, err := s.images.Keep(ctx, data)
	if err != nil {
		return "", imageFailure(err)
	}
	return (*Service)(s).putThumbnail(ctx, encoded, format)
}

// OpenMedia opens a file of the media store, to be read once from its beginning. It returns
// fs.ErrNotExist if there is none, or if the media store cannot be read: see [MediaReader].
func (s *ForRooms) OpenMedia(ctx context.Context, name string) (io.ReadCloser, error) {
	if name == "" || s.mediaReader == nil {
		return nil, fs.ErrNotExist
	}
	return s.mediaReader.Open(ctx, name)
}

// DiscardThumbnail removes the image of a course or a bundle that could not be stored because of
// err. If it is not known whether that was stored, the image stays, and the host removes it later,
// when it tidies, unless it is used.
func (s *ForRooms) DiscardThumbnail(ctx context.Context, name string, err error) {
	if !errors.Is(err, core.ErrUnknownOutcome) {
		s.RemoveUnusedFile(ctx, name)
	}
}

// putThumbnail stores a processed image under a random name, which it reserves before.
func (s *Service) putThumbnail(
	ctx context.Context, encoded []byte, format string,
) (name string, err error) {
	// Reserve a name, so that a file which no course gets is found and removed.
	extensions := map[string]string{"jpeg": ".jpg", "png": ".png"} // all formats of processImage
	name = s.base.NewID() + extensions[format]
	if err := s.reserveFile(ctx, name); err != nil {
		return "", fmt.Errorf("reserve the name of a thumbnail: %w", err)
	}
	ctx, cancel := s.base.Provider(ctx)
	defer cancel()
	err = s.media.Put(ctx, name, "image/"+format, encoded)

	// The name is new. So a file that exists is this one: the store has lost an answer and repeated
	// the request.
	if err != nil && !errors.Is(err, fs.ErrExist) {
		if errors.Is(err, ErrNoSpace) { // nothing is stored; after another failure it may be
			s.ForRooms().RemoveUnusedFile(ctx, name)
		}
		return "", fmt.Errorf("store a thumbnail: %w", err)
	}
	return name, nil
}

// processImage decodes an image, scales it down and encodes it again, with bounded
// memory. format is "jpeg" or "png". Errors: [ErrThumbnailRefused], and [ErrThumbnailBusy]
// with the time after which to try again.
func (s *Service) processImage(ctx context.Context,
	data []byte) (encoded []byte, format string, err error) {
	if len(data) > MaxThumbnail {
		return nil, "", ErrThumbnailRefused
	}
	encoded, format, err = s.images.Process(ctx, data)
	return encoded, format, imageFailure(err)
}

// imageFailure returns the failure that an error of the image processor means.
func imageFailure(err error) error {
	switch {
	case errors.Is(err, thumbnail.ErrUnsupported):
		return ErrThumbnailRefused
	case errors.Is(err, thumbnail.ErrBusy):
		return &core.RetryableError{Failure: ErrThumbnailBusy, After: thumbnailRetry}
	}
	return core.Wrap("process a thumbnail", err)
}
