package invariants

// Totals contains, by name, the part of a query after "SELECT COUNT(*) FROM" that selects totals
// that differ from the rows that they count, and rows that no total counts.
var Totals = map[string]string{
	"posts": `
		(SELECT course_id, part, SUM(number) AS number FROM {totals} WHERE kind = 'posts'
			GROUP BY course_id, part) t
		WHERE t.number <> (SELECT COUNT(*) FROM {posts} p
			WHERE p.course_id = t.course_id AND p.lecture_id = t.part)`,
	"posts without total": `
		{posts} p
		WHERE NOT EXISTS (SELECT 1 FROM {totals} t WHERE t.kind = 'posts'
			AND t.course_id = p.course_id AND t.part = p.lecture_id)`,
	"users": platform("users",
		"(SELECT COUNT(*) FROM {users} WHERE deleted_at IS NULL)"),
	"educators": platform("educators", educators),
	"pending applications": platform("applications",
		"(SELECT COUNT(*) FROM {applications} WHERE status = 'pending')"),
	"courses":    platform("courses", "(SELECT COUNT(*) FROM {courses})"),
	"enrolments": platform("enrollments", "(SELECT COUNT(*) FROM {enrollments})"),

	"ratings": `
		(SELECT course_id, part, SUM(number) AS number FROM {totals} WHERE kind = 'ratings'
			GROUP BY course_id, part) t
		WHERE t.number <> (SELECT COUNT(*) FROM {ratings} r
			WHERE r.course_id = t.course_id AND CONCAT('', r.stars) = t.part)`,
	"ratings without total": `
		{ratings} r
		WHERE NOT EXISTS (SELECT 1 FROM {totals} t WHERE t.kind = 'ratings'
			AND t.course_id = r.course_id AND t.part = CONCAT('', r.stars))`,

	"sales": parts("sales", sold+"p.currency = t.part"),
	"sales without total": sold +
		"NOT EXISTS (SELECT 1 FROM {totals} t WHERE t.kind = 'sales' AND t.course_id = '' AND " +
		"t.part = p.currency)",
	"sales of days": parts("daily sales", sold+day+" = t.part"),
	"sales of days, no total": sold +
		"p.completed_at IS NOT NULL AND NOT EXISTS (SELECT 1 FROM {totals} t WHERE " +
		"t.kind = 'daily sales' AND t.course_id = '' AND t.part = " + day + ")",
	"sales of courses": parts("course sales", soldCourses+
		"p.course_id = t.course_id AND p.currency = t.part"),
	"sales of courses, no total": soldCourses +
		"NOT EXISTS (SELECT 1 FROM {totals} t WHERE t.kind = 'course sales' AND t.course_id = " +
		"p.course_id " +
		"AND t.part = p.currency)",

	"attempts": `
		(SELECT kind, course_id, part, SUM(number) AS number, SUM(amount) AS amount
			FROM {totals} WHERE kind LIKE 'attempts %' GROUP BY kind, course_id, part) t
		WHERE t.number <> (SELECT COUNT(*) FROM ` + attempts + `)
			OR t.amount <> (SELECT COALESCE(SUM(r.percentage), 0) FROM ` + attempts + `)`,
	"attempts without total": `
		{quiz_results} r
		WHERE NOT EXISTS (SELECT 1 FROM {totals} t WHERE t.kind = CONCAT('attempts ', r.mastery)
			AND t.course_id = r.course_id AND t.part = r.chapter_id)`,
	"attempt times": `
		(SELECT course_id, part, SUM(number) AS number, SUM(amount) AS amount
			FROM {totals} WHERE kind = 'attempt time' GROUP BY course_id, part) t
		WHERE t.number <> (SELECT COUNT(*) FROM ` + timed + `)
			OR t.amount <> (SELECT COALESCE(SUM(r.milliseconds), 0) FROM ` + timed + `)`,
	"attempt times without total": `
		{quiz_results} r
		WHERE r.milliseconds IS NOT NULL AND NOT EXISTS (SELECT 1 FROM {totals} t
			WHERE t.kind = 'attempt time' AND t.course_id = r.course_id AND t.part = r.chapter_id)`,

	"waiting questions":     waiting("waiting questions", waitingQuestions),
	"questions, no total":   waitingQuestions + noTotal + "'waiting questions')",
	"waiting reviews":       waiting("waiting reviews", waitingReviews),
	"reviews, no total":     waitingReviews + noTotal + "'waiting reviews')",
	"waiting submissions":   waiting("waiting submissions", waitingSubmissions),
	"submissions, no total": waitingSubmissions + noTotal + "'waiting submissions')",
	"open reports": platform("open reports",
		"(SELECT COUNT(*) FROM {complaints} WHERE status = 'open')"),

	"files": `
		{file_totals} t
		WHERE t.files = 0
			OR t.files <> (SELECT COUNT(*) FROM {files} f WHERE f.owner_id = t.owner_id)
			OR t.bytes <> (SELECT SUM(f.size) FROM {files} f WHERE f.owner_id = t.owner_id)`,
	"files without total": `
		{files} f
		WHERE NOT EXISTS (SELECT 1 FROM {file_totals} t WHERE t.owner_id = f.owner_id)`,
}

const (
	educators = "(SELECT COUNT(*) FROM {users} u WHERE u.deleted_at IS NULL AND (" +
		"EXISTS (SELECT 1 FROM {roles} r WHERE r.user_id = u.id AND r.role = 'educator') OR " +
		"EXISTS (SELECT 1 FROM {applications} a WHERE a.user_id = u.id AND a.status = 'approved')))"
	sold = "{purchases} p WHERE p.status = 'completed' AND " // a condition follows
	// The sales of courses, alone and in bundles.
	soldCourses = "(SELECT course_id, currency, amount, refunded_amount FROM {purchases} " +
		"WHERE status = 'completed' AND bundle_title IS NULL UNION ALL " +
		"SELECT l.course_id, q.currency, l.amount, l.refunded_amount FROM {purchase_lines} l " +
		"JOIN {purchases} q ON q.id = l.purchase_id WHERE q.status = 'completed') p WHERE "
	day      = "CONCAT(p.currency, ' ', SUBSTR(CAST(p.completed_at AS CHAR(26)), 1, 10))"
	attempts = "{quiz_results} r WHERE r.course_id = t.course_id AND r.chapter_id = t.part AND " +
		"CONCAT('attempts ', r.mastery) = t.kind"
	timed = "{quiz_results} r WHERE r.course_id = t.course_id AND r.chapter_id = t.part AND " +
		"r.milliseconds IS NOT NULL"
)

// What waits for educators, and the beginning of the condition that no total of a kind counts it.
// The replies of staff are counted as they stand.
const (
	waitingQuestions = `{posts} w WHERE w.educator_id <> '' AND w.is_resolved = 0
		AND NOT EXISTS (SELECT 1 FROM {replies} r JOIN {courses} c ON c.id = w.course_id
			WHERE r.post_id = w.id AND (r.is_by_admin = 1 OR r.author_id = c.educator_id))`
	waitingReviews     = `{ratings} w WHERE w.is_reviewed = 1 AND w.answer IS NULL`
	waitingSubmissions = `{submissions} w WHERE w.status = 'submitted'`
	noTotal            = ` AND NOT EXISTS (SELECT 1 FROM {totals} t WHERE t.course_id = w.course_id
		AND t.kind = `
)

// waiting returns the part of a query that selects those totals of a kind that are not the number
// of the rows of their course, which follow FROM.
func waiting(kind, rows string) string {
	return "(SELECT course_id, SUM(number) AS number FROM {totals} WHERE kind = '" + kind +
		"' GROUP BY course_id) t WHERE t.number <> (SELECT COUNT(*) FROM " + rows +
		" AND w.course_id = t.course_id)"
}

// platform returns the part of a query that selects the total of a kind, the sum over all its rows,
// if it is not equal to number, a subquery.
func platform(kind, number string) string {
	return "(SELECT COALESCE(SUM(number), 0) AS number FROM {totals} WHERE kind = '" + kind +
		"') t WHERE t.number <> " + number
}

// parts returns the part of a query that selects those totals of a kind that are wrong: their
// number is not that of the selected purchases, or their amount is not the sum of what was paid for
// these purchases, without refunds. purchases follows FROM; it selects the purchases p of a total
// t.
func parts(kind, purchases string) string {
	return "(SELECT course_id, part, SUM(number) AS number, SUM(amount) AS amount FROM {totals} " +
		"WHERE kind = '" + kind + "' " +
		"GROUP BY course_id, part) t WHERE t.number <> (SELECT COUNT(*) FROM " + purchases + ") " +
		"OR t.amount <> (SELECT COALESCE(SUM(p.amount - p.refunded_amount), 0) FROM " + purchases +
		")"
}
