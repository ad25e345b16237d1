package contracttest

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/faultystore"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/papers"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/sandbox"
	"github.com/openlectern/openlectern/learning/store"
)

// Setup is what a case needs beyond the fixture.
type Setup struct {
	platform []learning.Option // in addition to those of the kit
	leftOut  []string          // the names of the options that the platform does not have
	// returns the store of the case in place of the usual one; nil to keep that
	Store     func(learning.Store) learning.Store
	Proxies   string                   // the prefix of the trusted proxies; "" for none
	providers []func(*sandbox.Sandbox) // called when the sandbox has started
	// of the providers, instead of the usual ones
	clients []func(*testing.T, *sandbox.Sandbox) []learning.Option
	// the platform has no rows at all
	isNew bool
	// in addition to those of the fixture
	purchases []purchase.Purchase
	// requests sent before that of the case
	earlier []string
	// statements executed before all requests; they may have marks in place of names
	SQL []string
	API []httpapi.Option // of the handler
	// whether only a server in this process supports it
	InProcess bool
}

// Add adds what another setup needs. The store and the proxies of the other one replace those of s
// if it has them.
func (s *Setup) Add(other Setup) {
	s.platform = append(s.platform, other.platform...)
	s.leftOut = append(s.leftOut, other.leftOut...)
	s.providers = append(s.providers, other.providers...)
	s.clients = append(s.clients, other.clients...)
	s.purchases = append(s.purchases, other.purchases...)
	s.earlier = append(s.earlier, other.earlier...)
	s.SQL = append(s.SQL, other.SQL...)
	s.API = append(s.API, other.API...)
	s.Proxies = cmp.Or(other.Proxies, s.Proxies)
	if other.Store != nil {
		s.Store = other.Store
	}
	s.isNew = s.isNew || other.isNew
	s.InProcess = s.InProcess || other.InProcess
}

// given is a precondition that cases can name.
type given struct {
	Pattern *regexp.Regexp
	Apply   func(s *Setup, c *Case, args []string)
}

// sizeOfRow finds the owner and the size in the columns of a file.
var sizeOfRow = regexp.MustCompile(`owner_id: (\w+),.* size: (\d+)`)

// Givens lists the preconditions, except those of the AI, of chats and of coupons.
var Givens = []given{
	{exactly(`the disk is full`), func(s *Setup, _ *Case, _ []string) {
		s.platform = append(s.platform, learning.WithMedia(fullDisk{}),
			learning.WithFiles(fullDisk{}))
		s.InProcess = true
	}},
	{exactly(`gateway fails`),
		fault((*sandbox.Sandbox).Gateway, sandbox.Fault{Kind: sandbox.FaultStatus})},
	{exactly(`gateway answers nonsense`),
		fault((*sandbox.Sandbox).Gateway, sandbox.Fault{Kind: sandbox.FaultNonsense})},
	{exactly(`gateway answers nothing`),
		fault((*sandbox.Sandbox).Gateway, sandbox.Fault{Kind: sandbox.FaultEmpty})},
	{exactly(`gateway breaks the connection`),
		fault((*sandbox.Sandbox).Gateway, sandbox.Fault{Kind: sandbox.FaultDrop})},
	{exactly(`gateway does not answer in time`),
		tooLate((*sandbox.Sandbox).Gateway, sandbox.OpCreateOrder)},
	{exactly(`gateway answers only an id`),
		fault((*sandbox.Sandbox).Gateway,
			sandbox.Fault{Kind: sandbox.FaultBare, On: sandbox.OpCreateOrder})},
	{exactly(`gateway answers the id of its latest order`),
		fault((*sandbox.Sandbox).Gateway,
			sandbox.Fault{Kind: sandbox.FaultSameID, On: sandbox.OpCreateOrder})},
	{exactly(`gateway refuses refunds`),
		fault((*sandbox.Sandbox).Gateway,
			sandbox.Fault{Kind: sandbox.FaultStatus, Status: 400, On: sandbox.OpCreateRefund})},
	{exactly(`gateway refunds and loses its answer`),
		fault((*sandbox.Sandbox).Gateway,
			sandbox.Fault{Kind: sandbox.FaultDrop, On: sandbox.OpCreateRefund, After: true})},
	{exactly(`gateway processes refunds later`),
		fault((*sandbox.Sandbox).Gateway,
			sandbox.Fault{Kind: sandbox.FaultPending, On: sandbox.OpCreateRefund})},
	{exactly(`the payment of (\w+) is authorized`), func(s *Setup, _ *Case, args []string) {
		s.providers = append(s.providers, func(sb *sandbox.Sandbox) {
			_, _ = sb.Gateway().Authorize(args[0], sandbox.WithoutWebhook()) // the answer shows it
		})
	}},
	{exactly(`the provider says that nothing is paid`),
		withOptions(learning.WithProvider(unpaidProvider{}))},
	{exactly(`gateway is not configured`), unconfigured("WithProvider")},
	{exactly(`identity provider never answered`),
		fault((*sandbox.Sandbox).Identity, sandbox.Fault{Kind: sandbox.FaultStatus})},
	{exactly(`identity provider refuses to change roles`),
		roleFault(everyRequest, sandbox.Fault{Kind: sandbox.FaultStatus})},
	{exactly(`identity provider answers nonsense to a role`),
		roleFault(1, sandbox.Fault{Kind: sandbox.FaultNonsense})},
	{exactly(`identity provider changes a role and loses its answer`),
		roleFault(1, sandbox.Fault{Kind: sandbox.FaultDrop, After: true})},
	{exactly(`identity provider does not change a role in time`),
		tooLate((*sandbox.Sandbox).Identity, sandbox.OpSetRole)},
	{exactly(`role changes are not configured`), unconfigured("WithRoles")},
	{exactly(`identity provider is not configured`), unconfigured("WithTokens", "WithWebhooks")},
	{exactly(`credential issuer is not configured`), unconfigured("WithCredentials")},
	{exactly(`the key of credentials cannot be reached`),
		withOptions(credentialsOf(brokenKey{CredentialKey}))},
	{exactly(`certificates are not configured`), unconfigured("WithCertificates")},
	{exactly(`certificates cannot be drawn`),
		withOptions(learning.WithCertificates(brokenRenderer{}, PublicURL))},
	{exactly(`receipts are not configured`), unconfigured("WithReceipts")},
	{exactly(`the school has a name as a seller`),
		withOptions(learning.WithSeller(papers.Seller{Name: "Harbour School"}))},
	{exactly(`media store is not configured`), unconfigured("WithMedia")},
	{exactly(`file store is not configured`), unconfigured("WithFiles")},
	{exactly(`files have at most (\d+) bytes`), func(s *Setup, _ *Case, args []string) {
		bytes, err := strconv.ParseInt(args[0], 10, 64)
		if err != nil {
			panic(err) // the pattern allows digits only
		}
		s.InProcess = true
		s.platform = append(s.platform, learning.WithMaxFile(bytes))
	}},
	{exactly(`a row of (\w+): (.+)`), func(s *Setup, _ *Case, args []string) {
		s.SQL = append(s.SQL, insertOf(args[0], args[1]))
		if of := sizeOfRow.FindStringSubmatch(args[1]); args[0] == "files" && of != nil {
			s.SQL = append(s.SQL, "UPDATE {file_totals} SET files = files + 1, bytes = bytes + "+
				of[2]+" WHERE owner_id = '"+of[1]+"'")
		}
	}},
	{exactly(`(\w+) has (\d+) more notes in (\w+)`), func(s *Setup, _ *Case, args []string) {
		more, _ := strconv.Atoi(args[1])
		for slot := range more {
			if slot >= fixtureNote.Slot { // which has one
				slot++
			}
			s.SQL = append(s.SQL, fmt.Sprintf(`INSERT INTO {notes} (id, user_id, course_id,
				lecture_id, slot, created_at, updated_at, body) VALUES ('more_%d', '%s', '%s',
				'lecture_1', %d, '2026-01-25 12:00:00', '2026-01-25 12:00:00', '?')`,
				slot, args[0], args[2], slot))
		}
	}},
	{exactly(`media store fails`), withOptions(learning.WithMedia(brokenMedia{}))},
	{exactly(`database fails`), func(s *Setup, _ *Case, _ []string) {
		s.InProcess, s.Store = true, Closed
	}},
	{exactly(`database is busy`), func(s *Setup, _ *Case, _ []string) {
		s.InProcess, s.Store = true, Busy
	}},
	{exactly(`database cannot be written to`), func(s *Setup, _ *Case, _ []string) {
		s.InProcess, s.Store = true, func(st learning.Store) learning.Store { return ReadOnly{st} }
	}},
	// the reference server would add its demo data
	{exactly(`the platform is new`), func(s *Setup, _ *Case, _ []string) {
		s.InProcess, s.isNew = true, true
	}},
	{exactly(`the clock stands still`), func(s *Setup, _ *Case, _ []string) { s.InProcess = true }},
	// of the week of the fixed clock
	{exactly(`sales of this week`), func(s *Setup, _ *Case, _ []string) {
		s.InProcess, s.purchases = true, salesOfThisWeek
	}},
	{exactly(`proxies (\S+) are trusted`),
		func(s *Setup, _ *Case, args []string) { s.Proxies = args[0] }},
	{exactly(`the request was sent (\d+) times? before`), func(s *Setup, c *Case, args []string) {
		s.repeat(args[0], c.Request)
	}},
	{exactly(`(\d+) requests (\w+ \S+) by (\w+)`), func(s *Setup, _ *Case, args []string) {
		s.repeat(args[0], args[1]+"\nAuthorization: Bearer {{token "+args[2]+"}}\n\n{}")
	}},
	{exactly(`(\d+) applications by (\w+)`), func(s *Setup, _ *Case, args []string) {
		s.repeat(args[0], "POST /api/educator/apply\nAuthorization: Bearer {{token "+args[1]+
			"}}\n\n"+
			`{"professionalTitle":"Baker","bio":"I bake.","expertise":["Bread"]}`)
	}},
	{exactly(`(\w+) completes (\S+) of (\S+)`), func(s *Setup, _ *Case, args []string) {
		s.repeat("1", "POST /api/user/update-course-progress\nAuthorization: Bearer {{token "+
			args[0]+"}}\n\n"+
			`{"courseId":"`+args[2]+`","lectureId":"`+args[1]+`"}`)
	}},
	{exactly(`the admin enrolls (\w+) in (\S+)`), func(s *Setup, _ *Case, args []string) {
		s.repeat("1", "POST /api/admin/enrollments\nAuthorization: Bearer {{token admin}}\n\n"+
			`{"userId":"`+args[0]+`","courseId":"`+args[1]+`","reason":"Scholarship"}`)
	}},
	{exactly(`the admin ends the enrollment of (\w+) in (\S+)`),
		func(s *Setup, _ *Case, args []string) {
			s.repeat("1", "DELETE /api/admin/enrollments/"+args[0]+"/"+args[1]+
				"\nAuthorization: Bearer {{token admin}}\n\n")
		}},
	{exactly(`(\w+) opens an order for (\S+) with the coupon (\S+)`),
		func(s *Setup, _ *Case, args []string) {
			s.repeat("1", "POST /api/user/purchase\nAuthorization: Bearer {{token "+args[0]+
				"}}\n\n"+
				`{"courseId":"`+args[1]+`","couponCode":"`+args[2]+`"}`)
		}},
	{exactly(`the admin refunds (\S+) of (\S+) with the key (\S+)`),
		func(s *Setup, _ *Case, args []string) {
			s.repeat("1", "POST /api/admin/purchases/"+args[1]+
				"/refund\nAuthorization: Bearer {{token admin}}\n"+
				"Idempotency-Key: "+args[2]+"\n\n"+`{"amount":`+args[0]+`}`)
		}},
	{exactly(`(\w+) was bought with (\w+)`), func(s *Setup, _ *Case, args []string) {
		s.SQL = append(s.SQL, "UPDATE {purchases} SET coupon_id = '"+args[1]+"' WHERE id = '"+
			args[0]+"'")
	}},
	{exactly(`the (course|user|purchase) (\w+) has the metadata (\{.*\})`),
		func(s *Setup, _ *Case, args []string) {
			s.SQL = append(s.SQL, "UPDATE {"+args[0]+"s} SET metadata = '"+args[2]+"' WHERE id = '"+
				args[1]+"'")
			var m core.Metadata
			if err := json.Unmarshal([]byte(args[2]), &m); err != nil {
				panic(err)
			}
			for _, word := range m.SearchWords() {
				if args[0] == "course" {
					s.SQL = append(s.SQL, insertOf("search_words",
						fmt.Sprintf("person_id: , list: %d, row_id: %s, word: %s", catalog.CoursePairs,
							args[1], word)))
				}
			}
		}},
	{exactly(`the course (\w+) has the prices (\[.*\])`), func(s *Setup, _ *Case, args []string) {
		s.SQL = append(s.SQL, "UPDATE {courses} SET prices = '"+args[1]+"' WHERE id = '"+args[0]+"'")
	}},
	{exactly(`the course (\w+) has the terms (\{.*\})`), func(s *Setup, _ *Case, args []string) {
		s.SQL = append(s.SQL, "UPDATE {courses} SET terms = '"+args[1]+"' WHERE id = '"+args[0]+"'")
	}},
	{exactly(`the order of (\w+) gives access until (\S+)`),
		func(s *Setup, _ *Case, args []string) {
			s.SQL = append(s.SQL, "UPDATE {purchases} SET term_until = '"+sqlTime(args[1])+
				"' WHERE id = '"+args[0]+"'")
		}},
	{exactly(`the access of (\w+) to (\w+) ends at (\S+)`), func(s *Setup, _ *Case, args []string) {
		s.SQL = append(s.SQL, "UPDATE {enrollments} SET expires_at = '"+sqlTime(args[2])+"' WHERE user_id = '"+args[0]+
			"' AND course_id = '"+args[1]+"'")
	}},
	{exactly(`the enrollment of (\w+) in (\w+) has the metadata (\{.*\})`),
		func(s *Setup, _ *Case, args []string) {
			s.SQL = append(s.SQL, "UPDATE {enrollments} SET metadata = '"+args[2]+
				"' WHERE user_id = '"+args[0]+"' AND course_id = '"+args[1]+"'")
		}},
	{exactly(`(\w+) rates (\S+) with (\d)`), func(s *Setup, _ *Case, args []string) {
		s.repeat("1", "POST /api/user/add-rating\nAuthorization: Bearer {{token "+args[0]+"}}\n\n"+
			`{"courseId":"`+args[1]+`","rating":`+args[2]+`}`)
	}},
	{exactly(`time tracked by (\w+): (\{.*\})`), func(s *Setup, _ *Case, args []string) {
		s.repeat("1", "POST /api/user/track-time\nAuthorization: Bearer {{token "+args[0]+"}}\n\n"+
			args[1])
	}},
	{exactly(`(\d+) requests (\w+ \S+) from (\S+)`), func(s *Setup, _ *Case, args []string) {
		s.repeat(args[0], args[1]+"\nX-Forwarded-For: "+args[2]+"\n\n{}")
	}},
}

// sqlTime returns a time of a case as SQL has it.
func sqlTime(text string) string {
	at, err := time.Parse(timeLayout, text)
	if err != nil {
		panic(err)
	}
	return at.Format("2006-01-02 15:04:05.000000")
}

// insertOf returns a statement that inserts a row. values is a list such as "user_id: student,
// seconds: 12", with times as the changes of a case show them.
func insertOf(table, values string) string {
	var columns, literals []string
	for pair := range strings.SplitSeq(values, ", ") {
		column, value, _ := strings.Cut(pair, ": ")
		if at, err := time.Parse(timeLayout, value); err == nil {
			value = at.Format("2006-01-02 15:04:05.000000")
		}
		columns = append(columns, column)
		literals = append(literals, "'"+strings.ReplaceAll(value, "'", "''")+"'")
	}
	return "INSERT INTO {" + table + "} (" + strings.Join(columns, ", ") + ") VALUES (" +
		strings.Join(literals, ", ") + ")"
}

// exactly returns a pattern that matches a whole text.
func exactly(pattern string) *regexp.Regexp { return regexp.MustCompile(`^` + pattern + `$`) }

// Prepare returns the setup for the preconditions of a case. It fails the test for a precondition
// that no pattern of the givens matches.
func Prepare(tb testing.TB, c *Case) *Setup {
	tb.Helper()
	s := &Setup{}
next:
	for _, text := range c.givens {
		for _, g := range slices.Concat(Givens, aiGivens, chatGivens, couponGivens, bundleGivens) {
			if args := g.Pattern.FindStringSubmatch(text); args != nil {
				g.Apply(s, c, args[1:]) // without the whole text
				continue next
			}
		}
		tb.Fatalf("%s: unknown precondition %q: add it to Givens in "+
			"internal/contracttest/given.go", c.File, text)
	}
	return s
}

// option adds options of the platform, which is possible only in a server in this process.
func (s *Setup) option(opts ...learning.Option) {
	s.platform, s.InProcess = append(s.platform, opts...), true
}

// repeat adds a request, as many times as times says, to those that are sent before that of the
// case.
func (s *Setup) repeat(times, request string) {
	var n int
	fmt.Sscan(times, &n) // the patterns have digits only
	for range n {
		s.earlier = append(s.earlier, request)
	}
}

// withOptions returns a precondition: the platform has these options, in place of those of the kit.
func withOptions(opts ...learning.Option) func(*Setup, *Case, []string) {
	return func(s *Setup, _ *Case, _ []string) { s.option(opts...) }
}

// unconfigured returns a precondition: the platform does not have the options of the given names.
func unconfigured(names ...string) func(*Setup, *Case, []string) {
	return func(s *Setup, _ *Case, _ []string) { s.leftOut, s.InProcess = names, true }
}

// Without makes the platform lack the options of the given names.
func (s *Setup) Without(names ...string) { unconfigured(names...)(s, nil, nil) }

// everyRequest is the number of requests of a fault that does not end.
const everyRequest = -1

// fault returns a precondition: every request to a provider has the fault f. of returns the
// provider of a sandbox.
func fault[P interface{ Faults() *sandbox.Faults }](of func(*sandbox.Sandbox) P,
	f sandbox.Fault) func(*Setup, *Case, []string) {
	return func(s *Setup, _ *Case, _ []string) {
		s.providers = append(s.providers,
			func(sb *sandbox.Sandbox) { of(sb).Faults().Next(everyRequest, f) })
	}
}

// roleFault returns a precondition: the next requests to set a role, as many as times says, have
// the fault f.
func roleFault(times int, f sandbox.Fault) func(*Setup, *Case, []string) {
	f.On = sandbox.OpSetRole
	return func(s *Setup, _ *Case, _ []string) {
		s.providers = append(s.providers,
			func(sb *sandbox.Sandbox) { sb.Identity().Faults().Next(times, f) })
	}
}

// Busy returns a store in which every statement times out.
func Busy(st learning.Store) learning.Store {
	return faultystore.With(st, func(context.Context, string) error { return store.ErrTimeout })
}

// Closed closes a store and returns it, so that all its methods fail.
func Closed(st learning.Store) learning.Store {
	if err := st.(*store.Store).Close(); err != nil {
		panic(err)
	}
	return st
}
