package core

import (
	"context"
	"slices"

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
	// RarePair says that Rare is the word of a pair of metadata, and Pairs are the words of the
	// other pairs: see [Metadata.SearchWords]. Only courses are searched by them.
	RarePair bool
	Pairs    []string
	// FewOfEducator says of a search in courses without a rare word that the educator of the query
	// has so few courses that they may be read and sorted.
	FewOfEducator bool
}

// Lookups returns how many words the search looks up in each row that it reads.
func (s WordSearch) Lookups() int { return len(s.Also) + len(s.Pairs) }

// Rows returns how many rows a page of the search reads at most.
func (s WordSearch) Rows() int { return searchRows(s.Lookups()) }

// RowWords are the words of a row for a search.
type RowWords = wordindex.Row

// FindWords returns the search for a phrase in a list. It counts how many entries of the list begin
// with each word of the phrase, and takes the least frequent word as Rare if a page may read all
// its rows. found is false if no row can match; without a phrase, all rows do. Error:
// [ErrInvalidRequest], for a phrase that is too long.
func FindWords(
	ctx context.Context, r wordindex.Reader, list WordList, phrase string,
) (s WordSearch, found bool, err error) {
	var noPairs WordList
	return FindWordsAndPairs(ctx, r, list, phrase, noPairs, nil)
}

// FindWordsAndPairs is FindWords for rows that also have all pairs of metadata. pairList is the
// list with the words of these pairs. It does not check the pairs.
func FindWordsAndPairs(
	ctx context.Context, r wordindex.Reader, list WordList, phrase string, pairList WordList,
	pairs Metadata,
) (s WordSearch, found bool, err error) {
	if err := RequireText("q", phrase, 0, maxSearch); err != nil {
		return WordSearch{}, false, err
	}

	// A phrase without words finds nothing.
	s.Also = wordindex.Beginnings(phrase, maxSearch)
	if phrase != "" && len(s.Also) == 0 {
		return WordSearch{}, false, nil
	}
	s.Pairs = pairs.SearchWords()
	if s.Lookups() == 0 {
		return WordSearch{}, true, nil
	}

	// Count the rows of each word and each pair, up to the number that may be read and sorted and
	// one more, which tells that there are too many. The words begin with the longest.
	most := s.Rows()
	words := s.Also[:min(len(s.Also), maxCountedWords)]
	wordCounts, err := countWords(ctx, r, list, words, most+1)
	if err != nil {
		return WordSearch{}, false, err
	}
	pairCounts, err := countWords(ctx, r, pairList, s.Pairs, most+1)
	if err != nil {
		return WordSearch{}, false, err
	}

	// The rarest of them finds the rows if it has few. The others are looked up in them.
	counts := slices.Concat(pairCounts, wordCounts)
	least := slices.Min(counts)
	if least <= most {
		i := slices.Index(counts, least)
		if s.RarePair = i < len(pairCounts); s.RarePair {
			s.Rare = s.Pairs[i]
			s.Pairs = slices.Delete(s.Pairs, i, i+1)
		} else {
			i -= len(pairCounts)
			s.Rare = s.Also[i]
			s.Also = slices.Delete(s.Also, i, i+1)
		}
	}
	return s, least > 0, nil // a word that no row has excludes all rows
}

// countWords counts the entries of words. Without words it does not read the database.
func countWords(
	ctx context.Context, r wordindex.Reader, list WordList, words []string, limit int,
) ([]int, error) {
	if len(words) == 0 {
		return nil, nil
	}
	return r.CountWords(ctx, list, words, limit)
}
