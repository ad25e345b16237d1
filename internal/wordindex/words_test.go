package wordindex

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDistinct(t *testing.T) {
	for text, want := range map[string][]string{
		"":                      nil,
		"Go, go — GO!":          {"go"},
		"Crème brûlée 2":        {"creme", "brulee", "2"},
		"日本 Go":                 {"日", "本", "go"},
		strings.Repeat("x", 70): {strings.Repeat("x", 64)},
	} {
		if diff := cmp.Diff(want, Distinct(text, 10)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
	if got := Distinct("one two three", 2); len(got) != 2 {
		t.Errorf("more words than the limit: %q", got)
	}
}

func TestBeginnings_LongestFirstWithoutPrefixes(t *testing.T) {
	if diff := cmp.Diff([]string{"golang", "web"}, Beginnings("go web golang we", 10)); diff != "" {
		t.Error(diff)
	}
}

// Records are indexed in groups of at most MaxRow words, and one with more words alone.
func TestIndexAll_GroupsByWords(t *testing.T) {
	left := []int{MaxRow - 1, 1, 1, MaxRow + 1, 2}
	var groups [][]int
	n, err := IndexAll(t.Context(),
		func(context.Context, int) ([]int, error) { return left, nil },
		func(words int) Row { return Row{Own: make([]string, words)} },
		func(_ context.Context, records []int, rows []Row) error {
			groups = append(groups, slices.Clone(records))
			if len(rows) != len(records) {
				t.Errorf("%d rows of %d records", len(rows), len(records))
			}
			left = left[len(records):]
			return nil
		})
	if err != nil || n != 5 {
		t.Errorf("%d records: %v", n, err)
	}
	want := [][]int{{MaxRow - 1, 1}, {1}, {MaxRow + 1}, {2}}
	if diff := cmp.Diff(want, groups); diff != "" {
		t.Error(diff)
	}
}
