package learning

import "context"

// List reads a long list in parts. Between two parts it holds no connection to the
// database: it remembers the place of the last row, and the next part begins after
// it. A row that exists throughout is read exactly once, whatever is inserted,
// changed or deleted meanwhile. A List is for one goroutine.
type List[Row any] struct {
	next func(ctx context.Context, rows int, fn func(Row) error) (more bool, err error)
	held int
}

// Next reads at most the given number of rows, which must be positive, and calls fn
// with each. It reports whether there may be more rows. It ends with the error of fn;
// the row that fn was called with counts as read then.
func (l *List[Row]) Next(ctx context.Context, rows int, fn func(Row) error) (more bool, err error) {
	return l.next(ctx, rows, fn)
}

// Held returns how many bytes the list holds between two parts.
func (l *List[Row]) Held() int { return l.held }

// Each calls fn with each of the remaining rows. It ends with the error of fn.
func (l *List[Row]) Each(ctx context.Context, fn func(Row) error) error {
	const part = 200
	for more := true; more; {
		var err error
		if more, err = l.next(ctx, part, fn); err != nil {
			return err
		}
	}
	return nil
}

// All returns the remaining rows. It is for lists that are known to be short.
func (l *List[Row]) All(ctx context.Context) (rows []Row, err error) {
	err = l.Each(ctx, func(row Row) error {
		rows = append(rows, row)
		return nil
	})
	return rows, err
}

// Page is a part of a list that a [Store] reads: at most Limit rows, which follow
// those up to After in the order of the list.
type Page struct {
	After Position // zero for the first page
	Limit int
}

// emptyList returns a list without rows.
func emptyList[Row any]() *List[Row] {
	return &List[Row]{next: func(context.Context, int, func(Row) error) (bool, error) { return false, nil }}
}

// inPages adapts a method of a [Store] that returns the rows of a page.
func inPages[Row any](read func(ctx context.Context, page Page) ([]Row, error)) func(context.Context, Page, func(Row) error) error {
	return func(ctx context.Context, page Page, fn func(Row) error) error {
		rows, err := read(ctx, page)
		for i := 0; i < len(rows) && err == nil; i++ {
			err = fn(rows[i])
		}
		return err
	}
}

// pagedList returns a list whose order never changes: by position, which place
// returns for a row.
func pagedList[Row any](doing string, read func(ctx context.Context, page Page, fn func(Row) error) error, place func(*Row) Position) *List[Row] {
	var after Position
	next := func(ctx context.Context, rows int, fn func(Row) error) (bool, error) {
		count, stopped := 0, error(nil)
		err := read(ctx, Page{After: after, Limit: rows}, func(row Row) error {
			count++
			after = place(&row)
			stopped = fn(row)
			return stopped
		})
		if stopped != nil {
			return true, stopped
		}
		return count == rows, wrap(doing, err)
	}
	return &List[Row]{next: next}
}

// orderedList returns a list whose order may change while it is read: the order was
// read beforehand, and read returns the rows of some ids, in any order. Rows that were
// deleted since are left out.
func orderedList[Row any](doing string, order idList, read func(ctx context.Context, ids []string) ([]Row, error), id func(*Row) string) *List[Row] {
	next := func(ctx context.Context, rows int, fn func(Row) error) (bool, error) {
		ids := order.first(rows)
		list, err := read(ctx, ids)
		if err != nil {
			return false, wrap(doing, err)
		}
		byID := make(map[string]*Row, len(list))
		for i := range list {
			byID[id(&list[i])] = &list[i]
		}
		for _, id := range ids {
			order.drop()
			if row := byID[id]; row != nil {
				if err := fn(*row); err != nil {
					return true, err
				}
			}
		}
		return len(order.packed) > 0, nil
	}
	return &List[Row]{next: next, held: cap(order.packed)}
}
