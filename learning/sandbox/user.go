package sandbox

import (
	"cmp"
	"errors"
	"slices"
	"time"
)

// ErrUnknownUser is returned for a user id that the identity provider does not know.
var ErrUnknownUser = errors.New("the identity provider does not know this user")

// User is a user who can sign in. Only ID is required.
type User struct {
	ID, FirstName, LastName string
	Email                   string // the primary address
	ImageURL                string // if empty, the URL of Identity.PictureURL
	// student, educator or admin; if empty, the provider has no role for the user
	Role string
}

// Name returns the names with a space between them, or the id if there are none.
func (u User) Name() string {
	switch {
	case u.FirstName != "" && u.LastName != "":
		return u.FirstName + " " + u.LastName
	case u.FirstName+u.LastName != "":
		return u.FirstName + u.LastName
	}
	return u.ID
}

// account is a user with the data that the provider adds. Times are Unix milliseconds.
type account struct {
	User
	// whether the user ever had a role, or a request has removed the role of a user without one;
	// then events have metadata also without a role
	HadRole              bool
	CreatedAt, UpdatedAt int64
}

// PutUser creates or replaces the user and sends user.created or user.updated. It returns an error
// if the user has no id, or if the state file cannot be written; then the user is stored in memory,
// and no event is sent.
func (i *Identity) PutUser(u User) error {
	kind, data, err := i.put(u)
	if err != nil {
		return err
	}
	return i.sendEvent(kind, data)
}

// PutUserQuietly is PutUser without the webhook, as if it were lost.
func (i *Identity) PutUserQuietly(u User) error {
	_, _, err := i.put(u)
	return err
}

// DeleteUser deletes the user and sends user.deleted. It returns ErrUnknownUser if there is no such
// user. Tokens of the user stay valid until they expire, as at real providers.
func (i *Identity) DeleteUser(id string) error {
	err := i.state.change(func(r *records) error {
		a := r.users[id]
		if a == nil {
			return ErrUnknownUser
		}
		delete(r.users, id)
		r.Users = slices.DeleteFunc(r.Users, func(b *account) bool { return a == b })
		return nil
	})
	if err != nil {
		return err
	}
	return i.sendEvent(UserDeleted, deletedUser{id})
}

// Users returns all users, oldest first.
func (i *Identity) Users() []User {
	var out []User
	i.state.read(func(r *records) {
		for _, a := range r.Users {
			out = append(out, a.User)
		}
	})
	return out
}

// User returns one user, and whether there is one.
func (i *Identity) User(id string) (u User, ok bool) {
	i.state.read(func(r *records) {
		if a := r.users[id]; a != nil {
			u, ok = a.User, true
		}
	})
	return u, ok
}

// put creates or replaces a user. It returns the type and the data of the event to send, which it
// does not send.
func (i *Identity) put(u User) (kind string, data *userData, err error) {
	if u.ID == "" {
		return "", nil, errors.New("put user: the id is empty")
	}
	err = i.state.change(func(r *records) error {
		kind = UserUpdated
		// Create the user, or replace the data of an existing one.
		a := r.users[u.ID]
		if a == nil {
			kind = UserCreated
			a = &account{CreatedAt: i.now().UnixMilli()}
			r.users[u.ID], r.Users = a, append(r.Users, a)
		}
		a.User = u
		a.changed(i.now())
		data = i.data(a)
		return nil
	})
	return kind, data, err
}

// setRole sets the role of a user, and sends user.updated. A role of nil changes only the date of
// the last change; one of "" removes the role. Error: ErrUnknownUser.
func (i *Identity) setRole(id string, role *string) (data *userData, err error) {
	err = i.state.change(func(r *records) error {
		a := r.users[id]
		if a == nil {
			return ErrUnknownUser
		}
		if role != nil {
			a.Role, a.HadRole = *role, true
		}
		a.changed(i.now())
		data = i.data(a)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return data, i.sendEvent(UserUpdated, data)
}

// changed must be called after each change of the user. It sets the date of the last change, which
// is later than that of the change before, also within a millisecond, because the platform orders
// events by it, and records whether the user has had a role.
func (a *account) changed(now time.Time) {
	a.UpdatedAt = max(now.UnixMilli(), a.UpdatedAt+1)
	a.HadRole = a.HadRole || a.Role != ""
}

// now returns the time of the configured clock.
func (i *Identity) now() time.Time { return i.sandbox.cfg.Clock() }

// userData is the user object of the API and of the webhooks. Empty names are null, as at real
// providers.
type userData struct {
	ID               string         `json:"id"`
	FirstName        *string        `json:"first_name"`
	LastName         *string        `json:"last_name"`
	ImageURL         string         `json:"image_url"`
	PrimaryAddressID *string        `json:"primary_email_address_id"`
	Addresses        []emailAddress `json:"email_addresses"`
	PublicMetadata   *metadata      `json:"public_metadata,omitempty"`
	CreatedAt        int64          `json:"created_at"` // Unix milliseconds
	UpdatedAt        int64          `json:"updated_at"` // Unix milliseconds
}

type emailAddress struct {
	ID      string `json:"id"`
	Address string `json:"email_address"`
}

type metadata struct {
	Role string `json:"role,omitempty"`
}

// data returns the user object of an account. A user without a picture has the URL of one with
// initials; one who never had a role has no metadata.
func (i *Identity) data(a *account) *userData {
	d := &userData{ID: a.ID, FirstName: orNull(a.FirstName), LastName: orNull(a.LastName),
		ImageURL:  cmp.Or(a.ImageURL, i.PictureURL(a.ID)),
		Addresses: []emailAddress{}, CreatedAt: a.CreatedAt, UpdatedAt: a.UpdatedAt}
	if a.Email != "" {
		address := emailAddress{"idn_" + a.ID, a.Email}
		d.PrimaryAddressID, d.Addresses = &address.ID, append(d.Addresses, address)
	}
	if a.HadRole {
		d.PublicMetadata = &metadata{a.Role}
	}
	return d
}

// orNull returns a pointer to s, or nil, which is null in JSON, for "".
func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
