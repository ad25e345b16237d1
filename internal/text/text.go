package text

import (
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"
)

// Is reports whether every database can store s, and whether s has between low and high
// code points. low must be 0 or 1: if it is 1, s must have a character other than space. Each
// operation checks the texts of its caller with it.
func Is(s string, low, high int) bool { return Problem(s, low, high) == "" }

// Problem says why [Is] does not hold, to be read after the name of a field. It returns "" if it
// holds.
func Problem(s string, low, high int) string {
	switch {
	case low > 0 && strings.TrimSpace(s) == "":
		return "must not be blank"
	case utf8.RuneCountInString(s) > high:
		return fmt.Sprintf("must have at most %d characters", high)
	case !IsStorable(s):
		return "must be UTF-8 without U+0000"
	}
	return ""
}

// IsStorable reports whether every database can store s: it is UTF-8 without U+0000.
func IsStorable(s string) bool { return utf8.ValidString(s) && !strings.Contains(s, "\x00") }

// Storable returns s with U+FFFD in place of what not every database can store. It is for
// texts of providers, which nobody can correct.
func Storable(s string) string {
	const replacement = string(utf8.RuneError)
	return strings.ReplaceAll(strings.ToValidUTF8(s, replacement), "\x00", replacement)
}

// maxWebURL is the length of the longest URL, in code points.
const maxWebURL = 2000

// WebURLRule says what [IsWebURL] asks for, to be read after the name of a field.
const WebURLRule = "must be an absolute http or https URL of at most 2000 characters"

// IsWebURL reports whether s is an absolute http or https URL of at most 2,000 code points.
func IsWebURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" &&
		Is(s, 1, maxWebURL)
}

// Truncate returns the first n code points of s, or s if it has fewer.
func Truncate(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n])
}
