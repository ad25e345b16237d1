//go:build linux

package load

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/baseline"
	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/internal/servertest"
	"github.com/openlectern/openlectern/learning/sandbox"
)

const (
	stalledPosts = 10_000
	stalledRows  = 30_000 // users, and as many purchases

	// stallTime is the duration of the load. A request that waits for the end of the load
	// takes about as long.
	stallTime = 10 * time.Second

	wantedPeak = 150 // megabytes of resident memory
	wantedWait = 1   // seconds
)

// BenchmarkStalled puts a load on the running program that could exhaust its memory or
// block other requests:
//
//	posts      150 clients request all posts, 9 MB each, and read nothing
//	admin      30 clients request a list of administrators and read nothing
//	payments   30 payments for one course, whose row another transaction has locked
//	thumbnails 20 uploads of a PNG of 5,000 by 5,000 pixels in 16 bits
//
// During the load, other clients send ordinary requests. The figures are the peak of the
// resident memory (peak-MB), the slowest answer to a read (read-s) and to a write
// (write-s), with their limits, and the number of requests that failed, which should be 0.
func BenchmarkStalled(b *testing.B) {
	program := built(b)
	enginetest.Each(b, enginetest.Dialects, func(b *testing.B, e enginetest.Engine) {
		l := newLoad(b, program, e.URL(b))
		b.Run("posts", func(b *testing.B) { l.bench(b, l.stallPosts, l.vote) })
		b.Run("admin", func(b *testing.B) { l.bench(b, l.stallAdminLists, l.vote) })
		if e.Name == "MariaDB" { // a row cannot be locked on SQLite
			b.Run("payments", func(b *testing.B) { l.bench(b, l.payForLockedCourse, l.vote) })
		}
		b.Run("thumbnails",
			func(b *testing.B) { l.bench(b, l.uploadLargeThumbnails, l.uploadThumbnail) })
	})
}

// load is a filled database and the providers of the program.
type load struct {
	program  string
	env      environment
	box      *sandbox.Sandbox
	database baseline.Pools
	// Tokens.
	admin, educator string
	students        []string

	thumbnail     []byte // the form of a course with a small picture
	thumbnailType string

	url string // of the program that a benchmark has started
}

func newLoad(b *testing.B, program, database string) *load {
	b.Helper()
	migrated(b, database)
	l := &load{program: program, box: providers(b), database: baseline.Open(b, database)}
	fillLists(b, l.database, stalledRows)
	fillPosts(b, l.database)
	l.env = configured(b, l.box, database)
	l.thumbnail, l.thumbnailType = servertest.CourseForm(b, blackPNG(b, 200))
	l.admin = signIn(b, l.box, "chief", "admin")
	l.educator = signIn(b, l.box, "teacher", "educator")
	for i := range 30 {
		id := fmt.Sprintf("person_%d", 100+i)
		l.students = append(l.students, signIn(b, l.box, id, "student"))
	}
	return l
}

// fillPosts creates posts of the users, and contents of the courses, of fillLists.
func fillPosts(b *testing.B, p baseline.Pools) {
	b.Helper()
	at := func(i int) string {
		return time.Date(2026, 1, 1, 0, 0, i, 0, time.UTC).Format("'2006-01-02 15:04:05.000000'")
	}
	p.Insert(b,
		"community_groups (id, name, name_key, slug, description, icon, is_official, members, "+
			"posts, created_at, updated_at)", 1, func(int) string {
			return fmt.Sprintf("'group', 'Group', 'group', 'group', 'About', '💬', 0, 0, %d, %s, %s",
				stalledPosts, at(0), at(0))
		})
	p.Insert(b, "course_contents (course_id, content)", 100,
		func(i int) string { return fmt.Sprintf("'course_%d', '[]'", i) })
	content := strings.Repeat("I do not understand this step. ", 17)
	p.Insert(b,
		"posts (id, group_id, author_id, title, tags, upvotes, replies, is_resolved, "+
			"accepted_reply_id, created_at, updated_at, content)", stalledPosts,
		func(i int) string {
			return fmt.Sprintf(
				`'01987654-0000-7000-8000-%012d', 'group', 'person_%d', 'How does lecture %d continue?', '["Go","question"]', 0, 0, 0, NULL, %s, %s, '%s'`, i, i, i, at(i), at(i), content)
		})
}

// bench starts a new program, because the memory of one load would hide that of the next,
// and reports the figures. The load calls started when all its requests are sent.
func (l *load) bench(b *testing.B, load func(b *testing.B, started func()) (end func()),
	write func(i int) error) {
	started := startBuilt(b, l.program, l.env)
	l.url = started.url
	s := streamer{pid: started.pid}
	var reads, writes bystander
	for b.Loop() {
		stop := make(chan struct{})
		var all sync.WaitGroup
		end := load(b, func() {
			all.Go(func() { reads.run(b, stop, l.read) })
			all.Go(func() { writes.run(b, stop, write) })
		})
		time.Sleep(stallTime) // the duration of the load
		close(stop)
		end()
		all.Wait()
	}
	b.ReportMetric(s.memory(b, "VmHWM"), "peak-MB")
	b.ReportMetric(wantedPeak, "wanted-MB")
	b.ReportMetric(float64(reads.failed+writes.failed), "failures")
	b.ReportMetric(reads.slowest.Seconds(), "read-s")
	b.ReportMetric(writes.slowest.Seconds(), "write-s")
	b.ReportMetric(wantedWait, "wanted-s")
}

// bystander sends requests one after another.
type bystander struct {
	slowest time.Duration
	failed  int // requests
}

func (y *bystander) run(b *testing.B, stop chan struct{}, request func(i int) error) {
	for i := 0; ; i++ {
		select {
		case <-stop:
			return
		default:
		}
		start := time.Now()
		if err := request(i); err != nil {
			if y.failed++; y.failed == 1 {
				b.Logf("a bystander was refused after %v: %v", time.Since(start), err)
			}
		}
		y.slowest = max(y.slowest, time.Since(start))
	}
}

var bystanderReads = []string{"/api/course/all", "/api/user/data", "/api/community/groups",
	"/api/course/course_7", "/api/user/enrolled-courses", "/readyz"}

func (l *load) read(i int) error {
	return l.want(http.MethodGet, bystanderReads[i%len(bystanderReads)], l.students[0], "")
}

func (l *load) vote(i int) error {
	return l.want(http.MethodPost,
		fmt.Sprintf("/api/community/posts/01987654-0000-7000-8000-%012d/upvote", i%stalledPosts),
		l.students[0], "")
}

// uploadThumbnail publishes a course with a picture of a kilobyte.
func (l *load) uploadThumbnail(int) error {
	if a := l.addCourse(l.thumbnail, l.thumbnailType); a.status != http.StatusOK {
		return fmt.Errorf("upload: %d %.200s", a.status, a.body)
	}
	return nil
}

// want sends a request that must succeed.
func (l *load) want(method, path, token, body string) error {
	r, err := http.NewRequest(method, l.url+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+token)
	if a := send(r); a.status != http.StatusOK {
		return fmt.Errorf("%s %s: %d %.200s", method, path, a.status, a.body)
	}
	return nil
}

func (l *load) stallPosts(b *testing.B, started func()) (end func()) {
	end = l.stall(b, 150, "/api/community/posts", "")
	started()
	return end
}

func (l *load) stallAdminLists(b *testing.B, started func()) (end func()) {
	purchases := l.stall(b, 15, "/api/admin/purchases", l.admin)
	users := l.stall(b, 15, "/api/admin/users", l.admin)
	started()
	return func() { purchases(); users() }
}

// stall opens connections that send a request and read nothing of its answer.
func (l *load) stall(b *testing.B, clients int, path, token string) (end func()) {
	b.Helper()
	address := strings.TrimPrefix(l.url, "http://")
	request := fmt.Sprintf("GET %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n", path,
		address, token)
	var all []net.Conn
	for range clients {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			b.Fatal(err)
		}
		_ = conn.(*net.TCPConn).SetReadBuffer(4 << 10) // so that the kernel buffers little
		if _, err := conn.Write([]byte(request)); err != nil {
			b.Fatal(err)
		}
		all = append(all, conn)
	}
	return func() {
		for _, conn := range all {
			_ = conn.Close()
		}
	}
}

// payForLockedCourse pays orders of one course while another transaction holds its row.
func (l *load) payForLockedCourse(b *testing.B, started func()) (end func()) {
	var proofs []string
	for i, token := range l.students {
		a := l.post(b, "/api/user/purchase", token, `{"courseId":"course_7"}`)
		_, rest, _ := strings.Cut(a.body, `"orderId":"`)
		order, _, found := strings.Cut(rest, `"`)
		if !found {
			b.Fatalf("open an order: %d %s", a.status, a.body)
		}
		payment := fmt.Sprintf("pay_stalled_%d", i)
		proofs = append(proofs,
			fmt.Sprintf(`{"gateway_order_id":%q,"gateway_payment_id":%q,"gateway_signature":%q}`,
				order, payment, l.box.Gateway().Signature(order, payment)))
	}
	tx, err := l.database.Write.Begin()
	if err != nil {
		b.Fatal(err)
	}
	if _, err := tx.Exec("UPDATE courses SET title = 'Locked' WHERE id = 'course_7'"); err != nil {
		b.Fatal(err)
	}
	var all sync.WaitGroup
	for i, token := range l.students {
		all.Go(func() { l.post(b, "/api/user/verify-gateway", token, proofs[i]) })
	}
	started()
	return func() { _ = tx.Rollback(); all.Wait() }
}

func (l *load) post(b *testing.B, path, token, body string) answer {
	return requestAt(b.Context(), l.url, http.MethodPost, path, token, body)
}

// uploadLargeThumbnails uploads pictures of many pixels in small files. They may be rejected.
func (l *load) uploadLargeThumbnails(b *testing.B, started func()) (end func()) {
	body, contentType := servertest.CourseForm(b, blackPNG(b, 5_000))
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() { l.addCourse(body, contentType) })
	}
	started()
	return all.Wait
}

// addCourse returns the answer to an upload.
func (l *load) addCourse(body []byte, contentType string) answer {
	r, err := http.NewRequest(http.MethodPost, l.url+"/api/educator/add-course",
		bytes.NewReader(body))
	if err != nil {
		return answer{0, err.Error()}
	}
	r.Header.Set("Authorization", "Bearer "+l.educator)
	r.Header.Set("Content-Type", contentType)
	return send(r)
}
