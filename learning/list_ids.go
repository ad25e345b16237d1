package learning

import (
	"encoding/binary"
	"slices"

	"github.com/google/uuid"
)

// idList is a list of ids that takes little memory: 17 bytes for a UUID, and one
// or two bytes more than its length for another id.
type idList struct{ packed []byte }

// add appends an id.
func (l *idList) add(id string) {
	if u, err := uuid.Parse(id); err == nil && u.String() == id {
		l.packed = append(append(l.packed, 0), u[:]...)
		return
	}
	l.packed = append(binary.AppendUvarint(l.packed, uint64(len(id))+1), id...)
}

// compact releases the memory that the list reserved in order to grow.
func (l *idList) compact() { l.packed = slices.Clone(l.packed) }

// first returns the first n ids, or all if there are fewer.
func (l *idList) first(n int) []string {
	var ids []string
	for rest := l.packed; len(rest) > 0 && len(ids) < n; {
		var id string
		id, rest = unpackID(rest)
		ids = append(ids, id)
	}
	return ids
}

// drop removes the first id.
func (l *idList) drop() { _, l.packed = unpackID(l.packed) }

// unpackID returns the first id of a packed list, and the list without it.
func unpackID(packed []byte) (id string, rest []byte) {
	length, n := binary.Uvarint(packed)
	if rest = packed[n:]; length == 0 {
		return uuid.UUID(rest[:16]).String(), rest[16:]
	}
	return string(rest[:length-1]), rest[length-1:]
}
