package httpapi_test

import (
	"fmt"
	"regexp"
	"slices"
	"testing"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/sandbox"
	"github.com/openlectern/openlectern/learning/store"
)

// setup is what a case needs beyond the fixture.
type setup struct {
	platform  []learning.Option
	store     func(learning.Store) learning.Store
	proxies   string
	providers []func(*sandbox.Sandbox)
	clients   []func(*testing.T, *sandbox.Sandbox) []learning.Option // of the providers, instead of the usual ones
	isNew     bool                                                   // the platform has no rows at all
	purchases []learning.Purchase                                    // in addition to those of the fixture
	earlier   []string                                               // requests sent before that of the case
	sql       []string                                               // statements executed before all requests
	api       []httpapi.Option                                       // of the handler
	inProcess bool                                                   // whether only a server in this process supports it
}

// given is a precondition that cases can name.
type given struct {
	pattern *regexp.Regexp
	apply   func(s *setup, c *contractCase, args []string)
}

var givens = []given{
	{exactly(`gateway fails`), fault((*sandbox.Sandbox).Gateway, sandbox.Fault{Kind: sandbox.FaultStatus})},
	{exactly(`gateway answers nonsense`), fault((*sandbox.Sandbox).Gateway, sandbox.Fault{Kind: sandbox.FaultNonsense})},
	{exactly(`gateway answers nothing`), fault((*sandbox.Sandbox).Gateway, sandbox.Fault{Kind: sandbox.FaultEmpty})},
	{exactly(`gateway breaks the connection`), fault((*sandbox.Sandbox).Gateway, sandbox.Fault{Kind: sandbox.FaultDrop})},
	{exactly(`gateway does not answer in time`), tooLate((*sandbox.Sandbox).Gateway, sandbox.OpCreateOrder)},
	{exactly(`gateway answers only an id`), fault((*sandbox.Sandbox).Gateway, sandbox.Fault{Kind: sandbox.FaultBare, On: sandbox.OpCreateOrder})},
	{exactly(`gateway answers the id of its latest order`), fault((*sandbox.Sandbox).Gateway, sandbox.Fault{Kind: sandbox.FaultSameID, On: sandbox.OpCreateOrder})},
	{exactly(`gateway is not configured`), without(learning.WithGateway(nil))},
	{exactly(`identity provider never answered`), fault((*sandbox.Sandbox).Identity, sandbox.Fault{Kind: sandbox.FaultStatus})},
	{exactly(`identity provider refuses to change roles`), roleFault(-1, sandbox.Fault{Kind: sandbox.FaultStatus})},
	{exactly(`identity provider answers nonsense to a role`), roleFault(1, sandbox.Fault{Kind: sandbox.FaultNonsense})},
	{exactly(`identity provider changes a role and loses its answer`), roleFault(1, sandbox.Fault{Kind: sandbox.FaultDrop, After: true})},
	{exactly(`identity provider does not change a role in time`), tooLate((*sandbox.Sandbox).Identity, sandbox.OpSetRole)},
	{exactly(`role changes are not configured`), without(learning.WithRoles(nil))},
	{exactly(`identity provider is not configured`), without(learning.WithTokens(nil), learning.WithWebhooks(nil))},
	{exactly(`credential issuer is not configured`), without(learning.WithCredentials(nil))},
	{exactly(`the key of credentials cannot be reached`), without(credentialsOf(brokenKey{learningtest.CredentialKey}))},
	{exactly(`certificates are not configured`), without(learning.WithCertificates(nil, ""))},
	{exactly(`certificates cannot be drawn`), without(learning.WithCertificates(brokenRenderer{}, publicURL))},
	{exactly(`media store is not configured`), without(learning.WithMedia(nil))},
	{exactly(`media store fails`), without(learning.WithMedia(brokenMedia{}))},
	{exactly(`database fails`), func(s *setup, _ *contractCase, _ []string) {
		s.inProcess, s.store = true, closed
	}},
	{exactly(`database cannot be written to`), func(s *setup, _ *contractCase, _ []string) {
		s.inProcess, s.store = true, func(st learning.Store) learning.Store { return readOnly{st} }
	}},
	{exactly(`the platform is new`), func(s *setup, _ *contractCase, _ []string) { // the reference server would add its demo data
		s.inProcess, s.isNew = true, true
	}},
	{exactly(`the clock stands still`), func(s *setup, _ *contractCase, _ []string) { s.inProcess = true }},
	{exactly(`sales of this week`), func(s *setup, _ *contractCase, _ []string) { // of the week of the fixed clock
		s.inProcess, s.purchases = true, salesOfThisWeek
	}},
	{exactly(`proxies (\S+) are trusted`), func(s *setup, _ *contractCase, args []string) { s.proxies = args[0] }},
	{exactly(`the request was sent (\d+) times? before`), func(s *setup, c *contractCase, args []string) {
		s.repeat(args[0], c.request)
	}},
	{exactly(`(\d+) requests (\w+ \S+) by (\w+)`), func(s *setup, _ *contractCase, args []string) {
		s.repeat(args[0], args[1]+"\nAuthorization: Bearer {{token "+args[2]+"}}\n\n{}")
	}},
	{exactly(`(\d+) applications by (\w+)`), func(s *setup, _ *contractCase, args []string) {
		s.repeat(args[0], "POST /api/educator/apply\nAuthorization: Bearer {{token "+args[1]+"}}\n\n"+
			`{"professionalTitle":"Baker","bio":"I bake.","expertise":["Bread"]}`)
	}},
	{exactly(`(\w+) completes (\S+) of (\S+)`), func(s *setup, _ *contractCase, args []string) {
		s.repeat("1", "POST /api/user/update-course-progress\nAuthorization: Bearer {{token "+args[0]+"}}\n\n"+
			`{"courseId":"`+args[2]+`","lectureId":"`+args[1]+`"}`)
	}},
	{exactly(`(\w+) rates (\S+) with (\d)`), func(s *setup, _ *contractCase, args []string) {
		s.repeat("1", "POST /api/user/add-rating\nAuthorization: Bearer {{token "+args[0]+"}}\n\n"+
			`{"courseId":"`+args[1]+`","rating":`+args[2]+`}`)
	}},
	{exactly(`time tracked by (\w+): (\{.*\})`), func(s *setup, _ *contractCase, args []string) {
		s.repeat("1", "POST /api/user/track-time\nAuthorization: Bearer {{token "+args[0]+"}}\n\n"+args[1])
	}},
	{exactly(`(\d+) requests (\w+ \S+) from (\S+)`), func(s *setup, _ *contractCase, args []string) {
		s.repeat(args[0], args[1]+"\nX-Forwarded-For: "+args[2]+"\n\n{}")
	}},
}

func exactly(pattern string) *regexp.Regexp { return regexp.MustCompile(`^` + pattern + `$`) }

// prepare returns the setup for the preconditions of a case.
func prepare(tb testing.TB, c *contractCase) *setup {
	tb.Helper()
	s := &setup{}
next:
	for _, text := range c.givens {
		for _, g := range slices.Concat(givens, aiGivens, chatGivens) {
			if args := g.pattern.FindStringSubmatch(text); args != nil {
				g.apply(s, c, args[1:])
				continue next
			}
		}
		tb.Fatalf("unknown precondition %q", text)
	}
	return s
}

// option adds an option of the platform, which is possible in this process only.
func (s *setup) option(opts ...learning.Option) {
	s.platform, s.inProcess = append(s.platform, opts...), true
}

func (s *setup) repeat(times, request string) {
	var n int
	fmt.Sscan(times, &n)
	for range n {
		s.earlier = append(s.earlier, request)
	}
}

func without(opts ...learning.Option) func(*setup, *contractCase, []string) {
	return func(s *setup, _ *contractCase, _ []string) { s.option(opts...) }
}

// fault returns a precondition: every request to a provider has the fault.
func fault[P interface{ Faults() *sandbox.Faults }](of func(*sandbox.Sandbox) P, f sandbox.Fault) func(*setup, *contractCase, []string) {
	return func(s *setup, _ *contractCase, _ []string) {
		s.providers = append(s.providers, func(sb *sandbox.Sandbox) { of(sb).Faults().Next(-1, f) })
	}
}

// roleFault returns a precondition: the next requests to set a role have the fault.
func roleFault(times int, f sandbox.Fault) func(*setup, *contractCase, []string) {
	f.On = sandbox.OpSetRole
	return func(s *setup, _ *contractCase, _ []string) {
		s.providers = append(s.providers, func(sb *sandbox.Sandbox) { sb.Identity().Faults().Next(times, f) })
	}
}

// closed is a store whose methods all fail.
func closed(st learning.Store) learning.Store {
	if err := st.(*store.Store).Close(); err != nil {
		panic(err)
	}
	return st
}
