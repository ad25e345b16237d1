package main

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning"
)

// Visitors find bundles that are for sale, the newest first.
func TestDemo_HasBundles(t *testing.T) {
	t.Parallel()
	s := newSeededServer(t)
	s.seed(t, time.Now())
	page, err := s.platform.Bundles.Published(t.Context(), learning.PageRequest{Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	courses := map[string]int{}
	for _, b := range page.Rows {
		courses[b.Title] = len(b.Courses)
	}
	if diff := cmp.Diff(map[string]int{"Go, from the first evening to production": 3,
		"Run what you build": 3}, courses); diff != "" {
		t.Errorf("numbers of courses (-want +got):\n%s", diff)
	}
}
