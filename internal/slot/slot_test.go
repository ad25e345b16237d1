package slot

import (
	"slices"
	"testing"
)

func TestFreeSlot_FindsEachNumberOnce(t *testing.T) {
	const limit = 4
	for _, removed := range []int{-1, 0, 2} { // a number that becomes free again
		var taken []int
		for {
			slot, found := Free(taken, limit)
			if !found {
				break
			}
			if slot < 0 || slot >= limit || slices.Contains(taken, slot) {
				t.Fatalf("%d is found beside %v", slot, taken)
			}
			taken = append(taken, slot)
			if len(taken) == limit && removed >= 0 {
				taken = slices.Delete(taken, removed, removed+1)
				removed = -1
			}
		}
		if len(taken) != limit {
			t.Errorf("%v are found, want %d numbers", taken, limit)
		}
	}
}
