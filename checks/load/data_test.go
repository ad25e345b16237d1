//go:build linux

package load

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/baseline"
	"github.com/openlectern/openlectern/learning/sandbox"
)

const (
	benchUser = "person_0"
	// benchPosts is the number of posts, and benchSkip how many come before the measured page.
	benchPosts = 100_000
	benchSkip  = 15
)

func benchTime(i int) string {
	return time.Date(2026, 1, 1, 0, 0, i, 0, time.UTC).Format("'2006-01-02 15:04:05.000000'")
}

func benchCourse(i int) string { return fmt.Sprintf("018f4b6a-7c2e-7f3a-9d51-%012d", i) }

// benchServer is the built program with providers in the process of the benchmark.
type benchServer struct {
	target
	pools baseline.Pools
	box   *sandbox.Sandbox
}

// newBenchServer fills an empty database and starts the built program with it.
func newBenchServer(b *testing.B, program, database string, fill func(baseline.Pools),
	more ...string) benchServer {
	b.Helper()
	migrated(b, database)
	s := benchServer{pools: baseline.Open(b, database), box: providers(b)}
	fill(s.pools)
	env := configured(b, s.box, database)
	for _, setting := range more {
		name, value, _ := strings.Cut(setting, "=")
		env[name] = value
	}
	s.target = startBuilt(b, program, env)
	return s
}

func fillUsers(tb testing.TB, p baseline.Pools, users int) {
	p.Insert(tb, "users (id, name, email, image_url, created_at, changed_at)", users,
		func(i int) string {
			return fmt.Sprintf(
				"'person_%d', 'Person %d', 'person.%d@example.com', "+
					"'https://images.example.org/%d.png', %s, %s", i, i, i, i, benchTime(i),
				benchTime(i))
		})
}

// fillCourses publishes courses with descriptions of ordinary length.
func fillCourses(tb testing.TB, p baseline.Pools, courses int) {
	p.Insert(tb,
		"courses (id, title, thumbnail, price, discount, is_published, educator_id, rating_sum, "+
			"rating_count, lectures, minutes, students, revision, created_at, "+
			"updated_at, description)", courses,
		func(i int) string {
			return fmt.Sprintf(
				"'%s', 'Reading the Night Sky, part %d', '%032x.jpg', 199900, 1500, 1, "+
					"'person_1', %d, %d, 12, 340, 0, 1, %s, %s, '%s'",
				benchCourse(i), i, i, 4*i+3, i+1, benchTime(i), benchTime(i), courseDescription(i))
		})
}

func courseDescription(i int) string {
	var b strings.Builder
	for j := range 6 {
		fmt.Fprintf(&b,
			"In lesson %d we follow constellation %d across the seasons and learn why it seems "+
				"to move. ", j+1, (i*7+j*13)%88)
	}
	return b.String()
}

func fillEnrollments(tb testing.TB, p baseline.Pools) {
	p.Insert(tb, "enrollments (user_id, course_id, purchase_id, created_at)", 10,
		func(i int) string {
			return fmt.Sprintf("'%s', '%s', 'purchase_%d', %s", benchUser, benchCourse(i), i,
				benchTime(i))
		})
}

func fillPosts100k(tb testing.TB, p baseline.Pools) {
	p.Insert(tb,
		"community_groups (id, name, name_key, slug, description, icon, is_official, members, "+
			"posts, created_at, updated_at)", 50, func(i int) string {
			return fmt.Sprintf(
				"'group_%d', 'Group %d', 'group %d', 'group-%d', 'About', '*', 0, 0, %d, %s, %s", i,
				i, i, i, benchPosts/50, benchTime(i), benchTime(i))
		})
	content := strings.Repeat("I do not see why. ", 20)
	p.Insert(tb,
		"posts (id, group_id, author_id, title, tags, upvotes, replies, is_resolved, "+
			"accepted_reply_id, created_at, updated_at, content)", benchPosts, func(i int) string {
			return fmt.Sprintf(
				`'01987654-0000-7000-8000-%012d', 'group_%d', 'person_%d', 'How does lecture %d go on?', '["Go","question"]', 10, 3, %d, NULL, %s, %s, '%s'`,
				i, i%50, i%1000, i, i%2, benchTime(i), benchTime(i), content)
		})
}

// fillOrders creates purchases that wait for their payment, each of another user.
func fillOrders(tb testing.TB, p baseline.Pools, orders, courses int) {
	p.Insert(tb,
		"purchases (id, user_id, course_id, is_open, amount, currency, order_id, status, "+
			"created_at, updated_at)", orders, func(i int) string {
			return fmt.Sprintf(
				"'purchase_%d', 'buyer_%d', '%s', 1, 199900, 'INR', 'order_%d', 'pending', %s, %s",
				i, i, benchCourse(i%courses), i, benchTime(i), benchTime(i))
		})
}

// sameBytes starts a bare server that writes the body that a target answers with.
func sameBytes(b *testing.B, ours target) target {
	b.Helper()
	body, header := ours.body(b)
	maps.DeleteFunc(header,
		func(name string, _ []string) bool { return name != "Content-Encoding" })
	return bareAnswer(b, body, header)
}

// sameHeaders starts a bare server that writes the body and all headers that a target answers with.
func sameHeaders(b *testing.B, ours target) target {
	b.Helper()
	body, header := ours.body(b)
	header.Del("Date") // net/http writes it
	return bareAnswer(b, body, header)
}

func bareAnswer(b *testing.B, body []byte, header http.Header) target {
	b.Helper()
	text, err := json.Marshal(header)
	if err != nil {
		b.Fatal(err)
	}
	file := filepath.Join(b.TempDir(), "body")
	if err := os.WriteFile(file, body, 0o600); err != nil {
		b.Fatal(err)
	}
	return startBare(b, environment{bareKind: "bytes", bareBody: file, bareHeader: string(text)})
}

// wantSameAnswer fails unless two targets give the same answer, except for the order of keys
// and the end of the lines, which are those of the encoder.
func wantSameAnswer(b *testing.B, ours, bare target) {
	b.Helper()
	mine, _ := ours.body(b)
	theirs, _ := bare.body(b)
	if plain := strings.ReplaceAll(string(mine), "\n", ""); plain != string(theirs) ||
		len(theirs) < 100 {
		b.Fatalf("the answers differ:\nours %.600s\nbare %.600s", mine, theirs)
	}
}
