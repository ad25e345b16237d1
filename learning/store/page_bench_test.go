package store

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
)

// BenchmarkPage reads the first page, one in the middle and the last one of short and long lists.
func BenchmarkPage(b *testing.B) {
	for _, n := range []int{1_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			benchEngines(b, func(b *testing.B, s *Store) {
				fillLists(b, s, n, true)
				p, err := learning.New(s)
				if err != nil {
					b.Fatal(err)
				}
				for _, rows := range listsInPages {
					if rows.large {
						name := slices.Sorted(maps.Keys(rows.lists))[0]
						b.Run(name, func(b *testing.B) { benchPages(b, p, rows.lists[name]) })
					}
				}
			})
		})
	}
}

// benchPages reads a list to its end, and then measures three of its pages.
func benchPages(b *testing.B, p *learning.Platform, read pageReader) {
	positions := []core.Position{{}}
	for i := 0; i < len(positions); i++ {
		_, next, err := read(b.Context(), p, learning.PageRequest{After: positions[i], Limit: 100})
		if err != nil {
			b.Fatal(err)
		}
		if !next.IsZero() {
			positions = append(positions, next)
		}
	}
	for i, name := range []string{"first", "middle", "last"} {
		page := learning.PageRequest{After: positions[i*(len(positions)-1)/2], Limit: 100}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if keys, _, err := read(b.Context(), p, page); err != nil ||
					len(keys) != page.Limit {
					b.Fatal(len(keys), err)
				}
			}
		})
	}
}
