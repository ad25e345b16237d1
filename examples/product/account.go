package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"errors"
	"net/http"
	"sync"
	"time"

	"golang.org/x/crypto/bcrypt"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/people"
)

// accounts is the sign-in of the product. It is a people.TokenVerifier and a people.RoleGranter.
type accounts struct {
	db       *sql.DB
	platform *learning.Platform
}

const (
	cookieName    = "session"
	sessionLength = 30 * 24 * time.Hour
	minPassword   = 12 // characters; bcrypt reads 72 bytes at most
	maxPassword   = 72
)

// cost is how slow the hash of a password is.
var cost = bcrypt.DefaultCost // less in tests

// noPassword is the hash of a text that is no password.
var noPassword = sync.OnceValue(func() []byte {
	hash, err := bcrypt.GenerateFromPassword([]byte(rand.Text()), cost)
	if err != nil {
		panic(err) // cannot happen: the text is short, and the cost is valid
	}
	return hash
})

// signUp creates an account.
func (a *accounts) signUp(w http.ResponseWriter, r *http.Request) {
	name, email, password := r.FormValue("name"), r.FormValue("email"), r.FormValue("password")
	if name == "" || email == "" || len(password) < minPassword || len(password) > maxPassword {
		http.Error(w, "give a name, an e-mail address and a password of 12 to 72 bytes",
			http.StatusBadRequest)
		return
	}
	hash, err := bcrypt.GenerateFromPassword([]byte(password), cost)
	if err != nil {
		fail(w, r, err)
		return
	}
	result, err := a.db.ExecContext(r.Context(), `INSERT INTO accounts (id, email, name, password)
		VALUES ($1, $2, $3, $4) ON CONFLICT (email) DO NOTHING`, "account_"+rand.Text(), email,
		name, hash)
	if err != nil {
		fail(w, r, err)
		return
	}
	if added, err := result.RowsAffected(); err != nil || added == 0 {
		http.Error(w, "this e-mail address has an account: sign in", http.StatusConflict)
		return
	}
	w.WriteHeader(http.StatusCreated)
}

// signIn checks a password, tells the school of the user, and begins a session.
func (a *accounts) signIn(w http.ResponseWriter, r *http.Request) {
	var id, name, email string
	var hash []byte
	err := a.db.QueryRowContext(r.Context(),
		"SELECT id, name, email, password FROM accounts WHERE email = $1",
		r.FormValue("email")).Scan(&id, &name, &email, &hash)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		fail(w, r, err)
		return
	}
	if len(hash) == 0 { // a missing account takes as long as a wrong password
		hash = noPassword()
	}
	if bcrypt.CompareHashAndPassword(hash, []byte(r.FormValue("password"))) != nil {
		http.Error(w, "wrong e-mail address or password", http.StatusUnauthorized)
		return
	}

	// The school has a record of those who sign in. The same event again changes nothing.
	err = a.platform.System().ApplyIdentityEvent(r.Context(), people.IdentityEvent{
		Type: people.UserUpdated, User: people.IdentityUser{ID: id, FirstName: name,
			Emails: []people.IdentityEmail{{Address: email}}}})
	if err != nil {
		fail(w, r, err)
		return
	}
	token, ends := rand.Text(), time.Now().Add(sessionLength)
	_, err = a.db.ExecContext(r.Context(),
		"INSERT INTO sessions (token, account_id, ends_at) VALUES ($1, $2, $3)", hashOf(token), id,
		ends)
	if err != nil {
		fail(w, r, err)
		return
	}
	// SameSite and the check of the Origin in the school keep the pages of other sites out.
	http.SetCookie(w, &http.Cookie{Name: cookieName, Value: token, Path: "/", Expires: ends,
		HttpOnly: true, SameSite: http.SameSiteLaxMode})
}

// signOut ends a session.
func (a *accounts) signOut(w http.ResponseWriter, r *http.Request) {
	if cookie, err := r.Cookie(cookieName); err == nil {
		_, err = a.db.ExecContext(r.Context(), "DELETE FROM sessions WHERE token = $1",
			hashOf(cookie.Value))
		if err != nil {
			fail(w, r, err)
			return
		}
	}
	http.SetCookie(w, &http.Cookie{Name: cookieName, Path: "/", MaxAge: -1})
}

// VerifyToken implements [people.TokenVerifier]. The role is read for each request, so that it is
// as new as the request.
func (a *accounts) VerifyToken(ctx context.Context, token string) (people.Claims, error) {
	c := people.Claims{IssuedAt: time.Now()}
	err := a.db.QueryRowContext(ctx, `SELECT a.id, a.role FROM sessions s
		JOIN accounts a ON a.id = s.account_id WHERE s.token = $1 AND s.ends_at > now()`,
		hashOf(token)).Scan(&c.UserID, &c.Role)
	if errors.Is(err, sql.ErrNoRows) {
		return people.Claims{}, people.ErrInvalidToken
	}
	return c, err
}

// GrantRole implements [people.RoleGranter].
func (a *accounts) GrantRole(ctx context.Context, userID string, role learning.Role) error {
	_, err := a.db.ExecContext(ctx, "UPDATE accounts SET role = $1 WHERE id = $2", string(role),
		userID)
	return err
}

// hashOf returns what is stored of a token. A random text needs no salt.
func hashOf(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}
