package httpapi

import (
	"errors"
	"net/http"
	"strings"

	"github.com/julienschmidt/httprouter"

	"github.com/openlectern/openlectern/learning"
)

// call is one request on its way through a route.
type call struct {
	*http.Request
	api    *api
	params httprouter.Params
	body   []byte // JSON that fulfils the route's schema

	actor learning.Actor // as the access rule found it; nobody on a route without one

	charge func() error // takes the limit of the route; nil on a route without one

	held int64 // bytes that are counted as this answer's

	who *caller

	releases []func() // what the request holds until it ends
}

// atEnd has release called when the request ends.
func (c *call) atEnd(release func()) { c.releases = append(c.releases, release) }

func (c *call) end() {
	for _, release := range c.releases {
		release()
	}
}

// caller is what the token of a request says, verified once.
type caller struct {
	claims    learning.Claims
	claimsErr error
}

// param is a parameter of the path, decoded.
func (c *call) param(name string) string { return c.params.ByName(name) }

// claims are those of the request's token: none when there is no token, or one
// that is not to be believed. The error says that tokens cannot be verified at
// all at the moment.
func (c *call) claims() (learning.Claims, error) {
	if c.who == nil {
		c.who = &caller{}
		c.who.claims, c.who.claimsErr = c.authenticate()
		note(c.Request).user = c.who.claims.UserID
	}
	return c.who.claims, c.who.claimsErr
}

// isKnown reports whether the request has a valid token.
func (c *call) isKnown() bool {
	claims, err := c.claims()
	return err == nil && claims.UserID != ""
}

func (c *call) authenticate() (learning.Claims, error) {
	token := bearer(c.Header.Get("Authorization"))
	if token == "" {
		return learning.Claims{}, nil
	}
	claims, err := c.api.platform.Authenticate(c.Context(), token)
	if errors.Is(err, learning.ErrInvalidToken) {
		return learning.Claims{}, nil
	}
	return claims, err
}

// bearer is the token of an Authorization header (RFC 6750); the scheme's case
// does not matter (RFC 9110).
func bearer(header string) string {
	scheme, token, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}
