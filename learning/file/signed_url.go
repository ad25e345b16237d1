package file

import (
	"context"
	"io"
	"time"

	"github.com/openlectern/openlectern/learning/core"
)

// signedTime is how long the URL of a file works.
const signedTime = 6 * time.Hour

// SignedURL returns the signed URL of a file, under whose name a browser saves it. It is "" without
// a store of files.
func (s *ForRooms) SignedURL(ctx context.Context, f File) (string, error) {
	if s.files == nil {
		return "", nil
	}
	url, err := s.files.SignFile(ctx, Signed{Name: f.StoredName, Type: f.Type, Title: f.Name,
		Until: s.base.Now().Add(signedTime)})
	return url, core.Wrap("sign the URL of a file", err)
}

// HasFileStore reports whether the files of lectures can be stored and read.
func (s *ForRooms) HasFileStore() bool { return s.files != nil }

// OpenStored opens the content of a file by its name in the [Store], to be read once from its
// beginning. There must be a store of files.
func (s *ForRooms) OpenStored(ctx context.Context, name string) (io.ReadCloser, error) {
	return s.files.OpenFile(ctx, name)
}
