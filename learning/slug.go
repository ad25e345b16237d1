package learning

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"

	"github.com/mozillazg/go-unidecode"
	"golang.org/x/text/unicode/norm"
)

// maxSlug is the length of the longest slug, in bytes: what a URL bears and a key of
// every engine holds.
const maxSlug = 191

// slugOf is the part of a URL that stands for a name: the name in ASCII and lower
// case, with one - for each run of anything but letters and digits. A name of which
// nothing is left gets a random one. One that is too long is cut, and ends with a
// part of its key, so that it differs from those of names that begin alike.
func slugOf(name string) string {
	ascii := strings.ToLower(unidecode.Unidecode(norm.NFKC.String(name)))
	words := strings.FieldsFunc(ascii, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	slug := strings.Join(words, "-")
	if slug == "" {
		return strings.ToLower(rand.Text())
	}
	if len(slug) > maxSlug {
		tail := nameKey(name)[:16]
		slug = strings.TrimRight(slug[:maxSlug-1-len(tail)], "-") + "-" + tail
	}
	return slug
}

// nameKey is the same for names that differ in case only, or in how their characters
// are encoded. It is a hash, since folding can make a name many times longer.
func nameKey(name string) string {
	sum := sha256.Sum256([]byte(strings.Map(folded, norm.NFKC.String(name))))
	return hex.EncodeToString(sum[:])
}

// folded is the same for all cases of a letter.
func folded(r rune) rune {
	least := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		least = min(least, f)
	}
	return least
}
