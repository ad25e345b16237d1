package store

import (
	"context"
	"slices"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/staff"
)

type revenueRow struct {
	CourseID string     `db:"course_id"`
	Part     string     `db:"part"`
	Amount   core.Money `db:"amount"`
}

// RevenueByCurrency reads the total of sales, whose part is a currency.
func (r reader) RevenueByCurrency(ctx context.Context) ([]staff.Revenue, error) {
	return r.revenue(ctx, "read the revenue by currency", `
		SELECT '' AS course_id, part, SUM(amount) AS amount FROM {totals}
		WHERE course_id = '' AND kind = 'sales' GROUP BY part ORDER BY part`)
}

// RevenueOfEducator sums up the totals of the courses of an educator.
func (r reader) RevenueOfEducator(
	ctx context.Context, educatorID string,
) ([]staff.Revenue, error) {
	return r.revenue(ctx, "sum up an educator's courses by currency", `
		SELECT '' AS course_id, t.part, SUM(t.amount) AS amount
		FROM {courses} c JOIN {totals} t ON t.course_id = c.id
		WHERE c.educator_id = ? AND t.kind = 'course sales' GROUP BY t.part ORDER BY t.part`,
		key(educatorID))
}

// revenue reads rows whose part is a currency.
func (r reader) revenue(
	ctx context.Context, action, query string, args ...any,
) ([]staff.Revenue, error) {
	var rows []revenueRow
	err := r.q.List(ctx, action, &rows, query, args...)
	list := make([]staff.Revenue, len(rows))
	for i, row := range rows {
		list[i] = staff.Revenue{Currency: row.Part, Amount: row.Amount}
	}
	return list, err
}

// RevenueOfCourses reads the totals of at least one course in one statement.
func (r reader) RevenueOfCourses(
	ctx context.Context, courseIDs []string,
) ([]staff.PartRevenue, error) {
	var rows []revenueRow
	err := r.q.List(ctx, "read the revenue of courses", &rows, `
		SELECT course_id, part, SUM(amount) AS amount FROM {totals}
		WHERE kind = 'course sales' AND course_id IN (`+placeholders(len(courseIDs))+`)
		GROUP BY course_id, part ORDER BY course_id, part`,
		keys(courseIDs)...)
	return partRevenues(rows), err
}

// RevenueOfDays reads the totals of idBatchSize days at a time.
func (r reader) RevenueOfDays(
	ctx context.Context, parts []string,
) (list []staff.PartRevenue, err error) {
	for chunk := range slices.Chunk(parts, idBatchSize) {
		var rows []revenueRow
		err = r.q.List(ctx, "read the revenue of days by currency", &rows, `
			SELECT '' AS course_id, part, SUM(amount) AS amount FROM {totals}
			WHERE course_id = '' AND kind = 'daily sales' AND part IN (`+placeholders(idBatchSize)+`)
			GROUP BY part ORDER BY part`,
			batchArgs(chunk)...)
		if err != nil {
			return nil, err
		}
		list = append(list, partRevenues(rows)...)
	}
	return list, nil
}

// partRevenues returns the rows as room staff takes them.
func partRevenues(rows []revenueRow) []staff.PartRevenue {
	list := make([]staff.PartRevenue, len(rows))
	for i, row := range rows {
		list[i] = staff.PartRevenue(row)
	}
	return list
}
