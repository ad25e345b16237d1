package store

import (
	"context"
	"slices"
	"strings"

	"github.com/openlectern/openlectern/learning"
)

// inRange is the condition that a word of search_words begins with a text. A condition with LIKE would not use an
// index on each engine.
const inRange = `w.word >= ? AND w.word < ?`

// rangeOf returns the arguments of inRange. The last code point follows every letter and digit.
func rangeOf(beginning string) []any { return []any{beginning, beginning + "\U0010FFFF"} }

// searched is a table whose rows are searched.
type searched struct {
	list   learning.WordList
	table  string // with its alias
	id     string
	person string // the user whose name the row shows
}

var (
	searchedCourses = searched{list: learning.CourseWords, table: `courses c`, id: `c.id`, person: `c.educator_id`}
	searchedUsers   = searched{list: learning.UserWords, table: `users u`, id: `u.id`, person: `u.id`}
)

// from returns the tables of a statement that reads the rows which s selects, with their arguments, and adds
// its conditions to f. hint is for a statement that reads the rows in their order; the rows of a rare word
// are read by their ids. CROSS JOIN makes SQLite read the words first.
func (t searched) from(d dialect, s learning.WordSearch, hint string, f *filter) (text string, args []any) {
	for _, word := range s.Also {
		t.addWord(d, f, word)
	}
	if s.Rare == "" {
		return ` FROM ` + t.table + hint, nil
	}
	return ` FROM (SELECT DISTINCT w.row_id FROM search_words w` + d.ForceIndex("search_words_by_word") + ` WHERE w.list = ? AND ` + inRange + `) m
		CROSS JOIN ` + t.table + d.ForceIndex("PRIMARY") + ` ON ` + t.id + ` = m.row_id`, append([]any{int(t.list)}, rangeOf(s.Rare)...)
}

// addWord adds the condition that a row has a word. It counts, because an engine may turn EXISTS into a join that reads
// all rows with the word.
func (t searched) addWord(d dialect, f *filter, beginning string) {
	count := `(SELECT COUNT(*) FROM search_words w` + d.ForceIndex("PRIMARY") + ` WHERE w.list = ? AND w.row_id = ` + t.id + ` AND ` + inRange + ` AND w.person_id = `
	one := append([]any{int(t.list)}, rangeOf(beginning)...)
	f.add(`(`+count+`'') > 0 OR `+count+t.person+`) > 0)`, slices.Concat(one, one)...)
}

func (r reader) CountWords(ctx context.Context, list learning.WordList, beginnings []string, limit int) ([]int, error) {
	count := `SELECT ? AS position, COUNT(*) AS entries FROM (SELECT w.word FROM search_words w` + r.engine().ForceIndex("search_words_by_word") + `
		WHERE w.list = ? AND ` + inRange + ` ORDER BY w.word, w.row_id LIMIT ?) m`
	var args []any
	for i, word := range beginnings {
		args = append(append(append(args, i, int(list)), rangeOf(word)...), limit)
	}
	var rows []struct {
		Position int `db:"position"`
		Entries  int `db:"entries"`
	}
	err := r.q.List(ctx, "count words", &rows, strings.Repeat(` UNION ALL `+count, len(beginnings))[len(` UNION ALL `):], args...)
	counts := make([]int, len(beginnings))
	for _, row := range rows {
		counts[row.Position] = row.Entries
	}
	return counts, err
}

func (r reader) CoursesWithoutWords(ctx context.Context, limit int) ([]learning.Course, error) {
	from := ` FROM courses c` + r.engine().ForceIndex("courses_without_words")
	return r.coursesFrom(ctx, "list courses without words", from, ` WHERE c.words_missing = 1 ORDER BY c.id LIMIT ?`, limit)
}

func (r reader) UsersWithoutWords(ctx context.Context, limit int) ([]learning.User, error) {
	var rows []struct {
		ID        string    `db:"id"`
		Name      string    `db:"name"`
		Email     string    `db:"email"`
		ChangedAt timestamp `db:"changed_at"`
		DeletedAt timestamp `db:"deleted_at"`
	}
	err := r.q.List(ctx, "list users without words", &rows, `
		SELECT id, name, email, changed_at, deleted_at FROM users`+r.engine().ForceIndex("users_without_words")+`
		WHERE words_missing = 1 ORDER BY id LIMIT ?`, limit)
	list := make([]learning.User, len(rows))
	for i, row := range rows {
		list[i] = learning.User{ID: row.ID, Name: row.Name, Email: row.Email, ChangedAt: row.ChangedAt.Time(), DeletedAt: row.DeletedAt.Time()}
	}
	return list, err
}

// InsertWords is one statement.
func (t *tx) InsertWords(ctx context.Context, rows []learning.RowWords) error {
	var args []any
	for _, r := range rows {
		for _, word := range r.Own {
			args = append(args, "", int(r.List), key(r.RowID), word)
		}
		for _, word := range r.Name {
			args = append(args, key(r.PersonID), int(r.List), key(r.RowID), word)
		}
	}
	if len(args) == 0 {
		return nil
	}
	return t.Insert(ctx, "insert words", `INSERT INTO search_words (person_id, list, row_id, word) VALUES `+
		strings.Repeat(`, (?, ?, ?, ?)`, len(args)/4)[2:], args...)
}

func (t *tx) InsertEducatorWords(ctx context.Context, userIDs, courseIDs []string) error {
	var f filter
	f.add(`w.person_id IN (`+placeholders(len(userIDs))+`)`, keys(userIDs)...)
	f.add(`w.list = ?`, int(learning.UserWords))
	f.add(`c.is_published = 1`)
	if len(courseIDs) > 0 {
		f.add(`c.id IN (`+placeholders(len(courseIDs))+`)`, keys(courseIDs)...)
	}
	return t.Insert(ctx, "insert words of educators", `
		INSERT INTO search_words (person_id, list, row_id, word)
		SELECT w.person_id, ?, c.id, w.word FROM search_words w JOIN courses c ON c.educator_id = w.person_id`+f.where(),
		append([]any{int(learning.CourseWords)}, f.args...)...)
}

func (t *tx) DeleteWords(ctx context.Context, list learning.WordList, rowIDs, userIDs []string) error {
	args := append(append([]any{""}, keys(userIDs)...), int(list))
	_, err := t.Exec(ctx, "delete words", `
		DELETE FROM search_words WHERE person_id IN (`+placeholders(len(userIDs)+1)+`) AND list = ? AND row_id IN (`+placeholders(len(rowIDs))+`)`,
		append(args, keys(rowIDs)...)...)
	return err
}

func (t *tx) DeleteNameWords(ctx context.Context, userIDs []string) error {
	_, err := t.Exec(ctx, "delete words of names", `DELETE FROM search_words WHERE person_id IN (`+placeholders(len(userIDs))+`)`, keys(userIDs)...)
	return err
}

func (t *tx) MarkCoursesIndexed(ctx context.Context, list []learning.Course) (bool, error) {
	var args []any
	for _, c := range list {
		args = append(args, key(c.ID), c.Version, key(c.Educator.ID))
	}
	n, err := t.Exec(ctx, "mark courses as indexed", `UPDATE courses SET indexed_version = version WHERE `+
		strings.Repeat(` OR (id = ? AND version = ? AND educator_id = ?)`, len(list))[4:], args...)
	return n == int64(len(list)), err
}

func (t *tx) MarkUsersIndexed(ctx context.Context, list []learning.User) (bool, error) {
	var args []any
	for _, u := range list {
		args = append(args, key(u.ID), timestamp(u.ChangedAt), !u.DeletedAt.IsZero())
	}
	n, err := t.Exec(ctx, "mark users as indexed", `UPDATE users SET indexed_at = CASE WHEN deleted_at IS NULL THEN changed_at ELSE NULL END WHERE `+
		strings.Repeat(` OR (id = ? AND changed_at = ? AND (deleted_at IS NOT NULL) = ?)`, len(list))[4:], args...)
	return n == int64(len(list)), err
}
