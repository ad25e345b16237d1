package paging

import (
	"context"
	"iter"
	"slices"

	"github.com/openlectern/openlectern/learning/core"
)

// PartRows is the number of rows that lists of all rows read at a time.
const PartRows = 200

// YieldRows calls yield with rows, or with the error of reading them. It reports whether yield
// wants more rows; there are none after an error.
func YieldRows[Row any](rows []Row, err error, yield func(Row, error) bool) bool {
	if err != nil {
		var none Row
		yield(none, err)
		return false
	}
	for _, row := range rows {
		if !yield(row, nil) {
			return false
		}
	}
	return true
}

// ReadPage reads a page. read returns the rows of a page, and position that of a row, after which
// the next page begins. action is the text of errors; see core.Wrap. Error:
// [core.ErrInvalidRequest], for a limit that is not allowed.
func ReadPage[Row any](
	ctx context.Context, action string, page core.PageRequest,
	read func(context.Context, core.PageRequest) ([]Row, error), position func(Row) core.Position,
) (core.Page[Row], error) {
	if err := page.Check(); err != nil {
		return core.Page[Row]{}, err
	}

	// One row more tells whether another page follows.
	limit := page.Limit
	page.Limit++
	rows, err := read(ctx, page)
	if err != nil {
		return core.Page[Row]{}, core.Wrap(action, err)
	}
	if isLast := len(rows) <= limit; isLast { // Next is zero
		return core.Page[Row]{Rows: rows}, nil
	}
	return core.Page[Row]{Rows: rows[:limit], Next: position(rows[limit-1])}, nil
}

// ReadScan is ReadPage for a list whose rows are read in their order and selected one by one. It
// bounds how many rows are read for one page. end returns the position at which the scan that
// begins after a position ends, or zero if the list ends before. If fewer rows than page.Limit are
// selected up to there, the page has fewer, or none, and Next is that position: the next page
// continues the scan there.
func ReadScan[Row any](
	ctx context.Context, action string, page core.PageRequest,
	end func(ctx context.Context, after core.Position) (core.Position, error),
	read func(context.Context, core.PageRequest) ([]Row, error), position func(Row) core.Position,
) (found core.Page[Row], err error) {
	// The end comes first: of the rows that are added meanwhile, those before it are read too.
	if page.Through, err = end(ctx, page.After); err != nil {
		return core.Page[Row]{}, core.Wrap(action, err)
	}
	found, err = ReadPage(ctx, action, page, read, position)
	if err == nil && found.Next.IsZero() { // no more rows are selected up to the end of the scan
		found.Next = page.Through
	}
	return found, err
}

// PagesOf returns all rows of a list that is ordered by the position of its rows, which must never
// change. action is the text of errors; see core.Wrap.
func PagesOf[Row any](
	ctx context.Context, action string,
	read func(context.Context, core.PageRequest) ([]Row, error), position func(Row) core.Position,
) iter.Seq2[Row, error] {
	return core.All(func(page core.PageRequest) (core.Page[Row], error) {
		return ReadPage(ctx, action, page, read, position)
	})
}

// InOrder returns the rows with some ids in the order of these. read returns the rows of some ids,
// in any order; ids of deleted rows are left out. id returns the id of a row. action is the text of
// errors; see core.Wrap.
func InOrder[Row any](
	ctx context.Context, action string, order IDList,
	read func(ctx context.Context, ids []string) ([]Row, error), id func(*Row) string,
) core.OrderedRows[Row] {
	order.packed = slices.Clone(order.packed) // without what was reserved in order to grow
	all := func(yield func(Row, error) bool) {
		for len(order.packed) > 0 {
			ids := order.take(PartRows)
			list, err := read(ctx, ids)
			rows := SortedByIDs(list, ids, id) // none after an error
			if !YieldRows(rows, core.Wrap(action, err), yield) {
				return
			}
		}
	}
	return core.OrderedRows[Row]{All: all, Held: cap(order.packed)}
}

// SortedByIDs returns the rows that have one of the ids, in the order of the ids. id returns the id
// of a row.
func SortedByIDs[Row any](list []Row, ids []string, id func(*Row) string) []Row {
	byID := make(map[string]*Row, len(list))
	for i := range list {
		byID[id(&list[i])] = &list[i]
	}
	rows := make([]Row, 0, len(list))
	for _, wanted := range ids {
		if row := byID[wanted]; row != nil {
			rows = append(rows, *row)
		}
	}
	return rows
}
