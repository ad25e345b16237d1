package learning

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"

	_ "golang.org/x/image/webp" // decodes WebP
)

const (
	// MaxThumbnail is the largest image that is taken, in bytes.
	MaxThumbnail = 5 << 20
	// MaxThumbnailPixels is the largest image that is decoded. A few kilobytes can
	// claim to be gigapixels; this many take some 100 MB while they are decoded, and a
	// progressive JPEG up to five times that, which is why it is one at a time.
	MaxThumbnailPixels = 25_000_000
)

// keepThumbnail puts an image into the media store under a random name, decoded
// and encoded again: what is served was written by us, whatever was hidden in
// the upload. PNG and WebP become PNG, JPEG stays JPEG.
func (p *Platform) keepThumbnail(ctx context.Context, data []byte) (name string, err error) {
	if len(data) == 0 {
		return "", ErrThumbnailMissing
	}
	encoded, format, err := p.reencode(ctx, data)
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

// reencode decodes an image and encodes it anew, one at a time in this process,
// since each takes much memory for a moment.
func (p *Platform) reencode(ctx context.Context, data []byte) (encoded []byte, format string, err error) {
	select {
	case p.images <- struct{}{}:
		defer func() { <-p.images }()
	case <-ctx.Done():
		return nil, "", ctx.Err()
	}
	img, format, err := decodeImage(data)
	if err != nil {
		return nil, "", err
	}
	var out bytes.Buffer
	if format == "jpeg" {
		err = jpeg.Encode(&out, img, &jpeg.Options{Quality: 85})
	} else {
		format, err = "png", png.Encode(&out, img)
	}
	if err != nil {
		return nil, "", fmt.Errorf("encode a thumbnail: %w", err)
	}
	return out.Bytes(), format, nil
}

// decodeImage decodes by content, never by a name or a declared type, and only
// what is small enough by its header.
func decodeImage(data []byte) (image.Image, string, error) {
	if len(data) > MaxThumbnail {
		return nil, "", ErrThumbnailRefused
	}
	head, format, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil || !isThumbnail(format) || int64(head.Width)*int64(head.Height) > MaxThumbnailPixels {
		return nil, "", ErrThumbnailRefused
	}
	img, format, err := image.Decode(bytes.NewReader(data))
	if err != nil || img.Bounds().Empty() {
		return nil, "", ErrThumbnailRefused
	}
	return img, format, nil
}

// isThumbnail: a host may have registered other formats with package image.
func isThumbnail(format string) bool {
	return format == "jpeg" || format == "png" || format == "webp"
}
