package store

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/papers"
	"github.com/openlectern/openlectern/learning/refund"
	"github.com/openlectern/openlectern/learning/staff"
)

// newestPurchasesFirst is the order of the purchases in reports. The columns follow the first ones
// of the indexes by which purchases are read.
var newestPurchasesFirst = order{columns: []string{"p.created_at", "p.id"}, descending: true}

// purchaseIndex returns the index that has the order of newestPurchasesFirst, and adds to f the
// conditions that are bounds in it.
func purchaseIndex(q staff.PurchaseQuery, f *filter) (index string) {
	switch {
	case q.UserID != "":
		index = "purchases_of_user"
		f.add(`p.user_id = ?`, key(q.UserID))
	case q.CourseID != "":
		index = "purchases_of_course"
		f.add(`p.course_id = ?`, key(q.CourseID))
	case q.Status != "":
		index = "purchases_of_status"
		f.add(`p.status = ?`, key(q.Status))
	default:
		index = "purchases_by_creation"
	}
	addTimes(q, f, `p.created_at`)
	return index
}

// addTimes adds the condition that a column is in the times of a query.
func addTimes(q staff.PurchaseQuery, f *filter, column string) {
	if !q.From.IsZero() {
		f.add(column+` >= ?`, timestamp(q.From))
	}
	if !q.To.IsZero() {
		f.add(column+` < ?`, timestamp(q.To))
	}
}

// purchasesOf returns the tables of a statement that reads the purchases that s selects, with the
// arguments of these tables, and adds its conditions to f. Purchases that are selected by ids or by
// a rare word must be sorted; others are read from an index in the order of newestPurchasesFirst.
func purchasesOf(
	d dialect, s staff.PurchaseSelection, f *filter,
) (tables string, args []any) {
	// An order that was not opened is no purchase yet.
	f.add(`p.status <> 'created'`)
	if s.IDs != nil {
		addPurchases(s, f)
		f.add(`p.id IN (`+placeholders(idBatchSize)+`)`, batchArgs(s.IDs)...)
		return searchedBuyers.from(d, s.Words, d.ForceIndex("PRIMARY"), f)
	}
	hint := d.ForceIndex(purchaseIndex(s.Query, f))

	// What is not a bound in the index is looked up in each purchase.
	if s.Query.UserID != "" && s.Query.CourseID != "" {
		addCourse(s.Query.CourseID, f)
	}
	hasOtherIndex := s.Query.UserID != "" || s.Query.CourseID != ""
	if hasOtherIndex && s.Query.Status != "" {
		f.add(`p.status = ?`, key(s.Query.Status))
	}
	return searchedBuyers.from(d, s.Words, hint, f)
}

// addPurchases adds to f the conditions of a query for purchases that are read by their ids.
func addPurchases(s staff.PurchaseSelection, f *filter) {
	if s.Query.UserID != "" {
		f.add(`p.user_id = ?`, key(s.Query.UserID))
	}
	if s.Query.CourseID != "" {
		addCourse(s.Query.CourseID, f)
	}
	if s.Query.Status != "" {
		f.add(`p.status = ?`, key(s.Query.Status))
	}
	addTimes(s.Query, f, `p.created_at`)
}

// addCourse adds the condition that a purchase p is of a course, or has a line of it.
func addCourse(courseID string, f *filter) {
	f.add(`(p.course_id = ? OR EXISTS (SELECT 1 FROM {purchase_lines} l
		WHERE l.purchase_id = p.id AND l.course_id = ?))`, key(courseID), key(courseID))
}

// newestLinesFirst is newestPurchasesFirst in the index of the lines of a course.
var newestLinesFirst = order{columns: []string{"l.created_at", "l.purchase_id"}, descending: true}

// hasLines reports whether the purchases of s are read in two statements: those of a course, and
// those of bundles with a line of it.
func hasLines(s staff.PurchaseSelection) bool {
	return s.IDs == nil && s.Query.UserID == "" && s.Query.CourseID != ""
}

// linesOf is purchasesOf for the purchases of bundles with a line of a course.
func linesOf(d dialect, s staff.PurchaseSelection, f *filter) (tables string, args []any) {
	f.add(`p.status <> 'created'`)
	f.add(`l.course_id = ?`, key(s.Query.CourseID))
	f.add(`p.id = l.purchase_id`)
	addTimes(s.Query, f, `l.created_at`)
	if s.Query.Status != "" {
		f.add(`p.status = ?`, key(s.Query.Status))
	}
	buyers := searchedBuyers
	hint := d.ForceIndex("PRIMARY")
	if s.Words.Rare == "" {
		buyers.table = `{purchase_lines} l` + d.ForceIndex("purchase_lines_of_course") +
			` CROSS JOIN {purchases} p`
	} else {
		f.add(`p.bundle_title IS NOT NULL`)
	}
	tables, args = buyers.from(d, s.Words, hint, f)
	if s.Words.Rare != "" {
		tables += ` CROSS JOIN {purchase_lines} l`
	}
	return tables, args
}

// PurchaseReports lists the purchases that s selects, the newest first. It scans row by row,
// because the list may be long. A course that was deleted has the title of its last deletion.
func (r reader) PurchaseReports(
	ctx context.Context, s staff.PurchaseSelection, page core.PageRequest,
) (list []staff.PurchaseReport, err error) {
	var f filter
	tables, tableArgs := purchasesOf(r.engine(), s, &f)
	tail, limit := r.engine().addPage(&f, newestPurchasesFirst.of(s.Words), page)
	args := slices.Concat(tableArgs, f.args, []any{limit})
	add := func(p staff.PurchaseReport) { list = append(list, p) }
	from := tables + f.where() + tail
	if s.Words.Rare != "" {
		// What a report shows beside the purchase is looked up after the sorting, for the rows of
		// the page only.
		from = ` FROM (SELECT p.id` + from + `) page CROSS JOIN {purchases} p` +
			r.engine().ForceIndex("PRIMARY") + ` WHERE p.id = page.id` +
			newestPurchasesFirst.of(s.Words).orderBy()
	}
	err = r.eachPurchase(ctx, from, args, add)
	if err != nil || !hasLines(s) {
		return list, err
	}

	// The other half is that of bundles. Sort both, and cut the list to a page.
	var g filter
	tables, tableArgs = linesOf(r.engine(), s, &g)
	tail, limit = r.engine().addPage(&g, newestLinesFirst.of(s.Words), page)
	args = slices.Concat(tableArgs, g.args, []any{limit})
	if err = r.eachPurchase(ctx, tables+g.where()+tail, args, add); err != nil {
		return nil, err
	}
	slices.SortFunc(list, func(a, b staff.PurchaseReport) int {
		return newestFirst(core.Position{At: a.CreatedAt, ID: a.ID},
			core.Position{At: b.CreatedAt, ID: b.ID})
	})
	if page.Limit > 0 {
		list = list[:min(len(list), page.Limit)]
	}
	return list, nil
}

// eachPurchase calls each with the reports of the purchases p that a FROM clause, with what follows
// it, selects.
func (r reader) eachPurchase(
	ctx context.Context, from string, args []any, each func(staff.PurchaseReport),
) error {
	var p staff.PurchaseReport // each row is scanned into it, and then copied
	var created, completed timestamp
	var orderID, paymentID, provider optionalKey
	var title, bundle *string // nil if there is neither a course nor a deleted one, or no bundle
	var receipt struct {
		id, number optionalKey
		forgotten  *papers.Forgotten
	}
	dest := []any{&p.ID, &p.UserID, &p.CourseID, &p.Amount, &p.RefundedAmount, &p.Currency,
		&p.Status, &created, &completed, &provider, &orderID, &paymentID, &title,
		(*metadata)(&p.Metadata), &bundle, &receipt.id, &receipt.number, &receipt.forgotten}
	return r.q.Each(ctx, "report on the purchases", dest, func() error {
		p.CreatedAt, p.CompletedAt = created.Time(), completed.Time()
		p.Provider = providerOf(string(provider), p.Amount)
		p.OrderID, p.PaymentID, p.CourseTitle = string(orderID), string(paymentID), ""
		if title != nil {
			p.CourseTitle = *title
		}
		if p.BundleID, p.BundleTitle = "", ""; bundle != nil {
			p.CourseID, p.BundleID, p.BundleTitle = "", p.CourseID, *bundle
		}
		p.Receipt = papers.Paper{ID: string(receipt.id)}
		if n, ok := papers.ParseNumber(string(receipt.number)); ok {
			p.Receipt.Number = n
		}
		if receipt.forgotten != nil {
			p.Receipt.Forgotten = *receipt.forgotten
		}
		each(p)
		return nil
	}, `
		SELECT p.id, p.user_id, p.course_id, p.amount, p.refunded_amount, p.currency, p.status,
			p.created_at, p.completed_at, p.provider, p.order_id, p.payment_id,
			`+purchasedTitle+`,
			p.metadata, p.bundle_title, `+receiptColumn("id")+`, `+receiptColumn("paper_number")+`,
			`+receiptColumn("forgotten")+from, args...)
}

// receiptColumn returns a column of the receipt of a purchase p; NULL if there is none.
func receiptColumn(name string) string {
	return `(SELECT a.` + name + ` FROM {papers} a WHERE a.kind = 'receipt' AND a.cause = p.id)`
}

// PurchasesEnd returns the position at which a page of PurchaseReports ends that reads a number of
// rows after the position after, or zero if there are fewer. It counts all rows there, not only
// those that a page shows.
func (r reader) PurchasesEnd(
	ctx context.Context, s staff.PurchaseSelection, after core.Position, rows int,
) (core.Position, error) {
	var f filter
	const action = "find the end of a page of the purchases"
	index := purchaseIndex(s.Query, &f)
	end, err := r.endOf(ctx, action, ` FROM {purchases} p`+r.engine().ForceIndex(index), f,
		newestPurchasesFirst, after, rows)
	if err != nil || !hasLines(s) {
		return end, err
	}

	// A page of both halves ends where the first of them does.
	var g filter
	g.add(`l.course_id = ?`, key(s.Query.CourseID))
	addTimes(s.Query, &g, `l.created_at`)
	ofLines, err := r.endOf(ctx, action, ` FROM {purchase_lines} l`+
		r.engine().ForceIndex("purchase_lines_of_course"), g, newestLinesFirst, after, rows)
	if end.IsZero() || !ofLines.IsZero() && newestFirst(ofLines, end) < 0 {
		end = ofLines
	}
	return end, err
}

// numberedPurchases are the statements that find the ids of purchases by a number. Each uses an
// index of its own.
var numberedPurchases = map[staff.PurchaseNumber]string{
	staff.OrderNumber:   `SELECT p.id AS id FROM {purchases} p WHERE p.order_id = ?`,
	staff.PaymentNumber: `SELECT p.id AS id FROM {purchases} p WHERE p.payment_id = ?`,
	staff.PaperNumber:   `SELECT a.purchase_id AS id FROM {papers} a WHERE a.paper_number = ?`,
}

// PurchasesNumbered lists the ids of purchases with a number. Those of papers are in capital
// letters. The few ids are sorted and cut here: for an ORDER BY with a LIMIT, PostgreSQL might read
// all purchases in the order of their ids.
func (r reader) PurchasesNumbered(
	ctx context.Context, by staff.PurchaseNumber, number string, limit int,
) (ids []string, err error) {
	if by == staff.PaperNumber {
		number = strings.ToUpper(number)
	}
	err = r.q.List(ctx, "find purchases by a number", &ids, numberedPurchases[by], key(number))
	slices.Sort(ids)
	return ids[:min(len(ids), limit)], err
}

// RefundsOf lists the refunds of a purchase, the oldest first.
func (r reader) RefundsOf(ctx context.Context, purchaseID string) ([]refund.Refund, error) {
	return r.refunds(ctx, "list the refunds of a purchase",
		` WHERE purchase_id = ? ORDER BY created_at, id`, key(purchaseID))
}

// PurchasesCompletedIn lists the purchases that were completed in a time, the first completed
// first.
func (r reader) PurchasesCompletedIn(
	ctx context.Context, from, to time.Time, page core.PageRequest,
) (list []staff.PurchaseReport, err error) {
	f := filter{}
	f.add(`p.completed_at >= ? AND p.completed_at < ?`, timestamp(from), timestamp(to))
	tail, limit := r.engine().addPage(&f, order{columns: []string{"p.completed_at", "p.id"}}, page)
	err = r.eachPurchase(ctx, ` FROM {purchases} p`+
		r.engine().ForceIndex("purchases_by_completion")+f.where()+tail, append(f.args, limit),
		func(p staff.PurchaseReport) { list = append(list, p) })
	return list, err
}

// RefundsProcessedIn lists the refunds that were counted in a time, the first counted first.
func (r reader) RefundsProcessedIn(
	ctx context.Context, from, to time.Time, page core.PageRequest,
) ([]refund.Refund, error) {
	f := filter{}
	f.add(`status = 'processed' AND updated_at >= ? AND updated_at < ?`, timestamp(from),
		timestamp(to))
	f.add(`(SELECT COUNT(*) FROM {purchases} q
		WHERE q.id = purchase_id AND q.completed_at IS NOT NULL) > 0`)
	tail, limit := r.engine().addPage(&f, order{columns: []string{"updated_at", "id"}}, page)
	return r.refunds(ctx, "list the refunds of a time",
		r.engine().ForceIndex("refunds_by_change")+f.where()+tail, append(f.args, limit)...)
}

// PapersNumberedIn lists the papers that were numbered in a time, the first numbered first.
func (r reader) PapersNumberedIn(
	ctx context.Context, from, to time.Time, page core.PageRequest,
) ([]papers.Paper, error) {
	f := filter{}
	f.add(`numbered_at >= ? AND numbered_at < ?`, timestamp(from), timestamp(to))
	tail, limit := r.engine().addPage(&f, order{columns: []string{"numbered_at", "id"}}, page)
	return r.papers(ctx, "list the papers of a time",
		r.engine().ForceIndex("papers_by_numbering")+f.where()+tail, append(f.args, limit)...)
}
