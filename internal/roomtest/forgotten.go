package roomtest

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/offer"
)

// FillCourse creates a course that can be deleted, with everything that such a course can have.
func (w *World) FillCourse(t *testing.T) (id string) {
	t.Helper()
	id = w.Course(t, "course-4f1c", 499_00)
	w.Coupon(t, offer.NewCoupon{Code: "CODE", CourseID: id, PercentOff: 50})
	_, err := w.Platform.Tutor.Quiz(ctx(), Teacher, id, "chapter", nil)
	Must(t, err)
	question, err := w.Platform.Community.CreatePost(ctx(), Teacher, community.NewPost{CourseID: id,
		LectureID: "lecture", Title: "Title", Content: "Content"})
	Must(t, err)
	w.NewReply(t, Teacher, question.ID)
	_, err = w.Platform.Community.TogglePostVote(ctx(), Teacher, question.ID)
	Must(t, err)
	failed := w.Order(t, w.Person(t, "ada", core.Student), id)
	w.Exec(t, `UPDATE purchases SET status = 'failed', is_open = NULL WHERE id = ?`,
		failed.PurchaseID)
	w.Exec(t, `INSERT INTO totals (course_id, kind, part, slot, number, amount)
		VALUES (?, 'test', '', 0, 1, 1)`, id)
	w.Clock.Advance(time.Minute)
	return id
}

// FillRest inserts a row with the id for each column of the schema whose name matches, if no row
// has it there and the column is not excused. No excuse may be for a column that the schema does
// not have.
func (w *World) FillRest(
	t *testing.T, name *regexp.Regexp, id string, excused map[string]string,
) {
	t.Helper()
	all, filled := w.columns(t), w.ColumnsWith(t, id)
	for _, column := range all {
		if !name.MatchString(column) || slices.Contains(filled, column) || excused[column] != "" {
			continue
		}
		table, column, _ := strings.Cut(column, ".")
		enginetest.InsertRows(t, w.DB, table, 1, w.Clock.Now(), func(other string, _ int) string {
			if other == column {
				return id
			}
			return Mark
		})
	}
	for column := range excused {
		if !slices.Contains(all, column) {
			t.Errorf("the schema has no %s: remove it from notOfADeletedUser or "+
				"keptOfADeletedCourse in learning/forgotten_test.go", column)
		}
	}
}

// columns lists the columns of all tables on SQLite, as table.column.
func (w *World) columns(t *testing.T) (all []string) {
	t.Helper()
	rows, err := w.DB.Query(`
		SELECT m.name || '.' || c.name FROM sqlite_master m, pragma_table_info(m.name) c
		WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND m.name NOT LIKE 'learning_%'
		ORDER BY 1`)
	Must(t, err)
	defer rows.Close()
	for rows.Next() {
		var column string
		Must(t, rows.Scan(&column))
		all = append(all, column)
	}
	Must(t, rows.Err())
	if len(all) < 100 {
		t.Fatalf("%d columns: %v", len(all), all)
	}
	return all
}
