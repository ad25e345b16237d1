package learning

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// User is the record of a person, as the identity provider sends it.
type User struct {
	ID        string // at the identity provider
	Name      string
	Email     string
	ImageURL  string
	CreatedAt time.Time // when the record came
	ChangedAt time.Time // when the provider last changed it; orders its messages
	DeletedAt time.Time // zero unless the person was deleted: a tombstone

	Enrolled []string // ids of courses, the oldest enrolment first
}

// Person is what others see of somebody.
type Person struct {
	ID       string
	Name     string
	ImageURL string
}

// DeletedUser is the name under which somebody who is gone is shown, and
// UnknownUser that of somebody whose record has not arrived.
const (
	DeletedUser = "Deleted user"
	UnknownUser = "User"
)

// AccountState is what the platform knows of a user id on a request.
type AccountState struct {
	Known          bool // there is a record, or a tombstone
	Deleted        bool
	DeletedAt      time.Time // zero unless Deleted
	Name           string
	RoleAssignment RoleAssignment // zero when no role was decided here
}

// Authenticate verifies a session token. The errors are [ErrInvalidToken] and
// [ErrIdentityUnavailable]. It does not ask the database: see [Platform.Identify].
func (p *Platform) Authenticate(ctx context.Context, token string) (Claims, error) {
	if p.tokens == nil {
		return Claims{}, ErrIdentityNotConfigured
	}
	c, err := p.tokens.VerifyToken(ctx, token)
	if err == nil && !validID(c.UserID, maxUserID) {
		return Claims{}, ErrInvalidToken
	}
	return c, err
}

// Identify turns verified claims into the actor of a request, with the role that
// holds now. The claims of somebody deleted count as none: the zero Actor.
func (p *Platform) Identify(ctx context.Context, c Claims) (Actor, error) {
	if c.UserID == "" {
		return Actor{}, nil
	}
	s, err := p.store.AccountState(ctx, c.UserID)
	if err != nil {
		return Actor{}, fmt.Errorf("identify the caller: %w", err)
	}
	if s.Deleted {
		return Actor{}, nil
	}
	name := s.Name
	if !s.Known {
		name = UnknownUser
	}
	return Actor{UserID: c.UserID, Role: s.RoleAssignment.role(c), Name: name}, nil
}

// userLock locks the record of a user, so that a deletion and the changes of a role
// happen one after the other.
type userLock struct {
	userID string
	// known says that the user had a record before the transaction. If it is false, no
	// row is locked: the INSERT of the record decides who was first. An UPDATE that
	// finds no row would lock the gap in which other records are inserted.
	known bool
}

// standing locks the record until the end of the transaction and returns the account
// state. No read of the transaction may come before it: a database that reads from a
// snapshot would return the state before the lock. It fails with [ErrDuplicate] if
// another transaction inserted the record meanwhile: run it by [Platform.inTxAgain].
func (l userLock) standing(ctx context.Context, tx Tx) (s AccountState, err error) {
	locked := false
	if l.known {
		if locked, err = tx.LockUser(ctx, l.userID); err != nil {
			return AccountState{}, err
		}
	}
	s, err = tx.AccountState(ctx, l.userID)
	if err == nil && s.Known && !s.Deleted && !locked {
		err = fmt.Errorf("lock a user: %w", ErrDuplicate)
	}
	return s, err
}

// stillHere is nil for somebody who was not deleted. It is asked in a transaction behind
// a row of theirs that was inserted: their deletion has either waited for that row and
// removes it, or is seen here.
func stillHere(ctx context.Context, tx Tx, userID string) error {
	s, err := tx.AccountState(ctx, userID)
	if err == nil && s.Deleted {
		return ErrUnauthenticated
	}
	return err
}

// User is the record of the bearer of these claims; [ErrUserNotFound] when there
// is none, or not any more.
func (p *Platform) User(ctx context.Context, c Claims) (User, error) {
	if c.UserID == "" {
		return User{}, ErrUnauthenticated
	}
	u, err := p.store.User(ctx, c.UserID)
	if errors.Is(err, ErrNoRecord) {
		return User{}, ErrUserNotFound
	}
	if err != nil {
		return User{}, fmt.Errorf("read a user: %w", err)
	}
	return u, nil
}

// validID tells whether an id that was made elsewhere can be kept in so many bytes.
// One that ends with a blank cannot: some databases take it for the id without.
func validID(id string, most int) bool {
	return id != "" && len(id) <= most && !strings.HasSuffix(id, " ") && utf8.ValidString(id)
}

// UserReader reads people.
type UserReader interface {
	// User reads a record with the courses the person is enrolled in, the oldest
	// enrolment first. Somebody deleted is [ErrNoRecord].
	User(ctx context.Context, id string) (User, error)
	// AccountState reads what is known of an id; nothing known is no error.
	AccountState(ctx context.Context, userID string) (AccountState, error)
}

// UserWriter writes users and the roles decided for them.
type UserWriter interface {
	// UpdateUser overwrites the record of a user who is not deleted, unless it
	// is newer than u.ChangedAt; it reports whether it did.
	UpdateUser(ctx context.Context, u User) (bool, error)
	// InsertUser adds a record, or a tombstone if u.DeletedAt is set; [ErrDuplicate]
	// if there is one.
	InsertUser(ctx context.Context, u User) error
	// LockUser locks the row of a user until the transaction ends, and reports whether
	// the user exists and is not deleted.
	LockUser(ctx context.Context, id string) (bool, error)
	// ScrubUser makes a tombstone of a record: name, address and image are removed. A
	// tombstone gets the new time. It changes nothing if record or tombstone were
	// changed in a later second than at; it reports whether it did.
	ScrubUser(ctx context.Context, id string, at time.Time) (bool, error)
	// RestoreUser makes a record of a tombstone, with the values of u, if the user
	// was deleted at exactly deletedAt; it reports whether it did.
	RestoreUser(ctx context.Context, u User, deletedAt time.Time) (bool, error)
	// UpdateRole replaces a decision that is not later; it tells whether it did.
	UpdateRole(ctx context.Context, userID string, d RoleAssignment) (bool, error)
	// InsertRole stores the first decision for a person.
	InsertRole(ctx context.Context, userID string, d RoleAssignment) error
	// DeleteRole forgets a decision.
	DeleteRole(ctx context.Context, userID string) error
}
