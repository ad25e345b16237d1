package learning

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// What fits into a record. Longer values of the provider are cut, or dropped
// where half of one is worth nothing, since refusing a message means that it is
// sent again and again.
const (
	maxUserID    = 191 // bytes
	maxMessageID = 191 // bytes
	maxName      = 200 // code points
	maxEmail     = 320
	maxImageURL  = 2000
)

// messagesKept is how long a message id is remembered: longer than any provider
// keeps trying to deliver.
const messagesKept = 8 * 24 * time.Hour

// The types of [IdentityEvent] that have an effect (interface.md, "Events").
const (
	UserCreated = "user.created"
	UserUpdated = "user.updated"
	UserDeleted = "user.deleted"
)

// IdentityEvent is a verified webhook message of the identity provider.
type IdentityEvent struct {
	MessageID string    // the same over all deliveries of one message
	SentAt    time.Time // hook-timestamp
	Type      string
	User      IdentityUser
}

// IdentityUser is a person in an [IdentityEvent]. Of somebody deleted there is
// only the ID.
type IdentityUser struct {
	ID             string
	FirstName      string
	LastName       string
	Emails         []IdentityEmail
	PrimaryEmailID string
	ImageURL       string
	UpdatedAt      time.Time // zero when the provider does not say
	Role           *Role     // nil when the event had no public metadata
}

// IdentityEmail is one address of an [IdentityUser].
type IdentityEmail struct{ ID, Address string }

// VerifyMessage checks that a message comes from the identity provider;
// [ErrInvalidMessage] when not.
func (p *Platform) VerifyMessage(m Message) error {
	if p.messages == nil {
		return ErrIdentityNotConfigured
	}
	return p.messages.VerifyMessage(m, p.clock.Now())
}

// ApplyIdentityEvent brings a verified event to the records, once: order and
// repetition of events do not matter. An event of another type does nothing.
func (p *Platform) ApplyIdentityEvent(ctx context.Context, e IdentityEvent) error {
	effect := p.effect(e)
	if effect == nil {
		return nil
	}
	if !validID(e.User.ID, maxUserID) || !validID(e.MessageID, maxMessageID) {
		return ErrMalformedEvent
	}
	s, err := p.store.Standing(ctx, e.User.ID)
	if err != nil {
		return fmt.Errorf("apply %s: read a user: %w", e.Type, err)
	}
	known := s.Known
	err = p.inTxAgain(ctx, func(tx Tx) error {
		// The message is stored with its effect, so that neither is there alone.
		if err := tx.InsertMessage(ctx, e.MessageID, p.now()); errors.Is(err, ErrDuplicate) {
			return errSeen
		} else if err != nil {
			return err
		}
		locked := userLock{e.User.ID, known}
		known = true // if this run fails because another transaction inserted the record, the next run locks it
		if err := effect(ctx, tx, locked); err != nil {
			return err
		}
		listed, err := tx.TouchCourses(ctx, e.User.ID)
		if listed {
			tx.AfterCommit(p.catalogueChanged)
		}
		return err
	})
	if err != nil && !errors.Is(err, errSeen) {
		return fmt.Errorf("apply %s: %w", e.Type, err)
	}
	p.forgetMessages(ctx)
	return nil
}

var errSeen = errors.New("learning: message was seen before")

// effect is what an event does in its transaction; nil for nothing.
func (p *Platform) effect(e IdentityEvent) func(context.Context, Tx, userLock) error {
	switch e.Type {
	case UserCreated, UserUpdated:
		return func(ctx context.Context, tx Tx, l userLock) error { return p.putUser(ctx, tx, l, e) }
	case UserDeleted:
		return func(ctx context.Context, tx Tx, l userLock) error { return p.removeUser(ctx, tx, l) }
	default:
		return nil
	}
}

// putUser creates or updates a record, and stores the role if the event has one.
// The two are ordered each by itself: an event can be too old for the one and
// new for the other.
func (p *Platform) putUser(ctx context.Context, tx Tx, l userLock, e IdentityEvent) error {
	s, err := l.standing(ctx, tx)
	if err != nil || s.Deleted { // a late event does not bring somebody back
		return err
	}
	if s.Known {
		_, err = tx.UpdateUser(ctx, e.record(p.now()))
	} else {
		err = tx.InsertUser(ctx, e.record(p.now()))
	}
	if err != nil || e.User.Role == nil {
		return err
	}
	return decideRole(ctx, tx, e.User.ID, s.Decision, Decision{Role: *e.User.Role, At: e.cause()})
}

// removeUser scrubs a record and remembers the id, also of somebody never seen.
// What was paid and learned stays.
func (p *Platform) removeUser(ctx context.Context, tx Tx, l userLock) error {
	id := l.userID
	s, err := l.standing(ctx, tx)
	if err != nil {
		return err
	}
	if s.Known {
		_, err = tx.ScrubUser(ctx, id, p.now())
	} else {
		err = tx.InsertUser(ctx, User{ID: id, CreatedAt: p.now(), ChangedAt: p.now(), DeletedAt: p.now()})
	}
	if err != nil {
		return err
	}
	// The application before the role, as an approval writes them: its row keeps the
	// two apart.
	if err := tx.DeleteApplication(ctx, id); err != nil {
		return err
	}
	if err := tx.DeleteTimeEntries(ctx, id); err != nil {
		return err
	}
	if err := removeChats(ctx, tx, id); err != nil {
		return err
	}
	return tx.DeleteRole(ctx, id)
}

// forgetMessages drops the message ids that need not be remembered any more, at
// most once an hour. It is housekeeping: a failure is for the log.
func (p *Platform) forgetMessages(ctx context.Context) {
	now, last := p.now(), p.swept.Load()
	if now.Unix()-last < 3600 || !p.swept.CompareAndSwap(last, now.Unix()) {
		return
	}
	err := p.store.InTx(ctx, func(tx Tx) error { return tx.DeleteMessages(ctx, now.Add(-messagesKept)) })
	if err != nil {
		p.log.WarnContext(ctx, "forget old webhook messages", "error", err)
	}
}

// cause is the time that orders an event among the others of the same person.
func (e IdentityEvent) cause() time.Time {
	if e.User.UpdatedAt.IsZero() {
		return e.SentAt.UTC().Truncate(time.Microsecond)
	}
	return e.User.UpdatedAt.UTC().Truncate(time.Microsecond)
}

func (e IdentityEvent) record(now time.Time) User {
	email := cut(e.User.email(), maxEmail)
	image := strings.TrimSpace(e.User.ImageURL)
	if utf8.RuneCountInString(image) > maxImageURL {
		image = ""
	}
	return User{ID: e.User.ID, Name: cut(e.User.name(email), maxName), Email: email, ImageURL: image, CreatedAt: now, ChangedAt: e.cause()}
}

// email is the primary address: the one that is named so, else the first.
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

// name joins what there is of the names; without any, the part of the address
// before the @ stands in.
func (u IdentityUser) name(email string) string {
	if name := strings.TrimSpace(strings.TrimSpace(u.FirstName) + " " + strings.TrimSpace(u.LastName)); name != "" {
		return name
	}
	if local, _, _ := strings.Cut(email, "@"); local != "" {
		return local
	}
	return UnknownUser
}

// cut shortens s to at most n code points.
func cut(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n])
}
