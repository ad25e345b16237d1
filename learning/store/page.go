package store

import (
	"strings"

	"github.com/openlectern/openlectern/learning"
)

// filter builds the WHERE clause of a statement from conditions that are joined by AND.
type filter struct {
	conditions []string
	args       []any
}

// add adds a condition with its arguments.
func (f *filter) add(condition string, args ...any) {
	f.conditions, f.args = append(f.conditions, condition), append(f.args, args...)
}

// where returns the clause, or "" if there is no condition.
func (f *filter) where() string {
	if len(f.conditions) == 0 {
		return ""
	}
	return ` WHERE ` + strings.Join(f.conditions, ` AND `)
}

// order is the order of a list by columns that are unique together: a time or a number, and
// one or two ids, all ascending or all descending.
type order struct {
	columns    []string
	descending bool
	byNumber   bool // whether the first column is a number
}

// orderBy returns the ORDER BY clause.
func (o order) orderBy() string {
	if o.descending {
		return ` ORDER BY ` + strings.Join(o.columns, ` DESC, `) + ` DESC`
	}
	return ` ORDER BY ` + strings.Join(o.columns, `, `)
}

// page adds to f the condition that selects the rows of a page. It returns the text that
// follows the WHERE clause, and the argument of its LIMIT, which follows f.args.
func (d *dialect) page(f *filter, o order, page learning.Page) (tail string, limit any) {
	if !page.After.IsZero() {
		var first any = timestamp(page.After.At)
		if o.byNumber {
			first = page.After.Value
		}
		values := []any{first, key(page.After.ID), key(page.After.ID2)}
		d.addAfter(f, o, values[:len(o.columns)])
	}
	return o.orderBy() + ` LIMIT ?`, page.Limit
}

// rows returns the clauses that select and order the rows of a page, and their arguments. The
// zero page is the whole list.
func (d *dialect) rows(f filter, o order, page learning.Page) (clauses string, args []any) {
	if page == (learning.Page{}) {
		return f.where() + o.orderBy(), f.args
	}
	tail, limit := d.page(&f, o, page)
	return f.where() + tail, append(f.args, limit)
}

// pageHint returns a hint to read the rows of a page from an index, because MySQL and MariaDB
// would sometimes rather sort all rows of the list. It is "" for the whole list.
func (d *dialect) pageHint(index string, page learning.Page) string {
	if page == (learning.Page{}) {
		return ""
	}
	return d.forceIndex(index)
}

// addAfter adds the condition that a row follows the row with the given values. It has two
// forms, because SQLite uses an index for a comparison of rows only, and MySQL and MariaDB
// use it only if the comparison is written with OR.
func (d *dialect) addAfter(f *filter, o order, values []any) {
	sign := ` > `
	if o.descending {
		sign = ` < `
	}
	if d.rowComparison {
		f.add(`(`+strings.Join(o.columns, `, `)+`)`+sign+`(`+placeholders(len(values))+`)`, values...)
		return
	}
	last := len(values) - 1
	condition, args := o.columns[last]+sign+`?`, values[last:]
	for i := last - 1; i >= 0; i-- {
		c := o.columns[i]
		condition = `(` + c + sign + `? OR (` + c + ` = ? AND ` + condition + `))`
		args = append([]any{values[i], values[i]}, args...)
	}
	f.add(condition, args...)
}

// placeholders returns the placeholders of n arguments.
func placeholders(n int) string { return strings.Repeat(`, ?`, n)[2:] }

// idBatchSize is how many rows one statement reads by their ids. The statement always has
// this number of placeholders, so that SQLite prepares one text only.
const idBatchSize = 32

// batchArgs returns idBatchSize arguments for at most as many ids. It repeats the last id.
func batchArgs(ids []string) []any {
	args := make([]any, idBatchSize)
	for i := range args {
		args[i] = key(ids[min(i, len(ids)-1)])
	}
	return args
}
