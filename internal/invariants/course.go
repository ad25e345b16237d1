package invariants

// Courses contains, by name, the part of a query after "SELECT COUNT(*) FROM" that selects
// invalid rows of sales, certificates and searches:
//
//   - counters that differ from the number of their rows,
//   - enrolments without a decision of an admin and without a purchase that is completed, or was
//     refunded with the access kept,
//   - completed purchases that have given no enrolment,
//   - an enrolment by a purchase that has ended twice, or has ended and is active,
//   - rows of a deleted course,
//   - files whose number of uses is not that of the courses and submissions which use them, and
//     files of another educator or student,
//   - submissions with the times of another state, and two of a student in a lecture that are drafts
//     or wait,
//   - uploads with all bytes and without a file, or with a file and parts,
//   - purchases that keep a coupon though they failed or were refunded,
//   - positions and last lectures of deleted users, and last lectures without a position,
//   - words of a search that are missing, or are those of a deleted row,
//   - a number of certificates that differs from the counter.
//
// A completed purchase of a deleted course has given no enrolment: it was paid after the deletion.
var Courses = map[string]string{
	"students": `
		{courses} c
		WHERE c.students <> (SELECT COUNT(*) FROM {enrollments} e WHERE e.course_id = c.id)`,
	"rating count": `
		{courses} c
		WHERE c.rating_count <> (SELECT COUNT(*) FROM {ratings} r WHERE r.course_id = c.id)`,
	"rating sum": `
		{courses} c
		WHERE c.rating_sum <> (SELECT COALESCE(SUM(r.stars), 0) FROM {ratings} r
				WHERE r.course_id = c.id)`,
	"unpaid access": `
		{enrollments} e
		WHERE e.purchase_id <> ''
			AND NOT EXISTS (SELECT 1 FROM {purchase_lines} l JOIN {purchases} p
					ON p.id = l.purchase_id
				WHERE l.id = e.purchase_id AND l.user_id = e.user_id AND l.course_id = e.course_id
					AND (l.end_state = 0 AND p.status = 'completed'
						OR EXISTS (SELECT 1 FROM {refunds} r WHERE r.purchase_id = p.id
							AND r.status = 'processed' AND r.kept_access = 1)))
			AND NOT EXISTS (SELECT 1 FROM {purchases} p WHERE p.id = e.purchase_id
					AND p.user_id = e.user_id AND p.course_id = e.course_id
					AND (p.status = 'completed' OR p.status = 'refunded'
						AND EXISTS (SELECT 1 FROM {refunds} r WHERE r.purchase_id = p.id
							AND r.status = 'processed' AND r.kept_access = 1)))`,
	"paid in vain": `
		{purchases} p
		WHERE p.status = 'completed'
			AND NOT EXISTS (SELECT 1 FROM {enrollments} e WHERE e.user_id = p.user_id
					AND e.course_id = p.course_id)
			AND NOT EXISTS (SELECT 1 FROM {past_enrollments} e WHERE e.user_id = p.user_id
					AND e.course_id = p.course_id AND e.restored_at IS NULL)
			AND EXISTS (SELECT 1 FROM {courses} c WHERE c.id = p.course_id)`,
	"line paid in vain": `
		{purchase_lines} l JOIN {purchases} p ON p.id = l.purchase_id
		WHERE p.status = 'completed' AND l.end_state = 0
			AND NOT EXISTS (SELECT 1 FROM {enrollments} e WHERE e.user_id = l.user_id
					AND e.course_id = l.course_id)
			AND NOT EXISTS (SELECT 1 FROM {past_enrollments} e WHERE e.user_id = l.user_id
					AND e.course_id = l.course_id AND e.restored_at IS NULL)
			AND EXISTS (SELECT 1 FROM {courses} c WHERE c.id = l.course_id)`,
	"lost last lectures": `
		{enrollments} e
		WHERE e.last_lecture_id IS NOT NULL
			AND NOT EXISTS (SELECT 1 FROM {lecture_positions} p WHERE p.user_id = e.user_id
					AND p.course_id = e.course_id AND p.lecture_id = e.last_lecture_id)`,
	"positions of deleted users": `
		{lecture_positions} p JOIN {users} u ON u.id = p.user_id
		WHERE u.deleted_at IS NOT NULL`,
	"last lectures of deleted users": `
		{enrollments} e JOIN {users} u ON u.id = e.user_id
		WHERE u.deleted_at IS NOT NULL
			AND (e.last_lecture_id IS NOT NULL OR e.last_active_at IS NOT NULL)`,
	"first enrolments": `
		{enrollments} e
		WHERE EXISTS (SELECT 1 FROM {past_enrollments} a WHERE a.user_id = e.user_id
				AND a.course_id = e.course_id
				AND (e.first_at IS NULL OR a.created_at < e.first_at))
			OR e.first_at IS NOT NULL
				AND NOT EXISTS (SELECT 1 FROM {past_enrollments} a WHERE a.user_id = e.user_id
					AND a.course_id = e.course_id AND a.created_at = e.first_at)`,
	"no decision": "{enrollments} e WHERE e.purchase_id = '' AND e.granted_by IS NULL",
	"ended access": `
		{past_enrollments} a
			JOIN {enrollments} e ON e.user_id = a.user_id AND e.course_id = a.course_id
			AND e.purchase_id = a.purchase_id
		WHERE a.purchase_id <> '' AND a.restored_at IS NULL`,
	"ended twice": `
		{past_enrollments} a JOIN {past_enrollments} b ON b.user_id = a.user_id
			AND b.course_id = a.course_id AND b.purchase_id = a.purchase_id
		WHERE a.purchase_id <> '' AND a.id <> b.id AND a.restored_at IS NULL
			AND b.restored_at IS NULL`,
	"redemptions": `
		{coupons} k
		WHERE k.redemptions <> (SELECT COUNT(*) FROM {purchases} p
				WHERE p.coupon_id = k.id AND p.status <> 'failed'
					AND NOT (p.status = 'refunded' AND p.completed_at IS NULL))`,
	"held in vain": `
		{purchases} p
		WHERE p.holds_coupon = 1
			AND (p.coupon_id IS NULL OR p.status NOT IN ('created', 'pending', 'completed'))`,
	"file uses": `
		{files} f
		WHERE f.uses <> (SELECT COUNT(*) FROM {course_files} u WHERE u.file_id = f.id)
				+ (SELECT COUNT(*) FROM {submission_files} u WHERE u.file_id = f.id)
			OR (f.uses = 0) <> (f.unused_since IS NOT NULL)`,
	"upload states": `
		{uploads} u
		WHERE (u.file_id = '') <> (u.received < u.size) OR u.file_id <> '' AND u.parts <> ''`,
	"lost files": `
		{course_files} u
		WHERE NOT EXISTS (SELECT 1 FROM {courses} c WHERE c.id = u.course_id)
			OR NOT EXISTS (SELECT 1 FROM {files} f WHERE f.id = u.file_id)`,
	"submitted files of another": `
		{submission_files} u JOIN {files} f ON f.id = u.file_id
			JOIN {submissions} s ON s.id = u.submission_id
		WHERE u.is_feedback = 0 AND f.owner_id <> s.user_id`,
	"lost submitted files": `
		{submission_files} u
		WHERE NOT EXISTS (SELECT 1 FROM {submissions} s WHERE s.id = u.submission_id)
			OR NOT EXISTS (SELECT 1 FROM {files} f WHERE f.id = u.file_id)`,
	"two drafts or waiting submissions": `
		{submissions} a JOIN {submissions} b ON b.user_id = a.user_id
			AND b.course_id = a.course_id AND b.lecture_id = a.lecture_id AND b.status = a.status
		WHERE a.id <> b.id AND a.status IN ('draft', 'submitted')`,
	"submission states": `
		{submissions} s
		WHERE (s.status = 'draft') <> (s.submitted_at IS NULL)
			OR (s.status IN ('draft', 'submitted')) <> (s.graded_at IS NULL)`,
	"files of another": `
		{course_files} u JOIN {files} f ON f.id = u.file_id JOIN {courses} c ON c.id = u.course_id
		WHERE f.owner_id <> c.educator_id`,
	"lost texts": `
		{lecture_texts} t
		WHERE NOT EXISTS (SELECT 1 FROM {courses} c WHERE c.id = t.course_id)`,
	"lost content": `
		{course_contents} o
		WHERE NOT EXISTS (SELECT 1 FROM {courses} c WHERE c.id = o.course_id)`,
	"lost quizzes": `
		{quizzes} q
		WHERE NOT EXISTS (SELECT 1 FROM {courses} c WHERE c.id = q.course_id)`,
	"attempts without result": `
		{quiz_attempts} a
		WHERE (a.submitted_at IS NOT NULL)
			<> EXISTS (SELECT 1 FROM {quiz_results} r WHERE r.id = a.id)`,
	"two open attempts": `
		{quiz_attempts} a JOIN {quiz_attempts} b ON b.user_id = a.user_id
			AND b.course_id = a.course_id AND b.chapter_id = a.chapter_id
		WHERE a.id <> b.id AND a.submitted_at IS NULL AND b.submitted_at IS NULL`,
	"lost coupons": `
		{coupons} k
		WHERE k.course_id IS NOT NULL
			AND NOT EXISTS (SELECT 1 FROM {courses} c WHERE c.id = k.course_id)`,
	"lost access": `
		{enrollments} e
		WHERE NOT EXISTS (SELECT 1 FROM {courses} c WHERE c.id = e.course_id)`,
	"lost purchases": `
		{purchases} p
		WHERE p.status IN ('created', 'pending') AND p.bundle_title IS NULL
			AND NOT EXISTS (SELECT 1 FROM {courses} c WHERE c.id = p.course_id)`,
	"lost lines": `
		{purchase_lines} l
		WHERE NOT EXISTS (SELECT 1 FROM {purchases} p WHERE p.id = l.purchase_id
				AND p.bundle_title IS NOT NULL AND p.user_id = l.user_id)`,
	"open lines of no course": `
		{purchase_lines} l JOIN {purchases} p ON p.id = l.purchase_id
		WHERE p.status IN ('created', 'pending')
			AND NOT EXISTS (SELECT 1 FROM {courses} c WHERE c.id = l.course_id)`,
	"lost words": `
		{search_words} w
		WHERE w.list = 1
			AND NOT EXISTS (SELECT 1 FROM {courses} c WHERE c.id = w.row_id
					AND (w.person_id = '' OR w.person_id = c.educator_id))`,
	"words of titles": `
		{courses} c
		WHERE c.is_published = 1
			AND NOT EXISTS (SELECT 1 FROM {search_words} w WHERE w.list = 1 AND w.row_id = c.id
					AND w.person_id = '')`,
	"words of names": `
		{courses} c JOIN {users} u ON u.id = c.educator_id
		WHERE c.is_published = 1
			AND (SELECT COUNT(*) FROM {search_words} w WHERE w.list = 1 AND w.row_id = c.id
					AND w.person_id = u.id) <>
				(SELECT COUNT(*) FROM {search_words} w WHERE w.list = 2
					AND w.row_id = u.id AND w.person_id = u.id)`,
	"words of deleted": `
		{users} u
		WHERE u.deleted_at IS NOT NULL
			AND EXISTS (SELECT 1 FROM {search_words} w WHERE w.row_id = u.id AND w.list IN (2, 4))`,
	"words of names of users": `
		{users} u
		WHERE (SELECT COUNT(*) FROM {search_words} w WHERE w.list = 4 AND w.row_id = u.id
					AND w.person_id = u.id) <>
				(SELECT COUNT(*) FROM {search_words} w WHERE w.list = 2 AND w.row_id = u.id
					AND w.person_id = u.id)`,
	"words of users": `
		{users} u
		WHERE u.deleted_at IS NULL AND u.name <> ''
			AND NOT EXISTS (SELECT 1 FROM {search_words} w WHERE w.list = 2 AND w.row_id = u.id)`,
	"numbers": `
		{counters} n
		WHERE n.name = 'certificates' AND n.counted <> (SELECT COUNT(*) FROM {certificates})`,
}
