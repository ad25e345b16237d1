package store

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/openlectern/openlectern/internal/sqldb"
	"github.com/openlectern/openlectern/learning/core"
)

// dialect is what differs between the engines, with the clauses of a page.
type dialect struct{ *sqldb.Dialect }

// engine returns the differences of the engine that r reads.
func (r reader) engine() dialect { return dialect{r.q.Dialect()} }

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
// one or two ids, or a number, a time and an id; all ascending or all descending.
type order struct {
	columns    []string
	descending bool
	// whether the first column is a number; of three columns the second one is a time then
	byNumber bool
	// whether the rows are sorted, and not read from an index that has the order
	sorted bool
}

// of returns the order of the rows that s selects. Those that have a rare word are sorted:
// PostgreSQL, which has no hints, would rather read all rows of the table from the index that has
// the order, and look for the word in each, until it has a page.
func (o order) of(s core.WordSearch) order {
	o.sorted = s.Rare != ""
	return o
}

// orderBy returns the ORDER BY clause.
func (o order) orderBy() string {
	columns := o.columns
	if o.sorted {
		// No index has an expression.
		first := `COALESCE(` + columns[0] + `, ` + columns[0] + `)`
		columns = slices.Concat([]string{first}, columns[1:])
	}
	if o.descending {
		return ` ORDER BY ` + strings.Join(columns, ` DESC, `) + ` DESC`
	}
	return ` ORDER BY ` + strings.Join(columns, `, `)
}

// values returns the values of the columns of the order at a position, one for each column: first a
// time, or a number, or a number and a time (see byNumber), then as many ids as there are other
// columns.
func (o order) values(p core.Position) []any {
	at, ids := timestamp(p.At), []any{key(p.ID), key(p.ID2)}
	values := []any{at}
	switch {
	case o.byNumber && len(o.columns) == 3:
		values = []any{p.Value, at}
	case o.byNumber:
		values = []any{p.Value}
	}
	return append(values, ids...)[:len(o.columns)] // without the ids for which there is no column
}

// addPage adds to f the conditions that select the rows of a page. It returns the text that follows
// the WHERE clause, ORDER BY and LIMIT, and the argument of LIMIT. That argument follows f.args, to
// which addPage adds those of the conditions.
func (d dialect) addPage(f *filter, o order, page core.PageRequest) (tail string, limit any) {
	if !page.After.IsZero() {
		d.addAfter(f, o, o.values(page.After))
	}
	if !page.Through.IsZero() {
		d.addThrough(f, o, o.values(page.Through))
	}
	return o.orderBy() + ` LIMIT ?`, page.Limit
}

// pageClauses returns the clauses that select and order the rows of a page, WHERE, ORDER BY and
// LIMIT, and their arguments. The zero page is the whole list.
func (d dialect) pageClauses(
	f filter, o order, page core.PageRequest,
) (clauses string, args []any) {
	if page == (core.PageRequest{}) {
		return f.where() + o.orderBy(), f.args
	}
	tail, limit := d.addPage(&f, o, page)
	return f.where() + tail, append(f.args, limit)
}

// pageHint returns a hint to read the rows of a page from an index, because MySQL and MariaDB
// would sometimes rather sort all rows of the list. It is "" for the whole list.
func (d dialect) pageHint(index string, page core.PageRequest) string {
	if page == (core.PageRequest{}) {
		return ""
	}
	return d.ForceIndex(index)
}

// addAfter adds the condition that a row follows the row with the given values.
func (d dialect) addAfter(f *filter, o order, values []any) {
	compare := ` > `
	if o.descending {
		compare = ` < `
	}
	d.addBound(f, o.columns, compare, compare, values) // strictly: not the row itself
}

// addThrough adds the condition that a row is the one with the given values or comes before it.
func (d dialect) addThrough(f *filter, o order, values []any) {
	if o.descending {
		d.addBound(f, o.columns, ` > `, ` >= `, values)
		return
	}
	d.addBound(f, o.columns, ` < `, ` <= `, values)
}

// addBound adds the condition that a row with these columns comes before or after a row with
// values, as compare says: ` < `, ` <= `, ` > ` or ` >= `. strict is compare without equality. The
// condition has two forms: SQLite uses an index only for a comparison of rows, and MySQL and
// MariaDB only for comparisons of columns that are joined by OR.
func (d dialect) addBound(f *filter, columns []string, strict, compare string, values []any) {
	if d.RowComparison {
		row := `(` + strings.Join(columns, `, `) + `)`
		f.add(row+compare+`(`+placeholders(len(values))+`)`, values...)
		return
	}

	// Build the condition from the last column to the first. Each column in front of another one
	// decides unless it is equal: a > ? OR (a = ? AND (b > ? OR (b = ? AND c >= ?))).
	last := len(values) - 1
	condition, args := columns[last]+compare+`?`, values[last:]
	for i := last - 1; i >= 0; i-- {
		column := columns[i]
		condition = `(` + column + strict + `? OR (` + column + ` = ? AND ` + condition + `))`
		args = append([]any{values[i], values[i]}, args...)
	}
	f.add(condition, args...)
}

// endOf returns the position at which a page ends that reads a number of rows: of the rows that f
// selects, in the order o, it is the last of those rows after the position after. It is zero if
// fewer rows follow. The columns of the order must be two: a time or a number, and an id. from is
// the FROM clause.
func (r reader) endOf(
	ctx context.Context, action, from string, f filter, o order, after core.Position, rows int,
) (core.Position, error) {
	var row struct {
		At    timestamp `db:"position_at"`
		Value int64     `db:"position_value"`
		ID    string    `db:"position_id"`
	}
	firstColumn := `position_at`
	if o.byNumber {
		firstColumn = `position_value`
	}
	// Read one row, and skip those in front of it.
	tail, limit := r.engine().addPage(&f, o, core.PageRequest{After: after, Limit: 1})
	err := r.q.Get(ctx, action, &row,
		`SELECT `+o.columns[0]+` AS `+firstColumn+`, `+o.columns[1]+` AS position_id`+
			from+f.where()+tail+` OFFSET ?`, append(f.args, limit, rows-1)...)
	if errors.Is(err, core.ErrNoRecord) {
		return core.Position{}, nil
	}
	return core.Position{At: row.At.Time(), Value: row.Value, ID: row.ID}, err
}

// partsPerStatement is how many lists one statement reads at most.
const partsPerStatement = 32

// unionOf returns the query for the rows of all parts, which have columns with these names, and may
// have an order and a limit: then a part of UNION ALL must be a derived table.
func unionOf(columns string, parts []string) string {
	if len(parts) == 1 {
		return parts[0]
	}
	from := `SELECT ` + columns + ` FROM (`
	return from + strings.Join(parts, `) g UNION ALL `+from) + `) g`
}

// newestFirst compares positions by time and then by id, the greatest first.
func newestFirst(a, b core.Position) int {
	return cmp.Or(b.At.Compare(a.At), strings.Compare(b.ID, a.ID))
}

// placeholders returns the placeholders of n arguments, such as "?, ?". n must be 1 or more.
func placeholders(n int) string { return strings.Repeat(`, ?`, n)[len(`, `):] }

// idBatchSize is how many rows one statement reads by their ids. The statement always has
// this number of placeholders, so that SQLite prepares one text only.
const idBatchSize = 32

// batchArgs returns idBatchSize arguments for at least one and at most as many ids. It repeats the
// last id.
func batchArgs(ids []string) []any {
	args := make([]any, idBatchSize)
	for i := range args {
		last := len(ids) - 1
		args[i] = key(ids[min(i, last)])
	}
	return args
}
