package store

import (
	"context"
	"fmt"
	"hash/fnv"
	"strings"
	"time"

	"github.com/openlectern/openlectern/internal/sqldb"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/study"
)

// totalSlots is the number of slots of a total. Transactions that change the totals of different
// rows wait for each other only if the rows have the same slot.
const totalSlots = 16

// totalSlot returns the slot of the totals of a kind that a change of a row changes. The sales and
// ratings of a course have one slot, because they lock the row of the course anyway.
func totalSlot(kind core.TotalKind, rowID string) uint32 {
	if kind == purchase.TotalCourseSales || kind == community.TotalRatings {
		return 0
	}
	return slotOf(rowID)
}

// slotOf returns the slot that a change of a row changes.
func slotOf(rowID string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(rowID)) // never fails
	return h.Sum32() % totalSlots
}

// The columns of the table totals: those of its key, and those that AddToTotals adds to.
var (
	totalKey     = []string{"course_id", "kind", "part", "slot"}
	totalNumbers = []string{"number", "amount"}
)

// AddToTotals adds the changes to the totals, in the slot of the row that has caused them, in one
// statement. A total without a row begins at 0. There must be one change at least.
func (t *tx) AddToTotals(ctx context.Context, rowID string, changes []core.Total) error {
	var args []any
	for _, c := range changes {
		args = append(args, key(c.CourseID), string(c.Kind), key(c.Part), totalSlot(c.Kind, rowID),
			c.Number, c.Amount)
	}
	_, err := t.Exec(ctx, "add to totals", `
		INSERT INTO {totals} (course_id, kind, part, slot, number, amount)
		VALUES (?, ?, ?, ?, ?, ?)`+strings.Repeat(`, (?, ?, ?, ?, ?, ?)`, len(changes)-1)+
		t.Dialect().AddToRow("totals", totalKey, totalNumbers), args...)
	return err
}

// DeleteCourseTotals deletes the totals that have the id of the course.
func (t *tx) DeleteCourseTotals(ctx context.Context, courseID string) error {
	_, err := t.Exec(ctx, "delete the totals of a course",
		`DELETE FROM {totals} WHERE course_id = ?`, key(courseID))
	return err
}

// countedRows are queries for what the totals of a kind must be: course_id, part, number and
// amount. A total has the course "" and the part "" if its kind has no such parts.
var countedRows = map[core.TotalKind]string{
	community.TotalPosts: `
		SELECT course_id, lecture_id AS part, COUNT(*) AS number, 0 AS amount
		FROM {posts} GROUP BY course_id, lecture_id`,
	people.TotalUsers: `
		SELECT '' AS course_id, '' AS part, COUNT(*) AS number, 0 AS amount
		FROM {users}
		WHERE deleted_at IS NULL`,
	people.TotalEducators: `
		SELECT '' AS course_id, '' AS part, COUNT(*) AS number, 0 AS amount
			FROM {roles} r JOIN {users} u ON u.id = r.user_id
			WHERE r.role = 'educator' AND u.deleted_at IS NULL
		UNION ALL
		SELECT '', '', COUNT(*), 0
			FROM {applications} a JOIN {users} u ON u.id = a.user_id
				LEFT JOIN {roles} r ON r.user_id = a.user_id
			WHERE a.status = 'approved' AND u.deleted_at IS NULL
				AND COALESCE(r.role, '') <> 'educator'`,
	people.TotalApplications: `
		SELECT '' AS course_id, '' AS part, COUNT(*) AS number, 0 AS amount
		FROM {applications}
		WHERE status = 'pending'`,
	catalog.TotalCourses: `
		SELECT '' AS course_id, '' AS part, COUNT(*) AS number, 0 AS amount FROM {courses}`,
	study.TotalEnrollments: `
		SELECT '' AS course_id, '' AS part, COALESCE(SUM(students), 0) AS number, 0 AS amount
		FROM {courses}`,
	community.TotalRatings: `
		SELECT course_id, CONCAT('', stars) AS part, COUNT(*) AS number, 0 AS amount
		FROM {ratings} GROUP BY course_id, stars`,
	community.TotalWaitingQuestions: `
		SELECT course_id, '' AS part, COUNT(*) AS number, 0 AS amount
		FROM {posts} WHERE educator_id <> '' AND is_answered = 0 GROUP BY course_id`,
	community.TotalWaitingReviews: `
		SELECT course_id, '' AS part, COUNT(*) AS number, 0 AS amount
		FROM {ratings} WHERE is_reviewed = 1 AND is_answered = 0 GROUP BY course_id`,
	community.TotalOpenComplaints: `
		SELECT '' AS course_id, '' AS part, COUNT(*) AS number, 0 AS amount
		FROM {complaints} WHERE status = 'open'`,
	assess.TotalWaitingSubmissions: `
		SELECT course_id, '' AS part, COUNT(*) AS number, 0 AS amount
		FROM {submissions} WHERE status = 'submitted' GROUP BY course_id`,
	purchase.TotalSales: `
		SELECT '' AS course_id, currency AS part, COUNT(*) AS number,
			SUM(amount - refunded_amount) AS amount
		FROM {purchases} WHERE status = 'completed' GROUP BY currency`,
	purchase.TotalDailySales: `
		SELECT '' AS course_id,
			CONCAT(currency, ' ', SUBSTR(CAST(completed_at AS CHAR(26)), 1, 10)) AS part,
			COUNT(*) AS number,
			SUM(amount - refunded_amount) AS amount
		FROM {purchases}
		WHERE status = 'completed' AND completed_at IS NOT NULL
		GROUP BY part`, // the name, because MySQL does not see that the expression is the same
	purchase.TotalCourseSales: `
		SELECT course_id, currency AS part, COUNT(*) AS number,
			SUM(amount - refunded_amount) AS amount
		FROM {purchases} WHERE status = 'completed' AND bundle_title IS NULL
		GROUP BY course_id, currency
		UNION ALL
		SELECT l.course_id, p.currency, COUNT(*), SUM(l.amount - l.refunded_amount)
		FROM {purchase_lines} l JOIN {purchases} p ON p.id = l.purchase_id
		WHERE p.status = 'completed' GROUP BY l.course_id, p.currency`,
	assess.TotalNeedsReview: countedAttempts(assess.NeedsReview),
	assess.TotalOnTrack:     countedAttempts(assess.OnTrack),
	assess.TotalMastered:    countedAttempts(assess.Mastered),
	assess.TotalAttemptTime: `
		SELECT course_id, chapter_id AS part, COUNT(*) AS number, SUM(milliseconds) AS amount
		FROM {quiz_results} WHERE milliseconds IS NOT NULL GROUP BY course_id, chapter_id`,
}

// countedAttempts returns the query for the totals of the attempts with a mastery, whose part is
// the chapter and whose amount is the sum of the percentages.
func countedAttempts(group assess.Mastery) string {
	return `
		SELECT course_id, chapter_id AS part, COUNT(*) AS number, SUM(percentage) AS amount
		FROM {quiz_results} WHERE mastery = '` + string(group) + `' GROUP BY course_id, chapter_id`
}

// recountTime bounds the statement of WrongTotals. It is longer than that of other reads, because
// the statement reads all rows that the totals count.
const recountTime = 30 * time.Second

// WrongTotals lists the totals of a kind that are wrong, each with the change that corrects it:
// what its rows sum up to, minus what is stored. It is one statement, so that it reads the totals
// and their rows at one moment: a concurrent transaction has changed both or none. It locks
// nothing.
func (r reader) WrongTotals(
	ctx context.Context, kind core.TotalKind,
) ([]core.Total, error) {
	counted, known := countedRows[kind]
	if !known {
		return nil, fmt.Errorf("compare totals: no query counts the rows of %q", kind)
	}
	var rows []struct {
		CourseID string `db:"course_id"`
		Part     string `db:"part"`
		Number   int    `db:"number"`
		Amount   int64  `db:"amount"`
	}
	err := r.q.List(sqldb.WithReadTimeout(ctx, recountTime), "compare totals with their rows",
		&rows, `
		SELECT d.course_id, d.part, SUM(d.number) AS number, SUM(d.amount) AS amount FROM (
			SELECT course_id, part, -number AS number, -amount AS amount
			FROM {totals} WHERE kind = ?
			UNION ALL `+counted+`
		) d
		GROUP BY d.course_id, d.part HAVING SUM(d.number) <> 0 OR SUM(d.amount) <> 0
		ORDER BY d.course_id, d.part`,
		string(kind))
	if err != nil {
		return nil, err
	}
	list := make([]core.Total, len(rows))
	for i, row := range rows {
		list[i] = core.Total{
			Kind:     kind,
			CourseID: row.CourseID,
			Part:     row.Part,
			Number:   row.Number,
			Amount:   row.Amount,
		}
	}
	return list, nil
}
