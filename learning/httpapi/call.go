package httpapi

import (
	"errors"
	"strings"

	"github.com/openlectern/openlectern/internal/web"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
)

// call is a request to a route.
type call struct {
	web.Call
	api  *api
	body any // decoded JSON that fulfils the route's schema

	bodyErr error // why there is no body, for an action that judges it

	actor core.Actor // set by the access rule; the zero Actor on a route without one

	limit *rateLimit // of the route; nil for none
	quota *quota     // set by admit

	who *caller // nil until claims is called
}

// caller is the result of verifying the token of a request.
type caller struct {
	claims    people.Claims
	claimsErr error
}

// claims returns the claims of the request's token, and zero Claims if the token is missing
// or invalid. It returns an error if tokens cannot be verified at the moment. The token is
// verified by the first call, which also notes the user for the log line of the request; later
// calls return the same.
func (c *call) claims() (people.Claims, error) {
	if c.who == nil {
		c.who = &caller{}
		c.who.claims, c.who.claimsErr = c.authenticate()
		web.InfoOf(c.Request).User = c.who.claims.UserID
	}
	return c.who.claims, c.who.claimsErr
}

// IsKnown reports whether the request has a valid token. A token that cannot be verified at the
// moment counts as none. Package web asks it by [web.Call.Caller].
func (c *call) IsKnown() bool {
	claims, err := c.claims()
	return err == nil && claims.UserID != ""
}

// authenticate verifies the token of the request. A missing and an invalid token are no error, but
// zero Claims; an error means that tokens cannot be verified at the moment.
func (c *call) authenticate() (people.Claims, error) {
	token := bearer(c.Header.Get("Authorization"))
	if token == "" {
		return people.Claims{}, nil
	}
	claims, err := c.api.platform.People.Authenticate(c.Context(), token)
	if errors.Is(err, people.ErrInvalidToken) {
		return people.Claims{}, nil
	}
	return claims, err
}

// bearer returns the token of an Authorization header (RFC 6750), or "" if its scheme is not
// Bearer. The scheme is compared without case (RFC 9110).
func bearer(header string) string {
	scheme, token, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}
