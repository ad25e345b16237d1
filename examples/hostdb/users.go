package main

import (
	"context"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"log"
	"net/http"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/people"
)

// users is the sign-in of the host. It is a people.TokenVerifier and a people.RoleGranter.
type users struct {
	db       *sql.DB
	platform *learning.Platform
}

// signUp stores a user with the hash of the password.
func (u *users) signUp(w http.ResponseWriter, r *http.Request) {
	name, email, password := r.FormValue("name"), r.FormValue("email"), r.FormValue("password")
	if name == "" || email == "" || len(password) < 12 {
		http.Error(w, "give a name, an e-mail address and a password of 12 characters or more",
			http.StatusBadRequest)
		return
	}
	salt := rand.Text()
	result, err := u.db.ExecContext(r.Context(), `INSERT INTO users
		(id, email, name, salt, password, role) VALUES ($1, $2, $3, $4, $5, 'student')
		ON CONFLICT (email) DO NOTHING`, "user_"+rand.Text(), email, name, salt,
		hash(password, salt))
	if err != nil {
		fail(w, "sign up", err)
		return
	}
	if added, err := result.RowsAffected(); err != nil || added == 0 {
		http.Error(w, "this e-mail address has an account: sign in", http.StatusConflict)
	}
}

// signIn checks a password, tells the platform of the user, and answers a token. If the platform
// knows the user already, the event updates the name.
func (u *users) signIn(w http.ResponseWriter, r *http.Request) {
	// Check the password. A missing user takes as long as a wrong password.
	var id, name, salt, password string
	err := u.db.QueryRowContext(r.Context(),
		"SELECT id, name, salt, password FROM users WHERE email = $1", r.FormValue("email")).Scan(
		&id, &name, &salt, &password)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		fail(w, "read a user", err)
		return
	}
	given := hash(r.FormValue("password"), salt)
	if subtle.ConstantTimeCompare([]byte(given), []byte(password)) == 0 {
		http.Error(w, "wrong e-mail address or password", http.StatusUnauthorized)
		return
	}

	// A user can buy and be enrolled once the platform has a record of the user.
	err = u.platform.System().ApplyIdentityEvent(r.Context(), people.IdentityEvent{
		Type: people.UserUpdated, User: people.IdentityUser{ID: id, FirstName: name}})
	if err != nil {
		fail(w, "tell the platform of a user", err)
		return
	}

	// Begin a session. Its token is stored as a hash, so that a reader of the table cannot use it.
	token := rand.Text()
	_, err = u.db.ExecContext(r.Context(),
		"INSERT INTO sessions (token, user_id) VALUES ($1, $2)", hashOfToken(token), id)
	if err != nil {
		fail(w, "begin a session", err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]string{"token": token})
}

// VerifyToken returns the claims of a session, and people.ErrInvalidToken if there is none. The
// role is read for each request, so the claims are as new as the request.
func (u *users) VerifyToken(ctx context.Context, token string) (people.Claims, error) {
	c := people.Claims{IssuedAt: time.Now()}
	err := u.db.QueryRowContext(ctx, `SELECT u.id, u.role FROM sessions s
		JOIN users u ON u.id = s.user_id WHERE s.token = $1`, hashOfToken(token)).Scan(&c.UserID,
		&c.Role)
	if errors.Is(err, sql.ErrNoRows) {
		return people.Claims{}, people.ErrInvalidToken
	}
	return c, err
}

// GrantRole stores the role that an admin has given to a user.
func (u *users) GrantRole(ctx context.Context, userID string, role learning.Role) error {
	_, err := u.db.ExecContext(ctx, "UPDATE users SET role = $1 WHERE id = $2", string(role),
		userID)
	return err
}

// iterations is how slow hash is, for a thief of the table too.
var iterations = 600_000 // less in tests

// hash returns what is stored of a password.
func hash(password, salt string) string {
	const length = 32
	key, err := pbkdf2.Key(sha256.New, password, []byte(salt), iterations, length)
	if err != nil {
		panic(err) // cannot happen: the parameters are valid
	}
	return hex.EncodeToString(key)
}

// hashOfToken returns what is stored of a token. A random text needs no salt.
func hashOfToken(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// fail answers 500 and logs the cause.
func fail(w http.ResponseWriter, action string, err error) {
	log.Printf("%s: %v", action, err)
	http.Error(w, "an unexpected error occurred", http.StatusInternalServerError)
}
