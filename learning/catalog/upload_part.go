package catalog

// UploadPart is a stored part of an [Upload].
type UploadPart struct {
	Name string // in the [FileStore]
	Size int64  // in bytes
}

const (
	// uploadPart is the size of the largest part that is stored of a request, in bytes. A server
	// that is killed loses less than one part of what it has received.
	uploadPart = 8_000_000
	// fullPart is the size from which on a part is not joined with others before the upload is
	// complete.
	fullPart = uploadPart / 2
	// partsOfLevel is how many parts of about the same size are joined into one.
	partsOfLevel = 32
)

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

// fullLevel is above the level of all parts that are not full: they have less than
// partsOfLevel to the power of 5 bytes.
const fullLevel = 5

// joinFrom returns the first of the last parts that are to be joined into one, after the last part
// was added. It returns the index of the last part if none is to be joined.
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
func joinFrom(parts []UploadPart) int {
	from := len(parts) - 1
	if from < 0 {
		return 0
	}
	for total := parts[from].Size; ; {
		// Join all parts of lower levels.
		for from > 0 && levelOf(parts[from-1].Size) < levelOf(total) {
			from--
			total += parts[from].Size
		}
		// Join those of the same level if they make one of the next level.
		level := levelOf(total)
		first, sum := from, total
		for first > 0 && levelOf(parts[first-1].Size) == level {
			first--
			sum += parts[first].Size
		}
		isNextLevel := from-first+1 >= partsOfLevel || sum >= fullPart
		if level == fullLevel || first == from || !isNextLevel {
			return from
		}
		from, total = first, sum
	}
}

// namesOf returns the names of parts.
func namesOf(parts []UploadPart) (names []string) {
	for _, part := range parts {
		names = append(names, part.Name)
	}
	return names
}
