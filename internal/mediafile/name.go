// Package mediafile holds what every media store has in common: which names and types of
// files there are, and how a file is answered over HTTP.
package mediafile

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

// TypeOf returns the content type for a file's name. It returns an error if the name is
// invalid. Valid names are relative and slash-separated, their last element has a known
// extension, and no element begins with a dot.
func TypeOf(name string) (contentType string, err error) {
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

// Check returns an error if name is invalid, as [TypeOf] says, or if contentType is not that of its
// extension.
func Check(name, contentType string) error {
	switch known, err := TypeOf(name); {
	case err != nil:
		return err
	case known != contentType:
		return errors.New("media: the content type is not that of the extension")
	}
	return nil
}

// odd reports whether a character has a meaning in names on some systems: backslashes
// separate folders, and colons name drives and streams.
func odd(r rune) bool { return r == '\\' || r == ':' || unicode.IsControl(r) }
