package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/template"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// tokenTime is how long a token for development is good: a day at the terminal.
const tokenTime = 12 * time.Hour

// host receives a newcomer on a developer's machine.
type host struct {
	*program
	store    learning.Store
	platform *learning.Platform
	options  []learning.Option // with which the platform was made
	box      *sandbox.Sandbox  // nil when all providers are real
	url      string            // of this server
}

// signsIn and takesPayments tell whether the sandbox stands for that provider.
func (h *host) signsIn() bool { return h.box != nil && h.Identity.Issuer == h.box.Config().URL }
func (h *host) takesPayments() bool {
	return h.box != nil && h.Gateway.KeyID == h.box.Config().GatewayKeyID
}

//go:embed welcome.txt
var welcomeText string

var welcomeTemplate = template.Must(template.New("").Parse(welcomeText))

// welcome prepares the demo and says on the terminal what there is to do.
func (h *host) welcome(ctx context.Context) {
	if err := h.prepare(ctx); err != nil {
		h.log.Error("the demo is not complete; the next start goes on with it", "error", err)
	}
	text, err := h.text(ctx)
	if err != nil && ctx.Err() == nil {
		h.log.Error("write the start-up text", "error", err)
	}
	fmt.Fprint(h.stdout, text)
}

// page is what the start-up text is made of.
type page struct {
	API, Sandbox, FrontEnd string
	Courses                int
	Files                  []string
	SignsIn, TakesPayments bool
	People                 []signedIn
	Student, Admin         string // tokens
	Course                 *learning.Course
	Price                  string
}

type signedIn struct{ Role, ID, Token string }

func (h *host) text(ctx context.Context) (string, error) {
	listed, err := h.platform.Catalogue(ctx)
	if err != nil {
		return "", err
	}
	p := page{API: h.url, Courses: len(listed), Files: h.files(), FrontEnd: h.frontEnd(), SignsIn: h.signsIn(), TakesPayments: h.takesPayments()}
	if h.box != nil {
		p.Sandbox = h.box.Config().URL
	}
	if p.SignsIn {
		if p.People, err = h.signIn(); err != nil {
			return "", err
		}
		p.Student, p.Admin = p.People[0].Token, p.People[2].Token
		if p.Course, err = h.forSale(ctx, listed); err != nil {
			return "", err
		}
	}
	if p.Course != nil {
		price := p.Course.FinalPrice()
		p.Price = fmt.Sprintf("%s %d.%02d", h.Currency, price/100, price%100)
	}
	var out strings.Builder
	err = welcomeTemplate.Execute(&out, p)
	return out.String(), err
}

// files are what this server keeps in files, for somebody who wants to start over.
func (h *host) files() []string {
	var all []string
	if path, ok := strings.CutPrefix(h.Database, "sqlite:"); ok {
		all = append(all, path+"*")
	} else if h.box != nil {
		all = append(all, h.sandboxFile())
	}
	return append(all, h.Media)
}

// signIn makes a token for each of the demo's people. They are signed with the
// algorithm whose signatures are short.
func (h *host) signIn() ([]signedIn, error) {
	var all []signedIn
	for _, u := range demoPeople {
		token, err := h.box.Identity().Token(u.ID, sandbox.WithTTL(tokenTime), sandbox.WithAlg("ES256"))
		if err != nil {
			return nil, fmt.Errorf("sign in %s: %w", u.ID, err)
		}
		all = append(all, signedIn{u.Role, u.ID, token})
	}
	return all, nil
}

// forSale is a course that the student can buy now; nil when there is none.
func (h *host) forSale(ctx context.Context, listed []learning.Course) (*learning.Course, error) {
	student, err := h.platform.User(ctx, learning.Claims{UserID: demoStudent})
	if errors.Is(err, learning.ErrUserNotFound) { // deleted
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("find the demo's student: %w", err)
	}
	for _, c := range listed {
		if c.FinalPrice() > 0 && !slices.Contains(student.Enrolled, c.ID) {
			return &c, nil
		}
	}
	return nil, nil
}
