package httpapi_test

import (
	"bytes"
	"database/sql"
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/baseline"
	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// BenchmarkListOfPosts requests all posts, a list of 6 MB, as a user who has voted for some. The
// baseline is a handler that makes the same query, scans into variables, appends the same bytes and
// verifies no token. Each of benchClients requests the list at the same time.
func BenchmarkListOfPosts(b *testing.B) {
	const posts, votes = 10_000, 100_000
	enginetest.Each(b, enginetest.Dialects, func(b *testing.B, e enginetest.Engine) {
		address := e.URL(b)
		k := learningtest.New(b, learningtest.WithDatabase(address))
		k.Person(b, voter(0), core.Student)
		pools := baseline.Open(b, address)
		fillCommunity(b, pools, posts, votes)
		ours, bare := serve(b, platformHandler(b, k)), serve(b, barePosts(b, pools, voter(0)))
		list := func(address string) request {
			return get(b, address, "/api/community/posts", "Authorization",
				"Bearer "+k.Token(b, voter(0)))
		}
		answered := list(ours)
		if n, mine := bytes.Count(answered.answer.body, []byte(`{"_id":"01`)),
			bytes.Count(answered.answer.body, []byte(`"isUpvoted":true`)); n != posts ||
			mine != votes/voters {
			b.Fatalf("%d posts, of which %d are upvoted", n, mine)
		}
		compareHTTP(b, 0.5, answered, list(bare))
	})
}

// barePosts answers every request with the list of one user.
func barePosts(tb testing.TB, p baseline.Pools, userID string) http.Handler {
	tb.Helper()
	read := p.Reading(tb, `
		SELECT p.id, p.title, p.content, p.tags, p.upvotes, p.replies, p.is_resolved, p.created_at, p.updated_at, p.author_id, u.name, u.image_url,
			p.group_id, g.name, g.slug, g.icon, EXISTS (SELECT 1 FROM votes v WHERE v.post_id = p.id AND v.reply_id = '' AND v.user_id = ?)
		FROM posts p LEFT JOIN users u ON u.id = p.author_id LEFT JOIN community_groups g ON g.id = p.group_id
		ORDER BY p.created_at DESC, p.id DESC`)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rows, err := read(r.Context(), userID)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		defer rows.Close()
		body, err := appendPosts(rows, userID)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		_, _ = w.Write(body)
	})
}

// appendPosts returns the list as JSON, written field by field.
func appendPosts(rows *sql.Rows, userID string) ([]byte, error) {
	var id, title, content, tags, author, name, image, groupID, group, slug, icon sql.RawBytes
	var upvotes, replies, total int
	var resolved, upvoted bool
	var created, updated time.Time
	b := append(make([]byte, 0, 16<<20), `{"success":true,"posts":[`...)
	for ; rows.Next(); total++ {
		if err := rows.Scan(&id, &title, &content, &tags, &upvotes, &replies, &resolved, &created,
			&updated, &author, &name, &image, &groupID, &group, &slug, &icon, &upvoted); err !=
			nil {
			return nil, err
		}
		if total > 0 {
			b = append(b, ',')
		}
		b = appendText(b, `{"_id":`, id)
		b = appendText(b, `,"title":`, title)
		b = appendText(b, `,"content":`, content)
		b = append(append(b, `,"tags":`...), tags...)
		b = appendText(b, `,"authorName":`, name)
		b = appendText(b, `,"authorImage":`, image)
		b = appendText(b, `,"group":{"_id":`, groupID)
		b = appendText(b, `,"name":`, group)
		b = appendText(b, `,"slug":`, slug)
		b = appendText(b, `,"icon":`, icon)
		b = strconv.AppendInt(append(b, `},"upvoteCount":`...), int64(upvotes), 10)
		b = strconv.AppendBool(append(b, `,"isUpvoted":`...), upvoted)
		b = strconv.AppendBool(append(b, `,"isAuthor":`...), string(author) == userID)
		b = strconv.AppendInt(append(b, `,"replyCount":`...), int64(replies), 10)
		b = strconv.AppendBool(append(b, `,"isResolved":`...), resolved)
		b = created.AppendFormat(append(b, `,"createdAt":`...), `"2006-01-02T15:04:05.000Z"`)
		b = updated.AppendFormat(append(b, `,"updatedAt":`...), `"2006-01-02T15:04:05.000Z"`)
		b = append(b, "}\n"...)
	}
	return fmt.Appendf(b, `],"hasMore":false,"total":%d}`, total), rows.Err()
}

// appendText appends a field whose text needs no escaping.
func appendText(b []byte, field string, text []byte) []byte {
	b = append(append(b, field...), '"')
	for _, c := range text {
		if c < ' ' || c == '"' || c == '\\' {
			panic("the text needs escaping")
		}
	}
	return append(append(b, text...), '"')
}
