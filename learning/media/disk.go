package media

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path"
	"runtime"
	"syscall"
	"time"

	"github.com/openlectern/openlectern/internal/diskfull"
	"github.com/openlectern/openlectern/internal/mediafile"
	"github.com/openlectern/openlectern/internal/nilarg"
	"github.com/openlectern/openlectern/learning/file"
)

// incoming is the folder in which files are written before they get their names. Its own
// name begins with a dot, so that its files are not served.
const (
	incoming  = ".incoming"
	abandoned = time.Hour // the age at which an incoming file is incomplete for good
)

// Only the user of this process may read the files, because certificates contain names.
const (
	folderMode = 0o700
	fileMode   = 0o600
)

// probe is the name of a file that is created and removed at the start. It begins with a
// dot, so that it is not served.
const probe = ".probe"

var errLink = errors.New("media: the path has a symbolic link")

var (
	_ file.Media        = (*Disk)(nil)
	_ file.MediaChecker = (*Disk)(nil)
	_ file.MediaReader  = (*Disk)(nil)
)

// Disk stores files in a folder and serves them: see [Disk.ServeHTTP]. It is safe for
// concurrent use, also by several processes in one folder. The file system must have hard
// links, or locks of folders as flock(2) takes them. It implements [file.Media].
type Disk struct {
	nilOptions nilarg.Options

	root     *os.Root
	link     func(oldName, newName string) error // of root; tests replace it
	base     mediafile.Base
	notFound http.Handler
	log      *slog.Logger
}

// Option changes a [Disk] from its defaults.
type Option func(*Disk)

// WithNotFound sets the handler of names that do not exist. The default answers the
// platform's 404 in JSON.
func WithNotFound(h http.Handler) Option {
	return func(d *Disk) { d.notFound = nilarg.Given(&d.nilOptions, "WithNotFound", h) }
}

// WithLogger sets the logger that reports links in the folder, which the disk does not
// follow. By default nothing is logged.
func WithLogger(l *slog.Logger) Option {
	return func(d *Disk) { d.log = nilarg.Given(&d.nilOptions, "WithLogger", l) }
}

// NewDisk opens a folder. If it does not exist, NewDisk creates it, readable only by the
// user of the process. baseURL is the URL of its files: absolute, http or https. NewDisk
// returns an error if no file can be written there. It removes incomplete files of a crash
// that are older than an hour.
func NewDisk(dir, baseURL string, opts ...Option) (*Disk, error) {
	base, err := mediafile.ParseBase(baseURL)
	if err != nil {
		return nil, fmt.Errorf("media: %w", err)
	}
	if err := os.MkdirAll(dir, folderMode); err != nil {
		return nil, fmt.Errorf("media: create the folder: %w", err)
	}
	// A root, so that no name and no link leads out of the folder.
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("media: open the folder: %w", err)
	}
	d := &Disk{root: root, link: root.Link, base: base,
		notFound: http.HandlerFunc(mediafile.RouteNotFound),
		log:      slog.New(slog.DiscardHandler)}
	err = nilarg.Apply("media", d, opts)
	if err == nil {
		err = d.nilOptions.Err("media")
	}
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	// Remove what a crash has left, and write a file, to find out now whether that is allowed.
	if err := d.prepare(); err != nil {
		root.Close()
		return nil, fmt.Errorf("media: prepare the folder: %w", err)
	}
	return d, nil
}

// Close closes the folder. The disk must not be used afterwards.
func (d *Disk) Close() error { return d.root.Close() }

// URL implements [file.Media].
func (d *Disk) URL(name string) string { return d.base.URL(name) }

// Put implements [file.Media]. When it returns nil, the file is synced to the disk. It
// returns [fs.ErrExist] if the name exists, and an error if the name is invalid or the
// content type is not that of the name's extension. The error of a full disk wraps
// [file.ErrNoSpace].
func (d *Disk) Put(ctx context.Context, name, contentType string, data []byte) error {
	err := mediafile.Check(name, contentType)
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		err = d.put(name, data)
	}
	return storeError(err)
}

// storeError returns the error of storing a file, which wraps [file.ErrNoSpace] too if the disk
// is full.
func storeError(err error) error {
	switch {
	case err == nil:
		return nil
	case diskfull.Is(err):
		return fmt.Errorf("store a file: %w: %w", file.ErrNoSpace, err)
	}
	return fmt.Errorf("store a file: %w", err)
}

// put stores a file under a valid name, and syncs it and its folders. It returns errLink if one of
// the folders is a link.
func (d *Disk) put(name string, data []byte) error {
	if d.isLinked(path.Dir(name)) {
		return errLink
	}
	// Write under a temporary name first, so that no incomplete file has the name. A hard link
	// leaves the temporary name. If it cannot be removed now, a later start removes it.
	temporary := path.Join(incoming, rand.Text())
	defer d.root.Remove(temporary)
	if err := d.write(temporary, data); err != nil {
		return err
	}
	if err := d.root.MkdirAll(path.Dir(name), folderMode); err != nil {
		return err
	}
	if err := d.place(temporary, name); err != nil {
		return err
	}
	return d.syncFolders(name)
}

// place gives a complete file its name. It returns [fs.ErrExist] if the name exists. A hard
// link fails then; a rename would replace the file.
func (d *Disk) place(temporary, name string) error {
	err := d.link(temporary, name)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	// The file system may have no hard links, such as FAT.
	if renameErr := d.renameLocked(temporary, name); renameErr != nil {
		if errors.Is(renameErr, fs.ErrExist) {
			return renameErr
		}
		return errors.Join(err, renameErr) // why neither way was possible
	}
	return nil
}

// renameLocked renames a file unless the name exists, while it has the lock of the folder. All
// processes that store files in the folder have the same file system, and use this lock if it
// has no hard links.
func (d *Disk) renameLocked(temporary, name string) error {
	folder, err := d.root.Open(incoming)
	if err != nil {
		return err
	}
	defer folder.Close() // which unlocks it, as a crash does
	if err := lock(folder); err != nil {
		return fmt.Errorf("lock the folder: %w", err)
	}
	// A rename would replace a file. While this process has the lock, no other one creates the
	// name.
	switch _, err := d.root.Lstat(name); {
	case err == nil:
		return fs.ErrExist
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return d.root.Rename(temporary, name)
}

// write creates a file and syncs its content, and not its folder.
func (d *Disk) write(name string, data []byte) error {
	f, err := d.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// syncFolders syncs the folder of a new file and its parents, up to the folder of the disk, because
// each may have a new entry.
func (d *Disk) syncFolders(name string) error {
	if runtime.GOOS == "windows" { // it neither supports nor needs this
		return nil
	}
	for dir := path.Dir(name); ; dir = path.Dir(dir) {
		f, err := d.root.Open(dir)
		if err != nil {
			return err
		}
		err = errors.Join(f.Sync(), f.Close())
		if err != nil || dir == "." { // failed, or the last one
			return err
		}
	}
}

// Delete implements [file.Media]. A file that does not exist is no error, and an invalid name
// is one. A file in a linked folder is none of the disk.
func (d *Disk) Delete(_ context.Context, name string) error {
	if _, err := mediafile.TypeOf(name); err != nil { // the name is invalid
		return fmt.Errorf("remove a file: %w", err)
	}
	if d.isLinked(path.Dir(name)) {
		return nil
	}
	if err := d.root.Remove(name); err != nil && !missing(err) {
		return fmt.Errorf("remove a file: %w", err)
	}
	return nil
}

// Exists implements [file.MediaChecker]. It returns false for a folder and for a link too,
// which ServeHTTP does not serve.
func (d *Disk) Exists(_ context.Context, name string) (bool, error) {
	if _, err := mediafile.TypeOf(name); err != nil { // the name is invalid
		return false, fmt.Errorf("look for a file: %w", err)
	}
	info, err := d.root.Lstat(name)
	switch {
	case missing(err) || d.isLinked(path.Dir(name)):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("look for a file: %w", err)
	}
	return info.Mode().IsRegular(), nil
}

// Open implements [file.MediaReader].
func (d *Disk) Open(_ context.Context, name string) (io.ReadCloser, error) {
	if _, err := mediafile.TypeOf(name); err != nil { // the name is invalid
		return nil, fmt.Errorf("open a file: %w", err)
	}
	f, _, err := d.open(name)
	if errors.Is(err, errLink) || missing(err) {
		err = fs.ErrNotExist
	}
	if err != nil {
		return nil, fmt.Errorf("open a file: %w", err)
	}
	return f, nil
}

// isLinked reports whether a name, or one of the folders on the way to it, is a link. A part that
// cannot be looked at counts as none: what is done next with the name fails there.
func (d *Disk) isLinked(name string) bool {
	for ; name != "."; name = path.Dir(name) {
		info, err := d.root.Lstat(name)
		if err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return true
		}
	}
	return false
}

// missing reports whether an error means that the file does not exist, for example because
// a part of its path is a file.
func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// prepare creates the folder of incoming files, removes incomplete files, and writes and
// removes a file as [Disk.Put] does, to check that it is possible.
func (d *Disk) prepare() error {
	if err := d.root.MkdirAll(incoming, folderMode); err != nil {
		return err
	}
	if d.isLinked(incoming) {
		return fmt.Errorf("%w: %s", errLink, incoming)
	}
	if err := d.sweep(); err != nil {
		return err
	}
	return d.tryToWrite()
}

// tryToWrite stores and removes the file probe, in the steps of [Disk.Put], to find out whether
// files can be stored. Other processes may do so at the same time.
func (d *Disk) tryToWrite() error {
	temporary := path.Join(incoming, rand.Text())
	defer d.root.Remove(temporary)
	if err := d.write(temporary, []byte("x")); err != nil {
		return err
	}
	// If the file exists, another process has stored it, or was ended before it removed it.
	if err := d.place(temporary, probe); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	// If it is missing, another process has removed it.
	if err := d.root.Remove(probe); err != nil && !missing(err) {
		return err
	}
	return nil
}

// sweep removes incomplete files of a crash. It leaves younger ones, because another process may be
// writing them.
func (d *Disk) sweep() error {
	left, err := fs.ReadDir(d.root.FS(), incoming)
	if err != nil {
		return err
	}
	for _, entry := range left {
		info, err := entry.Info()
		if err == nil && time.Since(info.ModTime()) > abandoned {
			err = d.root.Remove(path.Join(incoming, entry.Name()))
		}
		if err != nil && !missing(err) { // it is missing if another process was faster
			return err
		}
	}
	return nil
}
