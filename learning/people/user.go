package people

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/openlectern/openlectern/internal/text"
	"github.com/openlectern/openlectern/learning/core"
)

// ErrUserNotFound is the public failure of users.
var ErrUserNotFound = &core.Error{Kind: core.NotFound, Code: "user_not_found",
	Message: "User Not Found"}

// User is the record of a user, from the events of the identity provider.
type User struct {
	ID        string // at the identity provider
	Name      string
	Email     string
	ImageURL  string
	CreatedAt time.Time // when the record was created here
	ChangedAt time.Time // when the provider last changed it; orders its events
	DeletedAt time.Time // not zero for a tombstone

	Metadata core.Metadata // of the host, for admins only; see [Service.SetMetadata]
	Enrolled []string      // ids of courses, the oldest enrolment first
}

// Authenticate verifies a session token and returns its claims. It does not read the
// database; see [Service.Identify]. Errors: [ErrInvalidToken],
// [ErrIdentityUnavailable], [ErrIdentityNotConfigured].
func (s *Service) Authenticate(ctx context.Context, token string) (Claims, error) {
	if s.ports.Tokens == nil {
		return Claims{}, ErrIdentityNotConfigured
	}
	c, err := s.ports.Tokens.VerifyToken(ctx, token)
	if err != nil {
		return Claims{}, err
	}
	if !text.ValidID(c.UserID, core.MaxUserID) {
		return Claims{}, ErrInvalidToken
	}
	return c, nil
}

// Identify returns the actor for verified claims, with the current role: the stored one, or
// that of the claims if it is later. It returns the zero Actor if the claims have no user, or
// the user was deleted. A user who has no record yet is an actor too.
func (s *Service) Identify(ctx context.Context, c Claims) (core.Actor, error) {
	if c.UserID == "" {
		return core.Actor{}, nil
	}
	state, err := s.store.AccountState(ctx, c.UserID)
	if err != nil {
		return core.Actor{}, fmt.Errorf("identify the caller: %w", err)
	}
	if state.Deleted {
		return core.Actor{}, nil
	}
	name := state.Name
	if !state.Known {
		name = core.UnknownUser
	}
	return core.Actor{UserID: c.UserID, Role: roleOf(state.RoleAssignment, c), Name: name,
			HasRecord: state.Known},
		nil
}

// RequireRecord returns [ErrUserNotFound] if the actor has no record, or was deleted. It
// reads the record unless [Service.Identify] has read it for this actor.
func (s *ForRooms) RequireRecord(ctx context.Context, actor core.Actor) error {
	if actor.HasRecord {
		return nil
	}
	state, err := s.store.AccountState(ctx, actor.UserID)
	if err != nil {
		return core.Wrap("read the user", err)
	}
	if !state.Known || state.Deleted {
		return ErrUserNotFound
	}
	return nil
}

// User returns the record of the user with these claims. It returns [ErrUserNotFound]
// if there is no record or the user was deleted, and [core.ErrUnauthenticated] if the claims
// have no user.
func (s *Service) User(ctx context.Context, c Claims) (User, error) {
	if c.UserID == "" {
		return User{}, core.ErrUnauthenticated
	}
	u, err := s.store.User(ctx, c.UserID)
	if errors.Is(err, core.ErrNoRecord) {
		return User{}, ErrUserNotFound
	}
	if err != nil {
		return User{}, fmt.Errorf("read a user: %w", err)
	}
	return u, nil
}

// UserReader reads users.
type UserReader interface {
	// User reads a record with the courses that the user is enrolled in, the oldest
	// enrolment first. It returns [core.ErrNoRecord] if the user was deleted.
	User(ctx context.Context, id string) (User, error)
	// UserEmails calls a function with the id and the e-mail address of each user who is not
	// deleted, until it returns an error.
	UserEmails(ctx context.Context, each func(id, email string) error) error
	core.AccountReader
}

// UserWriter writes users and their role assignments.
type UserWriter interface {
	RoleWriter
	// UpdateUser overwrites the record of a user who is not deleted, unless it
	// is newer than u.ChangedAt; it reports whether it did. The caller must replace the words of
	// the user, here and after RestoreUser and ScrubUser.
	UpdateUser(ctx context.Context, u User) (bool, error)
	// InsertUser adds a record with its words, or a tombstone if u.DeletedAt is set; it returns
	// [core.ErrDuplicate] if there is one.
	InsertUser(ctx context.Context, u User) error
	// ScrubUser makes a tombstone of a record: name, address, image and metadata are removed. A
	// tombstone gets the new time. It changes nothing if record or tombstone were
	// changed in a later second than at; it reports whether it did.
	ScrubUser(ctx context.Context, id string, at time.Time) (bool, error)
	// RestoreUser makes a record of a tombstone, with the values of u, if the user
	// was deleted at exactly deletedAt; it reports whether it did.
	RestoreUser(ctx context.Context, u User, deletedAt time.Time) (bool, error)
	// SetUserMetadata replaces the metadata of a user who is not deleted, and reports whether there
	// is one. No other method changes it but ScrubUser, which removes it.
	SetUserMetadata(ctx context.Context, id string, m core.Metadata) (bool, error)
	// DeleteRole deletes the role assignment of a user.
	DeleteRole(ctx context.Context, userID string) error
}
