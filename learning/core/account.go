package core

import "time"

// MaxUserID is the length of the longest id of a user, in bytes. It fits into a key of every
// engine.
const MaxUserID = 191

// Person is the public part of a user.
type Person struct {
	ID       string
	Name     string
	ImageURL string
}

// DeletedUser is the displayed name of deleted users. UnknownUser is the displayed
// name of users who have no record yet.
const (
	DeletedUser = "Deleted user"
	UnknownUser = "User"
)

// AccountState is what the store knows about a user id.
type AccountState struct {
	Known          bool // there is a record or a tombstone
	Deleted        bool
	DeletedAt      time.Time // zero unless Deleted
	Name           string
	RoleAssignment RoleAssignment // zero if no role is stored
}

// RoleAssignment is the latest role that the platform has stored for a user, by an
// approval or from an event of the identity provider. The zero RoleAssignment means
// that no role is stored.
type RoleAssignment struct {
	Role Role
	At   time.Time // of its cause, not of its arrival
}
