package contracttest

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/bundle"
	"github.com/openlectern/openlectern/learning/core"
)

// fixtureBundles has a bundle that an educator sells, one of courses of several educators, one that
// is not published, and one that is not for sale, because a course in it is not published. The
// courses are of their ids.
var fixtureBundles = []struct {
	bundle.Bundle
	courses []string
}{
	{bundle.Bundle{ID: "bundle_go", Title: "Go & odd things", Description: "Both of <Go>.",
		Thumbnail: "bundle.png", Price: 400_00, Discount: 25_00, Published: true,
		EducatorID: "educator"}, []string{"course_odd", "course_go"}},
	{bundle.Bundle{ID: "bundle_mixed", Title: "Of two educators", Price: 300_00,
		Published: true}, []string{"course_go", "course_long"}},
	{bundle.Bundle{ID: "bundle_draft", Title: "Not yet", Price: 10_00, EducatorID: "educator"},
		[]string{"course_go", "course_odd"}},
	{bundle.Bundle{ID: "bundle_unsold", Title: "With an old course", Price: 10_00,
		Published: true, EducatorID: "educator"}, []string{"course_go", "course_old"}},
}

// insertBundles stores fixtureBundles, each created a minute after the previous one.
func insertBundles(ctx context.Context, tx learning.Tx) error {
	for i, b := range fixtureBundles {
		b.CreatedAt = day(6).Add(time.Duration(i) * time.Minute)
		b.UpdatedAt = b.CreatedAt
		if err := tx.InsertBundle(ctx, b.Bundle); err != nil {
			return err
		}
		if err := tx.InsertBundleCourses(ctx, b.ID, b.courses); err != nil {
			return err
		}
	}
	return nil
}

// bundleGivens are the preconditions about bundles.
var bundleGivens = []given{
	{exactly(`(\w+) has (\d+) more bundles`), func(s *Setup, _ *Case, args []string) {
		n, _ := strconv.Atoi(args[1]) // the pattern has digits only
		const at = "'2026-01-05 00:00:00.000000'"
		rows := make([]string, n)
		for i := range rows {
			rows[i] = fmt.Sprintf("('more_%d', 'More', '', 0, 0, 0, '%s', 1, %s, %[3]s, '')", i,
				args[0], at)
		}
		s.SQL = append(s.SQL,
			"INSERT INTO {bundles} (id, title, thumbnail, price, discount, is_published, "+
				"educator_id, version, created_at, updated_at, description) VALUES "+
				strings.Join(rows, ", "))
	}},
	{exactly(`(\w+) has bought bundle_go as (\w+)`), func(s *Setup, _ *Case, args []string) {
		s.SQL = append(s.SQL, soldBundle(args[0], args[1])...)
	}},
	{exactly(`(\w+) has ordered bundle_go as (\w+)`), func(s *Setup, _ *Case, args []string) {
		s.SQL = append(s.SQL, orderedBundle(args[0], args[1])...)
	}},
}

// bundleLines are the lines of a purchase of bundle_go.
var bundleLines = []struct {
	courseID string
	amount   core.Money
}{{"course_odd", 10_94}, {"course_go", 289_06}}

// insertBundleLine returns the statement that stores line i of a purchase.
func insertBundleLine(userID, id string, i int) string {
	return fmt.Sprintf(`INSERT INTO {purchase_lines} (id, purchase_id, line_number, user_id,
			course_id, amount, refunded_amount, pending_refunds, end_state, refund_ended,
			dispute_ended, term_days, created_at)
		VALUES ('%s.%d', '%[1]s', %[2]d, '%[3]s', '%[4]s', %[5]d, 0, 0, 0, 0, 0, 0, %[6]s)`,
		id, i+1, userID, bundleLines[i].courseID, bundleLines[i].amount, bundleSoldAt)
}

// bundleSoldAt is when bundle_go was ordered and sold, in SQL.
const bundleSoldAt = "'2026-01-20 12:00:00.000000'"

// orderedBundle returns the statements that store an order of bundle_go at the gateway, whose id is
// order_ with that of the purchase.
func orderedBundle(userID, id string) []string {
	return []string{
		fmt.Sprintf(`INSERT INTO {purchases} (id, user_id, course_id, amount, currency, order_id,
				is_open, status, created_at, updated_at, bundle_title)
			VALUES ('%s', '%s', 'bundle_go', 30000, 'INR', 'order_%[1]s', 1, 'pending', %[3]s, %[3]s,
				'Go & odd things')`, id, userID, bundleSoldAt),
		insertBundleLine(userID, id, 0), insertBundleLine(userID, id, 1),
	}
}

// soldBundle returns the statements that store a purchase of bundle_go, which was sold elsewhere,
// with its lines and enrolments.
func soldBundle(userID, id string) []string {
	statements := []string{fmt.Sprintf(`INSERT INTO {purchases} (id, user_id, course_id, amount,
			currency, provider, source, reference, status, created_at, updated_at, completed_at,
			bundle_title)
		VALUES ('%s', '%s', 'bundle_go', 30000, 'INR', 'manual', 'invoice', '%[1]s', 'completed',
			%[3]s, %[3]s, %[3]s, 'Go & odd things')`, id, userID, bundleSoldAt)}
	for i, l := range bundleLines {
		statements = append(statements, insertBundleLine(userID, id, i),
			fmt.Sprintf(`INSERT INTO {enrollments} (user_id, course_id, purchase_id, created_at)
				VALUES ('%s', '%s', '%s.%d', %s)`, userID, l.courseID, id, i+1, bundleSoldAt),
			"UPDATE {courses} SET students = students + 1 WHERE id = '"+l.courseID+"'",
			soldTotal(l.courseID, "course sales", "INR", 1, l.amount))
	}
	return append(statements, soldTotal("", "sales", "INR", 1, 300_00),
		soldTotal("", "daily sales", "INR 2026-01-20", 1, 300_00),
		soldTotal("", "enrollments", "", 2, 0))
}

// soldTotal returns the statement that adds a total, in a slot that the fixture does not use.
func soldTotal(courseID, kind, part string, number int, amount core.Money) string {
	return fmt.Sprintf("INSERT INTO {totals} (course_id, kind, part, slot, number, amount) "+
		"VALUES ('%s', '%s', '%s', 15, %d, %d)", courseID, kind, part, number, amount)
}
