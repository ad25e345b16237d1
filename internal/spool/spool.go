// Package spool keeps a stream in a temporary file, to be read at any place.
package spool

import (
	"fmt"
	"io"
	"os"
)

// File is a temporary file. It is gone when it is closed, and, on systems that can remove an open
// file, also when the process is killed.
type File struct {
	*os.File
	Size int64
}

// Write copies a stream into a temporary file in the folder of [os.TempDir]. An error of in is
// returned as it is. The caller must close the file.
func Write(in io.Reader) (*File, error) {
	f, err := os.CreateTemp("", "openlectern-*.part") // with the mode 0600
	if err != nil {
		return nil, fmt.Errorf("create a temporary file: %w", err)
	}
	spooled := &File{File: f}
	_ = os.Remove(f.Name()) // Windows cannot: then Close removes it
	if spooled.Size, err = io.Copy(f, in); err != nil {
		_ = spooled.Close()
		return nil, err
	}
	return spooled, nil
}

// Close closes and removes the file.
func (f *File) Close() error {
	err := f.File.Close()
	_ = os.Remove(f.Name()) // it is gone already where Write could remove it
	return err
}
