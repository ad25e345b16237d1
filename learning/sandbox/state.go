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

// state is everything the sandbox knows, behind one lock, and the file that keeps it. One lock and one file are slow
// and cannot disagree with themselves, which is the right trade for a sandbox.
type state struct {
	file string
	mu   sync.Mutex
	data records
}

// records is what the state file holds.
type records struct {
	Secrets  secrets
	Keys     []*signingKey
	Users    []*account // oldest first
	Orders   []*Order   // oldest first
	Payments []*Payment // oldest first

	users    map[string]*account
	orders   map[string]*Order
	payments map[string]*Payment
	ofOrder  map[string][]*Payment
}

type secrets struct {
	GatewayKeyID, GatewayKeySecret, GatewayWebhookSecret string
	IdentityAPIKey, IdentityWebhookSecret                string
	AIAPIKey                                             string
}

func secretsOf(c Config) secrets {
	return secrets{c.GatewayKeyID, c.GatewayKeySecret, c.GatewayWebhookSecret, c.IdentityAPIKey, c.IdentityWebhookSecret, c.AIAPIKey}
}

// openState reads the file, if there is one. A file that cannot be understood is an error, never a fresh start: it may
// hold orders that somebody still needs.
func openState(file string) (*state, error) {
	st := &state{file: file}
	if file != "" {
		b, err := os.ReadFile(file)
		switch {
		case errors.Is(err, fs.ErrNotExist):
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

func (r *records) index() {
	r.users, r.orders = map[string]*account{}, map[string]*Order{}
	r.payments, r.ofOrder = map[string]*Payment{}, map[string][]*Payment{}
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

// read lets fn look at the records.
func (st *state) read(fn func(*records)) {
	st.mu.Lock()
	defer st.mu.Unlock()
	fn(&st.data)
}

// change lets fn change the records and keeps the result before anybody hears of it. When fn fails it must have changed
// nothing. A file that cannot be written is reported; memory then is ahead of the file until the next change.
func (st *state) change(fn func(*records) error) error {
	st.mu.Lock()
	defer st.mu.Unlock()
	if err := fn(&st.data); err != nil {
		return err
	}
	return st.save()
}

// adopt keeps the secrets in use. When nothing is new nothing is written, so that a command which only reads does not
// undo what a running sandbox writes.
func (st *state) adopt(s secrets) error {
	if st.data.Secrets == s {
		return nil
	}
	return st.change(func(r *records) error { r.Secrets = s; return nil })
}

func (st *state) save() error {
	if st.file == "" {
		return nil
	}
	b, err := json.Marshal(&st.data) // not indented: that would reformat the notes of payments
	if err == nil {
		err = writeFile(st.file, b)
	}
	if err != nil {
		return fmt.Errorf("save sandbox state: %w", err)
	}
	return nil
}

// writeFile replaces the file in one step, so that a reader, or a crash, finds the old content or the new one.
func writeFile(name string, b []byte) error {
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
