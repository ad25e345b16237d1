// Package wordindex has the words by which a search finds rows: the words of a text, and the rows
// of the index.
package wordindex

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

const (
	// maxWord is the length to which words are cut, in code points: that of the column.
	maxWord = 64
	// MaxRow is how many different words of a row are found. No text of a course of the allowed
	// length has as many, unless its words are made up.
	MaxRow = 5_000
)

// unspaced are scripts without spaces between words. Each of their letters is a word.
var unspaced = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai,
	unicode.Lao, unicode.Khmer, unicode.Myanmar}

// Distinct returns the different words of a text in their order, at most limit. It cuts each word
// to maxWord code points.
func Distinct(text string, limit int) (list []string) {
	seen := map[string]bool{}
	for _, word := range words(text) {
		if runes := []rune(word); len(runes) > maxWord {
			word = string(runes[:maxWord])
		}
		if !seen[word] && len(list) < limit {
			seen[word] = true
			list = append(list, word)
		}
	}
	return list
}

// words returns the words of a text: runs of letters and digits, in lower case and without accents.
// A letter of a script without spaces is a word of its own. Words may occur more than once.
func words(text string) (list []string) {
	var word strings.Builder
	end := func() { // of a word, if there is one
		if word.Len() > 0 {
			list = append(list, word.String())
			word.Reset()
		}
	}
	for _, r := range norm.NFKD.String(text) { // é becomes e and a mark, which is left out
		switch {
		case unicode.In(r, unspaced...):
			end()
			word.WriteRune(r)
			end()
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			word.WriteRune(unicode.ToLower(r))
		case !unicode.IsMark(r): // a space or a sign
			end()
		}
	}
	end()
	return list
}

// Beginnings returns the words of the text of a search, of the first limit ones, the longest first,
// because long words tend to be rare. It leaves out a word that another one begins with, because a
// row with the longer word has the shorter one too.
func Beginnings(text string, limit int) (list []string) {
	words := Distinct(text, limit)
	// By length: the words that a word is compared with below are as long or longer.
	slices.SortStableFunc(words, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	for _, word := range words {
		if !slices.ContainsFunc(list,
			func(longer string) bool { return strings.HasPrefix(longer, word) }) {
			list = append(list, word)
		}
	}
	return list
}

// Whole returns the word that stands for a whole text of any length. Other texts have other words.
// No text has it among its own words if the list has words of this kind only.
func Whole(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:]) // maxWord characters
}
