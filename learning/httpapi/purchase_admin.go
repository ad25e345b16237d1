package httpapi

import (
	"iter"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/openlectern/openlectern/internal/csvfile"
	"github.com/openlectern/openlectern/internal/web"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/papers"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/refund"
	"github.com/openlectern/openlectern/learning/staff"
)

type purchaseReportJSON struct {
	ID        string              `json:"_id"`
	UserID    string              `json:"userId"`
	Course    purchasedCourseJSON `json:"courseId" doc:"The course, not only its id. Of a bundle it has an empty id and the title of the bundle."`
	BundleID  string              `json:"bundleId" doc:"Empty for a course."`
	Amount    amount              `json:"amount" doc:"The price after the discount."`
	Refunded  amount              `json:"refundedAmount" doc:"What was refunded of the amount."`
	Currency  string              `json:"currency"`
	Provider  string              `json:"provider" doc:"What took the payment: 'gateway', 'stripe' or the name of a provider of the host, 'manual' for a sale that was made elsewhere, and empty for a free course."`
	Status    string              `json:"status" jsonschema:"enum=created,enum=pending,enum=completed,enum=failed,enum=refunded" doc:"'created' while its order is being opened, 'pending' while it waits for a payment, then 'completed', 'failed' or 'refunded'."`
	CreatedAt instant             `json:"createdAt"`
	Receipt   *receiptJSON        `json:"receipt" jsonschema:"nullable" doc:"Null before it has its number, and if there is none. Its url is empty after the buyer was deleted."`

	Metadata metadataJSON `json:"metadata,omitempty" doc:"What the host has opened the order with. Left out if it is empty."`
}

type purchasedCourseJSON struct {
	ID    string `json:"_id"`
	Title string `json:"courseTitle"`
}

type purchaseReportsAnswer struct {
	Purchases []purchaseReportJSON `json:"purchases" doc:"The purchases, the newest first."`
	Next      nextCursor           `json:"nextCursor,omitzero"`
}

// purchaseStatuses maps the values of the status filter; "" and "all" do not filter.
var purchaseStatuses = map[string]purchase.Status{
	"": "", "all": "",
	"created": purchase.Created, "pending": purchase.Pending,
	"completed": purchase.Completed,
	"failed":    purchase.Failed, "refunded": purchase.Refunded,
}

// purchaseQueryOf returns the filters of a query. It refuses an unknown status, so that a misspelt
// one does not answer an empty list.
func purchaseQueryOf(values url.Values) (q staff.PurchaseQuery, err error) {
	status, known := purchaseStatuses[values.Get("status")]
	if !known {
		return q, core.InvalidField("status", unknownWord)
	}
	q = staff.PurchaseQuery{
		Search:   strings.TrimSpace(values.Get("q")),
		Status:   status,
		UserID:   values.Get("userId"),
		CourseID: values.Get("courseId"),
	}
	if q.From, err = timeParameter(values, "from"); err != nil {
		return q, err
	}
	q.To, err = timeParameter(values, "to")
	return q, err
}

// timeParameter parses the query parameter of a name, a time of RFC 3339. It returns the zero time
// for an empty one, and [core.ErrInvalidRequest] for an invalid one.
func timeParameter(values url.Values, name string) (time.Time, error) {
	text := values.Get(name)
	if text == "" {
		return time.Time{}, nil
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}, core.InvalidField(name, "must be a time such as 2026-01-31T09:30:00Z")
	}
	return at, nil
}

// purchaseReports answers the purchases that the query selects, or those of every status: one page
// of them if the query has a limit or a cursor, or a filter other than the status. With a format it
// answers the bookings of a time as a file.
func (a *api) purchaseReports(w http.ResponseWriter, c *call) error {
	isFile, err := asksForCSV(c)
	if err != nil {
		return err
	}
	if isFile {
		return a.bookingFile(w, c)
	}
	values := c.URL.Query()
	if values.Get("month") != "" {
		return core.InvalidField("month", "is for a file: add format=csv, or send from and to")
	}
	q, err := purchaseQueryOf(values)
	if err != nil {
		return err
	}
	read := func(page core.PageRequest) (core.Page[staff.PurchaseReport], error) {
		return a.platform.Staff.Purchases(c.Context(), c.actor, q, page)
	}
	answer := func(rows []staff.PurchaseReport, next nextCursor) any {
		return purchaseReportsAnswer{shaped(rows, purchaseReportOf), next}
	}
	isFiltered := q != staff.PurchaseQuery{Status: q.Status}
	switch {
	case q.Search != "": // a search takes a slot (docs/api.md §16)
		body, err := c.MakeSearch(func() (any, error) {
			rows, next, err := pageRows(c, read)
			return answer(rows, next), err
		})
		if err != nil {
			return err
		}
		return c.WriteBody(w, body)
	case asksForPage(c) || isFiltered:
		return writePage(w, c, read, answer)
	}
	return writePages(w, c, "purchases", read, shapeInPlace(purchaseReportOf))
}

// purchaseReportOf returns the wire shape of a purchase as admins see it.
func purchaseReportOf(p staff.PurchaseReport) purchaseReportJSON {
	report := purchaseReportJSON{
		ID:        p.ID,
		UserID:    p.UserID,
		Course:    purchasedCourseJSON{p.CourseID, p.CourseTitle},
		BundleID:  p.BundleID,
		Amount:    amountOf(p.Amount, p.Currency),
		Refunded:  amountOf(p.RefundedAmount, p.Currency),
		Currency:  p.Currency,
		Provider:  p.Provider,
		Status:    string(p.Status),
		CreatedAt: instant(p.CreatedAt),
		Metadata:  metadataJSON(p.Metadata),
	}
	if number := p.Receipt.Number.String(); number != "" {
		report.Receipt = &receiptJSON{Number: number, URL: p.ReceiptURL}
	}
	return report
}

// purchaseDetailJSON is a purchase with all that is stored about it.
type purchaseDetailJSON struct {
	purchaseReportJSON
	OrderID     string   `json:"orderId" doc:"At the provider; empty for a free course and a sale that was made elsewhere."`
	ListPrice   amount   `json:"listPrice" doc:"The price before the discount of the course and the coupon; 0 for a purchase of before this was stored."`
	CouponCode  string   `json:"couponCode" doc:"Empty without a coupon."`
	Pending     amount   `json:"pendingRefunds" doc:"The sum of the refunds whose outcome is not known."`
	Source      string   `json:"source" doc:"Of a sale that was made elsewhere, else empty."`
	Reference   string   `json:"reference" doc:"The number of a sale where it was made, else empty."`
	UpdatedAt   instant  `json:"updatedAt"`
	CompletedAt *instant `json:"completedAt" jsonschema:"nullable" doc:"When it was paid. Null if it was not."`

	Lines    []purchaseLineJSON  `json:"lines" doc:"The courses of a bundle that the buyer did not have when the order was opened; none for the purchase of a course."`
	Payments []paymentReportJSON `json:"payments" doc:"The payment that completed it; none for a free course, and while it is not paid."`
	Refunds  []refundReportJSON  `json:"refunds" doc:"The oldest first."`
	Disputes []disputeReportJSON `json:"disputes" doc:"Objections of the buyer's bank, the oldest first."`
	Papers   []paperReportJSON   `json:"papers" doc:"Receipt, credit notes, and papers that take these back, the first made first; also those that wait for their number."`
	History  []purchaseEventJSON `json:"history" doc:"What is stored to have happened, the oldest first."`
}

type purchaseLineJSON struct {
	_ struct{} `doc:"A course of the purchase of a bundle."`

	Course    purchasedCourseJSON `json:"courseId" doc:"The course, not only its id."`
	Amount    amount              `json:"amount" doc:"Its part of the price."`
	Refunded  amount              `json:"refundedAmount" doc:"Its part of what was refunded."`
	Pending   amount              `json:"pendingRefunds" doc:"Its part of the refunds whose outcome is not known."`
	ExpiresAt *instant            `json:"expiresAt" jsonschema:"nullable" doc:"The end of the access that it gives. Null for no end, and while it is not paid."`
	HasEnded  bool                `json:"hasEnded" doc:"Whether it was refunded, so that it gives no access any more."`
}

type paymentReportJSON struct {
	_ struct{} `doc:"A payment of a purchase."`

	PaymentID string   `json:"paymentId" doc:"At the provider."`
	Amount    amount   `json:"amount" doc:"What the purchase counts. A payment of another amount is in the log."`
	Currency  string   `json:"currency"`
	PaidAt    *instant `json:"paidAt" jsonschema:"nullable" doc:"When it completed the purchase. Null for a payment that was returned instead, because its coupon could not be used any more."`
	IsShared  bool     `json:"isShared" doc:"Whether it had completed another purchase before."`
}

type refundReportJSON struct {
	_ struct{} `doc:"A refund of a purchase."`

	ID         string  `json:"_id"`
	ProviderID string  `json:"providerId" doc:"At the provider; empty before it has answered, and if it refused."`
	PaymentID  string  `json:"paymentId" doc:"The refunded payment."`
	Amount     amount  `json:"amount" doc:"What is given back."`
	Currency   string  `json:"currency"`
	Status     string  `json:"status" jsonschema:"enum=pending,enum=processed,enum=failed" doc:"'pending' while its outcome is not known, 'processed' once it is counted."`
	Reason     string  `json:"reason" doc:"What the admin has written; may be empty."`
	CreatedBy  string  `json:"createdBy" doc:"The admin; empty if it was started at the provider."`
	CreatedAt  instant `json:"createdAt"`
	UpdatedAt  instant `json:"updatedAt"`
}

type disputeReportJSON struct {
	_ struct{} `doc:"An objection of the buyer's bank to a payment."`

	ProviderID string  `json:"providerId" doc:"At the provider."`
	Amount     amount  `json:"amount" doc:"What the bank objects to."`
	Currency   string  `json:"currency"`
	Status     string  `json:"status" jsonschema:"enum=open,enum=won,enum=lost" doc:"'won' if the school keeps the money."`
	Reason     string  `json:"reason" doc:"In the words of the provider."`
	CreatedAt  instant `json:"createdAt"`
	UpdatedAt  instant `json:"updatedAt"`
}

type paperReportJSON struct {
	_ struct{} `doc:"A paper of a purchase."`

	Kind       string   `json:"kind" jsonschema:"enum=receipt,enum=credit-note,enum=reversal" doc:"A 'reversal' takes a credit note back because its refund has failed."`
	Number     *string  `json:"number" jsonschema:"nullable" doc:"Null while it waits for its number."`
	Amount     amount   `json:"amount" doc:"With the tax, and never negative."`
	Currency   string   `json:"currency"`
	TaxName    string   `json:"taxName" doc:"Empty while the tax is not known, and without one; as the rate and the amount."`
	TaxRate    string   `json:"taxRate" doc:"In percent, such as 9.975."`
	TaxAmount  amount   `json:"taxAmount" doc:"Contained in the amount."`
	CreatedAt  instant  `json:"createdAt"`
	NumberedAt *instant `json:"numberedAt" jsonschema:"nullable" doc:"Null while it waits for its number."`
	URL        string   `json:"url" doc:"As that of a receipt. Empty after the buyer was deleted: the routes of papers then show it to admins."`
}

type purchaseEventJSON struct {
	_ struct{} `doc:"Something that has happened to a purchase."`

	At     instant `json:"at" doc:"When it happened."`
	Kind   string  `json:"kind" jsonschema:"enum=ordered,enum=completed,enum=failed,enum=returned,enum=refund-started,enum=refund-processed,enum=refund-failed,enum=disputed,enum=dispute-won,enum=dispute-lost,enum=paper-numbered" doc:"What happened. A purchase that was given up and paid later is 'completed' only, and one whose payment was returned is 'returned'."`
	ID     string  `json:"id" doc:"Of the payment, the refund, or the dispute at its provider, or the number of the paper; else empty."`
	By     string  `json:"by" doc:"The admin who has started a refund; else empty."`
	Amount amount  `json:"amount" doc:"Of the purchase, the refund, the dispute or the paper; 0 for 'failed'."`
}

type purchaseDetailAnswer struct {
	Purchase purchaseDetailJSON `json:"purchase"`
}

// purchaseDetail answers a purchase with all that is stored about it.
func (a *api) purchaseDetail(c *call, _ none) (purchaseDetailAnswer, error) {
	d, err := a.platform.Staff.Purchase(c.Context(), c.actor, c.Param("purchaseId"))
	if err != nil {
		return purchaseDetailAnswer{}, err
	}
	return purchaseDetailAnswer{purchaseDetailOf(d)}, nil
}

// purchaseDetailOf returns the wire shape of a purchase with all that is stored about it.
func purchaseDetailOf(d staff.PurchaseDetail) purchaseDetailJSON {
	report := staff.PurchaseReport{Purchase: d.Purchase, CourseTitle: d.CourseTitle}
	for _, p := range d.Papers {
		if p.Kind == papers.Receipt {
			report.Receipt, report.ReceiptURL = p.Paper, p.URL
		}
	}
	shape := purchaseDetailJSON{
		purchaseReportJSON: purchaseReportOf(report),
		OrderID:            d.OrderID,
		ListPrice:          amountOf(d.ListPrice, d.Currency),
		CouponCode:         d.CouponCode,
		Pending:            amountOf(d.PendingRefunds, d.Currency),
		Source:             d.Source,
		Reference:          d.Reference,
		UpdatedAt:          instant(d.UpdatedAt),
		CompletedAt:        nullableTime(d.CompletedAt),
		Lines:              shaped(d.Parts, purchaseLineOf(d.Currency)),
		Payments:           []paymentReportJSON{},
		Refunds:            shaped(d.Refunds, refundReportOf),
		Disputes:           shaped(d.Disputes, disputeReportOf),
		Papers:             shaped(d.Papers, paperReportOf),
	}
	if d.PaymentID != "" {
		shape.Payments = append(shape.Payments, paymentReportJSON{PaymentID: d.PaymentID,
			Amount: amountOf(d.Amount, d.Currency), Currency: d.Currency,
			PaidAt: nullableTime(d.CompletedAt), IsShared: d.SharesPayment})
	}
	shape.History = shaped(d.History, func(e staff.PurchaseEvent) purchaseEventJSON {
		return purchaseEventJSON{At: instant(e.At), Kind: string(e.Kind), ID: e.ID, By: e.By,
			Amount: amountOf(e.Amount, d.Currency)}
	})
	return shape
}

// purchaseLineOf returns a function that returns the wire shape of a line in a currency.
func purchaseLineOf(currency string) func(purchase.Part) purchaseLineJSON {
	return func(p purchase.Part) purchaseLineJSON {
		return purchaseLineJSON{Course: purchasedCourseJSON{p.CourseID, p.CourseTitle},
			Amount: amountOf(p.Amount, currency), Refunded: amountOf(p.RefundedAmount, currency),
			Pending: amountOf(p.PendingRefunds, currency), ExpiresAt: nullableTime(p.ExpiresAt),
			HasEnded: p.End != purchase.Living}
	}
}

// refundReportOf returns the wire shape of a refund as admins see it.
func refundReportOf(r refund.Refund) refundReportJSON {
	return refundReportJSON{ID: r.ID, ProviderID: r.ProviderID, PaymentID: r.PaymentID,
		Amount: amountOf(r.Amount, r.Currency), Currency: r.Currency, Status: string(r.Status),
		Reason: r.Reason, CreatedBy: r.CreatedBy, CreatedAt: instant(r.CreatedAt),
		UpdatedAt: instant(r.UpdatedAt)}
}

// disputeReportOf returns the wire shape of a dispute.
func disputeReportOf(d refund.Dispute) disputeReportJSON {
	return disputeReportJSON{ProviderID: d.ProviderID, Amount: amountOf(d.Amount, d.Currency),
		Currency: d.Currency, Status: string(d.Status), Reason: d.Reason,
		CreatedAt: instant(d.CreatedAt), UpdatedAt: instant(d.UpdatedAt)}
}

// paperReportOf returns the wire shape of a paper as admins see it.
func paperReportOf(p staff.PaperReport) paperReportJSON {
	shape := paperReportJSON{Kind: strings.ReplaceAll(string(p.Kind), " ", "-"),
		Number: nullable(p.Number.String()), Amount: amountOf(p.Amount, p.Currency),
		Currency: p.Currency, TaxAmount: amountOf(0, p.Currency), CreatedAt: instant(p.CreatedAt),
		NumberedAt: nullableTime(p.NumberedAt), URL: p.URL}
	if p.Tax != nil {
		shape.TaxName, shape.TaxRate = p.Tax.Name, p.Tax.Rate.String()
		shape.TaxAmount = amountOf(p.Tax.Amount, p.Currency)
	}
	return shape
}

// bookingColumns are the headings of the file of bookings.
var bookingColumns = []string{"kind", "date", "currency", "amount", "number", "taxName", "taxRate",
	"taxAmount", "purchaseId", "userId", "title", "provider", "paymentId", "refundId", "buyerName",
	"buyerCountry", "buyerTaxId"}

// bookingFile answers the bookings of a month, or of a time, as a file for spreadsheets.
func (a *api) bookingFile(w http.ResponseWriter, c *call) error {
	values := c.URL.Query()
	for _, name := range []string{"q", "status", "userId", "courseId"} {
		if values.Get(name) != "" {
			return core.InvalidField(name, "selects no part of a file: it has all bookings of a time")
		}
	}
	q, err := purchaseQueryOf(values)
	if err != nil {
		return err
	}
	name := "bookings.csv"
	switch month := values.Get("month"); {
	case month != "" && q.From.IsZero() && q.To.IsZero():
		if q.From, q.To, err = a.platform.Papers.Month(month); err != nil {
			return err
		}
		name = "bookings-" + month + ".csv"
	case month != "":
		return core.InvalidField("month", "must not be sent beside from or to")
	case q.From.IsZero() || q.To.IsZero():
		return core.InvalidField("month", "is needed for a file, or else from and to")
	}
	rows, err := a.platform.Staff.Bookings(c.Context(), c.actor, q.From, q.To)
	if err != nil {
		return err
	}
	return writeCSV(w, c, name, bookingColumns,
		func(*web.PartWriter) iter.Seq2[staff.Booking, error] { return rows }, bookingCells)
}

// bookingCells returns the cells of a booking in the order of bookingColumns.
func bookingCells(b staff.Booking) []csvfile.Cell {
	at := instant(b.At)
	money := func(m core.Money) csvfile.Cell {
		return csvfile.Word(core.FixedMoney(m, b.Currency))
	}
	var taxRate, taxAmount csvfile.Cell
	if isPaper := b.Number != (papers.Number{}); isPaper {
		taxRate, taxAmount = csvfile.Word(b.Tax.Rate.String()), money(b.Tax.Amount)
	}
	return []csvfile.Cell{csvfile.Word(string(b.Kind)), csvTime(&at), csvfile.Word(b.Currency),
		money(b.Amount), csvfile.Word(b.Number.String()), csvfile.Text(b.Tax.Name), taxRate,
		taxAmount, csvfile.Text(b.PurchaseID), csvfile.Text(b.UserID), csvfile.Text(b.Title),
		csvfile.Word(b.Provider), csvfile.Text(b.PaymentID), csvfile.Text(b.RefundID),
		csvfile.Text(b.Buyer.Name), csvfile.Word(b.Buyer.Country), csvfile.Text(b.Buyer.TaxID)}
}
