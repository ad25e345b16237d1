package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"time"

	"github.com/openlectern/learning/learning"
	"github.com/openlectern/learning/learning/sandbox"
)

//go:embed demo/catalogue.json
var demoCatalogue []byte

// The people whom the sandbox knows beside the educators of the demo's catalogue.
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

// prepare makes a development server worth looking at: people to sign in as, and
// courses when there are none.
func (h *host) prepare(ctx context.Context) error {
	demo, err := parseCatalogue(demoCatalogue)
	if err != nil {
		return err
	}
	if err := h.introduce(ctx, demo.People); err != nil {
		return fmt.Errorf("introduce the demo's people: %w", err)
	}
	listed, err := h.platform.Catalogue(ctx)
	if err != nil || len(listed) > 0 {
		return err
	}
	h.log.Info("filling the empty catalogue with the demo's courses")
	// Half a catalogue would stay half: the next start finds courses. It takes a
	// few seconds, so a signal can wait.
	_, _, err = importer{courses: h.courses, platform: h.platform}.bring(context.WithoutCancel(ctx), demo)
	if err != nil {
		return fmt.Errorf("bring in the demo's courses: %w", err)
	}
	return nil
}

// introduce signs the demo's people up at the sandbox, which tells the platform
// as it would of anybody; those whom the platform has lost it is told of again.
func (h *host) introduce(ctx context.Context, educators []person) error {
	if !h.signsIn() {
		return nil
	}
	people := demoPeople
	for _, e := range educators {
		people = append(people, sandbox.User{ID: e.ID, FirstName: e.FirstName, LastName: e.LastName, Email: e.Email, ImageURL: e.ImageURL, Role: "educator"})
	}
	for _, u := range people {
		known, there := h.box.Identity().User(u.ID)
		if there {
			u = known // a role may have been changed there
		}
		_, err := h.platform.User(ctx, learning.Claims{UserID: u.ID})
		if err != nil && !errors.Is(err, learning.ErrUserNotFound) {
			return err
		}
		if there && err == nil {
			continue
		}
		if err := h.box.Identity().PutUser(u); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, introduceTime)
	defer cancel()
	return h.box.Wait(ctx)
}
