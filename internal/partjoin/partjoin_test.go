package partjoin_test

import (
	"slices"
	"testing"

	"github.com/openlectern/openlectern/internal/partjoin"
)

// However small the pieces of an upload are, it has few parts, and writes each byte at most six
// times.
func TestFrom_FewPartsAndFewWrites(t *testing.T) {
	size := func(n int64) int64 { return n }
	for _, piece := range []int64{1, 31, 32, 1_000, 131_072, 3_999_999, 4_000_000} {
		var parts []int64
		var arrived, written int64
		for range 20_000 {
			parts = append(parts, piece)
			arrived, written = arrived+piece, written+piece
			from := partjoin.From(parts, size)
			if from == len(parts)-1 {
				continue
			}
			var joined int64
			for _, n := range parts[from:] {
				joined += n
			}
			written += joined
			parts = append(parts[:from], joined)
		}
		small := slices.DeleteFunc(slices.Clone(parts),
			func(n int64) bool { return n >= partjoin.MaxPart/2 })
		if len(small) > 5*31 {
			t.Errorf("pieces of %d bytes: %d parts that are not full", piece, len(small))
		}
		if written > 6*arrived {
			t.Errorf("pieces of %d bytes: %d bytes written of %d", piece, written, arrived)
		}
	}
}

func TestFrom_WithoutParts(t *testing.T) {
	if from := partjoin.From(nil, func(n int64) int64 { return n }); from != 0 {
		t.Errorf("the first of no parts is %d", from)
	}
}
