// Package media keeps public files on a disk and serves them to browsers.
//
// It owns a folder: what is put there is there whole or not at all, also after a
// loss of power, and is served with the type that its name promises. It refuses
// names that lead out of the folder (by dots, links or otherwise), types that a
// browser would run, and to replace a file: names are random, so that a browser
// may keep what it once had for ever. Whether bytes deserve to be kept is decided
// in package learning, which decodes and encodes every image anew.
package media

import (
	"errors"
	"io/fs"
	"path"
	"strings"
	"unicode"
)

// types is what may be kept, by extension. A browser shows these and runs none of
// them; SVG and HTML are not among them for that reason.
var types = map[string]string{
	".png":  "image/png",
	".jpg":  "image/jpeg",
	".jpeg": "image/jpeg",
	".webp": "image/webp",
	".pdf":  pdf,
}

const pdf = "application/pdf"

const maxName = 200 // bytes, so that every file system takes it

var errName = errors.New("media: not a name of a file that may be kept")

// typeOf is the content type of a file, by its name alone. It fails on a name
// that may not be: names are relative and slash-separated, their last element has
// a known extension, and no element begins with a dot.
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

// odd are characters that some systems give a meaning: backslashes separate, and
// colons name drives and streams.
func odd(r rune) bool { return r == '\\' || r == ':' || unicode.IsControl(r) }
