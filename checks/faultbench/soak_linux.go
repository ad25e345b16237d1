package faultbench

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/backoff"
	"github.com/openlectern/openlectern/internal/baseline"
)

// The load of Soak.
const (
	idleClients    = 1_000
	stalledClients = 150
	soakRate       = 200 // requests in a second
	soakPosts      = 10_000

	maxSoakMemory = 200                    // megabytes
	wantedP99     = 100 * time.Millisecond // on a machine that does nothing else
)

// idleRequest is the only request of an idle client.
const idleRequest = "GET / HTTP/1.1\r\nHost: lectern\r\n\r\n"

// Soak sends ordinary requests at a fixed rate for a time, beside clients that are idle or stall,
// and logs the memory of the server and the times of the answers. It fails the test if the server
// needs more memory than it may. It does not fail for late or refused answers, because these depend
// on what else the machine does.
func Soak(tb testing.TB, engineName string, total time.Duration) {
	tb.Helper()
	// One server takes all requests.
	const seed = 1 // which changes nothing that Soak measures
	b := newBench(tb, engineName, seed)
	for _, s := range b.servers[1:] {
		s.stop()
	}
	b.fillPosts() // for the stalled clients
	// Open idle and stalled connections, and keep their numbers.
	ctx, stop := context.WithCancel(tb.Context())
	defer stop()
	var clients sync.WaitGroup
	var idleConns, stalledConns atomic.Int64
	for range idleClients {
		const readsAnswer = true
		clients.Go(func() { b.hold(ctx, idleRequest, readsAnswer, &idleConns) })
	}
	for i := range stalledClients {
		const readsAnswer = false
		clients.Go(func() { b.hold(ctx, stalls[i%len(stalls)], readsAnswer, &stalledConns) })
	}
	// Send requests at a fixed rate beside them.
	times, failed := b.bystand(ctx, total)
	// Measure before the clients leave.
	use := b.servers[0].usage(ctx)
	stop()
	clients.Wait()
	b.servers[0].stop()
	// Report, and fail for memory only.
	slices.Sort(times)
	// at returns the time in which a share of the requests was answered; 1 is all of them.
	at := func(share float64) time.Duration {
		return times[int(share*float64(len(times)-1))].Round(100 * time.Microsecond)
	}
	tb.Logf(
		"%s, %v: %d idle and %d stalled clients (%d and %d connections), %d requests at %d a "+
			"second: p50 %v, p90 %v, p99 %v (wanted %v), slowest %v, %d failed; memory %d MB, "+
			"peak %d MB (at most %d MB), %d descriptors, %d goroutines",
		engineName, total, idleClients, stalledClients, idleConns.Load(), stalledConns.Load(),
		len(times), soakRate,
		at(0.5), at(0.9), at(0.99), wantedP99, at(1), failed, use.Memory, use.Peak, maxSoakMemory,
		use.Files, use.Goroutines)
	if use.Peak >= maxSoakMemory {
		tb.Errorf("the server needed %d MB, want less than %d MB", use.Peak, maxSoakMemory)
	}
	const logged = 5 // of the problems, which may be thousands
	findings := b.journal.findings()
	for _, problem := range findings[:min(logged, len(findings))] {
		tb.Log(problem)
	}
}

// stalls are requests of clients that then neither send nor read any more: of all posts, 9 MB; one
// whose header is incomplete; one whose body is incomplete.
var stalls = []string{
	"GET /api/community/posts HTTP/1.1\r\nHost: lectern\r\n\r\n",
	"GET /api/course/all HTTP/1.1\r\nHost: lec",
	"POST /gateway HTTP/1.1\r\nHost: lectern\r\nContent-Type: application/json\r\n" +
		"Content-Length: 1000\r\n\r\n{",
}

// fillPosts adds many posts, because an answer with all of them is what a stalled client holds.
func (b *bench) fillPosts() {
	b.tb.Helper()
	content := strings.Repeat("I do not understand this step. ", 17)
	baseline.Open(b.tb, b.engine.urls[0]).Insert(b.tb,
		"posts (id, group_id, author_id, title, tags, upvotes, replies, is_resolved, "+
			"accepted_reply_id, created_at, updated_at, content)",
		soakPosts, func(i int) string {
			at := time.Date(2026, 1, 1, 0, 0, i, 0, time.UTC).Format("'2006-01-02 15:04:05.000000'")
			return fmt.Sprintf(`'%s', NULL, '%s', 'How does lecture %d continue?', `+
				`'["question"]', 0, 0, 0, NULL, %s, %s, '%s'`,
				soakPost(i), teacher, i, at, at, content)
		})
}

// soakPost returns the id of the i-th post of fillPosts.
func soakPost(i int) string { return fmt.Sprintf("01987654-0000-7000-8000-%012d", i) }

// hold keeps a connection open on which a request was sent, and opens another one when the server
// closes it, until ctx is done. It adds each connection to opened. If readsAnswer is false, it
// reads nothing.
func (b *bench) hold(
	ctx context.Context, request string, readsAnswer bool, opened *atomic.Int64,
) {
	for ctx.Err() == nil {
		conn, err := net.Dial("tcp", strings.TrimPrefix(b.servers[0].url, "http://"))
		if err != nil {
			_ = backoff.Sleep(ctx, time.Second)
			continue
		}
		opened.Add(1)
		// so that the kernel keeps little of the answer
		_ = conn.(*net.TCPConn).SetReadBuffer(4 << 10)
		end := context.AfterFunc(ctx, func() { _ = conn.Close() })
		// An idle client reads its answer; a stalled one reads nothing.
		_, err = io.WriteString(conn, request)
		if err == nil && readsAnswer {
			_, _ = io.Copy(io.Discard, conn)
		} else if err == nil {
			awaitClose(ctx, conn)
		}
		end()
		_ = conn.Close()
	}
}

// awaitClose waits until the other side has closed the connection. It reads nothing, because the
// client stalls.
func awaitClose(ctx context.Context, conn net.Conn) {
	for backoff.Sleep(ctx, time.Second) == nil {
		if isClosed(conn) {
			return
		}
	}
}

// bystand sends requests at a fixed rate for a time, or until ctx is done. It returns how long each
// took from the time at which it was due, so that a request that waits for others counts in full,
// and how many did not succeed.
func (b *bench) bystand(ctx context.Context,
	total time.Duration) (times []time.Duration, failed int) {
	requests := newBystanders(b)
	var mu sync.Mutex
	var all sync.WaitGroup
	start := time.Now()
	for i := 0; ; i++ {
		// Each request has its time, whether the ones before it have ended or not.
		due := start.Add(time.Duration(i) * time.Second / soakRate)
		if due.Sub(start) > total || backoff.Sleep(ctx, time.Until(due)) != nil {
			break
		}
		all.Go(func() {
			ok := requests.send(ctx, i)
			took := time.Since(due)
			mu.Lock()
			defer mu.Unlock()
			if times = append(times, took); !ok {
				failed++
			}
		})
	}
	all.Wait()
	return times, failed
}

// bystanders are users who send ordinary requests.
type bystanders struct{ all []*visitor }

// newBystanders returns users who are signed in, and send all requests to the first server. One
// that cannot be created is left out.
func newBystanders(b *bench) *bystanders {
	y := &bystanders{}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 100}}
	for i := range 20 {
		v := newVisitor(b, i)
		v.client, v.servers = client, v.servers[:1]
		if v.join() {
			y.all = append(y.all, v)
		}
	}
	return y
}

// reads are the requests of bystanders; each tenth request is a vote.
var reads = []string{"/api/course/all", "/api/user/data", "/api/community/groups",
	"/api/course/course-1", "/api/user/enrolled-courses", "/api/community/posts?page=1", "/readyz"}

// send sends the i-th request, records it in the journal, and reports whether it was answered with
// 200.
func (y *bystanders) send(ctx context.Context, i int) bool {
	// One request in ten writes.
	v := y.all[i%len(y.all)]
	method, path := http.MethodGet, reads[i%len(reads)]
	if i%10 == 0 {
		method, path = http.MethodPost, "/api/community/posts/"+soakPost(i/10%soakPosts)+"/upvote"
	}
	started := time.Now()
	status, text := v.send(ctx, method, v.servers[0]+path, nil)
	v.journal.record(request{route: method + " " + path, status: status, started: started,
		done: time.Now(), text: string(text)})
	// The journal has counted the failures; a refusal is a problem, because the request is valid.
	if status != http.StatusOK && status != 0 && status < 500 {
		v.journal.problem("%s %s answered %d: %.200s", method, path, status, text)
	}
	return status == http.StatusOK
}
