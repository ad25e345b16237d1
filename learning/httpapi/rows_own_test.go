package httpapi_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/baseline"
	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/internal/sqldb"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// fillOwn inserts n rows of a user in each table of an export, and an application and a role.
func fillOwn(tb testing.TB, p baseline.Pools, user string, n int) {
	tb.Helper()
	id := func(i int) string { return fmt.Sprintf("'01987654-0000-7000-8000-%012d'", i) }
	at := func(i int) string {
		return learningtest.Start.Add(time.Duration(i) *
			time.Second).Format("'2006-01-02 15:04:05.000000'")
	}
	day := func(i int) string { return learningtest.Start.AddDate(0, 0, -i).Format("2006-01-02") }
	insert := func(into string, values func(i int) string) {
		tb.Helper()
		p.Insert(tb, into, n, values)
	}
	text := strings.Repeat("I do not “see” why. ", 10)
	insert(
		"courses (educator_id, id, title, thumbnail, price, discount, is_published, rating_sum, "+
			"rating_count, lectures, minutes, students, revision, created_at, updated_at, "+
			"description)", func(i int) string {
			return fmt.Sprintf(
				"'%s', %s, 'Course %d', 'a.png', 100, 0, 0, 0, 0, 1, 1, 0, 0, %s, %s, '%s'", user,
				id(i), i, at(i), at(i), text)
		})
	insert(
		"bundles (educator_id, id, title, thumbnail, price, discount, is_published, version, "+
			"created_at, updated_at, description)", func(i int) string {
			return fmt.Sprintf("'%s', %s, 'Bundle %d', '', 100, 0, 0, 1, %s, %s, '%s'", user,
				id(i), i, at(i), at(i), text)
		})
	insert(
		"purchases (user_id, id, course_id, amount, currency, order_id, payment_id, status, "+
			"created_at, updated_at, completed_at)", func(i int) string {
			return fmt.Sprintf(
				"'%s', %s, %s, 100, 'INR', 'order_%d', 'pay_%d', 'completed', %s, %s, %s", user,
				id(i), id(i), i, i, at(i), at(i), at(i))
		})
	insert(
		"refunds (id, purchase_id, payment_id, provider_id, amount, currency, status, "+
			"ended_access, created_at, updated_at, reason)", func(i int) string {
			return fmt.Sprintf(
				"%s, %s, 'pay_%d', 'refund_%d', 1, 'INR', 'processed', 0, %s, %s, '%s'",
				id(i), id(i/2), i, i, at(i), at(i), text)
		})
	insert(
		"purchase_lines (user_id, id, purchase_id, line_number, course_id, amount, "+
			"refunded_amount, pending_refunds, end_state, refund_ended, dispute_ended, term_days, "+
			"created_at)", func(i int) string {
			return fmt.Sprintf("'%s', %s, %s, 1, %s, 100, 0, 0, 0, 0, 0, 0, %s", user, id(i),
				id(i/2), id(i), at(i))
		})
	insert("refund_lines (refund_id, line_id, amount)",
		func(i int) string { return fmt.Sprintf("%s, %s, 1", id(i/2), id(i)) })
	insert(
		"disputes (id, purchase_id, provider_id, amount, currency, reason, status, ended_access, "+
			"created_at, updated_at)", func(i int) string {
			return fmt.Sprintf("%s, %s, 'dispute_%d', 1, 'INR', '', 'won', 0, %s, %s", id(i),
				id(i/2), i, at(i), at(i))
		})
	insert(
		"past_enrollments (user_id, id, course_id, purchase_id, reason, created_at, ended_at, "+
			"end_reason)", func(i int) string {
			return fmt.Sprintf("'%s', %s, %s, '', 'A prize', %s, %s, '%s'", user, id(i), id(i),
				at(i/2),
				at(i), text)
		})
	insert(
		"time_entries (user_id, place, day, page, path, course_id, chapter_id, milliseconds, "+
			"visits)", func(i int) string {
			path := fmt.Sprintf("/player/%d", i%50)
			sum := sha256.Sum256([]byte(`"Player"` + path)) // as the store computes it
			return fmt.Sprintf("'%s', '%s', '%s 00:00:00.000000', 'Player', '%s', '', '', 1000, %d",
				user, hex.EncodeToString(sum[:16]), day(i), path, i)
		})
	insert(
		"quiz_results (user_id, id, course_id, chapter_id, version, score, total, percentage, "+
			"mastery, created_at, answers, recommendations)", func(i int) string {
			return fmt.Sprintf(
				"'%s', %s, %s, 'chapter', 1, 1, 2, 50, 'on_track', %s, '[0,1]', '• %s'",
				user, id(i), id(i/5), at(i/3), text)
		})
	insert(
		"certificates (user_id, id, course_id, number, student_name, course_title, educator_name, "+
			"issuer_name, completed_at, issued_at, is_revoked, revocation_reason)",
		func(i int) string {
			return fmt.Sprintf("'%s', %s, %s, %d, 'Ada', 'Course', 'Eve', 'School', %s, %s, 0, ''",
				user, id(i), id(i), i, at(i), at(i))
		})
	fillOwnTexts(tb, insert, user, text, id, at)
	insert("ai_usage (user_id, day, prompt_tokens, completion_tokens)", func(i int) string {
		return fmt.Sprintf("'%s', '%s', %d, 1", user, day(i), i)
	})
	p.Insert(tb,
		"applications (user_id, id, professional_title, linkedin_url, status, rejection_reason, "+
			"created_at, updated_at, previous_role, expertise, bio)", 1, func(int) string {
			return fmt.Sprintf(
				"'%s', 'application', 'Baker', '', 'pending', '', %s, %s, 'student', '[]', '%s'",
				user, at(0), at(0), text)
		})
	p.Insert(tb, "roles (user_id, role, decided_at)", 1,
		func(int) string { return fmt.Sprintf("'%s', 'student', %s", user, at(0)) })
	fillOtherLists(tb, p, user, n)
}

func fillOwnTexts(tb testing.TB, insert func(into string, values func(i int) string),
	user, text string, id, at func(int) string) {
	tb.Helper()
	insert("chat_messages (user_id, chat_id, number, role, created_at, content)",
		func(i int) string {
			return fmt.Sprintf("'%s', %s, %d, 'user', %s, '%s'", user, id(i/500), i%500, at(i),
				strings.Repeat(text, i%7))
		})
	insert(
		"posts (author_id, id, title, tags, upvotes, replies, is_resolved, created_at, "+
			"updated_at, content)", func(i int) string {
			return fmt.Sprintf(`'%s', %s, 'Post %d', '["Go"]', 0, 0, 0, %s, %s, '%s'`, user, id(i),
				i,
				at(i), at(i), text)
		})
	insert("submissions (user_id, id, course_id, educator_id, lecture_id, number, status, version, "+
		"is_late, saved_at, points, rubric, body, feedback)", func(i int) string {
		return fmt.Sprintf("'%s', %s, %s, 'e', 'lecture', 1, 'draft', 1, 0, %s, '[1,2]', '[]', "+
			"'%s', ''", user, id(i), id(i), at(i), text)
	})
	insert("files (owner_id, id, sha256, stored_name, type, size, uses, created_at, name)",
		func(i int) string {
			return fmt.Sprintf("'%s', %s, 'hash %d', 'stored %d', 'text/plain', 1, 2, %s, 'a.txt'",
				user, id(i), i, i, at(i))
		})
	insert("submission_files (submission_id, is_feedback, position, file_id)",
		func(i int) string { return fmt.Sprintf("%s, 0, 0, %s", id(i), id(i)) })
	insert("replies (author_id, id, post_id, upvotes, created_at, updated_at, content)",
		func(i int) string {
			return fmt.Sprintf("'%s', %s, %s, 0, %s, %s, '%s'", user, id(i), id(i/9), at(i), at(i),
				text)
		})
	insert("votes (user_id, post_id, reply_id, created_at)", func(i int) string {
		return fmt.Sprintf("'%s', %s, '%d', %s", user, id(i/10), i%10, at(i))
	})
	insert("complaints (reporter_id, id, post_id, reply_id, status, created_at, reason, excerpt)",
		func(i int) string {
			return fmt.Sprintf("'%s', %s, %s, '%d', 'open', %s, '%s', '%s'", user, id(i), id(i/10),
				i%10, at(i), text, text)
		})
}

// fillOtherLists inserts n rows of a user in each table of an export that has none.
func fillOtherLists(tb testing.TB, p baseline.Pools, user string, n int) {
	tb.Helper()
	for _, list := range learning.ExportLists() {
		var rows int
		from := sqldb.Names{}.Expand(list.From)
		if err := p.Read.QueryRow("SELECT COUNT(*) FROM " + from).Scan(&rows); err != nil {
			tb.Fatal(err)
		}
		if rows > 0 {
			continue
		}
		enginetest.InsertRows(tb, p.Write, from, n, learningtest.Start,
			func(column string, i int) string {
				switch column {
				case list.Owner:
					return user
				case "metadata":
					return fmt.Sprintf(`{"key":"%d"}`, i)
				case "parts": // of an upload
					return ""
				case "currency":
					return "INR"
				}
				return fmt.Sprintf("%012d", i) // which fits into each column
			})
	}
}
