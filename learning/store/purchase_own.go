package store

import (
	"context"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/purchase"
)

// purchasedTitle is the title of the bundle of a purchase p, or of its course: see titleOfCourse.
var purchasedTitle = `COALESCE(p.bundle_title, ` + titleOfCourse("p.course_id") + `)`

// titleOfCourse returns the title of the course whose id is in a column, or that of its last
// deletion if the course was deleted; NULL if there is neither. The table of the column must not be
// c, d or e.
func titleOfCourse(column string) string {
	return `COALESCE((SELECT c.title FROM {courses} c WHERE c.id = ` + column + `),
				(SELECT d.title FROM {deleted_courses} d
					WHERE d.id = (SELECT MAX(e.id) FROM {deleted_courses} e
						WHERE e.course_id = ` + column + `)))`
}

type ownPurchaseRow struct {
	purchaseRow
	Title *string `db:"title"`
}

var selectOwnPurchases = `SELECT ` + purchaseColumns + `, ` + purchasedTitle + ` AS title
	FROM {purchases} p`

func (r *ownPurchaseRow) ownPurchase() purchase.Own {
	p := purchase.Own{Purchase: r.purchase()}
	if r.Title != nil {
		p.CourseTitle = *r.Title
	}
	return p
}

// PurchaseWithTitle reads a purchase and its title, without its lines.
func (r reader) PurchaseWithTitle(ctx context.Context, id string) (purchase.Own, error) {
	var row ownPurchaseRow
	err := r.q.Get(ctx, "read a purchase with its title", &row,
		selectOwnPurchases+` WHERE p.id = ?`, key(id))
	return row.ownPurchase(), err // zero after an error
}

// PurchasesOfUser lists the newest purchases first, without their lines. An order that was not
// opened is no purchase yet.
func (r reader) PurchasesOfUser(
	ctx context.Context, userID string, page core.PageRequest,
) ([]purchase.Own, error) {
	var f filter
	f.add(`p.user_id = ? AND p.status <> 'created'`, key(userID))
	tail, limit := r.engine().addPage(&f,
		order{columns: []string{"p.created_at", "p.id"}, descending: true}, page)
	var rows []ownPurchaseRow
	err := r.q.List(ctx, "list the purchases of a user", &rows,
		selectOwnPurchases+f.where()+tail, append(f.args, limit)...)
	if err != nil {
		return nil, err
	}
	list := make([]purchase.Own, len(rows))
	for i := range rows {
		list[i] = rows[i].ownPurchase()
	}
	return list, nil
}
