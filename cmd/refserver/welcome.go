package main

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
	"text/template"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// tokenTime is the lifetime of a token for development: a working day.
const tokenTime = 12 * time.Hour

// devServer is a server in development: it seeds the demo and prints the start-up text.
type devServer struct {
	*program
	store    learning.Store
	platform *learning.Platform
	options  []learning.Option // of the platform, without the AI and the target of events
	box      *sandbox.Sandbox  // nil when all providers are real
	front    *storefront
	url      string // of this server
}

// signsIn reports whether the sandbox is the identity provider.
func (h *devServer) signsIn() bool {
	return h.box != nil && h.Identity.Issuer == h.box.Config().URL
}

// takesPayments reports whether the sandbox is the payment gateway.
func (h *devServer) takesPayments() bool {
	return h.box != nil && h.Gateway.KeyID == h.box.Config().GatewayKeyID
}

//go:embed welcome.txt
var welcomeText string

var welcomeTemplate = template.Must(template.New("").Parse(welcomeText))

// welcome seeds the demo and prints the start-up text.
func (h *devServer) welcome(ctx context.Context) {
	if err := h.prepare(ctx); err != nil {
		h.log.Error("prepare the demo; the next start tries again", "error", err)
	}
	if ctx.Err() != nil { // the server stops
		return
	}
	text, err := h.text()
	if err != nil {
		h.log.Error("write the start-up text", "error", err)
	}
	fmt.Fprint(h.stdout, text) // with an error, the part before it
}

// page is the data of the start-up text.
type page struct {
	Program                string // how it is called
	API, Sandbox, FrontEnd string
	HasStorefront          bool
	Reason                 string // of the storefront
	Files                  []string
	SignsIn, SendsEvents   bool // at the sandbox; as webhooks
	Users                  []sandbox.User
}

// text returns the start-up text.
func (h *devServer) text() (string, error) {
	p := page{
		Program: h.name, API: strings.TrimRight(h.PublicURL, "/"), FrontEnd: h.frontEnd(),
		HasStorefront: len(h.front.listeners) > 0, Reason: h.front.reason, Files: h.files(),
		SignsIn: h.signsIn(), SendsEvents: h.Events.set(), Users: demoUsers,
	}
	if h.box != nil {
		p.Sandbox = h.box.Config().URL
	}
	var out strings.Builder
	err := welcomeTemplate.Execute(&out, p)
	return out.String(), err
}

// files returns the files and folders that must be deleted to start from the beginning, as far as
// they are on this machine.
func (h *devServer) files() []string {
	var all []string
	if path, ok := strings.CutPrefix(h.Database, "sqlite:"); ok {
		all = append(all, path+"*") // with the files next to the database, such as the sandbox's
	} else if h.box != nil {
		all = append(all, h.sandboxFile())
	}
	if !h.hasBucket() {
		all = append(all, h.Media)
	}
	return all
}

// demoToken is a session token of one of the demoUsers.
type demoToken struct{ Role, ID, Token string }

// signIn returns a token of each of the demoUsers. The sandbox must be the identity provider. It
// uses ES256, because its signatures are short.
func (h *devServer) signIn() ([]demoToken, error) {
	var all []demoToken
	for _, u := range demoUsers {
		token, err := h.box.Identity().Token(u.ID, sandbox.WithTTL(tokenTime),
			sandbox.WithAlg("ES256"))
		if err != nil {
			return nil, fmt.Errorf("sign in %s: %w", u.ID, err)
		}
		all = append(all, demoToken{Role: u.Role, ID: u.ID, Token: token})
	}
	return all, nil
}

// docsUsers returns the users as whom a reader of the reference page can sign in: the
// demoUsers, if the sandbox is the identity provider, or else nil. It logs an error and returns nil
// too.
func (h *devServer) docsUsers() []httpapi.DocsUser {
	if !h.signsIn() {
		return nil
	}
	people, err := h.signIn()
	if err != nil {
		h.log.Error("sign in for the reference page", "error", err)
	}
	var users []httpapi.DocsUser
	for _, p := range people {
		users = append(users, httpapi.DocsUser{Name: p.Role + " (" + p.ID + ")", Token: p.Token})
	}
	return users
}
