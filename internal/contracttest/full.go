package contracttest

import (
	"context"
	"fmt"
	"io"
	"io/fs"

	"github.com/openlectern/openlectern/learning/file"
)

// fullDisk is a store of media and of files that has no space left, and no files.
type fullDisk struct{}

var errFull = fmt.Errorf("store a file: %w", file.ErrNoSpace)

func (fullDisk) Put(context.Context, string, string, []byte) error { return errFull }

func (fullDisk) URL(name string) string { return PublicURL + "/media/" + name }

func (fullDisk) Delete(context.Context, string) error { return nil }

func (fullDisk) StoreFile(_ context.Context, _ string, content io.Reader) error {
	_, _ = io.CopyN(io.Discard, content, 1)
	return errFull
}

func (fullDisk) OpenFile(context.Context, string) (io.ReadCloser, error) {
	return nil, fs.ErrNotExist
}

func (fullDisk) DeleteFile(context.Context, string) error { return nil }

func (fullDisk) SignFile(context.Context, file.Signed) (string, error) {
	return PublicURL, nil
}
