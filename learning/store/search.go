package store

import (
	"context"
	"slices"
	"strings"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
)

// inRange is the condition that a word of search_words begins with a text. A condition with LIKE
// would not use an index on each engine.
const inRange = `w.word >= ? AND w.word < ?`

// rangeOf returns the arguments of inRange: the beginning, and an end that follows every word with
// it, because the last code point follows every letter and digit.
func rangeOf(beginning string) []any { return []any{beginning, beginning + "\U0010FFFF"} }

// searched is a table whose rows are searched.
type searched struct {
	list      core.WordList
	pairs     core.WordList // with the pairs of metadata; 0 for none
	table     string        // with its alias
	id        string        // the column that search_words has as row_id
	person    string        // the column with the user whose name the row shows
	index     string        // by which rows are read by that column id
	namesOnly bool          // whether the list has words of names only
}

var (
	searchedCourses = searched{
		list:   catalog.CourseWords,
		pairs:  catalog.CoursePairs,
		table:  `{courses} c`,
		id:     `c.id`,
		person: `c.educator_id`,
		index:  "PRIMARY",
	}
	searchedUsers = searched{
		list:   people.UserWords,
		table:  `{users} u`,
		id:     `u.id`,
		person: `u.id`,
		index:  "PRIMARY",
	}
	// searchedBuyers are the purchases of the users who are searched.
	searchedBuyers = searched{
		list:   people.UserWords,
		table:  `{purchases} p`,
		id:     `p.user_id`,
		person: `p.user_id`,
		index:  "purchases_of_user",
	}
	// searchedStudents are the enrolments of the users whose names are searched.
	searchedStudents = searched{
		list:      people.NameWords,
		table:     `{enrollments} e`,
		id:        `e.user_id`,
		person:    `e.user_id`,
		index:     "PRIMARY",
		namesOnly: true,
	}
)

// from returns the FROM clause of a statement that reads the rows which s selects, with its
// arguments, and adds to f the conditions for the words in s.Also and s.Pairs, and the one that
// joins the tables:
//
//	s.Rare is ""    the rows are read in their order, from the index that hint names
//	otherwise       the rows that have the rare word are read by their ids, and must be sorted
func (t searched) from(
	d dialect, s core.WordSearch, hint string, f *filter,
) (text string, args []any) {
	// Each row must have the other words and pairs.
	for _, word := range s.Also {
		t.addWord(d, f, word)
	}
	for _, word := range s.Pairs {
		t.addPair(d, f, word)
	}

	if s.Rare == "" {
		return ` FROM ` + t.table + hint, nil
	}
	list := t.list
	if s.RarePair {
		list = t.pairs
	}
	// CROSS JOIN makes SQLite read the words before the table. It has no ON on PostgreSQL.
	f.add(t.id + ` = m.row_id`)
	return ` FROM (SELECT DISTINCT w.row_id FROM {search_words} w` +
			d.ForceIndex("search_words_by_word") + ` WHERE w.list = ? AND ` + inRange + `) m
		CROSS JOIN ` + t.table + d.ForceIndex(t.index),
		append([]any{int(list)}, rangeOf(s.Rare)...)
}

// addWord adds to f the condition that a row has a word with a beginning: one of its own texts,
// which search_words has with the person_id "", or one of the name of its person. The condition
// counts, because an engine may turn EXISTS into a join that reads all rows with the word.
func (t searched) addWord(d dialect, f *filter, beginning string) {
	count := `(SELECT COUNT(*) FROM {search_words} w` + d.ForceIndex("PRIMARY") +
		` WHERE w.list = ? AND w.row_id = ` + t.id + ` AND ` + inRange + ` AND w.person_id = `
	one := append([]any{int(t.list)}, rangeOf(beginning)...)
	if t.namesOnly {
		f.add(count+t.person+`) > 0`, one...)
		return
	}
	f.add(`(`+count+`'') > 0 OR `+count+t.person+`) > 0)`, slices.Concat(one, one)...)
}

// addPair adds to f the condition that a row has a pair of metadata. It counts as addWord does.
func (t searched) addPair(d dialect, f *filter, word string) {
	f.add(`(SELECT COUNT(*) FROM {search_words} w`+d.ForceIndex("PRIMARY")+
		` WHERE w.list = ? AND w.row_id = `+t.id+` AND w.word = ? AND w.person_id = '') > 0`,
		int(t.pairs), word)
}

// CountWords counts the entries of search_words whose words have a beginning, up to limit. The
// counts are in the order of beginnings, which must have one at least.
func (r reader) CountWords(
	ctx context.Context, list core.WordList, beginnings []string, limit int,
) ([]int, error) {
	// ? + 0, because PostgreSQL would take a bare ? for a text. The order is that of the index, so
	// that the limit ends the reading of it.
	count := `SELECT ? + 0 AS position, COUNT(*) AS entries
		FROM (SELECT w.word FROM {search_words} w` +
		r.engine().ForceIndex("search_words_by_word") + `
		WHERE w.list = ? AND ` + inRange + ` ORDER BY w.word, w.row_id LIMIT ?) m`

	// One statement counts all words, so that they are counted in one round trip.
	var args []any
	for i, word := range beginnings {
		args = append(append(append(args, i, int(list)), rangeOf(word)...), limit)
	}
	var rows []struct {
		Position int `db:"position"`
		Entries  int `db:"entries"`
	}
	err := r.q.List(ctx, "count words", &rows, unionAll(len(beginnings), count), args...)
	counts := make([]int, len(beginnings))
	for _, row := range rows {
		counts[row.Position] = row.Entries
	}
	return counts, err
}

// InsertWords inserts the words of all rows in one statement: their own ones, and those of the name
// of their person. It does nothing if there are no words.
func (t *tx) InsertWords(ctx context.Context, rows []core.RowWords) error {
	var args []any
	for _, r := range rows {
		for _, word := range r.Own {
			const noPerson = ""
			args = append(args, noPerson, int(r.List), key(r.RowID), word)
		}
		for _, word := range r.Name {
			args = append(args, key(r.PersonID), int(r.List), key(r.RowID), word)
		}
	}
	if len(args) == 0 {
		return nil
	}
	const oneRow = `, (?, ?, ?, ?)`
	numRows := len(args) / strings.Count(oneRow, `?`)
	return t.InsertAll(ctx, "insert words",
		`INSERT INTO {search_words} (person_id, list, row_id, word) VALUES `+
			strings.TrimPrefix(strings.Repeat(oneRow, numRows), `, `), args...)
}

// InsertEducatorWords copies the words of the names of users to their published courses: to those
// of courseIDs, or to all if it is empty.
func (t *tx) InsertEducatorWords(ctx context.Context, userIDs, courseIDs []string) error {
	var f filter
	f.add(`w.person_id IN (`+placeholders(len(userIDs))+`)`, keys(userIDs)...)
	f.add(`w.list = ?`, int(people.UserWords))
	f.add(`c.is_published = 1`)
	if len(courseIDs) > 0 {
		f.add(`c.id IN (`+placeholders(len(courseIDs))+`)`, keys(courseIDs)...)
	}
	return t.InsertAll(ctx, "insert words of educators", `
		INSERT INTO {search_words} (person_id, list, row_id, word)
		SELECT w.person_id, ?, c.id, w.word
		FROM {search_words} w JOIN {courses} c ON c.educator_id = w.person_id`+f.where(),
		append([]any{int(catalog.CourseWords)}, f.args...)...)
}

// DeleteWords deletes words of the rows: their own ones, which have the person_id "", and those of
// the names of the users. userIDs may be empty, and rowIDs must not.
func (t *tx) DeleteWords(
	ctx context.Context, list core.WordList, rowIDs, userIDs []string,
) error {
	const noPerson = ""
	args := append(append([]any{noPerson}, keys(userIDs)...), int(list))
	_, err := t.Exec(ctx, "delete words", `
		DELETE FROM {search_words} WHERE person_id IN (`+placeholders(len(userIDs)+1)+
		`) AND list = ? AND row_id IN (`+placeholders(len(rowIDs))+`)`,
		append(args, keys(rowIDs)...)...)
	return err
}

// DeleteNameWords deletes the words of the names of users from all rows that show these names.
func (t *tx) DeleteNameWords(ctx context.Context, userIDs []string) error {
	_, err := t.Exec(ctx, "delete words of names",
		`DELETE FROM {search_words} WHERE person_id IN (`+placeholders(len(userIDs))+`)`,
		keys(userIDs)...)
	return err
}
