package learning_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/study"
)

// manyRows is more than two of the parts that a list of all rows reads at a time.
const manyRows = 450

func TestAll_EndsAfterAnError(t *testing.T) {
	t.Parallel()
	broken := errors.New("the database is gone")
	reads := 0
	all := core.All(func(page learning.PageRequest) (learning.Page[int], error) {
		if reads++; reads == 2 {
			return learning.Page[int]{Next: core.Position{ID: "more"}}, broken
		}
		return learning.Page[int]{Rows: []int{1, 2}, Next: core.Position{ID: "2"}}, nil
	})
	var rows []int
	var errs []error
	for row, err := range all { // it goes on after an error, as few callers do
		if err != nil {
			errs = append(errs, err)
			continue
		}
		rows = append(rows, row)
	}
	if !slices.Equal(rows, []int{1, 2}) || len(errs) != 1 || errs[0] != broken || reads != 2 {
		t.Errorf("rows %v and errors %v of %d pages, want two rows, one error, two pages", rows,
			errs, reads)
	}
}

func TestAll_ReadsNoPageThatIsNotNeeded(t *testing.T) {
	t.Parallel()
	var asked []learning.PageRequest
	all := core.All(func(page learning.PageRequest) (learning.Page[int], error) {
		asked = append(asked, page)
		found := learning.Page[int]{Rows: []int{1, 2},
			Next: core.Position{ID: fmt.Sprint(len(asked))}}
		if len(asked) == 3 {
			found.Next = core.Position{}
		}
		return found, nil
	})
	for range all {
		break
	}
	if len(asked) != 1 {
		t.Errorf("%d pages are read for one row", len(asked))
	}
	asked = nil
	rows, err := roomtest.RowsOf(all, nil)
	if err != nil || len(rows) != 6 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	want := []learning.PageRequest{
		{Limit: 200},
		{Limit: 200, After: core.Position{ID: "1"}},
		{Limit: 200, After: core.Position{ID: "2"}},
	}
	if !slices.Equal(asked, want) {
		t.Errorf("the pages %v are asked for, want %v", asked, want)
	}
}

// A page with fewer rows than its limit, or with none, is not the last one if it has a position.
func TestAll_ContinuesAfterAnEmptyPage(t *testing.T) {
	t.Parallel()
	pages := []learning.Page[int]{
		{Next: core.Position{ID: "a"}},
		{Rows: []int{1}, Next: core.Position{ID: "b"}},
		{Rows: []int{2}},
	}
	rows, err := roomtest.RowsOf(core.All(func(learning.PageRequest) (learning.Page[int], error) {
		page := pages[0]
		pages = pages[1:]
		return page, nil
	}), nil)
	if err != nil || !slices.Equal(rows, []int{1, 2}) || len(pages) != 0 {
		t.Errorf("%v, %v; %d pages were not read", rows, err, len(pages))
	}
}

// A row that exists throughout is read once, also if others are inserted and deleted meanwhile.
func TestAll_RowsThatChangeMeanwhile(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		w.Fill(t, manyRows)
		all := core.All(func(page learning.PageRequest) (learning.Page[people.UserReport],
			error) {
			return w.Platform.People.Users(ctx(), roomtest.Boss, people.UserQuery{}, page)
		})
		seen := map[string]int{}
		n, deleted := 0, ""
		for u, err := range all {
			roomtest.Must(t, err)
			seen[u.ID]++
			if n++; n != 250 { // two parts are read, and the third one is not
				continue
			}
			w.Fill(t, 3)
			for i := range manyRows {
				if deleted = fmt.Sprintf("filled-%d-%d", manyRows, i); seen[deleted] == 0 &&
					i%7 == 0 {
					break
				}
			}
			w.DeleteUser(t, deleted)
		}
		for i := range manyRows {
			id := fmt.Sprintf("filled-%d-%d", manyRows, i)
			if want := 1; id != deleted && seen[id] != want {
				t.Errorf("%s was read %d times", id, seen[id])
			}
		}
		for id, times := range seen {
			if times > 1 {
				t.Errorf("%s was read %d times", id, times)
			}
		}
	})
}

func TestAllPosts_OrderThatChangesMeanwhile(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		ada := w.Person(t, "ada", core.Student)
		want := w.InsertPosts(t, manyRows)
		q := community.PostQuery{Tab: community.TrendingPosts}
		list, err := w.Platform.Community.AllPosts(ctx(), learning.Actor{}, q)
		roomtest.Must(t, err)
		if list.Held < 8*manyRows || list.Held > 20*manyRows {
			t.Errorf("the order of %d posts holds %d bytes", manyRows, list.Held)
		}
		var got []string
		for post, err := range list.All {
			roomtest.Must(t, err)
			if got = append(got, post.ID); len(got) != 2 {
				continue
			}
			for _, voted := range want[manyRows-2:] { // now sorted before the rows that were read
				_, err := w.Platform.Community.TogglePostVote(ctx(), ada, voted)
				roomtest.Must(t, err)
			}
			roomtest.Must(t, w.Platform.Community.DeletePost(ctx(), ada, want[manyRows-3]))
		}
		if want = slices.Delete(want, manyRows-3, manyRows-2); !slices.Equal(got, want) {
			t.Errorf("read %q, want %q", got, want)
		}
	})
}

func TestThread_RepliesInParts(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		ada := w.Person(t, "ada", core.Student)
		post := w.NewPost(t, ada, "")
		var want []string
		roomtest.Must(t, w.Store.InTx(ctx(), func(tx learning.Tx) error {
			want = nil
			for i := range manyRows {
				at := w.Clock.Now().Add(time.Duration(i) * time.Second)
				reply := community.Reply{
					ID: fmt.Sprintf("reply-%03d", i), PostID: post.ID, Content: "A text",
					Author: core.Person{ID: "ada"}, CreatedAt: at, UpdatedAt: at,
				}
				if err := tx.InsertReply(ctx(), reply); err != nil {
					return err
				}
				want = append(want, reply.ID)
			}
			return nil
		}))
		w.Clock.Advance(manyRows * time.Second)
		accepted := want[250]
		_, err := w.Platform.Community.ToggleAccepted(ctx(), ada, post.ID, accepted)
		roomtest.Must(t, err)
		want = slices.Insert(slices.Delete(want, 250, 251), 0, accepted)
		thread, err := w.Platform.Community.Thread(ctx(), ada, post.ID)
		roomtest.Must(t, err)
		var got []string
		for reply, err := range thread.Replies {
			roomtest.Must(t, err)
			if got = append(got, reply.ID); len(got) == 2 {
				want = append(want, w.NewReply(t, ada, post.ID).ID)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("read %q, want %q", got, want)
		}
	})
}

// TestPageRequest_LimitIsFromOneTo1000 calls each operation that takes a page.
func TestPageRequest_LimitIsFromOneTo1000(t *testing.T) {
	t.Parallel()
	w := roomtest.New(t, roomtest.SQLite(t))
	course := w.Course(t, "course", 0)
	ada := w.Enrolls(t, "ada", course)
	lists := 0
	for name, v := range roomtest.Operations(w.Platform) {
		if !slices.Contains(slices.Collect(v.Type().Ins()), reflect.TypeFor[learning.PageRequest]()) {
			continue
		}
		lists++
		read := func(actor learning.Actor, limit int) error {
			var in []reflect.Value
			for kind := range v.Type().Ins() {
				arg := reflect.New(kind).Elem()
				switch kind {
				case reflect.TypeFor[context.Context]():
					arg.Set(reflect.ValueOf(ctx()))
				case reflect.TypeFor[learning.Actor]():
					arg.Set(reflect.ValueOf(actor))
				case reflect.TypeFor[learning.PageRequest]():
					arg.Set(reflect.ValueOf(learning.PageRequest{Limit: limit}))
				case reflect.TypeFor[string]():
					arg.SetString(course)
				case reflect.TypeFor[int](): // the number of a page
					arg.SetInt(1)
				}
				in = append(in, arg)
			}
			results := v.Call(in)
			err, _ := results[len(results)-1].Interface().(error)
			return err
		}
		for limit, want := range map[int]error{-1: core.ErrInvalidRequest,
			0: core.ErrInvalidRequest, 1: nil, 1000: nil, 1001: core.ErrInvalidRequest} {
			err := read(roomtest.Boss, limit)
			switch {
			case errors.Is(err, core.ErrForbidden): // it is for educators
				err = read(roomtest.Teacher, limit)
			case errors.Is(err, study.ErrNotPurchased):
				err = read(ada, limit)
			}
			if !errors.Is(err, want) {
				t.Errorf("%s with the limit %d: %v, want %v", name, limit, err, want)
			}
		}
	}
	if lists < 14 {
		t.Errorf("%d operations take a page", lists)
	}
}
