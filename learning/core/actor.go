package core

import "slices"

// Actor is the caller of an operation. The zero Actor is a caller who is not signed
// in. Every operation that checks permissions takes an Actor as an argument, so that
// a forgotten Actor is refused.
type Actor struct {
	// id at the identity provider, and of the user record; "" if the caller is not signed in
	UserID string
	Role   Role   // the current role; see [RoleAssignment]
	Name   string // as shown to others; "User" if there is no user record yet

	HasRecord bool // the record of the user was read; Identify sets it
}

// ServicePrefix begins the id of an actor that is a service of the host. The name of the service
// follows it.
const ServicePrefix = "service:"

// SignedIn reports whether the caller is signed in.
func (a Actor) SignedIn() bool { return a.UserID != "" }

// Require returns [ErrUnauthenticated] if the actor is not signed in.
func (a Actor) Require() error {
	if !a.SignedIn() {
		return ErrUnauthenticated
	}
	return nil
}

// RequireRole returns nil if the actor has one of the roles, [ErrUnauthenticated] if the actor
// is not signed in, and else [ErrForbidden]. The roles are not ranked: an admin
// does not have the rights of an educator (docs/api.md §3).
func (a Actor) RequireRole(roles ...Role) error {
	if err := a.Require(); err != nil {
		return err
	}
	if !slices.Contains(roles, a.Role) {
		return ErrForbidden
	}
	return nil
}

// Role is the role of a signed-in user.
type Role string

// The roles of docs/api.md §3.
const (
	Student  Role = "student"
	Educator Role = "educator"
	Admin    Role = "admin"
)

// ParseRole returns the role with the name s, or [Student] if there is no such role.
func ParseRole(s string) Role {
	switch r := Role(s); r {
	case Educator, Admin:
		return r
	default:
		return Student
	}
}
