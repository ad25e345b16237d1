package httpapi

import (
	"net/http"

	"github.com/openlectern/openlectern/learning/core"
)

// Access is the rule that says who may call a route. [New] refuses a route with the zero
// Access.
type Access uint8

// The access rules (docs/api.md §1). The platform decides what depends on the object, such as
// its owner. Their order matters: those from AnyToken to Admins need a token, and those from
// Educators to Admins a role.
const (
	noRule       Access = iota
	Public              // every caller; an invalid token is ignored
	OptionalAuth        // every caller; the answer says more to a signed-in one
	AnyToken            // a caller with a valid token, also a deleted user
	SignedIn            // a user
	Educators           // a user with the role educator
	Staff               // a user with the role educator or admin
	Admins              // a user with the role admin
	Signature           // a provider; the handler verifies the signature itself
)

// needsToken reports whether the rule refuses every caller without a valid token.
func (rule Access) needsToken() bool { return rule >= AnyToken && rule <= Admins }

// authorize applies the access rule of a route and sets the actor:
//
//	rule               token needed  user read  role needed
//	Public, Signature  no            no         no
//	OptionalAuth       no            if valid   no
//	AnyToken           yes           no         no
//	SignedIn           yes           yes        no
//	Educators          yes           yes        educator
//	Staff              yes           yes        educator or admin
//	Admins             yes           yes        admin
func (c *call) authorize(w http.ResponseWriter, rule Access) (err error) {
	switch rule {
	case Public, Signature:
		return nil
	case OptionalAuth:
		return c.identifyOptional(w)
	}
	// From here on the answer is for one user only, also if it is a refusal.
	w.Header().Set("Cache-Control", privateAnswer)
	claims, err := c.claims()
	if err != nil {
		return err
	}
	if claims.UserID == "" {
		return core.ErrUnauthenticated
	}
	if rule == AnyToken {
		return nil
	}
	// Identify reads the account, so that a changed role holds with tokens issued before.
	if c.actor, err = c.api.platform.People.Identify(c.Context(), claims); err != nil {
		return err
	}
	switch rule {
	case Educators:
		return c.actor.RequireRole(core.Educator)
	case Staff:
		return c.actor.RequireRole(core.Educator, core.Admin)
	case Admins:
		return c.actor.RequireRole(core.Admin)
	default: // SignedIn: a user with any role
		return c.actor.Require()
	}
}

// identifyOptional sets the actor of a route with optional authentication. A caller whose
// token is missing, invalid or cannot be verified now stays anonymous, as does a user who was
// deleted. It returns an error only if the account cannot be read.
func (c *call) identifyOptional(w http.ResponseWriter) (err error) {
	w.Header().Add("Vary", "Authorization")
	claims, err := c.claims()
	if err != nil || claims.UserID == "" {
		return nil
	}
	if c.actor, err = c.api.platform.People.Identify(c.Context(), claims); err != nil {
		return err
	}
	if c.actor.SignedIn() { // the answer may be for this user only
		w.Header().Set("Cache-Control", privateAnswer)
	}
	return nil
}

// privateAnswer is the Cache-Control of answers for one user only.
const privateAnswer = "private, no-store"
