// Package invariants holds queries that must return no rows, for the tests of several
// packages.
//
// Each query is an invariant of the schema. The package does not run them, because each
// test reads the data in its own way. They have marks in place of the names of tables: see
// sqldb.Names.
package invariants

// Community contains, by name, the part of a query after "SELECT COUNT(*) FROM" that selects
// invalid rows of the community: counters that differ from the number of their rows, and
// rows that refer to deleted rows.
var Community = map[string]string{
	"members": `
		{community_groups} g
		WHERE g.members <> (SELECT COUNT(*) FROM {memberships} m WHERE m.group_id = g.id)`,
	"posts": `
		{community_groups} g
		WHERE g.posts <> (SELECT COUNT(*) FROM {posts} p WHERE p.group_id = g.id)`,
	"replies": `
		{posts} p
		WHERE p.replies <> (SELECT COUNT(*) FROM {replies} r WHERE r.post_id = p.id)`,
	"replies of staff": `
		{posts} p
		WHERE p.course_id <> '' AND p.staff_replies <> (SELECT COUNT(*)
			FROM {replies} r JOIN {courses} c ON c.id = p.course_id
			WHERE r.post_id = p.id AND (r.is_by_admin = 1 OR r.author_id = c.educator_id))`,
	"questions": `
		{posts} p JOIN {courses} c ON c.id = p.course_id
		WHERE p.educator_id <> '' AND p.educator_id <> c.educator_id
			OR p.educator_id = p.author_id`,
	"upvotes": `
		{posts} p
		WHERE p.upvotes <> (SELECT COUNT(*) FROM {votes} v
				WHERE v.post_id = p.id AND v.reply_id = '')`,
	"upvotes of reply": `
		{replies} r
		WHERE r.upvotes <> (SELECT COUNT(*) FROM {votes} v WHERE v.post_id = r.post_id
				AND v.reply_id = r.id)`,
	"lost members": `
		{memberships} m
		WHERE NOT EXISTS (SELECT 1 FROM {community_groups} g WHERE g.id = m.group_id)`,
	"lost posts": `
		{posts} p
		WHERE p.group_id IS NOT NULL
			AND NOT EXISTS (SELECT 1 FROM {community_groups} g WHERE g.id = p.group_id)`,
	"lost replies": `
		{replies} r
		WHERE NOT EXISTS (SELECT 1 FROM {posts} p WHERE p.id = r.post_id)`,
	"lost votes": "{votes} v WHERE NOT EXISTS (SELECT 1 FROM {posts} p WHERE p.id = v.post_id)",
	"votes of no reply": `
		{votes} v
		WHERE v.reply_id <> ''
			AND NOT EXISTS (SELECT 1 FROM {replies} r WHERE r.id = v.reply_id
					AND r.post_id = v.post_id)`,
	"lost complaints": `
		{complaints} c
		WHERE c.status = 'open' AND c.post_id <> '' AND NOT EXISTS (SELECT 1 FROM {posts} p WHERE p.id = c.post_id)`,
	"of no reply": `
		{complaints} c
		WHERE c.status = 'open' AND c.post_id <> '' AND c.reply_id <> ''
			AND NOT EXISTS (SELECT 1 FROM {replies} r WHERE r.id = c.reply_id
					AND r.post_id = c.post_id)`,
	"lost answers": `
		{posts} p
		WHERE p.accepted_reply_id IS NOT NULL
			AND NOT EXISTS (SELECT 1 FROM {replies} r WHERE r.id = p.accepted_reply_id
					AND r.post_id = p.id)`,
}
