package main

import (
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/exchange"
	"github.com/openlectern/openlectern/learning/sandbox"
)

var (
	//go:embed demo/catalogue.json
	demoCatalogue []byte
	//go:embed demo/history.json
	demoHistory []byte
	//go:embed demo/community.json
	demoCommunity []byte
	//go:embed demo/assessment.json
	demoAssessment []byte
	// the files of the lectures
	//go:embed demo/files
	demoFiles embed.FS
)

// demo is the data that a development server shows.
type demo struct {
	exchange.Catalogue
	history
	conversations
	assessment
}

// readDemo reads the demo. It omits all but the catalogue if the identity provider or the gateway
// is real, because a real one does not have these users and orders.
func (h *devServer) readDemo() (d demo, err error) {
	if d.Catalogue, err = exchange.ParseCatalogue(demoCatalogue); err != nil {
		return d, err
	}
	moveLectures(d.Catalogue, h.frontEnd())
	if h.signsIn() && h.takesPayments() {
		err = errors.Join(json.Unmarshal(demoHistory, &d.history),
			json.Unmarshal(demoCommunity, &d.conversations),
			json.Unmarshal(demoAssessment, &d.assessment))
	}
	return d, err
}

// moveLectures changes the URLs of the lectures in place: the storefront serves them, so they begin
// with origin instead of the default origin that the file has.
func moveLectures(c exchange.Catalogue, origin string) {
	for _, course := range c.Courses {
		for _, chapter := range course.Content {
			for i, l := range chapter.Lectures {
				chapter.Lectures[i].URL = strings.Replace(l.URL, defaultFrontEnd, origin, 1)
			}
		}
	}
}

// Ids of the users of the sandbox in addition to the demo's educators and students.
const (
	demoStudent  = "user_student"
	demoEducator = "user_educator"
	demoAdmin    = "user_admin"
)

var demoUsers = []sandbox.User{
	{ID: demoStudent, FirstName: "Sana", LastName: "Iqbal", Email: "sana.iqbal@example.com",
		Role: "student"},
	{ID: demoEducator, FirstName: "Emil", LastName: "Novak", Email: "emil.novak@example.com",
		Role: "educator"},
	{ID: demoAdmin, FirstName: "Ada", LastName: "Quist", Email: "ada.quist@example.com",
		Role: "admin"},
}

// webhookTime bounds the delivery of the demo's webhooks to this process.
const webhookTime = time.Minute

// prepare seeds the demo if the database has no published courses, and creates its users at the
// sandbox. It does nothing without a sandbox, because the people of the demo have signed in and
// paid there.
func (h *devServer) prepare(ctx context.Context) error {
	if h.box == nil { // all providers are configured
		return nil
	}
	d, err := h.readDemo()
	if err != nil {
		return fmt.Errorf("read the demo: %w", err)
	}
	// While the demo is created, log warnings only, because the lines about its users would hide
	// the start-up text. An error is left to seedDemo, which asks again.
	if needed, err := d.isNeeded(ctx, h.store); err == nil && needed {
		h.level.Set(slog.LevelWarn)
		defer h.level.Set(h.logLevel())
	}
	// Seed the database. It does nothing if there are published courses.
	if err := h.seedDemo(ctx, d, time.Now()); err != nil {
		return fmt.Errorf("seed the database with the demo: %w", err)
	}
	// Create the users who sign in at the sandbox. The demo's students are left out if the host's
	// own courses are there in place of the demo.
	groups := [][]sandbox.User{demoUsers, users(d.People, core.Educator)}
	hasDemo, err := d.exists(ctx, h.store)
	if err != nil {
		return err
	}
	if hasDemo {
		groups = append(groups, users(d.Students, core.Student))
	}
	return h.createSandboxUsers(ctx, groups...)
}

// users converts people to users of the sandbox.
func users(people []exchange.CataloguePerson, role learning.Role) []sandbox.User {
	all := make([]sandbox.User, len(people))
	for i, p := range people {
		all[i] = sandbox.User{ID: p.ID, FirstName: p.FirstName, LastName: p.LastName,
			Email: p.Email, ImageURL: p.ImageURL, Role: string(role)}
	}
	return all
}

// createSandboxUsers creates users at the sandbox, which sends the events to the platform, and
// waits for their delivery. For an existing user it sends the event again if the platform's
// record differs. It does nothing if the sandbox is not the identity provider.
func (h *devServer) createSandboxUsers(ctx context.Context, groups ...[]sandbox.User) error {
	if !h.signsIn() {
		return nil
	}
	// A user may be in several groups: the first one decides.
	created := map[string]bool{}
	for _, u := range slices.Concat(groups...) { // in the order of the groups
		if created[u.ID] {
			continue
		}
		created[u.ID] = true
		if err := h.createSandboxUser(ctx, u); err != nil {
			return fmt.Errorf("create user %s: %w", u.ID, err)
		}
	}
	// The users exist at the platform when their events have been processed.
	return h.waitForWebhooks(ctx)
}

// createSandboxUser creates a user, with the role that the platform has assigned, if any.
func (h *devServer) createSandboxUser(ctx context.Context, u sandbox.User) error {
	state, err := h.store.AccountState(ctx, u.ID)
	if err != nil {
		return err
	}
	// A user that the sandbox has stays as it is. A new one gets the role that the database has
	// assigned before, if the sandbox's file was removed.
	known, exists := h.box.Identity().User(u.ID)
	if exists {
		u = known // the role may have been changed at the sandbox
	} else {
		u.Role = cmp.Or(string(state.RoleAssignment.Role), u.Role)
	}
	// Store the user and send the event, which PutUser does both. A user that the sandbox has needs
	// neither if the platform has the same data.
	current, err := h.isCurrent(ctx, u, state)
	if err != nil {
		return err
	}
	if exists && current {
		return nil
	}
	return h.box.Identity().PutUser(u)
}

// isCurrent reports whether the platform needs no event of u: its record has the role and the
// picture of u, or is deleted, so that an event would change nothing. It returns false if the
// platform has no record. state is that of the record. The picture is compared because its URL
// depends on the address of the sandbox, which may have changed. For roles, none is the same as
// student.
func (h *devServer) isCurrent(ctx context.Context, u sandbox.User,
	state core.AccountState) (bool, error) {
	if state.Deleted {
		return true, nil
	}
	if !state.Known {
		return false, nil
	}
	record, err := h.store.User(ctx, u.ID)
	if err != nil {
		return false, err
	}
	picture := cmp.Or(u.ImageURL, h.box.Identity().PictureURL(u.ID))
	return record.ImageURL == picture &&
		core.ParseRole(string(state.RoleAssignment.Role)) == core.ParseRole(u.Role), nil
}

// waitForWebhooks waits until the sandbox has delivered all webhooks or has given them up, which is
// no error here, for at most webhookTime.
func (h *devServer) waitForWebhooks(ctx context.Context) error {
	if h.box == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, webhookTime)
	defer cancel()
	return h.box.Wait(ctx)
}
