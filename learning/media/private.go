package media

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"strconv"
	"time"

	"github.com/openlectern/openlectern/internal/mediafile"
	"github.com/openlectern/openlectern/internal/nilarg"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/file"
)

var _ file.Store = (*PrivateDisk)(nil)

// PrivateDisk stores the files of lectures in a folder, and serves each only to requests with a URL
// that [PrivateDisk.SignFile] has signed. It is safe for concurrent use, also by several processes
// in one folder that have the same keys. It implements [file.Store].
type PrivateDisk struct {
	nilOptions nilarg.Options

	disk     *Disk
	keys     [][]byte // the first one signs, and all verify
	now      func() time.Time
	frontEnd string // origin; "" for none
}

// PrivateOption changes a [PrivateDisk] from its defaults.
type PrivateOption func(*PrivateDisk)

// WithClock sets the clock by which URLs expire, for tests.
func WithClock(c core.Clock) PrivateOption {
	return func(d *PrivateDisk) {
		if given := nilarg.Given(&d.nilOptions, "WithClock", c); !nilarg.Is(given) {
			d.now = given.Now
		}
	}
}

// WithOrigin sets the origin of the front end, such as https://learn.example.org, whose pages may
// show PDFs, images, audio and video in a frame. By default only pages of the origin that serves
// the files may.
func WithOrigin(origin string) PrivateOption {
	return func(d *PrivateDisk) { d.frontEnd = origin }
}

// minKey is the length of the shortest key, in bytes.
const minKey = 16

// NewPrivateDisk opens a folder as [NewDisk] does. It must not be the folder of a Disk, or one
// within it whose name does not begin with a dot. baseURL is the URL under which
// [PrivateDisk.ServeHTTP] is mounted. keys sign the URLs: the first one signs, and all verify, so
// that keys can be replaced. Each must have at least 16 random bytes.
func NewPrivateDisk(dir, baseURL string, keys [][]byte,
	opts ...PrivateOption) (*PrivateDisk, error) {
	if len(keys) == 0 {
		return nil, errors.New("media: there is no key that signs the URLs of files")
	}
	for _, key := range keys {
		if len(key) < minKey {
			return nil, fmt.Errorf("media: a key has %d bytes: it must have at least %d", len(key),
				minKey)
		}
	}
	disk, err := NewDisk(dir, baseURL)
	if err != nil {
		return nil, err
	}
	d := &PrivateDisk{disk: disk, keys: keys, now: time.Now}
	err = nilarg.Apply("media", d, opts)
	if err == nil {
		err = d.nilOptions.Err("media")
	}
	if err != nil {
		return nil, errors.Join(err, disk.Close())
	}
	if d.frontEnd != "" && !mediafile.IsOrigin(d.frontEnd) {
		return nil, errors.Join(fmt.Errorf("media: the origin of the front end is %q: it must be "+
			"an http or https origin without a path, such as https://learn.example.org",
			d.frontEnd), disk.Close())
	}
	return d, nil
}

// Close closes the folder. The disk must not be used afterwards.
func (d *PrivateDisk) Close() error { return d.disk.Close() }

// errPrivateName means that a name is not one of [file.Store].
var errPrivateName = errors.New("media: not a valid name of a private file")

// StoreFile implements [file.Store]. When it returns nil, the file is synced to the disk.
// It returns [fs.ErrExist] if the name exists. The error of a full disk wraps
// [file.ErrNoSpace].
func (d *PrivateDisk) StoreFile(ctx context.Context, name string, content io.Reader) error {
	if !mediafile.IsPrivateName(name) {
		return fmt.Errorf("store a file: %w", errPrivateName)
	}
	// Write under a temporary name first, so that no incomplete file has the name.
	temporary := path.Join(incoming, rand.Text())
	defer d.disk.root.Remove(temporary)
	err := d.write(ctx, temporary, content)
	if err == nil {
		err = d.disk.place(temporary, name)
	}
	if err == nil {
		err = d.disk.syncFolders(name)
	}
	return storeError(err)
}

// write creates a file with what it reads from content, and syncs it. It ends with ctx.
func (d *PrivateDisk) write(ctx context.Context, name string, content io.Reader) error {
	f, err := d.disk.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, contextReader{ctx, content})
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// contextReader reads until its context is done.
type contextReader struct {
	ctx context.Context
	in  io.Reader
}

func (r contextReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.in.Read(p)
}

// OpenFile implements [file.Store].
func (d *PrivateDisk) OpenFile(_ context.Context, name string) (io.ReadCloser, error) {
	f, _, err := d.open(name)
	if err != nil {
		return nil, fmt.Errorf("open a file: %w", err)
	}
	return f, nil
}

// open opens a file with its description. It returns [fs.ErrNotExist] for an invalid name, a
// missing file and a link.
func (d *PrivateDisk) open(name string) (*os.File, os.FileInfo, error) {
	if !mediafile.IsPrivateName(name) {
		return nil, nil, fs.ErrNotExist
	}
	f, info, err := d.disk.open(name)
	if errors.Is(err, errLink) || missing(err) {
		return nil, nil, fs.ErrNotExist
	}
	return f, info, err
}

// DeleteFile implements [file.Store]. An invalid name is an error.
func (d *PrivateDisk) DeleteFile(_ context.Context, name string) error {
	if !mediafile.IsPrivateName(name) {
		return fmt.Errorf("remove a file: %w", errPrivateName)
	}
	if err := d.disk.root.Remove(name); err != nil && !missing(err) {
		return fmt.Errorf("remove a file: %w", err)
	}
	return nil
}

// The parameters of a signed URL.
const (
	typeParameter      = "type"
	titleParameter     = "title"
	untilParameter     = "until" // in Unix seconds
	signatureParameter = "signature"
)

// SignFile implements [file.Store]. The URL works until the second of f.Until.
func (d *PrivateDisk) SignFile(_ context.Context, f file.Signed) (string, error) {
	if !mediafile.IsPrivateName(f.Name) {
		return "", fmt.Errorf("sign the URL of a file: %w", errPrivateName)
	}
	query := url.Values{
		typeParameter:  {f.Type},
		untilParameter: {strconv.FormatInt(f.Until.Unix(), 10)},
	}
	if f.Title != "" {
		query.Set(titleParameter, f.Title)
	}
	query.Set(signatureParameter,
		base64.RawURLEncoding.EncodeToString(signature(d.keys[0], f.Name, query)))
	return d.disk.base.URL(f.Name) + "?" + query.Encode(), nil
}

// signature returns the signature of a name and the parameters of a URL. query must not have the
// signature. Encode sorts the parameters and escapes all characters with a meaning, so that two
// different URLs do not have the same text.
func signature(key []byte, name string, query url.Values) []byte {
	mac := hmac.New(sha256.New, key)
	_, _ = io.WriteString(mac, name+"?"+query.Encode()) // a hash never fails
	return mac.Sum(nil)
}

// verify reports whether one of the keys has signed the name and the parameters of a URL, and the
// URL has not expired.
func (d *PrivateDisk) verify(name string, query url.Values) bool {
	given, err := base64.RawURLEncoding.Strict().DecodeString(query.Get(signatureParameter))
	if err != nil || len(query[signatureParameter]) != 1 {
		return false
	}
	query.Del(signatureParameter)

	// The signature covers all parameters, so that none can be added.
	isSigned := false
	for _, key := range d.keys {
		isSigned = isSigned || hmac.Equal(given, signature(key, name, query))
	}
	until, err := strconv.ParseInt(query.Get(untilParameter), 10, 64)
	return isSigned && err == nil && d.now().Before(time.Unix(until, 0))
}

// ServeHTTP answers GET and HEAD of a file with a signed URL, and 403 for all others, whether there
// is such a file or not. The path of the request must be the file's name:
//
//	mux.Handle("/material/", http.StripPrefix("/material/", disk))
//
// It supports ranges. The content type and the name for saving are those that were signed. Browsers
// show PDFs, images, audio and video, and save all other files; they run no scripts and keep no
// copy. Every site may show a picture, a sound and a video: who has the URL has the access. Only
// pages of the origin of [WithOrigin] may show a file in a frame.
func (d *PrivateDisk) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil || !mediafile.IsPrivateName(r.URL.Path) || !d.verify(r.URL.Path, query) {
		mediafile.Forbidden(w)
		return
	}
	mediafile.PrivateHandler{
		Open: func(_ context.Context, name string) (mediafile.Content, error) {
			f, info, err := d.open(name)
			if err != nil {
				return mediafile.Content{}, err
			}
			return mediafile.Content{ReadSeekCloser: f, ModTime: info.ModTime()}, nil
		},
		Type:     query.Get(typeParameter),
		Title:    query.Get(titleParameter),
		FrontEnd: d.frontEnd,
	}.ServeHTTP(w, r)
}
