package learning

import (
	"context"
	"errors"
	"time"

	"github.com/openlectern/openlectern/internal/schedule"
	"github.com/openlectern/openlectern/internal/wordindex"
)

// indexEvery is the interval of the search for rows without words.
const indexEvery = time.Minute

// RunSearchIndex writes the words of courses and users by which a search finds them, if they are
// missing: those of rows that a version without words has stored or changed. Other rows have
// their words from the transaction that stores them. It looks for such rows at once, and then
// about every minute until ctx is done. If several instances run it on one database, one of them
// works at a time.
func (s System) RunSearchIndex(ctx context.Context) {
	p := s.platform
	schedule.New(p.leases, "search", indexEvery, p.indexSearch).Loop(ctx, 0)
}

// errRowsChanged means that a row has changed since it was read.
var errRowsChanged = errors.New("learning: a row has changed since it was read")

// indexSearch writes all missing words. If a row changes meanwhile, the rest is left to the next call.
func (p *Platform) indexSearch(ctx context.Context) error {
	users, err := wordindex.IndexAll(ctx, p.store.UsersWithoutWords, User.SearchWords, p.indexUsers)
	courses := 0
	if err == nil {
		courses, err = wordindex.IndexAll(ctx, p.store.CoursesWithoutWords, Course.SearchWords, p.indexCourses)
	}
	if users+courses > 0 {
		p.log.InfoContext(ctx, "rows were indexed for the search", "users", users, "courses", courses)
	}
	if errors.Is(err, errRowsChanged) {
		return nil
	}
	return wrap("index rows for the search", err)
}

// indexCourses writes the words of courses. It returns errRowsChanged if one has changed since it was read.
func (p *Platform) indexCourses(ctx context.Context, list []Course, words []RowWords) error {
	return p.store.InTx(ctx, func(tx Tx) error {
		unchanged, err := tx.MarkCoursesIndexed(ctx, list)
		if err == nil && !unchanged {
			err = errRowsChanged
		}
		if err != nil {
			return err
		}
		educators := make([]string, len(list))
		for i, c := range list {
			educators[i] = c.Educator.ID
		}
		return replaceCourseWords(ctx, tx, words, educators)
	})
}

// indexUsers writes the words of users, and those of their names at their courses. It returns
// errRowsChanged if one has changed since they were read.
func (p *Platform) indexUsers(ctx context.Context, list []User, words []RowWords) error {
	return p.store.InTx(ctx, func(tx Tx) error {
		unchanged, err := tx.MarkUsersIndexed(ctx, list)
		if err == nil && !unchanged {
			err = errRowsChanged
		}
		if err != nil {
			return err
		}
		if err := replaceUserWords(ctx, tx, words); err != nil {
			return err
		}
		return tx.InsertEducatorWords(ctx, wordindex.IDs(words), nil)
	})
}

// replaceCourseWords replaces the words of courses that are marked as indexed.
func replaceCourseWords(ctx context.Context, tx Tx, words []RowWords, educatorIDs []string) error {
	ids := wordindex.IDs(words)
	if err := tx.DeleteWords(ctx, CourseWords, ids, educatorIDs); err != nil {
		return err
	}
	if err := tx.InsertWords(ctx, words); err != nil {
		return err
	}
	return tx.InsertEducatorWords(ctx, educatorIDs, ids)
}

// replaceUserWords replaces the words of users that are marked as indexed. It deletes the words of
// their names at their courses: [Tx.InsertEducatorWords] inserts them.
func replaceUserWords(ctx context.Context, tx Tx, words []RowWords) error {
	ids := wordindex.IDs(words)
	if err := tx.DeleteWords(ctx, UserWords, ids, nil); err != nil {
		return err
	}
	if err := tx.DeleteNameWords(ctx, ids); err != nil {
		return err
	}
	return tx.InsertWords(ctx, words)
}
