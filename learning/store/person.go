package store

import (
	"github.com/openlectern/openlectern/learning/core"
)

// person returns the public form of a user. name and imageURL are nil if there is no record, and
// deletedAt is zero if the user was not deleted. Without a record, and for a deleted user, the name
// is a placeholder.
func person(id string, name, imageURL *string, deletedAt timestamp) core.Person {
	switch {
	case name == nil:
		return core.Person{ID: id, Name: core.UnknownUser}
	case !deletedAt.Time().IsZero():
		return core.Person{ID: id, Name: core.DeletedUser}
	default:
		return core.Person{ID: id, Name: *name, ImageURL: *imageURL}
	}
}
