// Package media stores public files on a disk and serves them to browsers.
//
// A [Disk] uses one folder. A file is stored completely or not at all, also after a power
// failure, and is served with the content type of its extension. A Disk rejects names
// outside the folder (through dots, links or otherwise) and types that a browser would run.
// It does not replace files, so that browsers may cache them. It does not check the bytes of
// a file: package learning decodes and encodes every image.
package media

import (
	"errors"
	"io/fs"
	"path"
	"strings"
	"unicode"
)

// types are the content types of the files that may be stored, by extension. SVG and HTML
// are missing, because browsers run the scripts in them.
var types = map[string]string{
	".png":  "image/png",
	".jpg":  "image/jpeg",
	".jpeg": "image/jpeg",
	".webp": "image/webp",
	".pdf":  pdf,
}

const pdf = "application/pdf"

const maxName = 200 // bytes, which every file system accepts

var errName = errors.New("media: not a valid name of a file")

// typeOf returns the content type for a file's name. It returns an error if the name is
// invalid. Valid names are relative and slash-separated, their last element has a known
// extension, and no element begins with a dot.
func typeOf(name string) (contentType string, err error) {
	contentType, known := types[path.Ext(name)]
	if !known || len(name) > maxName || !fs.ValidPath(name) || strings.ContainsFunc(name, odd) {
		return "", errName
	}
	for element := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(element, ".") {
			return "", errName
		}
	}
	return contentType, nil
}

// odd reports whether a character has a meaning in names on some systems: backslashes
// separate folders, and colons name drives and streams.
func odd(r rune) bool { return r == '\\' || r == ':' || unicode.IsControl(r) }
