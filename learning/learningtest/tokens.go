package learningtest

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
)

// Tokens tests the sign-in of a host: what [people.TokenVerifier] promises. sign returns a token
// with claims that ends at a time: a token of the host's own, or the text by which it finds a
// session. IssuedAt of the claims is in the past, in whole seconds. It may be left out of the
// token, and the verifier may return a later time, such as the present one for a role that it reads
// from a table.
func Tokens(
	t *testing.T, verifier people.TokenVerifier,
	sign func(t *testing.T, claims people.Claims, until time.Time) string,
) {
	t.Helper()
	now := time.Now().Truncate(time.Second)
	claims := people.Claims{UserID: "user-1", Role: core.Educator, IssuedAt: now.Add(-time.Minute)}
	t.Run("accepts its own", func(t *testing.T) {
		for _, role := range []core.Role{core.Student, core.Educator, core.Admin} {
			claims.Role = role
			got, err := verifier.VerifyToken(t.Context(), sign(t, claims, now.Add(time.Hour)))
			if err != nil {
				t.Fatalf("a token of %+v, which has not ended: %v", claims, err)
			}
			if got.UserID != claims.UserID || core.ParseRole(string(got.Role)) != role {
				t.Errorf("user %q with the role %q, want %q and %q", got.UserID, got.Role,
					claims.UserID, role)
			}
			isOrdered := got.IssuedAt.IsZero() || !got.IssuedAt.Before(claims.IssuedAt) &&
				!got.IssuedAt.After(time.Now().Add(time.Minute))
			if !isOrdered {
				t.Errorf("IssuedAt is %v, want zero or a time from %v to now", got.IssuedAt,
					claims.IssuedAt)
			}
		}
	})
	good := sign(t, claims, now.Add(time.Hour))
	for name, token := range map[string]string{
		"refuses none":               "",
		"refuses another":            "x",
		"refuses one of many bytes":  strings.Repeat("x", 1<<20),
		"refuses what is no text":    "\x00\xff",
		"refuses one that is cut":    good[:len(good)-1],
		"refuses one that has ended": sign(t, claims, now.Add(-time.Hour)),
		"refuses one with more text": good + good,
		"refuses one with a change":  changed(good),
	} {
		t.Run(name, func(t *testing.T) {
			got, err := verifier.VerifyToken(t.Context(), token)
			if !errors.Is(err, people.ErrInvalidToken) {
				t.Errorf("%+v, %v; want people.ErrInvalidToken", got, err)
			}
		})
	}
}

// changed returns a token with another character in the middle.
func changed(token string) string {
	b := []byte(token)
	middle := len(b) / 2
	if b[middle] == 'A' {
		b[middle] = 'B'
	} else {
		b[middle] = 'A'
	}
	return string(b)
}
