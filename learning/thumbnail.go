package learning

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/openlectern/openlectern/internal/thumbnail"
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
// [thumbnail.MaxSide].
func (p *Platform) storeThumbnail(ctx context.Context, data []byte) (name string, err error) {
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
		return "", fmt.Errorf("store a thumbnail: %w", err)
	}
	return name, nil
}

// deleteThumbnail removes the image of a course that could not be stored.
func (p *Platform) deleteThumbnail(ctx context.Context, name string) {
	ctx, cancel := p.provider(context.WithoutCancel(ctx))
	defer cancel()
	if err := p.media.Delete(ctx, name); err != nil {
		p.log.WarnContext(ctx, "remove an unused thumbnail", "name", name, "error", err)
	}
}

// processImage decodes an image, scales it down and encodes it again, with bounded
// memory.
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
