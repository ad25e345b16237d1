package learning

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// maxSearch is the length of the text of a search, in code points.
const maxSearch = 200

// searchPart is how many courses a search reads at a time.
const searchPart = 200

// searchCourses reads courses in their order until a page of those that match is full.
func (p *Platform) searchCourses(ctx context.Context, q CourseQuery, page Page) (list []Course, err error) {
	words := searchWords(q.Search)
	if len(words) == 0 {
		return nil, nil
	}
	for part := (Page{After: page.After, Limit: searchPart}); ; {
		rows, err := p.store.CataloguePage(ctx, q, part)
		if err != nil {
			return nil, err
		}
		for _, c := range rows {
			if matchesWords(c, words) {
				list = append(list, c)
			}
		}
		if len(list) >= page.Limit || len(rows) < part.Limit {
			return list[:min(len(list), page.Limit)], nil
		}
		part.After = q.Sort.position(rows[len(rows)-1])
	}
}

// matchesWords reports whether each word is the beginning of a word of the course's title,
// description or educator.
func matchesWords(c Course, words []string) bool {
	text := searchWords(c.Title + "\n" + c.Description + "\n" + c.Educator.Name)
	for _, word := range words {
		if !slices.ContainsFunc(text, func(of string) bool { return strings.HasPrefix(of, word) }) {
			return false
		}
	}
	return true
}

// unspaced are scripts without spaces between words. Each of their letters is a word.
var unspaced = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar}

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
