package httpapi_test

import "github.com/openlectern/openlectern/learning/core"

// grownTable is a statement that fills a table. In values and where, {id x} is the id with the
// number x, and {user x} is that of a user. {rows}, {tenth} and so on are numbers of rows, and
// {one each} is how many rows a course or a group has.
type grownTable struct {
	into, values string
	where        string // selects the rows; "" for all
}

// grownContent and grownQuestions are those of each course and quiz.
const grownContent = `[{"id":"chapter_1","order":1,"title":"First steps","lectures":[` +
	`{"id":"lecture_1","order":1,"title":"Welcome","minutes":10,` +
	`"url":"https://videos.example.org/1","preview_free":true},` +
	`{"id":"lecture_2","order":2,"title":"The rest","minutes":10,` +
	`"url":"https://videos.example.org/2","preview_free":false,"kind":"video"},` +
	`{"id":"lecture_3","order":3,"title":"Essay","minutes":0,"url":"","preview_free":false,` +
	`"kind":"assignment","assignment":{"instructions":"Write.","files":true}}]}]`

const grownQuestions = `[` +
	`{"text":"Where?","options":["Here","There","Nowhere","All"],"correct":1,"explanation":"See."},` +
	`{"text":"When?","options":["Now","Then","Never","Always"],"correct":2,"explanation":"Wait."}]`

// grownPair returns the word of a pair of metadata.
func grownPair(key, value string) string { return core.Metadata{key: value}.SearchWords()[0] }

// grownTables are executed in their order. A table that they do not have follows from its columns
// (grownOf).
var grownTables = []grownTable{
	{
		into: `users (id, name, email, image_url, created_at, changed_at)`,
		values: `{user n}, CONCAT('Name ', n), CONCAT('user.', n, '@example.com'),
			'https://images.example.org/user.png', at, at`,
	},
	{
		into: `roles (user_id, role, decided_at, listed_at)`,
		values: `{user n},
			CASE WHEN n >= {half} AND n < {half} + {users} THEN 'educator' ELSE 'student' END,
			at, at`,
	},
	{
		into: `bundles (id, title, thumbnail, price, discount, is_published, educator_id, version,
			created_at, updated_at, description)`,
		values: `{id n}, 'Bundle', '', 44910, 0, 1, {user n}, 1, at, at, 'Text'`,
	},
	{
		into:   `bundle_courses (bundle_id, course_id, position)`,
		values: `{id n}, {id n}, 0`,
		where:  `n < {half}`,
	},
	{
		into:   `assignment_dues (course_id, lecture_id, id, due_at, next_at, told_user_id)`,
		values: `{id n}, 'lecture_1', {id n}, at, NULL, ''`,
	},
	{
		into: `quiz_remarks (course_id, chapter_id, version, mode, is_waiting, after_user_id,
			created_at)`,
		values: `{id n}, 'chapter_1', 1, 'up', 0, '', at`,
	},
	{
		into: `announcements (id, course_id, author_id, title, state, created_at, body)`,
		values: `{id n}, CASE WHEN n < {tenth} THEN {id 0} ELSE {id n} END, {user {half}},
			'News', 0, at, 'Text'`,
	},
	{
		into:   `search_words (person_id, list, row_id, word)`,
		values: `'', 2, {user n}, 'often'`,
	},
	{
		into:   `search_words (person_id, list, row_id, word)`,
		values: `'', 2, {user n}, 'rarely'`,
		where:  `n % {hundredth} = 0`,
	},
	{
		into:   `search_words (person_id, list, row_id, word)`,
		values: `{user n}, 2, {user n}, CONCAT('name', n)`,
	},
	{
		into:   `search_words (person_id, list, row_id, word)`,
		values: `{user n}, 4, {user n}, CONCAT('name', n)`,
	},
	{
		into:   `search_words (person_id, list, row_id, word)`,
		values: `{user n}, 2, {user n}, 'rarely'`,
		where:  `n % {hundredth} = 0 AND n < {half}`, // who do not teach
	},
	{
		into:   `search_words (person_id, list, row_id, word)`,
		values: `{user n}, 4, {user n}, 'rarely'`,
		where:  `n % {hundredth} = 0 AND n < {half}`, // who do not teach
	},
	{
		into: `applications (id, user_id, professional_title, linkedin_url, status,
			rejection_reason, created_at, updated_at, previous_role, expertise, bio)`,
		values: `{id n}, {user n}, 'Baker', '',
			CASE WHEN n < 300 OR n % 10 = 0 THEN 'pending' ELSE 'rejected' END, '', at, at,
			'student', '["Bread"]', 'I bake.'`,
		where: `n >= 100`,
	},

	{
		into: `courses (id, title, thumbnail, price, discount, is_published, educator_id,
			rating_sum, rating_count, lectures, minutes, students, revision,
			created_at, updated_at, description)`,
		values: `{id n}, CONCAT('Course ', n), 'c.png', 49900, 1000,
			CASE WHEN n % 10 = 9 THEN 0 ELSE 1 END, {user {half} + u}, 4 * {one each},
			{one each}, 2, 20, {one each}, 1, CASE WHEN n = 0 THEN '{start}' ELSE at END, at,
			'In each lesson we follow a constellation across the seasons and learn why it seems to move.'`,
	},
	{
		into:   `course_contents (course_id, has_assignment, content)`,
		values: `{id n}, 1, '{content}'`,
	},
	{
		into: `files (id, owner_id, name, type, size, sha256, stored_name, uses, created_at)`,
		values: `{id n}, {user {half} + u}, 'Notes.pdf', 'application/pdf', 1000, {id n},
			'GROWNFILEOFTHESEBENCHMARKS', 2, at`,
	},
	{
		into: `files (id, owner_id, name, type, size, sha256, stored_name, uses, unused_since,
			created_at)`,
		values: `CONCAT('free_', n), {user {half} + u}, 'Notes.pdf', 'application/pdf', 1000,
			CONCAT('free_', n), CONCAT('free_', n), 0, at, at`,
	},
	{ // of the educator, one for each request
		into: `files (id, owner_id, name, type, size, sha256, stored_name, uses, unused_since,
			created_at)`,
		values: `CONCAT('spare_', n), {user {half}}, 'Notes.pdf', 'application/pdf', 1000,
			CONCAT('spare_', n), CONCAT('spare_', n), 0, at, at`,
		where: `n < 300`,
	},
	{
		into: `uploads (id, owner_id, file_id, name, metadata, size, received, parts, created_at,
			expires_at)`,
		values: `{id n}, {user {half} + u}, '', 'Notes.pdf', '', 1000, 0, '', at,
			'2099-01-01 00:00:00'`,
	},
	{ // of the educator, one for each request
		into: `uploads (id, owner_id, file_id, name, metadata, size, received, parts, created_at,
			expires_at)`,
		values: `CONCAT('spare_', n), {user {half}}, '', 'Notes.pdf', '', 1000, 0, '', at,
			'2099-01-01 00:00:00'`,
		where: `n < 300`,
	},
	{
		into:   `course_files (course_id, file_id)`,
		values: `{id n}, {id n}`,
	},
	{
		into:   `lecture_texts (course_id, lecture_id, body)`,
		values: `{id n}, 'lecture_2', 'Add all of it.'`,
	},
	{
		into:   `search_words (person_id, list, row_id, word)`,
		values: `'', 1, {id n}, 'often'`,
		where:  `n % 10 <> 9`,
	},
	{
		into:   `search_words (person_id, list, row_id, word)`,
		values: `'', 1, {id n}, 'always'`,
		where:  `n % 10 <> 9`,
	},
	{
		into:   `search_words (person_id, list, row_id, word)`,
		values: `'', 1, {id n}, 'rarely'`,
		where:  `n % {hundredth} = 0`,
	},
	{
		into:   `search_words (person_id, list, row_id, word)`,
		values: `'', 3, {id n}, '` + grownPair("level", "often") + `'`,
	},
	{
		into:   `search_words (person_id, list, row_id, word)`,
		values: `'', 3, {id n}, '` + grownPair("lang", "often") + `'`,
	},
	{
		into:   `search_words (person_id, list, row_id, word)`,
		values: `'', 3, {id n}, '` + grownPair("level", "rarely") + `'`,
		where:  `n % {hundredth} = 0`,
	},
	{
		into:   `search_words (person_id, list, row_id, word)`,
		values: `{user {half} + u}, 1, {id n}, CONCAT('name', {half} + u)`,
		where:  `n % 10 <> 9`,
	},
	{
		into:   `deleted_courses (id, course_id, title, revision, deleted_at)`,
		values: `{id n}, CONCAT('deleted_', n), 'Deleted', 1, at`,
	},
	{
		into: `coupons (id, code, percent_off, amount_off, course_id, redemptions, is_active,
			created_at)`,
		values: `{id n}, CONCAT('CODE', n), 1000, 0, {id n}, 0, 1, at`,
	},
	{
		into: `quizzes (id, course_id, chapter_id, chapter_title, version, created_at,
			updated_at, questions)`,
		values: `{id n}, {id n}, 'chapter_1', 'First steps', 1, at, at, '{questions}'`,
	},

	{
		into: `purchases (id, user_id, course_id, amount, currency, order_id, payment_id,
			is_first_use, status, created_at, updated_at, completed_at, refunded_amount)`,
		values: `{id n}, {user eu}, {id ec}, 44910, 'INR', CONCAT('order_', n), CONCAT('pay_', n),
			1, 'completed', at, at, at, 100`,
	},
	{
		into: `purchases (id, user_id, course_id, is_open, amount, currency, order_id, status,
			created_at, updated_at)`,
		values: `{id {rows} + n}, {user {quarter}}, {id n}, 1, 44910, 'INR', CONCAT('order_open_',
			n), 'pending', at, at`,
		where: `n < {pending}`,
	},
	{
		into: `refunds (id, purchase_id, payment_id, provider_id, amount, currency, status,
			ended_access, created_by, created_at, updated_at, reason)`,
		values: `{id n}, {id n}, CONCAT('pay_', n), CONCAT('refund_', n), 100, 'INR', 'processed',
			0, 'admin', at, at, ''`,
	},
	{
		into: `purchases (id, user_id, course_id, amount, currency, order_id, status, created_at,
			updated_at, bundle_title)`,
		values: `{id {rows} * 2 + n}, {user eu}, {id n}, 44910, 'INR', CONCAT('order_bundle_', n),
			'failed', at, at, 'Bundle'`,
		where: `n < {half}`,
	},
	{
		into: `purchase_lines (id, purchase_id, line_number, user_id, course_id, amount,
			refunded_amount, pending_refunds, end_state, refund_ended, dispute_ended, term_days,
			created_at)`,
		values: `{id {rows} * 2 + n}, {id {rows} * 2 + n}, 1, {user eu}, {id ec}, 44910, 0, 0, 0, 0,
			0, 0, at`,
		where: `n < {half}`,
	},
	{
		into: `refunds (id, purchase_id, payment_id, provider_id, amount, currency, status,
			ended_access, created_by, created_at, updated_at, reason)`,
		values: `{id {rows} * 2 + n}, {id {rows} * 2 + n}, '', CONCAT('refund_bundle_', n), 100,
			'INR', 'failed', 0, 'admin', at, at, ''`,
		where: `n < {half}`,
	},
	{
		into:   `refund_lines (refund_id, line_id, amount)`,
		values: `{id {rows} * 2 + n}, {id {rows} * 2 + n}, 100`,
		where:  `n < {half}`,
	},
	{
		into: `refund_keys (purchase_id, request_key, body_hash, refund_id, outcome, status,
			refunded_amount, created_at)`,
		values: `{id n}, 'key', '', {id n}, 'processed', 'completed', 100, at`,
	},
	{
		into: `papers (id, user_id, purchase_id, kind, cause, amount, currency, sold_at, created_at,
			attempts, tax_rate, tax_amount, tax_name, tax_note, series, series_year, series_number,
			paper_number, numbered_at, buyer_name, buyer_country, buyer_tax_id, buyer_address,
			sold_lines, content)`,
		values: `{id n}, {user eu}, {id n}, 'receipt', {id n}, 44910, 'INR', at, at, 0, 0, 0, '',
			'', 'R', 2026, n + 1, CONCAT('R-2026-', n), at, 'Ada', 'IN', '', 'Pune', '[]', '{}'`,
	},
	{
		into: `papers (id, user_id, purchase_id, refund_id, kind, cause, amount, currency, sold_at,
			created_at, attempts, tax_rate, tax_amount, tax_name, tax_note, series, series_year,
			series_number, paper_number, numbered_at, buyer_name, buyer_country, buyer_tax_id,
			buyer_address, sold_lines, content)`,
		values: `CONCAT('note_', n), {user eu}, {id n}, {id n}, 'credit note', CONCAT('note_', n),
			100, 'INR', at, at, 0, 0, 0, '', '', 'C', 2026, n + 1, CONCAT('C-2026-', n), at, 'Ada',
			'IN', '', 'Pune', '[]', '{}'`,
	},
	{
		into:   `paper_series (series, series_year, last_number)`,
		values: `CASE WHEN n = 0 THEN 'R' ELSE 'C' END, 2026, {rows}`,
		where:  `n < 2`,
	},
	{
		into:   `billing (user_id, name, country, tax_id, updated_at, address)`,
		values: `{user n}, 'Ada', 'IN', '', at, 'Pune'`,
		where:  `n < {half}`,
	},
	{
		into: `enrollments (user_id, course_id, purchase_id, created_at, first_at)`,
		values: `{user eu}, {id ec}, {id n}, at,
			CASE WHEN n < {tenth} AND n >= {users} THEN NULL ELSE at END`,
	},
	{
		into: `past_enrollments (id, user_id, course_id, purchase_id, reason, granted_by,
			created_at, ended_at, ended_by, end_reason, granted_at)`,
		values: `{id n}, {user u}, {id ec}, '', 'Scholarship', 'admin', at, at, 'admin', 'Over', at`,
	},
	{
		into: `ratings (user_id, course_id, stars, created_at, updated_at, review_id, is_reviewed,
			review, reviewed_at, educator_id)`,
		values: `{user eu}, {id ec}, 4, at, at, {id n}, 1, 'Good.', at,
			(SELECT c.educator_id FROM courses c WHERE c.id = {id ec})`,
	},
	{
		into:   `completed_lectures (user_id, course_id, lecture_id, completed_at)`,
		values: `{user eu}, {id ec}, 'lecture_1', at`,
	},
	{
		into:   `completed_lectures (user_id, course_id, lecture_id, completed_at)`,
		values: `{user eu}, {id ec}, 'lecture_2', at`,
		where:  `n >= 100`,
	},
	{
		into:   `completed_lectures (user_id, course_id, lecture_id, completed_at)`,
		values: `{user eu}, {id ec}, 'lecture_3', at`,
	},
	{
		into:   `course_completions (user_id, course_id, completed_at)`,
		values: `{user eu}, {id ec}, at`,
		where:  `n >= 100`,
	},
	{
		into: `certificates (id, user_id, course_id, number, student_name, course_title,
			educator_name, issuer_name, completed_at, issued_at, filed_at, is_revoked,
			revoked_at, revocation_reason)`,
		values: `{id n}, {user eu}, {id ec}, n - 100, CONCAT('Name ', eu), CONCAT('Course ', ec),
			'Educator', 'Open Lectern', at, at, at, CASE WHEN n % 100 = 99 THEN 1 ELSE 0 END,
			CASE WHEN n % 100 = 99 THEN at ELSE NULL END, ''`,
		where: `n >= 100`,
	},
	{
		into: `quiz_results (id, user_id, course_id, chapter_id, version, score, total,
			percentage, mastery, created_at, answers, recommendations)`,
		values: `{id n}, {user eu}, {id ec}, 'chapter_1', 1, 1, 2, 50, 'on_track', at, '[1,0]',
			'Look at it again.'`,
	},
	{
		into: `question_totals (course_id, chapter_id, question_id, slot, kind, question, given,
			correct, compared, compared_correct, rest, rest_squares, rest_correct, timed,
			milliseconds)`,
		values: `{id n}, 'chapter_1', 'q1', 0, 'single', 'Where?', {one each}, 0, {one each}, 0, 0,
			0, 0, 0, 0`,
		where: `n > 0`,
	},
	{ // all slots of the popular course
		into: `question_totals (course_id, chapter_id, question_id, slot, kind, question, given,
			correct, compared, compared_correct, rest, rest_squares, rest_correct, timed,
			milliseconds)`,
		values: `{id 0}, 'chapter_1', 'q1', n, 'single', 'Where?', {one each}, 0, {one each}, 0, 0,
			0, 0, 0, 0`,
		where: `n < 16`,
	},
	{
		into: `quiz_attempts (id, user_id, course_id, chapter_id, number, version, pass_percent,
			review, started_at, questions, answers)`,
		values: `CONCAT('attempt_', n), {user eu}, {id ec}, 'chapter_1', 1, 1, 50, 'never', at,
			'{questions}', '{}'`,
	},
	{
		into: `submissions (id, user_id, course_id, educator_id, lecture_id, number, status, version,
			is_late, saved_at, submitted_at, graded_at, points, rubric, body, feedback)`,
		values: `{id n}, {user eu}, {id ec}, {user {half} + u}, 'lecture_3', 1, 'graded', 2,
			0, at, at, at, '[]', '[]', 'Work.', 'Good.'`,
	},
	{
		into: `submissions (id, user_id, course_id, educator_id, lecture_id, number, status, version,
			is_late, saved_at, points, rubric, body, feedback)`,
		values: `CONCAT('draft_', n), {user eu}, {id ec}, {user {half} + u}, 'lecture_3', 2, 'draft',
			1, 0, at, '[]', '[]', 'Work.', ''`,
		where: `n < {tenth}`,
	},
	{
		into:   `submission_files (submission_id, is_feedback, position, file_id)`,
		values: `{id n}, 1, 0, {id n}`,
	},
	{
		into:   `time_days (user_id, day, writes)`,
		values: `{user u}, day, 1`,
	},
	{
		into: `time_entries (user_id, place, day, page, path, course_id, chapter_id, last_visit,
			milliseconds, visits)`,
		values: `{user u}, CONCAT('place_', r), day, 'Course Player', CONCAT('/player/', {id ec}),
			{id ec}, '', at, 60000, 1`,
	},

	{
		into: `community_groups (id, name, name_key, slug, description, icon, is_official,
			members, posts, created_at, updated_at)`,
		values: `{id n}, CONCAT('Group ', n), CONCAT('group ', n), CONCAT('group-', n), 'About',
			'*', 0, {one each},
			CASE WHEN n = 0 THEN {tenth} WHEN n % 10 = 0 THEN 0 ELSE 1 END, at, at`,
	},
	{
		into:   `memberships (user_id, group_id, created_at)`,
		values: `{user eu}, {id ec}, at`,
	},
	{
		into: `posts (id, group_id, author_id, title, tags, upvotes, replies, is_resolved,
			created_at, updated_at, content)`,
		values: `{id n}, CASE WHEN n % 10 = 0 THEN {id 0} ELSE {id n} END, {user u},
			CONCAT('How does lecture ', n, ' go on?'), '["Go"]',
			CASE WHEN n < {tenth} THEN 10 ELSE 0 END,
			CASE WHEN n < {tenth} THEN 10 ELSE 0 END, 0, at, at,
			'I do not see why it goes on as it does.'`,
	},
	{
		into: `posts (id, author_id, title, tags, upvotes, replies, is_resolved, created_at,
			updated_at, content, course_id, educator_id)`,
		values: `CONCAT('question_', n), {user eu}, 'Why?', '[]', 0, 0, 0, at, at, 'Why?', {id ec},
			(SELECT c.educator_id FROM courses c WHERE c.id = {id ec})`,
	},
	{
		into:   `replies (id, post_id, author_id, upvotes, created_at, updated_at, content)`,
		values: `{id n}, {id t}, {user u}, 0, at, at, 'It has to.'`,
	},
	{
		into:   `votes (post_id, reply_id, user_id, created_at)`,
		values: `{id t}, '', {user (t + q) % {users}}, at`,
	},
	{
		into: `complaints (id, post_id, reply_id, reporter_id, status, created_at, decided_by,
			decided_at, reason, excerpt)`,
		values: `{id n}, {id n}, '', {user u},
			CASE WHEN n % 2 = 0 THEN 'open' ELSE 'dismissed' END, at,
			CASE WHEN n % 2 = 0 THEN NULL ELSE 'admin' END,
			CASE WHEN n % 2 = 0 THEN NULL ELSE at END, 'Advertising', 'I do not see'`,
	},

	{
		into:   `chats (user_id, id, created_at, updated_at)`,
		values: `{user u}, {id n}, at, at`,
	},
	{
		into:   `chat_messages (user_id, chat_id, number, role, created_at, content)`,
		values: `{user u}, {id n}, 0, 'user', at, 'Why does it go on?'`,
	},
	{
		into:   `chat_messages (user_id, chat_id, number, role, created_at, content)`,
		values: `{user u}, {id n}, 1, 'assistant', at, 'Because it has to.'`,
	},
	{
		into:   `ai_usage (day, user_id, prompt_tokens, completion_tokens)`,
		values: `SUBSTR(CAST(day AS CHAR(26)), 1, 10), {user u}, 100, 100`,
	},
}

// notGrown are the tables that are not filled, with the reason.
var notGrown = map[string]string{
	"counters":         "it has one row for each counter",
	"event_deliveries": "events need a target, and are deleted some days after their delivery",
	"leases":           "they are deleted when they are released",
	"ai_reservations":  "they are deleted when the call of the AI ends",
	"file_totals":      "they are counted when the other tables are filled",
	"totals":           "they are counted when the other tables are filled",
	"sweeps":           "it has one row for each sweep",
	"unused_files":     "they are deleted with their files",
}
