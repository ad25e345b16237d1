package thumbnail

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"runtime"
	"time"

	"golang.org/x/image/webp"
	"golang.org/x/sync/semaphore"
)

const (
	// MaxSide is the largest width and height of a processed image, in pixels.
	MaxSide = 1600
	// MaxMemory is the most memory that the decoder of one image may need, in bytes.
	MaxMemory = 64 << 20

	// smallImage is the most memory that an image may need to be processed at the same time as
	// others; smallImages is what all of those may need together.
	smallImage  = 16 << 20
	smallImages = 32 << 20

	quality = 85 // of JPEG
)

var (
	// ErrUnsupported means that the data is no JPEG, PNG or WebP image, is damaged, or
	// needs more than [MaxMemory].
	ErrUnsupported = errors.New("thumbnail: unsupported image")
	// ErrBusy means that other images used the memory for too long.
	ErrBusy = errors.New("thumbnail: too many images at once")
)

// Processor processes images. Large images are processed one at a time. Small ones
// have memory of their own, so that they do not wait for large ones. A Processor is
// safe for concurrent use.
type Processor struct {
	small, large *semaphore.Weighted
	maxWait      time.Duration
}

// New returns a Processor whose calls wait for memory no longer than maxWait.
func New(maxWait time.Duration) *Processor {
	return &Processor{
		small:   semaphore.NewWeighted(smallImages),
		large:   semaphore.NewWeighted(1),
		maxWait: maxWait,
	}
}

// Process decodes a JPEG, PNG or WebP image and encodes it again. It returns the
// encoded image and its format: "jpeg" for a JPEG, "png" for the others. Its errors
// are [ErrUnsupported], [ErrBusy], also if ctx reaches its deadline, and
// [context.Canceled].
func (p *Processor) Process(
	ctx context.Context, data []byte,
) (encoded []byte, format string, err error) {
	h, err := inspect(data)
	if err != nil {
		return nil, "", fmt.Errorf("%w: %w", ErrUnsupported, err)
	}
	release, err := p.acquire(ctx, h.memory+h.resultMemory())
	if err != nil {
		return nil, "", err
	}
	defer release()
	img, err := decode(ctx, h, data)
	if err != nil {
		return nil, "", err
	}
	// upright also scales the image down.
	return encode(h, upright(h, img))
}

// Keep is Process for an image that Process may have made: a JPEG that has nothing but pixels, and
// is no larger than one of Process, is returned as it is. To encode it again would change it. A PNG
// of Process is the same again anyway.
func (p *Processor) Keep(
	ctx context.Context, data []byte,
) (encoded []byte, format string, err error) {
	encoded, format, err = p.Process(ctx, data)
	if err == nil && format == formatJPEG && isBareJPEG(data) {
		encoded = data
	}
	return encoded, format, err
}

// acquire waits until an image that needs memory bytes may be processed. The caller calls release
// when it was. The error is that of interrupted.
func (p *Processor) acquire(ctx context.Context, memory int64) (release func(), err error) {
	waiting, cancel := context.WithTimeout(ctx, p.maxWait)
	defer cancel()
	// Acquire fails only when waiting is done. Small images share a number of bytes; of the large
	// ones there is one at a time, whatever its size.
	if memory <= smallImage {
		if p.small.Acquire(waiting, memory) != nil {
			return nil, interrupted(waiting)
		}
		return func() { p.small.Release(memory) }, nil
	}
	if p.large.Acquire(waiting, 1) != nil {
		return nil, interrupted(waiting)
	}
	return func() {
		runtime.GC() // so that the memory of one large image is not added to that of the next
		p.large.Release(1)
	}, nil
}

// interrupted returns the error of a call whose context is done: ErrBusy if its deadline has
// passed, and otherwise [context.Canceled].
func interrupted(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return ErrBusy
	}
	return ctx.Err()
}

// decode decodes an image. It returns ErrUnsupported for one that cannot be decoded, and the error
// of interrupted as soon as ctx is done.
func decode(ctx context.Context, h header, data []byte) (img image.Image, err error) {
	r := &reader{ctx: ctx, data: bytes.NewReader(data)}
	switch h.format {
	case formatJPEG:
		img, err = jpeg.Decode(r)
	case formatPNG:
		img, err = png.Decode(r)
	default:
		img, err = webp.Decode(r)
	}
	switch {
	case ctx.Err() != nil: // whatever the decoder has returned
		return nil, interrupted(ctx)
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrUnsupported, err)
	case img.Bounds().Size() != image.Pt(h.width, h.height):
		return nil, fmt.Errorf("%w: size differs from the header", ErrUnsupported)
	}
	return img, nil
}

// reader fails when the context is done, so that decoders stop.
type reader struct {
	ctx  context.Context
	data io.Reader
}

// Read implements [io.Reader].
func (r *reader) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.data.Read(b)
}

// encode encodes a thumbnail in the format of the upload, but in PNG if that is WebP. It returns
// the format that it used.
func encode(h header, img image.Image) (encoded []byte, format string, err error) {
	var out bytes.Buffer
	if format = h.format; format == formatJPEG {
		// The pixels of a JPEG are opaque, so that the bytes of an NRGBA are also those of an RGBA.
		// The encoder is faster with that type.
		if scaled, ok := img.(*image.NRGBA); ok {
			img = &image.RGBA{Pix: scaled.Pix, Stride: scaled.Stride, Rect: scaled.Rect}
		}
		err = jpeg.Encode(&out, img, &jpeg.Options{Quality: quality})
	} else { // there is no encoder of WebP
		format, err = formatPNG, png.Encode(&out, img)
	}
	if err != nil {
		return nil, "", fmt.Errorf("encode a thumbnail: %w", err)
	}
	return out.Bytes(), format, nil
}
