package paging

import (
	"encoding/binary"

	"github.com/google/uuid"
)

// IDList is a list of ids that takes little memory: 17 bytes for a UUID, and one
// or two bytes more than its length for another id. Each id begins with a number: 0, and the 16
// bytes of a UUID follow, or the length of another id plus 1, and its text follows.
type IDList struct{ packed []byte }

// Add appends an id. It returns no error; its type is that of the functions that a store calls
// with rows.
func (l *IDList) Add(id string) error {
	// Parse accepts other spellings of a UUID too, which unpackID would change.
	if u, err := uuid.Parse(id); err == nil && u.String() == id {
		l.packed = append(append(l.packed, 0), u[:]...)
		return nil
	}
	l.packed = append(binary.AppendUvarint(l.packed, uint64(len(id))+1), id...)
	return nil
}

// Take removes the first n ids, or all if there are fewer, and returns them.
func (l *IDList) take(n int) []string {
	var ids []string
	for len(l.packed) > 0 && len(ids) < n {
		var id string
		id, l.packed = unpackID(l.packed)
		ids = append(ids, id)
	}
	return ids
}

// unpackID returns the first id of a packed list, and the list without it.
func unpackID(packed []byte) (id string, rest []byte) {
	number, n := binary.Uvarint(packed) // see IDList
	rest = packed[n:]
	if isUUID := number == 0; isUUID {
		return uuid.UUID(rest[:16]).String(), rest[16:]
	}
	length := number - 1
	return string(rest[:length]), rest[length:]
}
