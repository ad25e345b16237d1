package learning_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/openlectern/openlectern/internal/exportlist"
	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/people"
)

func TestExport_NeedsAUserWhoIsNotDeleted(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		if _, err := w.Platform.Export(t.Context(), learning.Actor{}); !errors.Is(err,
			core.ErrUnauthenticated) {
			t.Errorf("without a caller: %v", err)
		}
		ada := w.Person(t, "ada", core.Student)
		export, err := w.Platform.Export(t.Context(), ada)
		if err != nil || export.User == nil || export.User.Email == "" ||
			export.Application != nil {
			t.Fatalf("%+v (%v)", export, err)
		}
		if err := export.Check(t.Context()); err != nil {
			t.Error(err)
		}
		w.DeleteUser(t, "ada")
		if err := export.Check(t.Context()); !errors.Is(err, people.ErrUserNotFound) {
			t.Errorf("an export whose user was deleted: %v", err)
		}
		if _, err := w.Platform.Export(t.Context(), ada); !errors.Is(err,
			core.ErrUnauthenticated) {
			t.Errorf("by a deleted user: %v", err)
		}
		for _, id := range []string{"ada", "nobody", "", "ada ", "\xff"} {
			if _, err := w.Platform.System().Export(t.Context(), id); !errors.Is(err,
				people.ErrUserNotFound) {
				t.Errorf("by a command, of %q: %v", id, err)
			}
		}
	})
}

// A caller may have rows before the record arrives, such as a post.
func TestExport_BeforeTheRecordHasArrived(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		early := learning.Actor{UserID: "early", Role: core.Student}
		if _, err := w.Platform.Community.CreatePost(t.Context(), early,
			community.NewPost{Title: "First", Content: "Hello"}); err != nil {
			t.Fatal(err)
		}
		export, err := w.Platform.Export(t.Context(), early)
		if err != nil {
			t.Fatal(err)
		}
		posts, err := roomtest.RowsOf(exportedList(t, export, "posts").Rows, nil)
		if err != nil || len(posts) != 1 || export.User != nil {
			t.Errorf("%d posts, user %v (%v)", len(posts), export.User, err)
		}
		if err := export.Check(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// Rows of different lengths must not make a part larger than the rows that an export reads at once.
func TestExport_ReadsFewRowsAtOnce(t *testing.T) {
	t.Parallel()
	reads := &pageSizes{}
	w := roomtest.New(t, "sqlite:"+t.TempDir()+"/learning.db",
		learningtest.WithStore(
			func(s learning.Store) learning.Store { reads.Store = s; return reads }))
	ada := w.Person(t, "ada", core.Student)
	export, err := w.Platform.Export(t.Context(), ada)
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range export.Lists {
		if _, err := roomtest.RowsOf(list.Rows, nil); err != nil {
			t.Fatal(err)
		}
	}
	if reads.largest != 200 {
		t.Errorf("a part of %d rows was read at once, want 200", reads.largest)
	}
}

// exportedList returns the list of an export with a name.
func exportedList(t *testing.T, e *learning.Export, name string) learning.ExportedList {
	t.Helper()
	i := slices.IndexFunc(e.Lists, func(l learning.ExportedList) bool { return l.Name == name })
	if i < 0 {
		t.Fatalf("the export has no list %q", name)
	}
	return e.Lists[i]
}

// pageSizes is a store that records the largest part of an export that was asked for.
type pageSizes struct {
	learning.Store
	largest int
}

func (s *pageSizes) ExportRows(
	ctx context.Context, list exportlist.List, userID string, after []any, limit int,
) ([]exportlist.Row, error) {
	s.largest = max(s.largest, limit)
	return s.Store.ExportRows(ctx, list, userID, after, limit)
}
