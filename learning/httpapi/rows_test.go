package httpapi_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/baseline"
	"github.com/openlectern/openlectern/learning/learningtest"
)

const voters = 1_000

// voter returns the id of a user. Each user has one of a thousand votes.
func voter(i int) string { return fmt.Sprintf("user-%d", i%voters) }

// fillCommunity inserts posts in groups, each a second after the previous one, and votes, the same
// number for each post.
func fillCommunity(tb testing.TB, p baseline.Pools, posts, votes int) {
	tb.Helper()
	const groups = 50
	at := func(i int) string {
		return learningtest.Start.Add(time.Duration(i) *
			time.Second).Format("'2006-01-02 15:04:05.000000'")
	}
	p.Insert(tb, "users (id, name, email, image_url, created_at, changed_at)", voters-1,
		func(i int) string {
			return fmt.Sprintf(
				"'%s', 'User Number %d', '', 'https://images.example.org/%d.png', %s, %s",
				voter(i+1), i, i, at(i), at(i))
		})
	p.Insert(tb,
		"community_groups (id, name, name_key, slug, description, icon, is_official, members, "+
			"posts, created_at, updated_at)", groups, func(i int) string {
			return fmt.Sprintf(
				"'group-%d', 'Group %d', '%d', 'group-%d', 'About', '💬', 0, 0, %d, %s, %s", i, i, i,
				i, posts/groups, at(i), at(i))
		})
	p.Insert(tb,
		"posts (id, group_id, author_id, title, tags, upvotes, replies, is_resolved, "+
			"accepted_reply_id, created_at, updated_at, content)", posts, func(i int) string {
			return fmt.Sprintf(
				`'01987654-0000-7000-8000-%012d', 'group-%d', '%s', 'How does lecture %d go on?', '["Go","question"]', %d, 3, %d, NULL, %s, %s, '%s'`,
				i, i%groups, voter(7*i+1), i, votes/posts, i%2, at(i), at(i),
				strings.Repeat("I do not see why. ", 20))
		})
	p.Insert(tb, "votes (post_id, reply_id, user_id, created_at)", votes, func(i int) string {
		return fmt.Sprintf("'01987654-0000-7000-8000-%012d', '', '%s', %s", i/(votes/posts),
			voter(i), at(i))
	})
}

// aPost is the post of fillCommunity that has replies.
const aPost = "01987654-0000-7000-8000-000000000001"

func fillReplies(tb testing.TB, p baseline.Pools, n int) {
	tb.Helper()
	at := learningtest.Start.Format("'2006-01-02 15:04:05.000000'")
	p.Insert(tb, "replies (id, post_id, author_id, upvotes, created_at, updated_at, content)", n,
		func(i int) string {
			return fmt.Sprintf("'reply-%06d', '%s', '%s', 0, %s, %s, '%s'", i, aPost, voter(i), at,
				at,
				strings.Repeat("Because. ", 50))
		})
}

func fillPurchases(tb testing.TB, p baseline.Pools, n int) {
	tb.Helper()
	p.Insert(tb,
		"purchases (id, user_id, course_id, amount, currency, order_id, payment_id, status, "+
			"created_at, updated_at, completed_at)", n, func(i int) string {
			at := learningtest.Start.Add(time.Duration(i) *
				time.Second).Format("'2006-01-02 15:04:05.000000'")
			return fmt.Sprintf(
				"'018f4b6a-7c2e-7f3a-9d51-%012d', '%s', 'course', 100, 'INR', 'order_%d', "+
					"'pay_%d', 'completed', %s, %s, %s", i, voter(i), i, i, at, at, at)
		})
}
