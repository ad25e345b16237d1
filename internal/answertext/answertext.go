// Package answertext brings what people type as an answer into the form in which answers are
// compared. Keyboards, word processors and web pages write the same answer with different
// characters; docs/api.md §12 says which ones are the same.
package answertext

import (
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Plain returns a text with plain characters in place of typographic ones, without zero-width
// characters, with composed letters (NFC), with single spaces in place of white space of any kind,
// and without outer space. Upper and lower case, and letters and digits of other scripts, stay.
func Plain(text string) string {
	// Letters are composed after the removal, because a zero-width character may stand between a
	// letter and its accent.
	text = norm.NFC.String(strings.Map(plainOf, text))
	return strings.Join(strings.Fields(text), " ")
}

// Folded returns a text as Plain does, without case. Two answers are the same if their folded texts
// are equal. Case is folded as Unicode defines it for all languages: ß is ss, and the dotless ı of
// Turkish is not i.
func Folded(text string) string {
	folded := strings.Map(foldedCherokee, cases.Fold().String(Plain(text)))
	// Folding may write an apostrophe (ŉ is ʼn), and letters that are not composed.
	return Plain(folded)
}

// foldedCherokee returns the capital of a letter of Cherokee, to which Unicode folds both cases of
// this one script. Package cases exchanges the two.
func foldedCherokee(r rune) rune {
	if unicode.Is(unicode.Cherokee, r) {
		return unicode.ToUpper(r)
	}
	return r
}

// plainOf returns the plain character in place of a typographic one, and -1 for a zero-width one,
// which strings.Map then leaves out. Dashes (U+2012 to U+2015) are no hyphens, and primes no
// quotation marks, because they have another meaning.
func plainOf(r rune) rune {
	switch r {
	case '‘', '’', '‚', '‛', '‹', '›', 'ʼ', '＇':
		return '\''
	case '“', '”', '„', '‟', '«', '»', '＂':
		return '"'
	case '\u2010', '\u2011', '\u2212', '－': // hyphen, non-breaking hyphen, minus
		return '-'
	case '．', '＋': // which are written with full-width digits
		return r - '．' + '.'
	}
	switch {
	case '０' <= r && r <= '９':
		return r - '０' + '0'
	case isZeroWidth(r):
		return -1
	}
	return r
}

// isZeroWidth reports whether a character has no width of its own: soft hyphens, joiners, marks of
// the direction of a text, byte order marks, and variation selectors. Accents are none of these.
func isZeroWidth(r rune) bool {
	switch r {
	case '\u00ad', '\u034f', '\u061c', '\u180e', '\ufeff':
		return true
	}
	return '\u200b' <= r && r <= '\u200f' || // spaces, joiners and marks
		'\u202a' <= r && r <= '\u202e' || // embeddings and overrides
		'\u2060' <= r && r <= '\u2064' || '\u2066' <= r && r <= '\u206f' ||
		'\ufe00' <= r && r <= '\ufe0f'
}
