package httpapi_test

import (
	"bytes"
	"cmp"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/contracttest"
	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/sandbox"
	"github.com/openlectern/openlectern/learning/study"
)

const (
	// fewRows are the rows of each table of the small database.
	fewRows grownRows = 1000
	// warmRequests are sent to each route before measuredRequests.
	warmRequests, measuredRequests = 5, 50
	// mostGrowth is how many times as long an answer may take with many rows.
	mostGrowth = 3
	// leastTime is the time that an answer is taken to need with few rows, if it needs less: a
	// difference of some tenths of a millisecond is not growth.
	leastTime = 300 * time.Microsecond
	// mostTime is for the requests to one route, and timedOut is the least time of a request that
	// fails because of a deadline.
	mostTime, timedOut = 20 * time.Second, 2 * time.Second
)

// BenchmarkGrowth measures the requests of grownRequests with 1,000 rows in each table, and with as
// many as BENCH_ROWS says. It reports for each request the time that a quarter of them stay below,
// because other load on the machine only makes requests slower, and how many times as long the
// second is, and the same for the scheduled work that ends access. Those that take more than
// mostGrowth times as long are marked as named. The time is that of the handler: neither the
// connection nor the client is in it. The providers are those of the sandbox. BENCH_ROUTES is a
// regular expression for the requests, to measure some of them again. A request that needs what
// another one has written fails without that.
func BenchmarkGrowth(b *testing.B) {
	many, err := strconv.Atoi(cmp.Or(os.Getenv("BENCH_ROWS"), "10000"))
	if err != nil || many < int(fewRows) || many%int(fewRows) != 0 {
		b.Fatalf("BENCH_ROWS is %q, and must be a multiple of %d", os.Getenv("BENCH_ROWS"), fewRows)
	}
	only, err := regexp.Compile(os.Getenv("BENCH_ROUTES"))
	if err != nil {
		b.Fatal(err)
	}
	enginetest.Each(b, enginetest.Dialects, func(b *testing.B, e enginetest.Engine) {
		names, few := fewRows.measure(b, e, only)
		_, grown := grownRows(many).measure(b, e, only)
		for _, name := range names {
			b.Run(name, func(b *testing.B) { reportGrowth(b, few[name], grown[name]) })
		}
	})
}

func reportGrowth(b *testing.B, few, many time.Duration) {
	b.Helper()
	if few == 0 || many == 0 {
		b.Skip("the request failed")
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(few.Seconds()*1000, "few-ms")
	b.ReportMetric(many.Seconds()*1000, "many-ms")
	b.ReportMetric(float64(many)/float64(few), "growth")
	if many > mostGrowth*max(few, leastTime) {
		b.ReportMetric(1, "named")
	}
}

// measure returns the times of the requests whose names match, and these names in the order of the
// table. A request that fails has no time.
func (n grownRows) measure(
	b *testing.B, e enginetest.Engine, only *regexp.Regexp,
) (names []string, times map[string]time.Duration) {
	b.Helper()
	start := time.Now()
	url := e.URL(b)
	n.fill(b, url)
	b.Logf("%s: filled %d rows in %s", e.Name, n, time.Since(start).Round(time.Second))
	s := n.serve(b, url)
	times = map[string]time.Duration{}
	cases := successCases(b)
	for _, row := range httpapi.Table() {
		for _, r := range grownRequestsOf(cases, row) {
			name := r.name(row)
			if !only.MatchString(name) {
				continue
			}
			names = append(names, name)
			took, err := s.measure(b, func(i int) string { return r.text(n, row, i) })
			if err != nil {
				b.Errorf("%s, %d rows, %s: %v", e.Name, n, name, err)
				continue
			}
			times[name] = took
		}
	}
	if only.MatchString(endOfAccess) {
		names, times[endOfAccess] = append(names, endOfAccess), n.measureEndOfAccess(b, s)
	}
	return names, times
}

// endOfAccess is the name of the scheduled work that tells of ends of access.
const endOfAccess = "end of access"

// measureEndOfAccess ends the access of one enrolment after the other, and returns the time that a
// quarter of the runs of the scheduled work stay below, which find it.
func (n grownRows) measureEndOfAccess(b *testing.B, s *grownServer) time.Duration {
	b.Helper()
	boss := core.Actor{UserID: grownAdmin, Role: core.Admin}
	work := s.kit.Platform.Study.ForRooms().TidyingSteps()[0]
	var times []time.Duration
	for i := range warmRequests + measuredRequests {
		end := s.kit.Clock.Now().Add(-time.Hour)
		change := study.EnrollmentChange{UserID: grownUser(i % n.users()),
			CourseID: grownID(1 + i), ExpiresAt: &end}
		if _, err := s.kit.Platform.Study.ChangeEnrollment(b.Context(), boss, change); err != nil {
			b.Fatal(err)
		}
		start := time.Now()
		if err := work.Do(b.Context()); err != nil {
			b.Fatal(err)
		}
		if i >= warmRequests {
			times = append(times, time.Since(start))
		}
		e, err := s.kit.Store.Enrollment(b.Context(), change.UserID, change.CourseID)
		if err != nil || !e.StepAt.IsZero() {
			b.Fatalf("the enrolment %+v was not told of: %v", e, err)
		}
	}
	slices.Sort(times)
	return times[len(times)/4]
}

// grownServer is a platform on a grown database.
type grownServer struct {
	address string
	kit     *learningtest.Kit
	took    chan time.Duration // how long the handler took for the last request
	tokens  map[string]string  // by user, so that they are verified once, as those of a browser
}

// serve starts a platform whose providers know the users and the payments of the requests.
func (n grownRows) serve(tb testing.TB, url string) *grownServer {
	tb.Helper()
	k := learningtest.New(tb, learningtest.WithDatabase(url))
	k.Person(tb, grownAdmin, core.Admin)
	users := []sandbox.User{
		{ID: grownUser(int(n) / 2), Role: string(core.Educator)},
		{ID: grownUser(int(n) / 4)},
	}
	for i := range 300 { // of which those from 100 on have applied
		users = append(users, sandbox.User{ID: grownUser(i)})
	}
	for _, u := range users {
		u.FirstName, u.Email = u.ID, u.ID+"@example.com"
		if err := k.Sandbox.Identity().PutUserQuietly(u); err != nil {
			tb.Fatal(err)
		}
	}
	var past []sandbox.PastPayment
	for i := range warmRequests + measuredRequests {
		number := int(n) - 1 - i // of the purchase
		past = append(past, sandbox.PastPayment{
			ID:         fmt.Sprint("pay_", number),
			OrderID:    fmt.Sprint("order_", number),
			PurchaseID: grownID(number),
			Amount:     44910,
			Currency:   "INR",
			CreatedAt:  learningtest.Start.Unix(),
		})
	}
	if err := k.Sandbox.Gateway().AddPast(past); err != nil {
		tb.Fatal(err)
	}
	s := &grownServer{kit: k, took: make(chan time.Duration, 1), tokens: map[string]string{}}
	handler, err := httpapi.New(k.Platform, httpapi.WithLimiters(unlimited))
	if err != nil {
		tb.Fatal(err)
	}
	s.address = serve(tb, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		handler.ServeHTTP(w, r)
		s.took <- time.Since(start)
	}))
	return s
}

// measure sends the requests to a route until mostTime is over, and returns the time that a quarter
// of them stay below. A request that fails after timedOut has met a deadline, and its time is the
// result.
func (s *grownServer) measure(b *testing.B, request func(i int) string) (time.Duration, error) {
	b.Helper()
	var times []time.Duration
	start := time.Now()
	for i := range warmRequests + measuredRequests {
		took, err := s.send(b, request(i))
		if err != nil && took >= timedOut {
			b.Logf("request %d: %v", i, err)
			return took, nil
		}
		if err != nil {
			return 0, fmt.Errorf("request %d: %w", i, err)
		}
		if i >= warmRequests {
			times = append(times, took)
		}
		if len(times) > 0 && time.Since(start) > mostTime {
			break
		}
	}
	slices.Sort(times)
	return times[len(times)/4], nil
}

var grownToken = regexp.MustCompile(`\{\{token (\w+)\}\}`)

// send sends a request and returns how long the handler took, and an error unless it succeeded.
func (s *grownServer) send(tb testing.TB, text string) (time.Duration, error) {
	tb.Helper()
	text = grownToken.ReplaceAllStringFunc(text, func(mark string) string {
		id := grownToken.FindStringSubmatch(mark)[1]
		if s.tokens[id] == "" {
			s.tokens[id] = s.kit.Token(tb, id)
		}
		return s.tokens[id]
	})
	e := contracttest.Expander{TB: tb, Providers: s.kit.Sandbox, Now: s.kit.Clock.Now}
	answer := contracttest.Send(tb, s.address, e.Build(text))
	took := <-s.took
	refused := bytes.HasPrefix(answer.Content, []byte(`{"success":false`))
	if answer.StatusCode/100 != 2 || refused {
		line, _, _ := strings.Cut(text, "\n")
		logged := strings.Split(strings.TrimSpace(s.kit.Log.String()), "\n")
		return took, fmt.Errorf("%s: %s: %.300s\n%s",
			line, answer.Status, answer.Content, logged[len(logged)-1])
	}
	return took, nil
}
