package file

import (
	"context"
	"io"
	"time"
)

// Media stores public files: thumbnails and certificates (package media). Names are made by the
// platform: a UUID or "certificate-" with an id, of letters, digits, ".", "_" and "-", with an
// extension (.jpg, .png, .webp, .pdf), and without a slash. Who serves the files should send the
// content type of Put, or that of the extension, and X-Content-Type-Options: nosniff.
type Media interface {
	// Put stores data with a name, completely or not at all. If the name exists, it returns
	// fs.ErrExist, or overwrites the data if the store cannot detect this.
	Put(ctx context.Context, name, contentType string, data []byte) error
	// Delete deletes a file. It returns nil if there is none.
	Delete(ctx context.Context, name string) error
	// URL returns the URL of a file for browsers.
	URL(name string) string
}

// MediaChecker is an optional interface of a [Media]. If it is implemented, the PDF of a
// certificate is rendered again if it is missing when the owner requests it.
type MediaChecker interface {
	// Exists reports whether there is a file of this name.
	Exists(ctx context.Context, name string) (bool, error)
}

// MediaReader is an optional interface of a [Media]. If it is implemented, the package of a course
// contains its thumbnail.
type MediaReader interface {
	// Open opens a file, to be read once from its beginning. It returns fs.ErrNotExist if there is
	// none.
	Open(ctx context.Context, name string) (io.ReadCloser, error)
}

// Store stores the files of lectures, which only users with access to a lecture may read
// (package media). Names are made by the platform: 26 characters A–Z and 2–7 that cannot be
// guessed.
type Store interface {
	// StoreFile stores what it reads from content, which is not empty, under a new name, completely
	// or not at all. It must not hold all of it in memory. It returns the first error of content.
	StoreFile(ctx context.Context, name string, content io.Reader) error
	// OpenFile opens a file, to be read once from its beginning. It returns fs.ErrNotExist if there
	// is none.
	OpenFile(ctx context.Context, name string) (io.ReadCloser, error)
	// DeleteFile deletes a file. It returns nil if there is none.
	DeleteFile(ctx context.Context, name string) error
	// SignFile returns a URL by which browsers read a file until a time. It sends no request.
	// Nobody must be able to make such a URL, or to change one, without the keys of the store.
	SignFile(ctx context.Context, f Signed) (string, error)
}

// Signed is what the URL of a [Store] contains, beside the signature.
type Signed struct {
	Name  string    // in the store
	Type  string    // the media type with which the file is answered
	Title string    // the name under which a browser saves the file
	Until time.Time // when the URL stops working
}

// HasMedia reports whether there is a media store.
func (s *ForRooms) HasMedia() bool { return s.media != nil }

// MediaURL returns the URL of a file in the media store, or "" if name is empty or no media store
// is configured.
func (s *Service) MediaURL(name string) string {
	if name == "" || s.media == nil {
		return ""
	}
	return s.media.URL(name)
}
