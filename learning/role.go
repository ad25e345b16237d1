package learning

import (
	"context"
	"time"
)

// Role is what a signed-in person is on the platform.
type Role string

// The roles of docs/api.md §3.
const (
	Student  Role = "student"
	Educator Role = "educator"
	Admin    Role = "admin"
)

// ParseRole reads a role; an absent or unknown one is [Student].
func ParseRole(s string) Role {
	switch r := Role(s); r {
	case Educator, Admin:
		return r
	default:
		return Student
	}
}

// Claims is what a verified token says.
type Claims struct {
	UserID   string    // "sub"
	Role     Role      // "metadata.role"; "" if the token has no metadata and says nothing about roles
	IssuedAt time.Time // "iat"; zero when the token has none
}

// RoleAssignment is the latest role that the platform itself has decided for a person:
// an approval, or public metadata that the identity provider sent. The zero
// RoleAssignment is none.
type RoleAssignment struct {
	Role Role
	At   time.Time // of its cause, not of its arrival
}

// role returns the role of a caller with these claims. A token is believed over a
// decision only if it was issued in a later second, because tokens count whole
// seconds and one of the same second may be older. A token without an issue time or
// without a role is never believed over a decision. So an approval works at once
// with the old token, and a later token counts again.
func (d RoleAssignment) role(c Claims) Role {
	isLater := !c.IssuedAt.IsZero() && c.IssuedAt.Unix() > d.At.Unix()
	if d.At.IsZero() || (isLater && c.Role != "") {
		return ParseRole(string(c.Role))
	}
	return d.Role
}

// assignRole stores a decision unless a later one than d stands; on a tie the last
// to arrive wins. What stood when the transaction began decides how: an UPDATE that
// finds no row would lock the gap where others insert theirs. It is to be run by
// [Platform.inTxAgain].
func assignRole(ctx context.Context, tx Tx, userID string, stood, d RoleAssignment) error {
	if stood.At.IsZero() {
		return tx.InsertRole(ctx, userID, d)
	}
	_, err := tx.UpdateRole(ctx, userID, d)
	return err
}
