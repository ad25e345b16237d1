package main

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/sandbox"
)

var (
	//go:embed demo/catalogue.json
	demoCatalogue []byte
	//go:embed demo/history.json
	demoHistory []byte
	//go:embed demo/community.json
	demoCommunity []byte
)

// demo is what a development server has to show.
type demo struct {
	catalogue
	history
	community
}

// readDemo reads the demo, without its history and its community where the providers
// are real: there are no such people and orders at them.
func (h *host) readDemo() (d demo, err error) {
	if d.catalogue, err = parseCatalogue(demoCatalogue); err != nil {
		return d, err
	}
	if h.signsIn() && h.takesPayments() {
		err = errors.Join(json.Unmarshal(demoHistory, &d.history), json.Unmarshal(demoCommunity, &d.community))
	}
	return d, err
}

// The people whom the sandbox knows beside the educators and students of the demo.
const (
	demoStudent  = "user_student"
	demoEducator = "user_educator"
	demoAdmin    = "user_admin"
)

var demoPeople = []sandbox.User{
	{ID: demoStudent, FirstName: "Sana", LastName: "Iqbal", Email: "sana.iqbal@example.com", Role: "student"},
	{ID: demoEducator, FirstName: "Emil", LastName: "Novak", Email: "emil.novak@example.com", Role: "educator"},
	{ID: demoAdmin, FirstName: "Ada", LastName: "Quist", Email: "ada.quist@example.com", Role: "admin"},
}

// introduceTime bounds the delivery of the demo's webhooks to this very process.
const introduceTime = 15 * time.Second

// fillTime bounds the filling; what takes longer goes on at the next start.
const fillTime = 2 * time.Minute

// prepare makes a development server worth looking at: people to sign in as, and
// the demo when there is nothing else. A demo that an earlier start did not finish
// is finished; one that is whole is left alone.
func (h *host) prepare(ctx context.Context) error {
	d, err := h.readDemo()
	if err != nil {
		return fmt.Errorf("read the demo: %w", err)
	}
	t, err := h.newTeller(d, time.Now())
	if err != nil {
		return err
	}
	wanted, err := t.wanted(ctx)
	if err != nil {
		return err
	}
	if !wanted {
		return h.introduce(ctx, demoPeople, users(d.People, learning.Educator))
	}
	h.log.Info("filling the database with the demo")
	return h.fill(ctx, t)
}

func (h *host) fill(ctx context.Context, t *teller) error {
	ctx, cancel := context.WithTimeout(ctx, fillTime)
	defer cancel()
	if err := t.join(ctx); err != nil {
		return fmt.Errorf("let the demo's people join: %w", err)
	}
	if err := h.introduce(ctx, demoPeople, users(t.People, learning.Educator), users(t.Students, learning.Student)); err != nil {
		return err
	}
	return errors.Join(t.tell(ctx), h.told(ctx))
}

// users are people as the sandbox knows them.
func users(people []person, role learning.Role) []sandbox.User {
	all := make([]sandbox.User, len(people))
	for i, p := range people {
		all[i] = sandbox.User{ID: p.ID, FirstName: p.FirstName, LastName: p.LastName, Email: p.Email, ImageURL: p.ImageURL, Role: string(role)}
	}
	return all
}

// introduce signs people up at the sandbox, which tells the platform as it would
// of anybody; those of whom the platform knows less it is told again.
func (h *host) introduce(ctx context.Context, groups ...[]sandbox.User) error {
	if !h.signsIn() {
		return nil
	}
	introduced := map[string]bool{}
	for _, u := range slices.Concat(groups...) {
		if introduced[u.ID] {
			continue
		}
		introduced[u.ID] = true
		if err := h.signUp(ctx, u); err != nil {
			return fmt.Errorf("introduce %s: %w", u.ID, err)
		}
	}
	return h.told(ctx)
}

func (h *host) signUp(ctx context.Context, u sandbox.User) error {
	known, there := h.box.Identity().User(u.ID)
	if there {
		u = known // a role may have been changed there
	}
	current, err := h.isCurrent(ctx, u)
	if err != nil || there && current {
		return err
	}
	return h.box.Identity().PutUser(u)
}

// isCurrent reports whether the platform has the role and the picture that the sandbox
// has of a user, or deleted the user. The address of the picture changes with that of
// the sandbox.
func (h *host) isCurrent(ctx context.Context, u sandbox.User) (bool, error) {
	s, err := h.store.AccountState(ctx, u.ID)
	if err != nil || s.Deleted || !s.Known {
		return s.Deleted, err
	}
	record, err := h.store.User(ctx, u.ID)
	if err != nil {
		return false, err
	}
	picture := cmp.Or(u.ImageURL, h.box.Identity().PictureURL(u.ID))
	return record.ImageURL == picture && learning.ParseRole(string(s.RoleAssignment.Role)) == learning.ParseRole(u.Role), nil
}

// told waits until the sandbox has told everything.
func (h *host) told(ctx context.Context) error {
	if h.box == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, introduceTime)
	defer cancel()
	return h.box.Wait(ctx)
}
