package text

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"

	"github.com/mozillazg/go-unidecode"
	"golang.org/x/text/unicode/norm"
)

// maxSlug is the maximum length of a slug, in bytes. It fits into a URL and into a key
// of every engine.
const maxSlug = 191

// Slug returns the part of a URL that stands for a name: the name in ASCII and lower
// case, with one - for each sequence of characters that are not letters or digits. If
// nothing is left of the name, the slug is random. If the slug is too long, it is cut
// and ends with a part of the name's key, so that names with the same beginning have
// different slugs.
func Slug(name string) string {
	ascii := strings.ToLower(unidecode.Unidecode(norm.NFKC.String(name)))
	words := strings.FieldsFunc(ascii,
		func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	slug := strings.Join(words, "-")
	if slug == "" {
		return strings.ToLower(rand.Text())
	}
	if len(slug) > maxSlug {
		tail := NameKey(name)[:16] // 64 bits of the hash, so that two names seldom have the same
		slug = strings.TrimRight(slug[:maxSlug-1-len(tail)], "-") + "-" + tail
	}
	return slug
}

// NameKey returns a key that is equal for names that differ only in case or in the
// encoding of characters. It is a hash, because case folding can make a name many times
// longer.
func NameKey(name string) string {
	sum := sha256.Sum256([]byte(strings.Map(foldRune, norm.NFKC.String(name))))
	return hex.EncodeToString(sum[:])
}

// foldRune returns the same rune for all cases of a letter: the least of them. SimpleFold goes from
// one case to the next, and from the last to the first.
func foldRune(r rune) rune {
	least := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		least = min(least, f)
	}
	return least
}
