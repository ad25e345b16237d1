package people

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/openlectern/openlectern/internal/record"
	"github.com/openlectern/openlectern/internal/text"
	"github.com/openlectern/openlectern/learning/core"
)

// The public failures of the identity provider.
var (
	ErrIdentityUnavailable = &core.Error{Kind: core.Unavailable, Code: "identity_unavailable",
		Message: "Identity provider is unavailable"}
	ErrIdentityNotConfigured = &core.Error{Kind: core.Unavailable, Code: "identity_not_configured",
		Message: "Identity provider is not configured"}
	ErrRolesNotConfigured = &core.Error{Kind: core.Unavailable, Code: "roles_not_configured",
		Message: "Roles of the identity provider are not configured"}
	ErrIdentityWebhooksNotConfigured = &core.Error{Kind: core.Unavailable,
		Code:    "identity_webhooks_not_configured",
		Message: "Webhooks of the identity provider are not configured"}
)

// EventUserDeleted is the event of a user who was deleted.
const EventUserDeleted core.EventType = "user.deleted"

// Maximum lengths in a user record, in code points. Longer names and addresses of the provider are
// truncated and longer image URLs removed, because the provider would repeat an
// event that is refused.
const (
	MaxName     = 200
	MaxEmail    = 320
	MaxImageURL = 2000
)

// The types of [IdentityEvent] that have an effect (docs/api.md §4).
const (
	UserCreated = "user.created"
	UserUpdated = "user.updated"
	UserDeleted = "user.deleted"
)

// ErrUnknownEventType means that [System.ApplyIdentityEvent] does not know the type of an event.
var ErrUnknownEventType = errors.New("unknown type of an identity event")

// IdentityEvent is an event of the identity provider.
type IdentityEvent struct {
	SentAt time.Time // hook-timestamp; the current time when zero
	Type   string
	User   IdentityUser
}

// IdentityUser is the user in an [IdentityEvent]. If the user was deleted, only ID is
// set.
type IdentityUser struct {
	ID             string
	FirstName      string
	LastName       string
	Emails         []IdentityEmail
	PrimaryEmailID string
	ImageURL       string
	CreatedAt      time.Time  // zero if the event has none
	UpdatedAt      time.Time  // zero if the event has none
	Role           *core.Role // nil if the event has no public metadata
}

// IdentityEmail is one address of an [IdentityUser].
type IdentityEmail struct{ ID, Address string }

// ReceiveIdentityWebhook verifies a webhook of the identity provider and applies its
// event as [System.ApplyIdentityEvent] does. It returns nil for a signed event with
// invalid content, which it logs, because a repetition would fail too. Errors:
// [core.ErrInvalidWebhook], [ErrIdentityWebhooksNotConfigured].
func (s *Service) ReceiveIdentityWebhook(ctx context.Context, w Webhook) error {
	if s.ports.Webhooks == nil {
		return ErrIdentityWebhooksNotConfigured
	}
	e, err := s.ports.Webhooks.VerifyWebhook(w, s.base.Clock.Now())
	// The provider also sends events that are not about the record of a user.
	if err == nil && s.effect(e.Type) != nil {
		err = s.System().ApplyIdentityEvent(ctx, e)
	}

	// A repetition of a signed event would fail too, so it is accepted.
	if errors.Is(err, core.ErrMalformedEvent) {
		s.base.Log.WarnContext(ctx, "a signed identity event is not of the expected shape",
			"message",
			w.ID)
		return nil
	}
	return err
}

// ApplyIdentityEvent applies an event to the records. Applying an event
// again changes nothing, and an event that is older than the last one applied to
// the same user changes nothing, so events may be repeated and may arrive in any
// order. It returns [core.ErrMalformedEvent] for an event without a usable user id, and an error
// that matches [ErrUnknownEventType] for a type other than [UserCreated], [UserUpdated] and
// [UserDeleted], so that a misspelt one is found. A host that passes on all events of its provider
// ignores that error.
func (s System) ApplyIdentityEvent(ctx context.Context, e IdentityEvent) error {
	effect := s.service.effect(e.Type)
	if effect == nil {
		return fmt.Errorf("%w %q: it must be %s, %s or %s", ErrUnknownEventType, e.Type,
			UserCreated, UserUpdated, UserDeleted)
	}
	if !text.ValidID(e.User.ID, core.MaxUserID) {
		return core.ErrMalformedEvent
	}
	if e.SentAt.IsZero() {
		e.SentAt = s.service.base.Now()
	}
	err := record.RetryDuplicate(ctx, func() error {
		// Whether there is a record decides between the lock and the INSERT, with one of which the
		// transaction begins. A record never disappears. If a concurrent event inserts it, the
		// INSERT fails, and all is repeated.
		state, err := s.service.store.AccountState(ctx, e.User.ID)
		if err != nil {
			return err
		}
		return s.service.base.Change(ctx, func(tx Tx, changes *core.Changes) error {
			return s.service.applyIdentityEvent(ctx, tx, changes, e, effect, state.Known)
		})
	})
	if err != nil {
		return fmt.Errorf("apply %s: %w", e.Type, err)
	}
	return nil
}

// identityEffect is what an event does to an account inside its transaction. known says that there
// is a record or a tombstone, which the effect locks; else it inserts one.
type identityEffect func(ctx context.Context, tx Tx, changes *core.Changes, e IdentityEvent,
	known bool) (accountChange, error)

// applyIdentityEvent applies an event by its effect, counts in the totals what it has changed, and
// marks the courses of the user if the record has changed. known is as for [identityEffect].
func (s *Service) applyIdentityEvent(
	ctx context.Context, tx Tx, changes *core.Changes, e IdentityEvent,
	effect identityEffect, known bool,
) error {
	done, err := effect(ctx, tx, changes, e, known)
	if err != nil {
		return err
	}
	changes.Count(e.User.ID, core.TotalsChange(accountTotals(done.before),
		accountTotals(done.after))...)
	if !done.recordChanged {
		return nil
	}
	return tx.UserChanged(ctx, e.User.ID)
}

// effect returns what an event of a type does, or nil if it does nothing.
func (s *Service) effect(eventType string) identityEffect {
	switch eventType {
	case UserCreated, UserUpdated:
		return s.putUser
	case UserDeleted:
		return s.removeUser
	default:
		return nil
	}
}

// putUser creates, restores or updates a record, and stores the role if the event has one. Record
// and role are ordered separately: an event can be too old for the record and new for the role.
//
//	record   event              effect
//	none     any                the record is created
//	deleted  restores it        the record is restored, with a role of its own
//	deleted  any other          none
//	present  not older than it  the record is updated
//	present  older              the record stays
//
// If the record is created or present, the role of the event is stored too, unless a later one is.
// putUser collects no event for hosts: only a deletion has one.
func (s *Service) putUser(ctx context.Context, tx Tx, _ *core.Changes, e IdentityEvent,
	known bool) (accountChange, error) {
	// Lock the Account, or insert its record.
	lock := func() (Account, error) { return lockAccount(ctx, tx, e.User.ID) }
	if !known {
		lock = func() (Account, error) { return insertAccount(ctx, tx, e.record(s.base.Now())) }
	}
	before, err := lock()
	if err != nil {
		return accountChange{}, err
	}
	done := accountChange{before: before, after: before}

	// Store the record: see the table.
	switch {
	case before.Deleted && e.restores(before.DeletedAt):
		done.recordChanged = true
		done.after.Deleted = false
		done.after.RoleAssignment, err = s.restoreUser(ctx, tx, e, before.DeletedAt)
		return done, err
	case before.Deleted:
		return done, nil
	case before.Known:
		done.recordChanged, err = s.updateUser(ctx, tx, e)
	default: // insertAccount has inserted the record
		done.recordChanged = true
		done.after.Known = true
		// A role that was stored before the record gets its place in the list of users.
		if !before.RoleAssignment.At.IsZero() {
			_, err = tx.UpdateRole(ctx, e.User.ID, before.RoleAssignment)
		}
	}

	// Store the role, unless the stored one is newer.
	if err != nil || e.User.Role == nil {
		return done, err
	}
	done.after.RoleAssignment, err = AssignRole(ctx, tx, e.User.ID, before.RoleAssignment,
		core.RoleAssignment{Role: *e.User.Role, At: e.cause()})
	return done, err
}

// updateUser updates a record and its words, and reports whether the event is new enough.
func (s *Service) updateUser(ctx context.Context, tx Tx,
	e IdentityEvent) (updated bool, err error) {
	u := e.record(s.base.Now())
	if updated, err = tx.UpdateUser(ctx, u); err != nil || !updated {
		return false, err
	}
	return true, replaceUserWords(ctx, tx, u.ID, u.SearchWords())
}

// restoreUser restores the record of a deleted user, and returns the role that it stores. The role
// is that of the event, else student from the time of the deletion on: neither a token that was
// issued before the deletion nor a late event from before it brings the old role back.
func (s *Service) restoreUser(ctx context.Context, tx Tx, e IdentityEvent,
	deletedAt time.Time) (core.RoleAssignment, error) {
	// Restore the record, with its words. It is not older than the deletion, so that events from
	// before the deletion stay too old.
	u := e.record(s.base.Now())
	u.ChangedAt = core.Latest(u.ChangedAt, deletedAt)
	restored, err := tx.RestoreUser(ctx, u, deletedAt)
	if err == nil && !restored {
		// Another transaction has restored it since it was read, in spite of the lock of the
		// record: this one runs again.
		err = fmt.Errorf("restore a user: %w", core.ErrDuplicate)
	}
	if err != nil {
		return core.RoleAssignment{}, err
	}
	if err := replaceUserWords(ctx, tx, u.ID, u.SearchWords()); err != nil {
		return core.RoleAssignment{}, err
	}

	// Replace the role: none of the time before the deletion comes back.
	assigned := core.RoleAssignment{Role: core.Student, At: deletedAt}
	if e.User.Role != nil {
		assigned = core.RoleAssignment{Role: *e.User.Role, At: u.ChangedAt}
	}
	if err := tx.DeleteRole(ctx, u.ID); err != nil {
		return core.RoleAssignment{}, err
	}
	return assigned, tx.InsertRole(ctx, u.ID, assigned)
}

// sent returns the time at which the provider sent an event, as it is stored: in microseconds.
func (e IdentityEvent) sent() time.Time { return e.SentAt.UTC().Truncate(time.Microsecond) }

// cause returns the time by which the events of a user are ordered. For a deletion it
// is the time at which the event was sent; see [Service.removeUser].
func (e IdentityEvent) cause() time.Time {
	if e.User.UpdatedAt.IsZero() {
		return e.sent()
	}
	return e.User.UpdatedAt.UTC().Truncate(time.Microsecond)
}

// restores reports whether an event restores the record of a user who was deleted at
// deletedAt. Only a user.created event does, if the user was created in the second of the
// deletion or later: a webhook has the time at which it was sent in whole seconds. If the event
// does not say when the user was created, neither the time at which it was sent nor that of the
// record in it may be before that second.
func (e IdentityEvent) restores(deletedAt time.Time) bool {
	if e.Type != UserCreated {
		return false
	}
	notBefore := func(t time.Time) bool { return t.Unix() >= deletedAt.Unix() }
	if !e.User.CreatedAt.IsZero() {
		return notBefore(e.User.CreatedAt)
	}
	return notBefore(e.SentAt) && notBefore(e.cause())
}

// record returns the record of the user in the event, within the limits above. CreatedAt is for an
// INSERT or a restoration: an UPDATE leaves the stored one.
func (e IdentityEvent) record(now time.Time) User {
	email := text.Truncate(text.Storable(e.User.email()), MaxEmail)
	image := strings.TrimSpace(e.User.ImageURL) // not truncated, because half a URL is useless
	if !text.Is(image, 0, MaxImageURL) {
		image = ""
	}
	return User{
		ID:        e.User.ID,
		Name:      text.Truncate(text.Storable(e.User.name(email)), MaxName),
		Email:     email,
		ImageURL:  image,
		CreatedAt: now,
		ChangedAt: e.cause(),
	}
}

// email returns the primary address, or the first if none is marked as primary; "" for none.
func (u IdentityUser) email() string {
	for _, e := range u.Emails {
		if u.PrimaryEmailID != "" && e.ID == u.PrimaryEmailID {
			return strings.TrimSpace(e.Address)
		}
	}
	if len(u.Emails) > 0 {
		return strings.TrimSpace(u.Emails[0].Address)
	}
	return ""
}

// name joins first and last name, and returns what nameOr does for both.
func (u IdentityUser) name(email string) string {
	return nameOr(strings.TrimSpace(strings.TrimSpace(u.FirstName)+" "+
		strings.TrimSpace(u.LastName)), email)
}

// nameOr returns the name of a user. If it is empty, it returns the part of the address before
// the @, or UnknownUser if there is none.
func nameOr(name, email string) string {
	if name != "" {
		return name
	}
	if local, _, _ := strings.Cut(email, "@"); local != "" {
		return local
	}
	return core.UnknownUser
}
