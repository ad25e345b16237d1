package core

import (
	"fmt"
	"iter"
)

// Page is a part of a list that is read with a [PageRequest].
type Page[Row any] struct {
	Rows []Row
	Next Position // after which the next page begins; zero at the end of the list
	// Total is the number of rows of all pages, of a list that counts them, such as that of
	// posts; else 0.
	Total int
}

// PageRequest asks for a page of a list: at most Limit rows, which follow those up to After in the
// order of the list.
type PageRequest struct {
	After   Position // zero for the first page
	Through Position // the position of the last row that may be in the page; zero for no bound
	Limit   int      // from 1 to [MaxPageRows]
}

// MaxPageRows is the largest limit of a [PageRequest].
const MaxPageRows = 1000

// HasValidLimit reports whether a page of this limit may be read.
func (page PageRequest) HasValidLimit() bool { return page.Limit >= 1 && page.Limit <= MaxPageRows }

// Check returns [ErrInvalidRequest] as a [FieldError] if the page has no valid limit.
func (page PageRequest) Check() error {
	return Require(page.HasValidLimit(), "limit",
		fmt.Sprintf("must be between 1 and %d", MaxPageRows))
}

// rowsAtATime is the number of rows that [All] reads at a time.
const rowsAtATime = 200

// All returns all rows of a list that read reads in pages, such as
//
//	users := core.All(func(page core.PageRequest) (core.Page[people.UserReport], error) {
//		return platform.People.Users(ctx, admin, people.UserQuery{}, page)
//	})
//
// Between two pages it holds no connection to the database. A row that exists during the whole
// time, at the same position, is read exactly once, also if other rows are inserted, changed or
// deleted during that time. One whose position changes may be skipped or repeated. After the first
// error of read, which comes with no row, it ends.
func All[Row any](read func(PageRequest) (Page[Row], error)) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		request := PageRequest{Limit: rowsAtATime}
		for {
			page, err := read(request)
			if err != nil {
				var none Row
				yield(none, err)
				return
			}
			for _, row := range page.Rows {
				if !yield(row, nil) {
					return
				}
			}
			if page.Next.IsZero() {
				return
			}
			request.After = page.Next
		}
	}
}

// OrderedRows is all rows of a list whose order changes while it is read. The order was read
// before, so that each row comes once, in the order of one moment. Rows that were deleted since are
// left out. Between two parts no connection to the database is held.
type OrderedRows[Row any] struct {
	All  iter.Seq2[Row, error] // to be read once; ends after an error
	Held int                   // bytes of memory that are in use until then
}
