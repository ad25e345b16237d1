package core

import (
	"context"
	"slices"

	"github.com/openlectern/openlectern/internal/text"
	"github.com/openlectern/openlectern/internal/wordindex"
)

const (
	// maxSearch is the length of the text of a search, in code points.
	maxSearch = 200
	// maxSearchRows is how many rows a page of a search reads at most. A search for more than two
	// words reads fewer, because it looks up each of its words in each row: maxSearchLookups in
	// all.
	maxSearchRows    = 2_000
	maxSearchLookups = 2 * maxSearchRows
	// maxCountedWords is how many words of a search are counted, because counting takes time too.
	maxCountedWords = 8
)

// searchRows returns how many rows a page of a search for so many words reads at most.
func searchRows(words int) int { return min(maxSearchRows, maxSearchLookups/max(1, words)) }

// WordList is a list whose rows are found by their words. The store has its number.
type WordList = wordindex.List

// WordSearch selects rows by the beginnings of their words, and says which rows to read for that.
// The zero WordSearch selects all rows, in the order of the list.
type WordSearch struct {
	// a beginning that so few words have that their rows may be read and sorted; "" for none
	Rare string
	Also []string // the other beginnings
	// FewOfEducator says of a search in courses without a rare word that the educator of the query
	// has so few courses that they may be read and sorted.
	FewOfEducator bool
}

// Rows returns how many rows a page of the search reads at most. It looks up the words of Also in
// each of them.
func (s WordSearch) Rows() int { return searchRows(len(s.Also)) }

// RowWords are the words of a row for a search.
type RowWords = wordindex.Row

// FindWords returns the search for a phrase in a list. It counts how many entries of the list begin
// with each word of the phrase, and takes the least frequent word as Rare if a page may read all
// its rows. found is false if no row can match; without a phrase, all rows do. Error:
// [ErrInvalidRequest], for a phrase that is too long.
func FindWords(
	ctx context.Context, r wordindex.Reader, list WordList, phrase string,
) (s WordSearch, found bool, err error) {
	if !text.Is(phrase, 0, maxSearch) {
		return WordSearch{}, false, ErrInvalidRequest
	}
	if phrase == "" {
		return WordSearch{}, true, nil
	}

	// A phrase without words finds nothing.
	words := wordindex.Beginnings(phrase, maxSearch)
	if len(words) == 0 {
		return WordSearch{}, false, nil
	}

	// Count the rows of each word, up to the number that may be read and sorted and one more, which
	// tells that there are too many. counts has the order of words, which begins with the longest.
	most := searchRows(len(words))
	counts, err := r.CountWords(ctx, list, words[:min(len(words), maxCountedWords)], most+1)
	if err != nil {
		return WordSearch{}, false, err
	}

	// The rarest word finds the rows if it has few. The others are looked up in them.
	least := slices.Min(counts)
	s.Also = words // all of them, if none is rare
	if least <= most {
		i := slices.Index(counts, least)
		s.Rare = words[i]
		s.Also = slices.Delete(words, i, i+1)
	}
	return s, least > 0, nil // a word that no row has excludes all rows
}
