// Package spool keeps streams in temporary files, to be read at any place, and bounds how much of
// the disk they take.
package spool

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
)

// ErrFull is the error of a stream for which a [Space] has no room.
var ErrFull = errors.New("spool: the space of temporary files is used up")

// piece is how much of a space a file takes at a time, in bytes.
const piece = 64 << 10

// Space bounds the bytes of all temporary files together, and those of the files of each user. It
// is safe for concurrent use.
type Space struct {
	most, ofUser int64

	mu    sync.Mutex
	used  int64
	users map[string]int64 // how much of used the files of each user have
}

// NewSpace returns a space of most bytes, of which the files of one user may have ofUser.
func NewSpace(most, ofUser int64) *Space {
	return &Space{most: most, ofUser: ofUser, users: map[string]int64{}}
}

// take takes n bytes for a file of a user, and reports whether there is room for them.
func (s *Space) take(user string, n int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.used+n > s.most || s.users[user]+n > s.ofUser {
		return false
	}
	s.used += n
	s.users[user] += n
	return true
}

// free gives n bytes of a file back.
func (s *Space) free(user string, n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used -= n
	if s.users[user] -= n; s.users[user] == 0 {
		delete(s.users, user)
	}
}

// File is a temporary file. It is gone when it is closed, and, on systems that can remove an open
// file, also when the process is killed.
type File struct {
	*os.File
	Size int64

	space *Space
	user  string
	taken int64 // of the space
}

// Write copies a stream of a user into a temporary file in the folder of [os.TempDir]. An error of
// in is returned as it is. The caller must close the file. It returns [ErrFull] if there is no room
// for the stream.
func (s *Space) Write(user string, in io.Reader) (*File, error) {
	f, err := os.CreateTemp("", "openlectern-*.part") // with the mode 0600
	if err != nil {
		return nil, fmt.Errorf("create a temporary file: %w", err)
	}
	spooled := &File{File: f, space: s, user: user}
	_ = os.Remove(f.Name()) // Windows cannot: then Close removes it
	if _, err := io.Copy(&writer{spooled}, in); err != nil {
		_ = spooled.Close()
		return nil, err
	}
	return spooled, nil
}

// writer takes room for what it writes to a file. The file is no part of it, because the other
// methods of an [os.File] that write would take no room.
type writer struct{ file *File }

// Write implements [io.Writer].
func (w *writer) Write(b []byte) (int, error) {
	f := w.file
	for f.taken < f.Size+int64(len(b)) {
		if !f.space.take(f.user, piece) {
			return 0, ErrFull
		}
		f.taken += piece
	}
	n, err := f.File.Write(b)
	f.Size += int64(n)
	return n, err
}

// Close closes and removes the file, and gives its room back.
func (f *File) Close() error {
	err := f.File.Close()
	_ = os.Remove(f.Name()) // it is gone already where Write could remove it
	f.space.free(f.user, f.taken)
	f.taken = 0
	return err
}
