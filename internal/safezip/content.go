package safezip

import (
	"bytes"
	"compress/flate"
	"errors"
	"hash"
	"hash/crc32"
	"io"

	"github.com/openlectern/openlectern/internal/budget"
)

// ErrDamaged is the refusal of a file whose content is not what the directory says.
var ErrDamaged = &Error{"it is no whole zip, because a file in it is damaged: download or export it " +
	"once more, and upload the whole file"}

// Open returns the content of a file. Reading returns an [*Error] if the content is damaged, or is
// longer or shorter than the directory says. Several contents may be read at the same time if the
// reader of the archive allows it.
func (f *File) Open() io.ReadCloser {
	in := io.NewSectionReader(f.in, f.data, f.packed)
	c := &content{left: f.Size, crc: f.crc, hash: crc32.NewIEEE(), in: io.NopCloser(in)}
	if f.method == deflate {
		c.in = flate.NewReader(in)
	}
	return c
}

// ReadAll returns the content of a file of at most limit bytes.
func (f *File) ReadAll(limit int64) ([]byte, error) {
	if f.Size > limit {
		return nil, refuse("its entry %s has more than %d bytes: make it smaller", quoted(f.Name),
			limit)
	}
	in := f.Open()
	defer in.Close()
	data := bytes.NewBuffer(make([]byte, 0, f.Size+bytes.MinRead)) // which does not grow
	_, err := data.ReadFrom(in)
	return data.Bytes(), err
}

// ReadText is ReadAll for a text that is kept or converted: it takes the bytes from the budget
// first.
func (f *File) ReadText(b *budget.Budget, limit int64) ([]byte, error) {
	if err := b.Text(min(f.Size, limit)); err != nil {
		return nil, err
	}
	return f.ReadAll(limit)
}

// content reads the content of a file, and compares it with the directory.
type content struct {
	in   io.ReadCloser
	left int64
	crc  uint32
	hash hash.Hash32
}

func (c *content) Read(p []byte) (int, error) {
	n, err := c.in.Read(p)
	if c.left -= int64(n); c.left < 0 {
		return 0, ErrDamaged
	}
	_, _ = c.hash.Write(p[:n]) // a hash never fails
	if _, isCorrupt := errors.AsType[flate.CorruptInputError](err); isCorrupt ||
		errors.Is(err, io.ErrUnexpectedEOF) {
		return n, ErrDamaged
	}
	if err == io.EOF && (c.left > 0 || c.hash.Sum32() != c.crc) {
		return n, ErrDamaged
	}
	return n, err
}

func (c *content) Close() error { return c.in.Close() }
