package learning

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

const (
	// maxWord is the length to which words are cut, in code points: that of the column.
	maxWord = 64
	// maxRowWords is how many different words of a row are found. No text of a course of the allowed
	// length has as many, unless its words are made up.
	maxRowWords = 5_000
)

// unspaced are scripts without spaces between words. Each of their letters is a word.
var unspaced = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar}

// distinctWords returns the different words of a text in their order, at most limit.
func distinctWords(text string, limit int) (list []string) {
	seen := map[string]bool{}
	for _, word := range searchWords(text) {
		word = truncate(word, maxWord)
		if !seen[word] && len(list) < limit {
			seen[word] = true
			list = append(list, word)
		}
	}
	return list
}

// searchWords returns the words of a text: runs of letters and digits, in lower case and
// without accents.
func searchWords(text string) (words []string) {
	var word strings.Builder
	end := func() {
		if word.Len() > 0 {
			words = append(words, word.String())
			word.Reset()
		}
	}
	for _, r := range norm.NFKD.String(text) {
		switch {
		case unicode.In(r, unspaced...):
			end()
			word.WriteRune(r)
			end()
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			word.WriteRune(unicode.ToLower(r))
		case !unicode.IsMark(r):
			end()
		}
	}
	end()
	return words
}
