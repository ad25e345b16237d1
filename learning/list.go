package learning

import "context"

// List reads a long list in parts. Between two parts it holds no connection to the
// database: it stores the position of the last row, and the next part begins after it.
// A row that exists during the whole time is read exactly once, also if other rows are
// inserted, changed or deleted during that time. A List is not safe for concurrent use.
type List[Row any] struct {
	next func(ctx context.Context, rows int, fn func(Row) error) (more bool, err error)
	held int
}

// Next reads at most the given number of rows, which must be positive, and calls fn
// with each. It reports whether there may be more rows. It stops at the first error of
// fn and returns it; the next call begins after that row.
func (l *List[Row]) Next(ctx context.Context, rows int, fn func(Row) error) (more bool, err error) {
	return l.next(ctx, rows, fn)
}

// Held returns how many bytes the list holds between two parts.
func (l *List[Row]) Held() int { return l.held }

// Each calls fn with each of the remaining rows. It stops at the first error of fn
// and returns it.
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

// Page is a part of a list: at most Limit rows, which follow those up to After in the
// order of the list. Methods of a [Store] that say so take the zero Page for the whole list.
type Page struct {
	After   Position // zero for the first page
	Through Position // the position of the last row that may be in the page; zero for no bound
	Limit   int
}

// MaxPageRows is the largest [Page] that a caller of the platform may ask for, in rows.
const MaxPageRows = 100

func (page Page) hasValidLimit() bool { return page.Limit >= 1 && page.Limit <= MaxPageRows }

// readPage reads a page, and one row more to know whether another page follows. next is the
// position after which that one begins, or zero if there is none. action is the text of
// errors; see wrap. Error: [ErrInvalidRequest], for a limit that is not allowed.
func readPage[Row any](ctx context.Context, action string, page Page, read func(context.Context, Page) ([]Row, error), position func(Row) Position) (rows []Row, next Position, err error) {
	if !page.hasValidLimit() {
		return nil, Position{}, ErrInvalidRequest
	}
	limit := page.Limit
	page.Limit++
	if rows, err = read(ctx, page); err != nil || len(rows) <= limit {
		return rows, Position{}, wrap(action, err)
	}
	return rows[:limit], position(rows[limit-1]), nil
}

// readScan is readPage for a list whose rows are selected while they are read in their order. end
// returns the position after another one at which the scan of a page ends, or zero if the list
// ends before. If fewer rows than page.Limit are selected up to there, next is that position, and
// the next page continues the scan.
func readScan[Row any](
	ctx context.Context, action string, page Page,
	end func(ctx context.Context, after Position) (Position, error),
	read func(context.Context, Page) ([]Row, error), position func(Row) Position,
) (rows []Row, next Position, err error) {
	// The end comes first: of the rows that are added meanwhile, those before it are read too.
	if page.Through, err = end(ctx, page.After); err != nil {
		return nil, Position{}, wrap(action, err)
	}
	rows, next, err = readPage(ctx, action, page, read, position)
	if err == nil && next.IsZero() {
		next = page.Through
	}
	return rows, next, err
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

// collected adapts a method of a [Store] that calls a function with the rows of a page.
func collected[Row any](read func(context.Context, Page, func(Row) error) error) func(context.Context, Page) ([]Row, error) {
	return func(ctx context.Context, page Page) (rows []Row, err error) {
		err = read(ctx, page, func(row Row) error {
			rows = append(rows, row)
			return nil
		})
		return rows, err
	}
}

// pagedList returns a list that is ordered by the position of its rows, which must never
// change. action is the text of errors; see wrap.
func pagedList[Row any](action string, read func(ctx context.Context, page Page, fn func(Row) error) error, position func(*Row) Position) *List[Row] {
	var after Position
	next := func(ctx context.Context, rows int, fn func(Row) error) (bool, error) {
		count, stopped := 0, error(nil)
		err := read(ctx, Page{After: after, Limit: rows}, func(row Row) error {
			count++
			after = position(&row)
			stopped = fn(row)
			return stopped
		})
		if stopped != nil {
			return true, stopped
		}
		return count == rows, wrap(action, err)
	}
	return &List[Row]{next: next}
}

// orderedList returns a list whose order may change while it is read: the order was
// read beforehand, and read returns the rows of some ids, in any order. Rows that were
// deleted since are left out.
func orderedList[Row any](action string, order idList, read func(ctx context.Context, ids []string) ([]Row, error), id func(*Row) string) *List[Row] {
	next := func(ctx context.Context, rows int, fn func(Row) error) (bool, error) {
		ids := order.first(rows)
		list, err := read(ctx, ids)
		if err != nil {
			return false, wrap(action, err)
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
