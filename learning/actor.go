package learning

// Actor is who is calling. The zero Actor is nobody: every use case that has a
// rule about people takes one explicitly, so that forgetting it cannot mean
// "allowed".
type Actor struct {
	UserID string // id at the identity provider, and of the user record; "" for nobody
	Role   Role   // what the person may do now; see [RoleAssignment]
	Name   string // as shown to others; "User" while the record has not arrived
}

// SignedIn tells whether the actor is somebody.
func (a Actor) SignedIn() bool { return a.UserID != "" }

// Require is nil for an actor who is signed in, [ErrUnauthenticated] otherwise.
func (a Actor) Require() error {
	if !a.SignedIn() {
		return ErrUnauthenticated
	}
	return nil
}

// RequireRole is nil for a signed-in actor with exactly this role. The roles are
// not ranked: an admin is no educator (docs/api.md §3).
func (a Actor) RequireRole(role Role) error {
	if err := a.Require(); err != nil {
		return err
	}
	if a.Role != role {
		return ErrForbidden
	}
	return nil
}
