package learning

import (
	"context"
	"time"
)

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

// Claims is the content of a verified session token.
type Claims struct {
	UserID   string    // "sub" of a JWT: the stable id of the user
	Role     Role      // "" if the token has no statement about roles
	IssuedAt time.Time // "iat" of a JWT: when the role was read; zero if the token has none
}

// RoleAssignment is the latest role that the platform has stored for a user, by an
// approval or from an event of the identity provider. The zero RoleAssignment means
// that no role is stored.
type RoleAssignment struct {
	Role Role
	At   time.Time // of its cause, not of its arrival
}

// role returns the role of a caller with these claims. The role of a token replaces
// the assignment only if the token was issued in a later second, because tokens count
// whole seconds and a token of the same second may be older. A token without an issue
// time or a role never replaces the assignment. So an approval takes effect with the
// old token, and the role of a later token is used again.
func (d RoleAssignment) role(c Claims) Role {
	isLater := !c.IssuedAt.IsZero() && c.IssuedAt.Unix() > d.At.Unix()
	if d.At.IsZero() || (isLater && c.Role != "") {
		return ParseRole(string(c.Role))
	}
	return d.Role
}

// assignRole stores the assignment d unless a later one is stored, and returns the one that is
// stored now. Of two with the same time, the one stored last wins. stored is the assignment at the
// start of the transaction. If it is zero, assignRole inserts, because an UPDATE that matches no row
// would lock the gap in which other transactions insert. The caller must use
// [Platform.inTxRetry].
func assignRole(ctx context.Context, tx Tx, userID string, stored, d RoleAssignment) (RoleAssignment, error) {
	if stored.At.IsZero() {
		return d, tx.InsertRole(ctx, userID, d)
	}
	replaced, err := tx.UpdateRole(ctx, userID, d)
	if err != nil || !replaced {
		return stored, err
	}
	return d, nil
}
