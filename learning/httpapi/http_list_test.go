package httpapi_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/baseline"
	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// stalledServer serves a site over connections whose buffers are small, so that a
// client that does not read stops an answer after a few kilobytes.
type stalledServer struct {
	*site
	url    string
	client *http.Client
}

func newStalledServer(t *testing.T, kit *learningtest.Kit, opts ...httpapi.Option) *stalledServer {
	t.Helper()
	s := &stalledServer{site: newSite(t, kit, append(opts, httpapi.WithLimiters(unlimited))...)}
	server := httptest.NewUnstartedServer(s.handler)
	server.Listener = smallBuffers{server.Listener}
	server.Start()
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	dialer := net.Dialer{Control: smallReceiveBuffer}
	s.url, s.client = server.URL,
		&http.Client{Transport: &http.Transport{DialContext: dialer.DialContext,
			DisableKeepAlives: true, ResponseHeaderTimeout: answerTime}}
	return s
}

// smallBuffers is a listener whose connections have small write buffers.
type smallBuffers struct{ net.Listener }

func (l smallBuffers) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err == nil {
		err = c.(*net.TCPConn).SetWriteBuffer(4 << 10)
	}
	return c, err
}

// stall sends a request, waits until its answer begins, and reads no more of it.
func (s *stalledServer) stall(t *testing.T, path, userID string) *http.Response {
	t.Helper()
	answer := s.ask(t, path, userID)
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s", path, answer.Status)
	}
	if _, err := io.ReadFull(answer.Body, make([]byte, 1)); err != nil {
		t.Fatalf("%s: the answer does not begin: %v", path, err)
	}
	return answer
}

func (s *stalledServer) ask(t *testing.T, path, userID string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+path, nil)
	check(t, err)
	if userID != "" {
		r.Header.Set("Authorization", "Bearer "+s.Token(t, userID))
	}
	answer, err := s.client.Do(r)
	check(t, err)
	t.Cleanup(func() { _ = answer.Body.Close() })
	return answer
}

// wantSoon fails the test if a request of another client is not answered soon.
func (s *stalledServer) wantSoon(t *testing.T, path, userID string) {
	t.Helper()
	answered := make(chan int, 1)
	go func() {
		answered <- s.do(http.MethodGet, path, "", "Authorization",
			"Bearer "+s.Token(t, userID)).Code
	}()
	select {
	case code := <-answered:
		if code != http.StatusOK {
			t.Errorf("%s: %d", path, code)
		}
	case <-time.After(answerTime / 2): // an answer that is not read ends after 20 seconds
		t.Fatalf("%s gets no answer while other clients do not read theirs", path)
	}
}

// onLists runs a test on each dialect, with lists that are longer than the buffers of a
// connection.
func onLists(t *testing.T, test func(t *testing.T, s *stalledServer, p baseline.Pools, conns int)) {
	t.Helper()
	conns := map[string]int{"SQLite": 4, "MariaDB": 20, "PostgreSQL": 20}
	enginetest.Each(t, enginetest.Dialects, func(t *testing.T, e enginetest.Engine) {
		address := e.URL(t)
		kit := learningtest.New(t, learningtest.WithDatabase(address))
		kit.Person(t, "admin", core.Admin)
		kit.Person(t, voter(0), core.Student)
		pools := baseline.Open(t, address)
		fillCommunity(t, pools, 1_000, 1_000)
		fillReplies(t, pools, 1_000)
		fillPurchases(t, pools, 4_000)
		test(t, newStalledServer(t, kit), pools, conns[e.Name])
	})
}

func TestStalledReaders_HoldNoConnection(t *testing.T) {
	onLists(t, func(t *testing.T, s *stalledServer, p baseline.Pools, conns int) {
		for _, path := range []string{"/api/community/posts", "/api/community/posts?tab=trending",
			"/api/community/posts/" + aPost, "/api/admin/purchases", "/api/admin/users"} {
			for range conns + 1 {
				s.stall(t, path, "admin")
			}
			s.wantSoon(t, "/api/admin/purchases", "admin")
			s.wantSoon(t, "/api/user/data", voter(0))
			check(t, s.Store.Ping(t.Context()))
		}
	})
}

// While a transaction reads, SQLite cannot write its log back to the database. A stalled client
// must not keep one open.
func TestStalledReader_DoesNotBlockTheCheckpointOfSQLite(t *testing.T) {
	address := "sqlite:" + filepath.Join(t.TempDir(), "learning.db")
	kit := learningtest.New(t, learningtest.WithDatabase(address))
	kit.Person(t, "admin", core.Admin)
	pools := baseline.Open(t, address)
	fillPurchases(t, pools, 4_000)
	s := newStalledServer(t, kit)
	s.stall(t, "/api/admin/purchases", "admin")
	kit.Person(t, "later", core.Student)
	var busy, frames, written int
	check(t, pools.Write.QueryRow("PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &frames, &written))
	if busy != 0 {
		t.Errorf("the log has %d pages, of which only %d can be written back", frames, written)
	}
}

var postID = regexp.MustCompile(`"_id":"01987654-0000-7000-8000-\d{12}"`)

// A list that is read slowly has each row that existed all the time exactly once.
func TestList_IsCompleteDespiteConcurrentChanges(t *testing.T) {
	t.Parallel()
	onLists(t, func(t *testing.T, s *stalledServer, p baseline.Pools, _ int) {
		for _, tab := range []string{"all", "trending"} {
			answer := s.stall(t, "/api/community/posts?tab="+tab, "")
			_, err := p.Write.Exec(`UPDATE posts SET upvotes = 1000 - upvotes WHERE id LIKE '%0'`)
			check(t, err)
			_, err = p.Write.Exec(`DELETE FROM posts WHERE id LIKE '%9'`)
			check(t, err)
			body, err := io.ReadAll(answer.Body)
			check(t, err)
			times := map[string]int{}
			for _, id := range postID.FindAllString(string(body), -1) {
				times[id]++
			}
			for i := range 1_000 {
				id := fmt.Sprintf(`"_id":"01987654-0000-7000-8000-%012d"`, i)
				if n := times[id]; i%10 != 9 && n != 1 || n > 1 {
					t.Fatalf("%s: the list has post %d %d times", tab, i, n)
				}
			}
		}
	})
}

func TestAnswerMemory_BoundsConcurrentLargeAnswers(t *testing.T) {
	address := "sqlite:" + filepath.Join(t.TempDir(), "learning.db")
	kit := learningtest.New(t, learningtest.WithDatabase(address))
	fillCommunity(t, baseline.Open(t, address), 1_000, 1_000)
	t.Run("refused", func(t *testing.T) {
		s := newStalledServer(t, kit, httpapi.WithAnswerBytes(300<<10),
			httpapi.WithMemoryWait(time.Millisecond))
		s.stall(t, "/api/community/posts", "")
		s.stall(t, "/api/community/posts", "")
		refused := s.ask(t, "/api/community/posts", "")
		body, err := io.ReadAll(refused.Body)
		check(t, err)
		want := `{"success":false,"message":"Too many large answers at once. Please try again in a few seconds."}`
		if refused.StatusCode != http.StatusServiceUnavailable ||
			refused.Header.Get("Retry-After") != "5" || string(body) != want {
			t.Errorf("a third large answer: %s %v %s", refused.Status, refused.Header, body)
		}
		if small := s.ask(t, "/api/community/posts?limit=10", ""); small.StatusCode !=
			http.StatusOK {
			t.Errorf("a small answer: %s", small.Status)
		}
	})
	t.Run("has a share for callers with a token", func(t *testing.T) {
		s := newStalledServer(t, kit, httpapi.WithAnswerBytes(150<<10),
			httpapi.WithMemoryWait(time.Millisecond))
		kit.Person(t, "student", core.Student)
		s.stall(t, "/api/community/posts", "")
		if refused := s.ask(t, "/api/community/posts", ""); refused.StatusCode !=
			http.StatusServiceUnavailable {
			t.Errorf("a second large answer to a caller without a token: %s", refused.Status)
		}
		s.stall(t, "/api/community/posts", "student")
		if refused := s.ask(t, "/api/community/posts", "student"); refused.StatusCode !=
			http.StatusServiceUnavailable {
			t.Errorf("a second large answer to a student: %s", refused.Status)
		}
	})
	t.Run("waits for memory", func(t *testing.T) {
		s := newStalledServer(t, kit, httpapi.WithAnswerBytes(300<<10),
			httpapi.WithMemoryWait(time.Minute))
		s.stall(t, "/api/community/posts", "")
		second := s.stall(t, "/api/community/posts?tab=trending", "")
		third := make(chan string)
		go func() { third <- s.do(http.MethodGet, "/api/community/posts", "").Body.String() }()
		check(t, second.Body.Close())
		if body := <-third; !strings.HasSuffix(body, `"total":1000}`) {
			t.Errorf("the third large answer has %d bytes: %.200s", len(body), body)
		}
	})
}

// anonymousAtOnce is how many anonymous callers get the details of courses at the same time.
const anonymousAtOnce = 4

// countingContent is a store that counts the concurrent reads of the content of a course.
type countingContent struct {
	learning.Store
	now, most *atomic.Int32
	full      func() // is called when the largest number is reached
	wait      <-chan struct{}
}

func (s countingContent) CourseContent(ctx context.Context,
	courseID string) ([]catalog.Chapter, error) {
	n := s.now.Add(1)
	defer s.now.Add(-1)
	for most := s.most.Load(); n > most && !s.most.CompareAndSwap(most, n); most = s.most.Load() {
	}
	if n == anonymousAtOnce {
		s.full()
	}
	select {
	case <-s.wait:
	case <-time.After(answerTime):
	}
	return s.Store.CourseContent(ctx, courseID)
}

func TestCourseDetails_ConcurrentReadsAreBounded(t *testing.T) {
	var now, most atomic.Int32
	wait := make(chan struct{})
	full := sync.OnceFunc(func() { close(wait) })
	kit := wrapped(t, func(st learning.Store) learning.Store {
		return countingContent{Store: st, now: &now, most: &most, full: full, wait: wait}
	})
	s := newSite(t, kit)
	path := "/api/course/" + kit.Course(t, "go", 499_00)
	var done sync.WaitGroup
	for range 20 {
		done.Go(func() {
			if got := s.do(http.MethodGet, path, ""); got.Code != http.StatusOK {
				t.Errorf("%d %s", got.Code, got.Body)
			}
		})
	}
	done.Wait()
	if most.Load() != anonymousAtOnce {
		t.Errorf("%d concurrent reads of course details, want %d", most.Load(), anonymousAtOnce)
	}
}

// If the database does not answer, a waiting request must not wait for the sum of the deadlines
// of the requests before it.
func TestCourseDetails_WaitForATurnIsBounded(t *testing.T) {
	var now, most atomic.Int32
	full, release := make(chan struct{}), make(chan struct{})
	kit := wrapped(t, func(st learning.Store) learning.Store {
		return countingContent{Store: st, now: &now, most: &most,
			full: sync.OnceFunc(func() { close(full) }), wait: release}
	})
	s := newSite(t, kit, httpapi.WithMemoryWait(time.Millisecond))
	path := "/api/course/" + kit.Course(t, "go", 499_00)
	var others sync.WaitGroup
	for range anonymousAtOnce {
		others.Go(func() { s.do(http.MethodGet, path, "") })
	}
	<-full
	refused := make(chan *httptest.ResponseRecorder, 1)
	go func() { refused <- s.do(http.MethodGet, path, "") }()
	select {
	case got := <-refused:
		if got.Code != http.StatusServiceUnavailable || got.Header().Get("Retry-After") != "5" {
			t.Errorf("%d %v %s", got.Code, got.Header(), got.Body)
		}
	case <-time.After(answerTime / 2):
		t.Error("no answer while other requests wait for the database")
	}
	close(release)
	others.Wait()
}
