package sandbox

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strings"
)

//go:embed templates/*.html
var templateFiles embed.FS

//go:embed templates/style.css
var style string

//go:embed templates/icon.png
var icon []byte

func serveIcon(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "image/png")
	w.Header().Set("Cache-Control", "public, max-age=86400")
	_, _ = w.Write(icon) // the client may be gone
}

var pages = template.Must(
	template.New("").Funcs(template.FuncMap{"money": money, "charge": stripeMoney}).ParseFS(templateFiles,
		"templates/*.html"))

// styleDigest is the digest of the style sheet, as a Content-Security-Policy names it.
var styleDigest = func() string {
	sum := sha256.Sum256([]byte(style))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}()

// policy returns the Content-Security-Policy of the pages. It allows the icon and the style sheet,
// and no scripts. Forms may lead to the front end, because browsers apply form-action to the
// redirect after a form, too.
func (s *Sandbox) policy() string {
	targets := "'self'"
	if s.cfg.FrontendOrigin != "" {
		targets += " " + s.cfg.FrontendOrigin
	}
	return "default-src 'none'; img-src 'self'; style-src " + styleDigest + "; form-action " +
		targets + "; base-uri 'none'; frame-ancestors 'none'"
}

// page is the data of every template.
type page struct {
	Title string
	Style template.CSS
	Data  any
}

// render answers a page with a status: the template of a name with its data. If the template fails,
// it answers 500.
func (s *Sandbox) render(w http.ResponseWriter, status int, name, title string, data any) {
	var b bytes.Buffer
	if err := pages.ExecuteTemplate(&b, name,
		page{Title: title, Style: template.CSS(style), Data: data}); err != nil {
		s.cfg.Log.Error("render page", "page", name, "err", err)
		http.Error(w, "The page cannot be shown.", http.StatusInternalServerError)
		return
	}
	// The page is complete, so its status is right.
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", s.policy())
	h.Set("Cache-Control", "no-store") // pages show tokens and signatures
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // the client may be gone
}

// shown is the largest length of a list on the home page.
const shown = 50

type homePage struct {
	Users      []User
	Orders     []Order         // open ones, newest first
	Intents    []PaymentIntent // likewise
	Deliveries []Delivery      // newest first
	WebhookURL string
	AICalls    int
}

// home shows the users, the open orders, the webhooks and the number of calls of the AI.
func (s *Sandbox) home(w http.ResponseWriter, _ *http.Request) {
	open := slices.DeleteFunc(s.gateway.Orders(),
		func(o Order) bool { return o.Status == OrderPaid })
	unpaid := slices.DeleteFunc(s.stripe.Intents(),
		func(p PaymentIntent) bool { return !p.canBePaid() })
	s.render(w, http.StatusOK, "home.html", "Sandbox",
		homePage{Users: s.identity.Users(), Orders: newest(open), Intents: newest(unpaid),
			Deliveries: newest(s.Deliveries()), WebhookURL: s.sender.target(),
			AICalls: s.ai.faults.Calls(OpComplete)})
}

// newest returns the last entries of all for the home page, newest first, and at most shown of
// them. all must be oldest first. It must be a copy, because newest reverses it.
func newest[T any](all []T) []T {
	slices.Reverse(all)
	return all[:min(len(all), shown)]
}

type tokenPage struct {
	User            User
	Token, Platform string
}

// tokenPage shows the token of a user who has signed in, with an example of its use.
func (i *Identity) tokenPage(w http.ResponseWriter, id, token string) {
	u, _ := i.User(id) // there is one, unless it was deleted since the token was issued
	i.sandbox.render(w, http.StatusOK, "token.html", "Signed in as "+u.Name(),
		tokenPage{User: u, Token: token, Platform: i.sandbox.platform()})
}

// platform returns the URL of the platform for the examples on the pages: that for clients, or else
// that for webhooks, or else a usual one.
func (s *Sandbox) platform() string {
	return cmp.Or(strings.TrimRight(s.cfg.PublicURL, "/"), s.sender.target(),
		"http://localhost:3000")
}

// money formats an amount in the smallest unit of a currency. It shows two decimals, which all
// currencies of the payment gateway have: INR 12,345.00. An amount is negative only if a test pays
// one with WithAmount.
func money(amount int64, currency string) string {
	sign := ""
	if amount < 0 {
		sign, amount = "-", -amount
	}
	// Cut groups of three digits from the end.
	whole := fmt.Sprint(amount / 100)
	var groups []string
	for len(whole) > 3 {
		groups = append([]string{whole[len(whole)-3:]}, groups...)
		whole = whole[:len(whole)-3]
	}
	groups = append([]string{whole}, groups...)
	return fmt.Sprintf("%s %s%s.%02d", currency, sign, strings.Join(groups, ","), amount%100)
}
