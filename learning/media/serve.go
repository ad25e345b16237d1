package media

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os"

	"github.com/openlectern/openlectern/internal/mediafile"
)

// ServeHTTP answers GET and HEAD of a file. The path of the request must be the file's name:
// mount the disk under a prefix with [http.StripPrefix], the last slash included, and make
// that prefix the base URL.
//
//	mux.Handle("/media/", http.StripPrefix("/media/", disk))
//
// It supports ranges and If-Modified-Since. The content type depends on the extension only,
// and browsers are told not to guess another. Every site may show a file. A file that is
// opened as a page cannot run scripts. Images may be cached for a year. PDFs contain names,
// so that they must not be cached and search engines must not list them. Folders are not
// listed.
func (d *Disk) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	mediafile.Handler{Open: d.openContent, NotFound: d.notFound}.ServeHTTP(w, r)
}

// openContent opens a file for mediafile.Handler. A link counts as missing, and is logged.
func (d *Disk) openContent(ctx context.Context, name string) (mediafile.Content, error) {
	f, info, err := d.open(name)
	switch {
	case errors.Is(err, errLink):
		d.log.WarnContext(ctx, "a link in the media folder is not followed", "name", name)
		return mediafile.Content{}, fs.ErrNotExist
	case missing(err):
		return mediafile.Content{}, fs.ErrNotExist
	case err != nil:
		return mediafile.Content{}, err
	}
	return mediafile.Content{ReadSeekCloser: f, ModTime: info.ModTime()}, nil
}

// open opens a regular file, and returns it with its description. A folder or a pipe counts as
// missing; opening a pipe would wait for a writer. open returns errLink if the path has a link.
func (d *Disk) open(name string) (*os.File, os.FileInfo, error) {
	if d.isLinked(name) {
		return nil, nil, errLink
	}
	info, err := d.root.Lstat(name)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, os.ErrNotExist
	}
	f, err := d.root.Open(name)
	return f, info, err
}
