package store

import (
	"strings"

	"github.com/openlectern/openlectern/learning"
)

// filter is the WHERE clause of a statement, made of conditions that all must hold.
type filter struct {
	conditions []string
	args       []any
}

// add adds a condition with its arguments.
func (f *filter) add(condition string, args ...any) {
	f.conditions, f.args = append(f.conditions, condition), append(f.args, args...)
}

// where returns the clause, or nothing when there is no condition.
func (f *filter) where() string {
	if len(f.conditions) == 0 {
		return ""
	}
	return ` WHERE ` + strings.Join(f.conditions, ` AND `)
}

// order is the order of a list: a time and one or two ids, all ascending or all
// descending. Together they are unique.
type order struct {
	columns    []string
	descending bool
}

// by returns the ORDER BY clause.
func (o order) by() string {
	if o.descending {
		return ` ORDER BY ` + strings.Join(o.columns, ` DESC, `) + ` DESC`
	}
	return ` ORDER BY ` + strings.Join(o.columns, `, `)
}

// page restricts a statement to the rows of a page, and returns what follows its WHERE
// clause. The arguments of f are those of the clause; the limit follows them.
func (d *dialect) page(f *filter, o order, page learning.Page) (tail string, limit any) {
	if !page.After.IsZero() {
		values := []any{stamp(page.After.At), key(page.After.ID), key(page.After.ID2)}
		d.beyond(f, o, values[:len(o.columns)])
	}
	return o.by() + ` LIMIT ?`, page.Limit
}

// beyond adds the condition that a row follows the one with the given values. Each
// engine reads an index from there in one of the two forms only: SQLite a comparison
// of rows, MySQL and MariaDB the same written with OR.
func (d *dialect) beyond(f *filter, o order, values []any) {
	sign := ` > `
	if o.descending {
		sign = ` < `
	}
	if d.comparesRows {
		f.add(`(`+strings.Join(o.columns, `, `)+`)`+sign+`(`+marks(len(values))+`)`, values...)
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

// marks is n parameters of a statement.
func marks(n int) string { return strings.Repeat(`, ?`, n)[2:] }

// idsAtOnce is how many rows one statement reads by their ids. It always has as many
// parameters, so that there is one text of it for SQLite to prepare.
const idsAtOnce = 32

// padded returns the arguments of such a statement; what is missing repeats the last.
func padded(ids []string) []any {
	args := make([]any, idsAtOnce)
	for i := range args {
		args[i] = key(ids[min(i, len(ids)-1)])
	}
	return args
}
