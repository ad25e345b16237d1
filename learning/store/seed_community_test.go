package store

import (
	"fmt"
	"strings"
	"testing"
)

// seedCommunity inserts groups, posts and votes into a store that has users. The votes are
// distributed over the posts and the users.
func seedCommunity(tb testing.TB, s *Store, posts, votes int) {
	tb.Helper()
	const groups, people = 50, 5_000
	bulk(tb, s,
		"community_groups (id, name, name_key, slug, description, icon, is_official, members, "+
			"posts, created_at, updated_at)", groups, func(i int) string {
			return fmt.Sprintf(
				"'group-%d', 'Group %d', '%d', 'group-%d', 'About', '💬', 0, %d, %d, %s, %s", i, i,
				i, i, people/groups, posts/groups, before(i), before(i))
		})
	bulk(tb, s, "memberships (user_id, group_id, created_at)", people, func(i int) string {
		return fmt.Sprintf("'user-%d', 'group-%d', %s", i, i%groups, before(i))
	})
	bulk(tb, s,
		"posts (id, group_id, author_id, title, tags, upvotes, replies, is_resolved, "+
			"accepted_reply_id, created_at, updated_at, content)", posts, func(i int) string {
			return fmt.Sprintf(
				"'01987654-0000-7000-8000-%012d', 'group-%d', 'user-%d', 'How does lecture %d go "+
					"on?', '[\"Go\",\"question\"]', %d, 3, %d, NULL, %s, %s, '%s'",
				i, i%groups, i*7%people, i, (votes-i+posts-1)/posts, i%2, before(posts-i),
				before(i),
				strings.Repeat("I do not see why. ", 20))
		})
	bulk(tb, s, "replies (id, post_id, author_id, upvotes, created_at, updated_at, content)",
		3*posts, func(i int) string {
			return fmt.Sprintf(
				"'01987654-0000-7000-9000-%012d', '01987654-0000-7000-8000-%012d', 'user-%d', 0, "+
					"%s, %s, 'Because.'", i, i/3, i%people, before(3*posts-i), before(i))
		})
	bulk(tb, s, "votes (post_id, reply_id, user_id, created_at)", votes, func(i int) string {
		return fmt.Sprintf("'01987654-0000-7000-8000-%012d', '', 'user-%d', %s", i%posts,
			(i/posts+i*13)%people, before(i))
	})
	recount(tb, s)
	analyze(tb, s)
}
