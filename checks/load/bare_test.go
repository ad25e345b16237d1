//go:build linux

package load

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/internal/baseline"
)

// The environment of a bare server: what it answers with, and the database or the file of the
// answer.
const (
	bareKind     = "REFSERVER_BENCH_BARE"
	bareDatabase = "REFSERVER_BENCH_DATABASE"
	bareBody     = "REFSERVER_BENCH_BODY"
	bareHeader   = "REFSERVER_BENCH_HEADER" // a JSON object
)

// startBare starts this test binary as a bare server, which collects garbage as Go programs do and
// not as tests do.
func startBare(b *testing.B, env environment) target {
	b.Helper()
	log, err := os.Create(filepath.Join(b.TempDir(), "bare-log"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = log.Close() })
	env["GOGC"] = "100"
	return startTarget(b, exec.Command(os.Args[0], "-test.run=^TestBareServer$"), env, log)
}

// TestBareServer is not a test: it is the main function of a bare server.
func TestBareServer(t *testing.T) {
	kinds := map[string]func(testing.TB) http.Handler{"bytes": bareBytes, "user": bareUserData,
		"posts": barePosts}
	kind := kinds[os.Getenv(bareKind)]
	if kind == nil {
		t.Skip("a benchmark runs it in another process")
	}
	handler := kind(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(os.Stderr, "address=%s \n", listener.Addr())
	t.Fatal(http.Serve(listener, handler))
}

// bareBytes writes the bytes of a file, with headers.
func bareBytes(tb testing.TB) http.Handler {
	body, err := os.ReadFile(os.Getenv(bareBody))
	if err != nil {
		tb.Fatal(err)
	}
	var headers map[string][]string
	if err := json.Unmarshal([]byte(os.Getenv(bareHeader)), &headers); err != nil {
		tb.Fatal(err)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		maps.Copy(w.Header(), headers)
		writeBare(w, body)
	})
}

func writeBare(w http.ResponseWriter, body []byte) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body)
}

// answering returns a handler that encodes what a function reads.
func answering(read func(ctx context.Context) (any, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, err := read(r.Context())
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		body, _ := json.Marshal(answer)
		writeBare(w, body)
	})
}

type bareUser struct {
	Success bool `json:"success"`
	User    struct {
		ID       string   `json:"_id"`
		Name     string   `json:"name"`
		Email    string   `json:"email"`
		ImageURL string   `json:"imageUrl"`
		Enrolled []string `json:"enrolledCourses"`
	} `json:"user"`
}

// bareUserData reads the record of one user, without verifying a token.
func bareUserData(tb testing.TB) http.Handler {
	read := baseline.Open(tb, os.Getenv(bareDatabase)).Reading(tb, `
		SELECT u.id, u.name, u.email, u.image_url, u.created_at, u.changed_at, e.course_id
		FROM users u LEFT JOIN enrollments e ON e.user_id = u.id
		WHERE u.id = ? AND u.deleted_at IS NULL
		ORDER BY e.created_at, e.course_id`)
	return answering(func(ctx context.Context) (any, error) {
		rows, err := read(ctx, benchUser)
		if err != nil {
			return nil, err
		}
		defer rows.Close()
		answer := bareUser{Success: true}
		for rows.Next() {
			var created, changed any
			var course string
			u := &answer.User
			if err := rows.Scan(&u.ID, &u.Name, &u.Email, &u.ImageURL, &created, &changed,
				&course); err != nil {
				return nil, err
			}
			u.Enrolled = append(u.Enrolled, course)
		}
		return answer, rows.Err()
	})
}

type barePost struct {
	ID          string          `json:"_id"`
	Title       string          `json:"title"`
	Content     string          `json:"content"`
	Tags        json.RawMessage `json:"tags"`
	AuthorName  string          `json:"authorName"`
	AuthorImage string          `json:"authorImage"`
	Group       *bareGroup      `json:"group"`
	Upvotes     int             `json:"upvoteCount"`
	Upvoted     bool            `json:"isUpvoted"`
	Own         bool            `json:"isAuthor"`
	Replies     int             `json:"replyCount"`
	Resolved    bool            `json:"isResolved"`
	CreatedAt   string          `json:"createdAt"`
	UpdatedAt   string          `json:"updatedAt"`
}

type bareGroup struct {
	ID   string `json:"_id"`
	Name string `json:"name"`
	Slug string `json:"slug"`
	Icon string `json:"icon"`
}

type barePage struct {
	Success bool       `json:"success"`
	Posts   []barePost `json:"posts"`
	HasMore bool       `json:"hasMore"`
	Total   int        `json:"total"`
}

// barePosts reads a page of the posts. Their number is a constant, because to count them is work
// that no answer needs.
func barePosts(tb testing.TB) http.Handler {
	pools, index := baseline.Open(tb, os.Getenv(bareDatabase)), ""
	if strings.HasPrefix(os.Getenv(bareDatabase), "mysql:") {
		index = " FORCE INDEX (posts_by_creation)" // else it sorts all rows
	}
	page := pools.Reading(tb, `
		SELECT p.id, p.title, p.content, p.tags, p.upvotes, p.replies, p.is_resolved, p.created_at, p.updated_at, u.name, u.image_url,
			g.id, g.name, g.slug, g.icon, EXISTS (SELECT 1 FROM votes v WHERE v.post_id = p.id AND v.reply_id = '' AND v.user_id = ?)
		FROM posts p`+index+
		` LEFT JOIN users u ON u.id = p.author_id LEFT JOIN community_groups g ON g.id = p.group_id
		ORDER BY p.created_at DESC, p.id DESC LIMIT 15 OFFSET ?`)
	return answering(func(ctx context.Context) (any, error) {
		answer := barePage{Success: true, HasMore: true, Total: benchPosts}
		rows, err := page(ctx, "", benchSkip)
		if err != nil {
			return nil, err
		}
		defer rows.Close()
		for rows.Next() {
			post, err := scanPost(rows)
			if err != nil {
				return nil, err
			}
			answer.Posts = append(answer.Posts, post)
		}
		return answer, rows.Err()
	})
}

func scanPost(rows *sql.Rows) (p barePost, err error) {
	var created, updated sql.NullTime
	var tags []byte
	p.Group = &bareGroup{}
	err = rows.Scan(&p.ID, &p.Title, &p.Content, &tags, &p.Upvotes, &p.Replies, &p.Resolved,
		&created, &updated, &p.AuthorName, &p.AuthorImage,
		&p.Group.ID, &p.Group.Name, &p.Group.Slug, &p.Group.Icon, &p.Upvoted)
	const layout = "2006-01-02T15:04:05.000Z"
	p.Tags = tags
	p.CreatedAt = created.Time.UTC().Format(layout)
	p.UpdatedAt = updated.Time.UTC().Format(layout)
	return p, err
}
