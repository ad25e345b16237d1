package store

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"testing"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/learning"
)

// notExported has the columns with the id of a user whose rows are not in the export of this
// user, with the reason.
var notExported = map[string]string{
	"ai_reservations.user_id":      "the row exists only during a call to the AI",
	"time_days.user_id":            "it is the lock of a day, and the time entries have the days",
	"file_totals.owner_id":         "they are sums of the files, which are in the export",
	"complaints.decided_by":        "the complaint is that of another user",
	"announcements.told_user_id":   "the row has it only while students are told",
	"assignment_dues.told_user_id": "the row has it only while students are told",
	"quiz_remarks.after_user_id":   "the row has it only while attempts are marked anew",
	"notifications.actor_id":       "the notification is that of another user",
	"search_words.person_id":       "they are the words of the name, which is in the export",
	"search_words.row_id":          "they are the words of name and address, which are in the export",
	"complaints.author_id":         "as above",
	"decisions.decided_by":         "the decision is about another user",

	"quiz_extra_attempts.decided_by": "the attempts are those of another user",
	"refunds.created_by":             "the refund is of a purchase of another user",
	"enrollments.granted_by":         "the enrolment is that of another user",
	"past_enrollments.granted_by":    "the enrolment is that of another user",
	"enrollments.override_by":        "the enrolment is that of another user",
	"past_enrollments.override_by":   "the enrolment is that of another user",
	"past_enrollments.ended_by":      "the enrolment is that of another user",
	"purchase_lines.user_id":         "the lines are in the export with their purchases",
	"submissions.graded_by":          "the submission is that of another user",
	"submissions.educator_id":        "as above",
	"posts.educator_id":              "the post is that of another user",
	"ratings.educator_id":            "the review is that of another user",
}

// singleRows has the columns whose rows are in the head of an export: there is at most one for a
// user.
var singleRows = []string{"users.id", "roles.user_id", "applications.user_id",
	"billing.user_id"}

// noUser has the columns as wide as an id of a user that hold no such id.
var noUser = []string{"purchases.order_id", "purchases.payment_id", "refunds.payment_id",
	"refunds.provider_id", "disputes.provider_id", "community_groups.slug"}

// personColumn matches names of columns that hold the id of a user.
var personColumn = regexp.MustCompile(
	`(^|_)(user|author|educator|reporter|student|admin|owner)_id$|_by$`)

// TestExport_HasEachColumnThatNamesAUser fails if a table refers to users and its rows are
// neither exported nor listed above. The ids of users are known by their type, and by their name.
func TestExport_HasEachColumnThatNamesAUser(t *testing.T) {
	t.Parallel()
	s := migrated(t, enginetest.SQLite(t))
	exported := exportedColumns(t, s)
	known := slices.Concat(slices.Collect(maps.Keys(notExported)), singleRows, noUser)
	for _, column := range userColumns(t, s) {
		if slices.Contains(known, column) == exported[column] {
			t.Errorf(
				"%s is in the export of the user: %v, and known in export_test.go: %v. Add a "+
					"list to export.go of its room, or the column to notExported in "+
					"learning/store/export_test.go with the reason.",
				column, exported[column], !exported[column])
		}
		known = slices.DeleteFunc(known, func(other string) bool { return other == column })
	}
	if len(known) > 0 {
		t.Errorf("the schema has no %v: remove them from "+
			"learning/store/export_test.go", known)
	}
}

// userColumns lists the columns that may hold the id of a user, as table.column.
func userColumns(t *testing.T, s *Store) (columns []string) {
	t.Helper()
	var all []struct {
		Table  string `db:"tbl"`
		Column string `db:"col"`
		Type   string `db:"type"`
	}
	err := s.db.Reader().Select(&all, `
		SELECT m.name AS tbl, c.name AS col, c.type AS type FROM sqlite_master m, pragma_table_info(m.name) c
		WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND m.name NOT LIKE 'learning_%' ORDER BY m.name, c.name`)
	if err != nil || len(all) < 100 {
		t.Fatalf("%d columns (%v)", len(all), err)
	}
	for _, c := range all {
		if c.Type == "VARCHAR(191)" || personColumn.MatchString(c.Column) {
			columns = append(columns, c.Table+"."+c.Column)
		}
	}
	return columns
}

// ownRows matches the statement of [reader.ExportRows].
var ownRows = regexp.MustCompile(`(?s)FROM (\w+).* WHERE (?:\w\.)?(\w+) = \? ORDER BY`)

// exportedColumns returns the columns by which the lists of an export find the rows of a user.
func exportedColumns(t *testing.T, s *Store) map[string]bool {
	t.Helper()
	columns := map[string]bool{}
	for _, list := range learning.ExportLists() {
		statements := recordStatements(t, s, func(ctx context.Context, tx learning.Tx) {
			_, _ = tx.ExportRows(ctx, list, "user", nil, 1)
		})
		found := ownRows.FindStringSubmatch(statements[0].query)
		if found == nil {
			t.Fatalf("%s: %s", list.Name, statements[0].query)
		}
		columns[found[1]+"."+found[2]] = true
	}
	return columns
}
