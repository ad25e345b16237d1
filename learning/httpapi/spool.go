package httpapi

import (
	"errors"
	"io"

	"github.com/openlectern/openlectern/internal/diskfull"
	"github.com/openlectern/openlectern/internal/spool"
	"github.com/openlectern/openlectern/internal/web"
	"github.com/openlectern/openlectern/learning/file"
)

const (
	// spoolOfUser is how many bytes of temporary files the bodies of one caller may have, which is
	// the size of the largest one, and spoolSize those of all callers.
	spoolOfUser = maxPackageUpload + 1<<20
	spoolSize   = 4 * spoolOfUser
)

// spool receives a body, or a part of one, of at most limit bytes into a temporary file, which the
// caller closes. So a slow client holds no memory. It returns [file.ErrFileTooLarge] for a
// longer one, [web.ErrBodiesFull] if there are too many temporary files, and [file.ErrNoSpace]
// if the disk is full.
func (c *call) spool(in io.Reader, limit int64) (*spool.File, error) {
	// A byte more than it may have shows that it is too large.
	body := &bodyReader{in: io.LimitReader(in, limit+1)}
	spooled, err := c.api.spools.Write(c.Key(), body)
	switch {
	case body.err != nil: // the client has left, is too slow, or has no storage left
		return nil, bodyError(body.err)
	case errors.Is(err, spool.ErrFull):
		return nil, web.ErrBodiesFull
	case diskfull.Is(err):
		return nil, errors.Join(file.ErrNoSpace, err)
	case err != nil:
		return nil, err
	case spooled.Size > limit:
		return nil, errors.Join(file.ErrFileTooLarge, spooled.Close())
	}
	return spooled, nil
}
