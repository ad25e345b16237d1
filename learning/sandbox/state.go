package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// state holds all data of the sandbox in memory and in a file, with one lock for both. Each change
// writes the whole file, which is slow, but always consistent.
type state struct {
	file string
	mu   sync.Mutex
	data records
}

// records is the content of the state file.
type records struct {
	Secrets  secrets
	Served   served
	Keys     []*signingKey
	Users    []*account // oldest first
	Orders   []*Order   // oldest first
	Payments []*Payment // in the order in which they were stored
	Refunds  []*Refund  // likewise
	Stripe   stripeRecords

	// The entries of these lists by their ids; ofOrder has the payments by the ids of their orders.
	users    map[string]*account
	orders   map[string]*Order
	payments map[string]*Payment
	ofOrder  map[string][]*Payment
	refunds  map[string]*Refund
}

// served has the addresses of the last sandbox that listened with the file, and may still run.
type served struct{ URL, WebhookURL string }

type secrets struct {
	GatewayKeyID, GatewayKeySecret, GatewayWebhookSecret string
	IdentityAPIKey, IdentityWebhookSecret                string
	AIAPIKey                                             string
	StripeKey, StripePublishableKey, StripeWebhookSecret string
}

// secretsOf returns the secrets of a configuration in the form of the state file.
func secretsOf(c Config) secrets {
	return secrets{GatewayKeyID: c.GatewayKeyID, GatewayKeySecret: c.GatewayKeySecret,
		GatewayWebhookSecret: c.GatewayWebhookSecret, IdentityAPIKey: c.IdentityAPIKey,
		IdentityWebhookSecret: c.IdentityWebhookSecret, AIAPIKey: c.AIAPIKey,
		StripeKey: c.StripeKey, StripePublishableKey: c.StripePublishableKey,
		StripeWebhookSecret: c.StripeWebhookSecret}
}

// openState reads the file if it exists. An invalid file is an error and is not replaced, because
// it may hold orders that a platform still needs.
func openState(file string) (*state, error) {
	st := &state{file: file}
	if file != "" {
		b, err := os.ReadFile(file)
		switch {
		case errors.Is(err, fs.ErrNotExist): // the first change creates it
		case err != nil:
			return nil, fmt.Errorf("read sandbox state: %w", err)
		default:
			if err := json.Unmarshal(b, &st.data); err != nil {
				return nil, fmt.Errorf("read sandbox state %s: %w", file, err)
			}
		}
	}
	st.data.index()
	return st, nil
}

// index makes the maps, which are not in the file, from its lists.
func (r *records) index() {
	r.users, r.orders = map[string]*account{}, map[string]*Order{}
	r.payments, r.ofOrder = map[string]*Payment{}, map[string][]*Payment{}
	r.refunds = map[string]*Refund{}
	for _, one := range r.Refunds {
		r.refunds[one.ID] = one
	}
	for _, a := range r.Users {
		r.users[a.ID] = a
	}
	for _, o := range r.Orders {
		r.orders[o.ID] = o
	}
	for _, p := range r.Payments {
		r.payments[p.ID] = p
		r.ofOrder[p.OrderID] = append(r.ofOrder[p.OrderID], p)
	}
}

// read calls fn with the records while it holds the lock. fn must not change them.
func (st *state) read(fn func(*records)) {
	st.mu.Lock()
	defer st.mu.Unlock()
	fn(&st.data)
}

// change calls fn, which may change the records, and writes the file. If fn returns an error, it
// must have changed nothing. If the file cannot be written, change returns an error, and the file
// lacks the change until the next one.
func (st *state) change(fn func(*records) error) error {
	st.mu.Lock()
	defer st.mu.Unlock()
	if err := fn(&st.data); err != nil {
		return err
	}
	return st.save()
}

// adopt stores the secrets in use. It writes the file only if they have changed, so that a command
// that only reads does not overwrite the changes of a running sandbox. It is called before other
// goroutines have st, so it compares without the lock.
func (st *state) adopt(s secrets) error {
	if st.data.Secrets == s {
		return nil
	}
	return st.change(func(r *records) error { r.Secrets = s; return nil })
}

// listens stores the addresses in use, if they have changed.
func (st *state) listens(at served) error {
	if st.data.Served == at {
		return nil
	}
	return st.change(func(r *records) error { r.Served = at; return nil })
}

// save writes the file, if there is one. The caller must hold the lock.
func (st *state) save() error {
	if st.file == "" { // the state is in memory only
		return nil
	}
	// without indentation, which would reformat the notes of payments, which stay as they were sent
	b, err := json.Marshal(&st.data)
	if err == nil {
		err = writeFile(st.file, b)
	}
	if err != nil {
		return fmt.Errorf("save sandbox state: %w", err)
	}
	return nil
}

// writeFile replaces the file atomically: after a crash it has the old content or the new one.
func writeFile(name string, b []byte) error {
	// The temporary file is in the same folder, because a file cannot be renamed into another file
	// system.
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*") // mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
