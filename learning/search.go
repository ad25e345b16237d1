package learning

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

// WordList is a list whose rows are found by their words.
type WordList = wordindex.List

// The lists that are searched. The store has their numbers.
const (
	CourseWords WordList = 1 // published courses
	UserWords   WordList = 2 // users who are not deleted
)

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

// rows returns how many rows a page of the search reads at most. It looks up the words of Also in
// each of them.
func (s WordSearch) rows() int { return searchRows(len(s.Also)) }

// RowWords are the words of a row for a search.
type RowWords = wordindex.Row

// SearchWords returns the words of the title and the description. A draft has none, because it is
// not searched. The words of the educator's name are those of the user.
func (c Course) SearchWords() RowWords {
	w := RowWords{List: CourseWords, RowID: c.ID}
	if c.Published {
		w.Own = wordindex.Distinct(c.Title+"\n"+c.Description, wordindex.MaxRow)
	}
	return w
}

// SearchWords returns the words of the name and the e-mail address. A deleted user has none.
func (u User) SearchWords() RowWords {
	w := RowWords{List: UserWords, RowID: u.ID, PersonID: u.ID}
	if u.DeletedAt.IsZero() {
		w.Own, w.Name = wordindex.Distinct(u.Email, wordindex.MaxRow),
			wordindex.Distinct(u.Name, wordindex.MaxRow)
	}
	return w
}

// search returns the search for a text in a list. It counts how many entries of the list begin with
// each word of the text, and takes the least frequent word as Rare if a page may read all its rows.
// found is false if no row can match; without a text, all rows do. Error: [ErrInvalidRequest], for
// a text that is too long.
func (p *Platform) search(ctx context.Context, list WordList,
	text string) (s WordSearch, found bool, err error) {
	if !isText(text, 0, maxSearch) {
		return WordSearch{}, false, ErrInvalidRequest
	}
	if text == "" {
		return WordSearch{}, true, nil
	}

	// A text without words finds nothing.
	words := wordindex.Beginnings(text, maxSearch)
	if len(words) == 0 {
		return WordSearch{}, false, nil
	}

	// Count the rows of each word, up to the number that may be read and sorted and one more, which
	// tells that there are too many. counts has the order of words, which begins with the longest.
	most := searchRows(len(words))
	counts, err := p.store.CountWords(ctx, list, words[:min(len(words), maxCountedWords)], most+1)
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

// searchReader reads the words of rows.
type searchReader interface {
	wordindex.Reader
}

// searchWriter writes the words of rows.
type searchWriter interface {
	wordindex.Writer
	// InsertEducatorWords gives published courses the words of the names of their educators: all
	// courses of the users if courseIDs is nil, else those of them that it names. They must have
	// none of these words.
	InsertEducatorWords(ctx context.Context, userIDs, courseIDs []string) error
}

// replaceCourseWords replaces the words of a course, with those of its educator's name.
func replaceCourseWords(ctx context.Context, tx Tx, c Course) error {
	ids := []string{c.ID}
	educators := []string{c.Educator.ID}
	if err := tx.DeleteWords(ctx, CourseWords, ids, educators); err != nil {
		return err
	}
	if err := tx.InsertWords(ctx, []RowWords{c.SearchWords()}); err != nil {
		return err
	}
	return tx.InsertEducatorWords(ctx, educators, ids)
}

// replaceUserWords replaces the words of a user in the list of users. It also deletes the words of
// the old name from the courses of the user: the caller must give the courses the words of the new
// one with [Tx.InsertEducatorWords], as educatorChanged does.
func replaceUserWords(ctx context.Context, tx Tx, words RowWords) error {
	ids := []string{words.RowID}
	// Delete the words that are of no name, such as those of the e-mail address, and then those of
	// the name, at the user and at courses.
	if err := tx.DeleteWords(ctx, UserWords, ids, nil); err != nil {
		return err
	}
	if err := tx.DeleteNameWords(ctx, ids); err != nil {
		return err
	}
	return tx.InsertWords(ctx, []RowWords{words})
}
