package main

import (
	"embed"
	"fmt"
	"hash/fnv"
	"io/fs"
)

// pictures are for courses that have none of their own.
//
//go:embed demo/pictures/*.jpg
var pictures embed.FS

// anyPicture returns one of the pictures. A course always gets the same one.
func anyPicture(courseID string) ([]byte, error) {
	names, err := fs.Glob(pictures, "demo/pictures/*.jpg")
	if err != nil {
		return nil, fmt.Errorf("list the pictures: %w", err)
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(courseID)) // which never fails
	return pictures.ReadFile(names[h.Sum32()%uint32(len(names))])
}
