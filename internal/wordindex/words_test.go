package wordindex

import (
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
