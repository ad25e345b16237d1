package store

import "github.com/openlectern/openlectern/learning"

// person returns the public form of a user. name and imageURL are nil if there is no record, and
// deletedAt is zero if the user was not deleted. Without a record, and for a deleted user, the name
// is a placeholder.
func person(id string, name, imageURL *string, deletedAt timestamp) learning.Person {
	switch {
	case name == nil:
		return learning.Person{ID: id, Name: learning.UnknownUser}
	case !deletedAt.Time().IsZero():
		return learning.Person{ID: id, Name: learning.DeletedUser}
	default:
		return learning.Person{ID: id, Name: *name, ImageURL: *imageURL}
	}
}
