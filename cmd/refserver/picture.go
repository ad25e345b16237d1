package main

import (
	"embed"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
)

// embedded has the thumbnails of courses that name none: one for each course of the demo,
// named after its id, and those with one digit, for all other courses.
//
//go:embed demo/pictures/*.jpg
var embedded embed.FS

// pictures is embedded. Tests replace it by smaller pictures of the same names.
var pictures fs.FS = embedded

// defaultPicture returns the picture of a course that names none: see pictureFrom.
func defaultPicture(courseID string) ([]byte, error) { return pictureFrom(pictures, courseID) }

// pictureFrom returns the picture of a course of the demo. To other courses it returns
// one of the pictures for all, always the same for the same course.
func pictureFrom(from fs.FS, courseID string) ([]byte, error) {
	own, err := fs.ReadFile(from, "demo/pictures/"+courseID+".jpg")
	if !errors.Is(err, fs.ErrNotExist) {
		return own, err
	}
	names, err := fs.Glob(from, "demo/pictures/?.jpg")
	if err != nil {
		return nil, fmt.Errorf("list the pictures: %w", err)
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(courseID)) // which never fails
	// from has at least one picture for all.
	return fs.ReadFile(from, names[h.Sum32()%uint32(len(names))])
}
