// Package partjoin decides which parts of an upload are joined into one, so that an upload that
// arrives in however small pieces has few parts, and no byte is written often. It reads and writes
// none of them.
package partjoin

const (
	// MaxPart is the size of the largest part that is stored of a request, in bytes. A server that
	// is killed loses less than one part of what it has received.
	MaxPart = 8_000_000
	// fullPart is the size from which on a part is not joined with others before the upload is
	// complete.
	fullPart = MaxPart / 2
	// partsOfLevel is how many parts of about the same size are joined into one.
	partsOfLevel = 32
	// fullLevel is above the level of all parts that are not full: they have less than partsOfLevel
	// to the power of 5 bytes.
	fullLevel = 5
)

// From returns the first of the last parts that are to be joined into one, after the last part was
// added. It returns the index of the last part if none is to be joined, and 0 without parts. size
// returns the bytes of a part.
//
//	the part before the last one      joined
//	of a lower level                  yes, so that levels never rise from part to part
//	of the same level                 when the parts of the level are 32, or make a full part
//	of a higher level, or full        no
//
// So an upload has at most 31 parts of each level that is not full, in however small pieces it
// arrives. A byte is written when it arrives, and when its part is joined for the first time; from
// then on each join raises the level of its part, so that there are at most five. Of equal pieces
// of 128 KiB and more it is written twice.
func From[Part any](parts []Part, size func(Part) int64) int {
	from := len(parts) - 1
	if from < 0 {
		return 0
	}
	for total := size(parts[from]); ; {
		// Join all parts of lower levels.
		for from > 0 && levelOf(size(parts[from-1])) < levelOf(total) {
			from--
			total += size(parts[from])
		}
		// Join those of the same level if they make one of the next level.
		level := levelOf(total)
		if level == fullLevel {
			return from
		}
		first, sum := from, total
		for first > 0 && levelOf(size(parts[first-1])) == level {
			first--
			sum += size(parts[first])
		}
		isNextLevel := from-first+1 >= partsOfLevel || sum >= fullPart
		if first == from || !isNextLevel {
			return from
		}
		from, total = first, sum
	}
}

// levelOf returns the level of a part by its size: each level has parts that are up to
// [partsOfLevel] times as large as those of the level before, and the last one has the full parts.
func levelOf(size int64) int {
	if size >= fullPart {
		return fullLevel
	}
	level := 0
	for ; size >= partsOfLevel; size /= partsOfLevel {
		level++
	}
	return level
}
