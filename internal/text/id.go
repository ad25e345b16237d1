package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"
)

// MaxID is the length of the longest id that the platform generates, in bytes.
const MaxID = 64

// ValidID reports whether an id of another system has 1 to most bytes, is text that every
// database can store, and does not end with a space, because some databases ignore trailing
// spaces when they compare.
func ValidID(id string, most int) bool {
	return id != "" && len(id) <= most && !strings.HasSuffix(id, " ") && IsStorable(id)
}

// IsPathSegment reports whether a percent-encoded id can be one segment of the path
// of a URL, as in /api/quiz/:courseId/:chapterId. A slash separates segments, also as
// %2F; browsers and proxies resolve "." and "..", also when they are encoded; control
// characters are not forwarded by all proxies. Text that was invalid UTF-8 has
// U+FFFD in its place.
func IsPathSegment(id string) bool {
	return id != "" && id != "." && id != ".." && utf8.ValidString(id) &&
		!strings.ContainsFunc(id,
			func(r rune) bool { return r == '/' || r == utf8.RuneError || unicode.IsControl(r) })
}

// NewID returns a new UUIDv7, the id of a record. It panics if the machine has no random numbers.
func NewID() string { return uuid.Must(uuid.NewV7()).String() }
