package storetest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
)

var eachTests = []test{
	{"an error of fn ends the reading and is returned unchanged", eachStops},
	{"a context that is cancelled in fn ends the reading", eachCancelled},
	{"with a cancelled context nothing is read", eachCancelledBefore},
	{"stopped reading leaves no connection or transaction open", eachFrees},
	{"other callers write and read while fn runs", eachAside},
}

// each has the methods that read row by row.
var each = map[string]func(ctx context.Context, r learning.Reader, fn func() error) error{
	"EachPostID": func(ctx context.Context, r learning.Reader, fn func() error) error {
		return r.EachPostID(ctx, community.PostQuery{Tab: community.TrendingPosts}, "viewer",
			func(string) error { return fn() })
	},
	"EachGroupID": func(ctx context.Context, r learning.Reader, fn func() error) error {
		return r.EachGroupID(ctx, func(string) error { return fn() })
	},
	"EachChatID": func(ctx context.Context, r learning.Reader, fn func() error) error {
		return r.EachChatID(ctx, "student", func(string) error { return fn() })
	},
}

const manyRows = 200

// allRows is a page that has all rows of the lists in these tests.
var allRows = core.PageRequest{Limit: 100_000}

// paged reads a list in pages of one row, then of two, and so on, up to one page with the whole
// list, which it returns. All must give the same rows. place returns the position of a row, after
// which the next page begins.
func paged[Row any](
	t *testing.T, read func(ctx context.Context, page core.PageRequest) ([]Row, error),
	place func(Row) core.Position,
) (whole []Row) {
	t.Helper()
	for limit := 1; ; limit++ {
		var list []Row
		page := core.PageRequest{Limit: limit}
		for more := true; more; {
			rows, err := read(t.Context(), page)
			if err != nil || len(rows) > limit {
				t.Fatalf("a page of %d: %d rows, %v", limit, len(rows), err)
			}
			list = append(list, rows...)
			if more = len(rows) == limit; more { // there may be another page
				page.After = place(rows[limit-1])
			}
		}
		if limit > 1 { // whole has the rows of the pages before
			equal(t, list, nil, whole)
		}
		if whole = list; limit > len(list) {
			return whole
		}
	}
}

// fill stores rows of each kind that is read row by row, more than a driver reads ahead.
func (f *fixture) fill() {
	f.t.Helper()
	f.do(func(ctx context.Context, tx learning.Tx) error {
		for i := range manyRows {
			id := fmt.Sprintf("%03d", i)
			err := errors.Join(tx.InsertPost(ctx, post(id)), insert(ctx, tx, group(id)),
				insert(ctx, tx, chat(id, 0)), insert(ctx, tx, turnAfter(chat(id, 0), 0)))
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// inside runs a test outside a transaction, and then inside one.
func (f *fixture) inside(test func(r learning.Reader)) {
	f.t.Helper()
	test(f)
	f.do(func(_ context.Context, tx learning.Tx) error {
		test(tx)
		return nil
	})
}

func eachStops(t *testing.T, f *fixture) {
	f.fill()
	for name, read := range each {
		for _, own := range []error{errOwn, core.ErrDuplicate, core.ErrNoRecord} {
			f.inside(func(r learning.Reader) {
				rows := 0
				err := read(t.Context(), r, func() error {
					if rows++; rows == 3 {
						return own
					}
					return nil
				})
				if err != own || rows != 3 { // not wrapped
					t.Errorf("%s: fn was called %d times, error %v; want 3 times and %v", name,
						rows, err, own)
				}
			})
		}
	}
}

func eachCancelled(t *testing.T, f *fixture) {
	f.fill()
	for name, read := range each {
		ctx, cancel := context.WithCancel(t.Context())
		rows := 0
		err := read(ctx, f, func() error {
			if rows++; rows == 3 {
				cancel()
			}
			return nil
		})
		if !errors.Is(err, context.Canceled) || rows != 3 {
			t.Errorf("%s: fn was called %d times, error %v", name, rows, err)
		}
	}
}

func eachCancelledBefore(t *testing.T, f *fixture) {
	f.fill()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, read := range each {
		err := read(ctx, f, func() error {
			t.Errorf("%s: fn was called", name)
			return nil
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func eachFrees(t *testing.T, f *fixture) {
	f.fill()
	for range 30 { // more than the connections of a pool
		for _, read := range each {
			if err := read(t.Context(), f, func() error { return errOwn }); !errors.Is(err,
				errOwn) {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			_ = read(ctx, f, func() error { cancel(); return nil })
			func() {
				defer func() { _ = recover() }()
				_ = read(t.Context(), f, func() error { panic("boom") })
			}()
		}
	}
	f.do(func(ctx context.Context, tx learning.Tx) error {
		for _, read := range each {
			if err := read(ctx, tx, func() error { return errOwn }); !errors.Is(err, errOwn) {
				t.Error(err)
			}
		}
		return tx.InsertUser(ctx, user("after"))
	})
	got, err := f.User(t.Context(), "after")
	equal(t, got, err, user("after"))
}

func eachAside(t *testing.T, f *fixture) {
	f.fill()
	for name, read := range each {
		rows := 0
		err := read(t.Context(), f, func() error {
			if rows++; rows > 3 {
				return nil
			}
			u := user(fmt.Sprint(name, rows))
			u.CreatedAt = noon.Add(time.Hour)
			f.add(u)
			got, err := f.User(t.Context(), u.ID)
			equal(t, got, err, u)
			return nil
		})
		if err != nil || rows < manyRows {
			t.Errorf("%s: %d rows: %v", name, rows, err)
		}
	}
}
