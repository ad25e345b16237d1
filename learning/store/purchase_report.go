package store

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/papers"
	"github.com/openlectern/openlectern/learning/sale"
	"github.com/openlectern/openlectern/learning/staff"
)

// newestPurchasesFirst is the order of the purchases in reports. The columns follow the first ones of
// the indexes by which purchases are read.
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
	if !q.From.IsZero() {
		f.add(`p.created_at >= ?`, timestamp(q.From))
	}
	if !q.To.IsZero() {
		f.add(`p.created_at < ?`, timestamp(q.To))
	}
	return index
}

// purchasesOf returns the tables of a statement that reads the purchases that s selects, with the
// arguments of these tables, and adds its conditions to f. Purchases that are selected by ids or by a
// rare word must be sorted; others are read from an index in the order of newestPurchasesFirst.
func purchasesOf(
	d dialect, s staff.PurchaseSelection, f *filter,
) (tables string, args []any) {
	// An order that was not opened is no purchase yet.
	f.add(`p.status <> 'created'`)
	hint := d.ForceIndex(purchaseIndex(s.Query, f))

	// What is not a bound in the index is looked up in each purchase.
	if s.Query.UserID != "" && s.Query.CourseID != "" {
		f.add(`p.course_id = ?`, key(s.Query.CourseID))
	}
	hasOtherIndex := s.Query.UserID != "" || s.Query.CourseID != ""
	if hasOtherIndex && s.Query.Status != "" {
		f.add(`p.status = ?`, key(s.Query.Status))
	}
	if s.IDs != nil {
		f.add(`p.id IN (`+placeholders(idBatchSize)+`)`, batchArgs(s.IDs)...)
		hint = d.ForceIndex("PRIMARY")
	}
	return searchedBuyers.from(d, s.Words, hint, f)
}

// PurchaseReports lists the purchases that s selects, the newest first. It scans row by row, because
// the list may be long. A course that was deleted has the title of its last deletion.
func (r reader) PurchaseReports(
	ctx context.Context, s staff.PurchaseSelection, page core.PageRequest,
) (list []staff.PurchaseReport, err error) {
	var f filter
	tables, tableArgs := purchasesOf(r.engine(), s, &f)
	tail, limit := r.engine().addPage(&f, newestPurchasesFirst, page)
	args := slices.Concat(tableArgs, f.args, []any{limit})
	err = r.eachPurchase(ctx, tables+f.where()+tail, args,
		func(p staff.PurchaseReport) { list = append(list, p) })
	return list, err
}

// eachPurchase calls each with the reports of the purchases p that a FROM clause, with what follows
// it, selects.
func (r reader) eachPurchase(
	ctx context.Context, from string, args []any, each func(staff.PurchaseReport),
) error {
	var p staff.PurchaseReport // each row is scanned into it, and then copied
	var created, completed timestamp
	var orderID, paymentID, provider optionalKey
	var title *string // nil if there is neither a course nor a deleted one
	var receipt struct {
		id, number optionalKey
		forgotten  *papers.Forgotten
	}
	dest := []any{&p.ID, &p.UserID, &p.CourseID, &p.Amount, &p.RefundedAmount, &p.Currency,
		&p.Status, &created, &completed, &provider, &orderID, &paymentID, &title,
		(*metadata)(&p.Metadata), &receipt.id, &receipt.number, &receipt.forgotten}
	return r.q.Each(ctx, "report on the purchases", dest, func() error {
		p.CreatedAt, p.CompletedAt = created.Time(), completed.Time()
		p.Provider = providerOf(string(provider), p.Amount)
		p.OrderID, p.PaymentID, p.CourseTitle = string(orderID), string(paymentID), ""
		if title != nil {
			p.CourseTitle = *title
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
			p.metadata, `+receiptColumn("id")+`, `+receiptColumn("paper_number")+`,
			`+receiptColumn("forgotten")+from, args...)
}

// receiptColumn returns a column of the receipt of a purchase p; NULL if there is none.
func receiptColumn(name string) string {
	return `(SELECT a.` + name + ` FROM {papers} a WHERE a.kind = 'receipt' AND a.cause = p.id)`
}

// PurchasesEnd returns the position at which a page of PurchaseReports ends that reads a number of
// rows after the position after, or zero if there are fewer. It counts all rows there, not only those
// that a page shows.
func (r reader) PurchasesEnd(
	ctx context.Context, s staff.PurchaseSelection, after core.Position, rows int,
) (core.Position, error) {
	var f filter
	index := purchaseIndex(s.Query, &f)
	return r.endOf(ctx, "find the end of a page of the purchases",
		` FROM {purchases} p`+r.engine().ForceIndex(index), f, newestPurchasesFirst, after, rows)
}

// numberedPurchases are the statements that find the ids of purchases by a number. Each uses an index
// of its own.
var numberedPurchases = map[staff.PurchaseNumber]string{
	staff.OrderNumber:   `SELECT p.id AS id FROM {purchases} p WHERE p.order_id = ?`,
	staff.PaymentNumber: `SELECT p.id AS id FROM {purchases} p WHERE p.payment_id = ?`,
	staff.PaperNumber:   `SELECT a.purchase_id AS id FROM {papers} a WHERE a.paper_number = ?`,
}

// PurchasesNumbered lists the ids of purchases with a number. Those of papers are in capital letters.
// The few ids are sorted and cut here: for an ORDER BY with a LIMIT, PostgreSQL might read all
// purchases in the order of their ids.
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
func (r reader) RefundsOf(ctx context.Context, purchaseID string) ([]sale.Refund, error) {
	return r.refunds(ctx, "list the refunds of a purchase",
		` WHERE purchase_id = ? ORDER BY created_at, id`, key(purchaseID))
}

// PurchasesCompletedIn lists the purchases that were completed in a time, the first completed first.
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
) ([]sale.Refund, error) {
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
