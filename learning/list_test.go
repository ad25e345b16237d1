package learning_test

import (
	"slices"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
)

// part reads one part of a list, and returns the ids of its rows.
func part[Row any](t *testing.T, list *learning.List[Row], rows int, id func(Row) string) (ids []string, more bool) {
	t.Helper()
	more, err := list.Next(ctx(), rows, func(row Row) error {
		ids = append(ids, id(row))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return ids, more
}

func TestList_OrderThatChangesMeanwhile(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		ada := learning.Actor{UserID: "ada", Role: learning.Student}
		w.Person(t, "ada", learning.Student)
		var want []string
		for range 5 { // want has the newest first
			want = append([]string{w.newPost(t, ada, "").ID}, want...)
			w.Clock.Advance(time.Second)
		}
		list, err := w.Platform.Posts(ctx(), learning.Actor{}, learning.PostQuery{Tab: learning.TrendingPosts})
		if err != nil {
			t.Fatal(err)
		}
		id := func(p learning.Post) string { return p.ID }
		got, _ := part(t, list, 2, id)
		for _, voted := range want[3:] { // now sorted before the rows that were read
			if _, _, err := w.Platform.TogglePostVote(ctx(), ada, voted); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Platform.DeletePost(ctx(), ada, want[2]); err != nil {
			t.Fatal(err)
		}
		for more := true; more; {
			var ids []string
			ids, more = part(t, list, 2, id)
			got = append(got, ids...)
		}
		if want = slices.Delete(want, 2, 3); !slices.Equal(got, want) {
			t.Errorf("read %q, want %q", got, want)
		}
	})
}

func TestList_RepliesInSmallParts(t *testing.T) {
	w := newFixture(t, "sqlite:"+t.TempDir()+"/learning.db")
	ada := learning.Actor{UserID: "ada", Role: learning.Student}
	w.Person(t, "ada", learning.Student)
	post := w.newPost(t, ada, "")
	var want []string
	for range 5 {
		want = append(want, w.newReply(t, ada, post.ID).ID)
		w.Clock.Advance(time.Second)
	}
	accepted := want[2]
	if _, _, err := w.Platform.ToggleAccepted(ctx(), ada, post.ID, accepted); err != nil {
		t.Fatal(err)
	}
	want = append([]string{accepted}, slices.Delete(want, 2, 3)...)
	for rows := 1; rows < 7; rows++ {
		_, list, err := w.Platform.Post(ctx(), ada, post.ID)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for more := true; more; {
			var ids []string
			ids, more = part(t, list, rows, func(r learning.Reply) string { return r.ID })
			got = append(got, ids...)
		}
		if !slices.Equal(got, want) {
			t.Errorf("in parts of %d: %q, want %q", rows, got, want)
		}
	}
}
