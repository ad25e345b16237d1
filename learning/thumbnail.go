package learning

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/openlectern/openlectern/internal/thumbnail"
)

const (
	// MaxThumbnail is the largest image that is taken, in bytes.
	MaxThumbnail = 5 << 20
	// MaxThumbnailSide is the largest width and height of a stored thumbnail, in
	// pixels. Larger images are scaled down.
	MaxThumbnailSide = thumbnail.MaxSide

	// thumbnailWait is how long an image waits for others to be processed;
	// thumbnailRetry is when its caller should try again after that.
	thumbnailWait  = 20 * time.Second
	thumbnailRetry = 5 * time.Second
)

// keepThumbnail puts an image into the media store under a random name, decoded
// and encoded again: what is served was written by us, whatever was hidden in
// the upload. PNG and WebP become PNG, JPEG stays JPEG. It is upright, and at most
// [MaxThumbnailSide] pixels a side.
func (p *Platform) keepThumbnail(ctx context.Context, data []byte) (name string, err error) {
	if len(data) == 0 {
		return "", ErrThumbnailMissing
	}
	encoded, format, err := p.processImage(ctx, data)
	if err != nil {
		return "", err
	}
	name = p.newID() + map[string]string{"jpeg": ".jpg", "png": ".png"}[format]
	ctx, cancel := p.provider(ctx)
	defer cancel()
	if err := p.media.Put(ctx, name, "image/"+format, encoded); err != nil {
		return "", fmt.Errorf("keep a thumbnail: %w", err)
	}
	return name, nil
}

// dropThumbnail removes the image of a course that did not come to be.
func (p *Platform) dropThumbnail(ctx context.Context, name string) {
	ctx, cancel := p.provider(context.WithoutCancel(ctx))
	defer cancel()
	if err := p.media.Delete(ctx, name); err != nil {
		p.log.WarnContext(ctx, "remove an unused thumbnail", "name", name, "error", err)
	}
}

// processImage decodes an image and encodes it again, in a size and an amount of
// memory that are bounded.
func (p *Platform) processImage(ctx context.Context, data []byte) (encoded []byte, format string, err error) {
	if len(data) > MaxThumbnail {
		return nil, "", ErrThumbnailRefused
	}
	encoded, format, err = p.images.Process(ctx, data)
	switch {
	case errors.Is(err, thumbnail.ErrUnsupported):
		return nil, "", ErrThumbnailRefused
	case errors.Is(err, thumbnail.ErrBusy):
		return nil, "", &RetryableError{Failure: ErrThumbnailBusy, After: thumbnailRetry}
	case err != nil:
		return nil, "", fmt.Errorf("process a thumbnail: %w", err)
	}
	return encoded, format, nil
}
