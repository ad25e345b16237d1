package learning

import (
	"net/url"
	"strings"
	"unicode/utf8"
)

// isText reports whether s has between low and high code points. If low is positive, s
// must have a character other than space.
func isText(s string, low, high int) bool {
	n := utf8.RuneCountInString(s)
	return n <= high && (low == 0 || strings.TrimSpace(s) != "")
}

// isWebURL reports whether s is an absolute http or https URL of at most MaxLectureURL
// code points.
func isWebURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && utf8.RuneCountInString(s) <= MaxLectureURL
}

// truncate returns the first n code points of s.
func truncate(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n])
}
