package learning

import (
	"context"
	"errors"
	"fmt"
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

// storeThumbnail stores an image in the media store under a random name. The image is
// decoded and encoded again, so that hidden data in the upload is removed. PNG and WebP
// become PNG, JPEG remains JPEG. It is rotated upright and scaled down to
// [thumbnail.MaxSide]. Before it is stored, the name is reserved: see [Platform.reserveFile].
// Errors: [ErrThumbnailMissing], and those of processImage.
func (p *Platform) storeThumbnail(ctx context.Context, data []byte) (name string, err error) {
	if len(data) == 0 {
		return "", ErrThumbnailMissing
	}
	encoded, format, err := p.processImage(ctx, data)
	if err != nil {
		return "", err
	}
	return p.putThumbnail(ctx, encoded, format)
}

// putThumbnail stores a processed image under a random name, which it reserves before.
func (p *Platform) putThumbnail(
	ctx context.Context, encoded []byte, format string,
) (name string, err error) {
	// Reserve a name, so that a file which no course gets is found and removed.
	extensions := map[string]string{"jpeg": ".jpg", "png": ".png"} // all formats of processImage
	name = p.base.NewID() + extensions[format]
	if err := p.reserveFile(ctx, name); err != nil {
		return "", fmt.Errorf("reserve the name of a thumbnail: %w", err)
	}
	ctx, cancel := p.base.Provider(ctx)
	defer cancel()
	err = p.media.Put(ctx, name, "image/"+format, encoded)

	// The name is new. So a file that exists is this one: the store has lost an answer and repeated
	// the request.
	if err != nil && !errors.Is(err, fs.ErrExist) {
		if errors.Is(err, ErrNoSpace) { // nothing is stored; after another failure it may be
			p.removeUnusedFile(ctx, name)
		}
		return "", fmt.Errorf("store a thumbnail: %w", err)
	}
	return name, nil
}

// SetThumbnail replaces the thumbnail of a course, for its educator and admins, and returns
// its name in the media store. The image must be as in [Platform.AddCourse]. Of concurrent
// calls the last one wins. The version of the course grows by one. Errors:
// [core.ErrUnauthenticated], [core.ErrForbidden], [ErrCourseNotFound], [ErrThumbnailMissing],
// [ErrThumbnailRefused], [ErrThumbnailBusy], [ErrMediaNotConfigured].
func (p *Platform) SetThumbnail(ctx context.Context, actor core.Actor, courseID string,
	image []byte) (name string, err error) {
	if _, err := p.editable(ctx, actor, courseID); err != nil {
		return "", err
	}
	if p.media == nil {
		return "", ErrMediaNotConfigured
	}

	// Store the file, then let the course use it, and remove the one that it had.
	if name, err = p.storeThumbnail(ctx, image); err != nil {
		return "", err
	}
	var old Course
	err = p.base.Change(ctx, func(tx Tx, changes *core.Changes) (err error) {
		old, err = p.setThumbnail(ctx, tx, changes, courseID, name)
		return err
	})
	if err != nil {
		p.discardThumbnail(ctx, name, err)
		return "", core.Wrap("set a thumbnail", err)
	}
	p.removeUnusedFile(ctx, old.Thumbnail)
	return name, nil
}

// setThumbnail sets the thumbnail of a course in a transaction, and returns the course as
// it was before, whose file the caller removes after the commit.
func (p *Platform) setThumbnail(
	ctx context.Context, tx Tx, changes *core.Changes, courseID, name string,
) (Course, error) {
	// Lock the course, and read which file it has.
	if err := lockCourse(ctx, tx, courseID); err != nil {
		return Course{}, err
	}
	old, err := tx.Course(ctx, courseID)
	if err != nil {
		return Course{}, err
	}

	// The old file, if there is one, becomes unused, and the new one is used.
	if err := markUnused(ctx, tx, old.Thumbnail, changes.Now()); err != nil {
		return Course{}, err
	}
	if err := useFile(ctx, tx, name); err != nil {
		return Course{}, err
	}
	addCourseEditedEvent(changes, old, old) // the event does not show the thumbnail
	tx.AfterCommit(p.catalogueChanged)
	return old, tx.SetThumbnail(ctx, courseID, name, changes.Now())
}

// discardThumbnail removes the image of a course that could not be stored because of err. If it is
// not known whether the course was stored, the image stays, and [System.RunTidying] removes it
// later unless a course uses it.
func (p *Platform) discardThumbnail(ctx context.Context, name string, err error) {
	if !errors.Is(err, core.ErrUnknownOutcome) {
		p.removeUnusedFile(ctx, name)
	}
}

// processImage decodes an image, scales it down and encodes it again, with bounded
// memory. format is "jpeg" or "png". Errors: [ErrThumbnailRefused], and [ErrThumbnailBusy]
// with the time after which to try again.
func (p *Platform) processImage(ctx context.Context,
	data []byte) (encoded []byte, format string, err error) {
	if len(data) > MaxThumbnail {
		return nil, "", ErrThumbnailRefused
	}
	encoded, format, err = p.images.Process(ctx, data)
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
