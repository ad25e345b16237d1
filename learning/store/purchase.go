package store

import (
	"cmp"
	"context"
	"database/sql/driver"
	"slices"
	"strings"
	"time"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/study"
)

type purchaseRow struct {
	ID          string          `db:"id"`
	UserID      string          `db:"user_id"`
	CourseID    string          `db:"course_id"`
	Amount      core.Money      `db:"amount"`
	Currency    string          `db:"currency"`
	OrderID     optionalKey     `db:"order_id"`
	PaymentID   optionalKey     `db:"payment_id"`
	Status      purchase.Status `db:"status"`
	CreatedAt   timestamp       `db:"created_at"`
	UpdatedAt   timestamp       `db:"updated_at"`
	CompletedAt timestamp       `db:"completed_at"`
	Refunded    core.Money      `db:"refunded_amount"`
	Pending     core.Money      `db:"pending_refunds"`
	CouponID    optionalKey     `db:"coupon_id"`
	Metadata    metadata        `db:"metadata"`
	Provider    optionalKey     `db:"provider"` // see providerOf
	Attempt     int             `db:"attempt"`
	Checkout    checkout        `db:"checkout"`
	ListPrice   core.Money      `db:"list_price"`
	CouponCode  string          `db:"coupon_code"`
	Source      optionalKey     `db:"source"`
	Reference   optionalKey     `db:"reference"`
	TermDays    int             `db:"term_days"`
	TermUntil   timestamp       `db:"term_until"`
	ExpiresAt   timestamp       `db:"expires_at"`
	BundleTitle *string         `db:"bundle_title"` // nil for a course
	// 1 if the purchase holds a redemption of its coupon, or nil; see InsertPurchase
	HoldsCoupon *int `db:"holds_coupon"`
	// 1 if the payment was first used for this purchase, or nil
	IsFirstUse *int `db:"is_first_use"`
}

const purchaseColumns = `p.id, p.user_id, p.course_id, p.amount, p.currency, p.order_id,
	p.payment_id, p.status, p.created_at, p.updated_at, p.completed_at, p.refunded_amount,
	p.pending_refunds, p.coupon_id, p.holds_coupon, p.is_first_use, p.metadata, p.provider,
	p.attempt, p.checkout, p.list_price, p.coupon_code, p.source, p.reference, p.term_days,
	p.term_until, p.expires_at, p.bundle_title`

const selectPurchases = `SELECT ` + purchaseColumns + ` FROM {purchases} p`

func (r reader) Purchase(ctx context.Context, id string) (purchase.Purchase, error) {
	return r.purchase(ctx, "read a purchase", ` WHERE id = ?`, key(id))
}

// purchaseStateRow is a purchase with the enrolment of its buyer, if there is one.
type purchaseStateRow struct {
	purchaseRow
	partRow
	PaymentUsed int `db:"payment_used"` // by another purchase
}

// PurchaseState reads a purchase, whether another purchase uses the payment already, whether the
// course was deleted, and the enrolment, which is zero if there is none. It joins the enrolment, so
// that one statement reads all of the state.
func (r reader) PurchaseState(
	ctx context.Context, id, paymentID string,
) (purchase.State, error) {
	var row purchaseStateRow
	err := r.q.Get(ctx, "read the state of a purchase", &row, `
		SELECT `+purchaseColumns+`,
			(SELECT COUNT(*) FROM {purchases} f
				WHERE f.payment_id = ? AND f.is_first_use = 1 AND f.id <> p.id) AS payment_used,`+partColumns+`
		FROM {purchases} p
			LEFT JOIN {courses} c ON c.id = p.course_id
			LEFT JOIN {enrollments} e ON e.user_id = p.user_id AND e.course_id = p.course_id
		WHERE p.id = ?`,
		key(paymentID), key(id))
	if err != nil {
		return purchase.State{}, err
	}
	state := purchase.State{
		Purchase:      row.purchase(),
		PaymentUsed:   row.PaymentUsed > 0,
		CourseDeleted: row.CourseFound == 0,
		CourseTerms:   row.terms(),
		Enrollment:    row.enrollment(row.UserID, row.CourseID),
	}
	if state.BundleID == "" {
		return state, nil
	}
	// The course is none, and each line has its own.
	state.CourseDeleted = false
	if state.Parts, err = r.PurchaseParts(ctx, id); err != nil {
		return purchase.State{}, err
	}
	for _, part := range state.Parts {
		state.Lines = append(state.Lines, part.Line)
	}
	return state, nil
}

// PurchasesByOrder lists the newest purchases first.
func (r reader) PurchasesByOrder(ctx context.Context, orderID string) ([]purchase.Purchase, error) {
	list, err := r.purchases(ctx, "list the purchases of an order", ` WHERE order_id = ?`,
		key(orderID))
	// Sorting in SQL would slow down every payment, and nearly always there is one purchase.
	slices.SortFunc(list, func(a, b purchase.Purchase) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), strings.Compare(b.ID, a.ID))
	})
	return list, err
}

// PurchasesByPayment lists the purchases in the order of their completion. It sorts them as
// PurchasesByOrder does, not in SQL.
func (r reader) PurchasesByPayment(
	ctx context.Context, paymentID string,
) ([]purchase.Purchase, error) {
	list, err := r.purchases(ctx, "list the purchases of a payment", ` WHERE payment_id = ?`,
		key(paymentID))
	slices.SortFunc(list, func(a, b purchase.Purchase) int {
		return cmp.Or(a.CompletedAt.Compare(b.CompletedAt), strings.Compare(a.ID, b.ID))
	})
	return list, err
}

// OpenPurchase reads the purchase of a user and an offer whose status is an open one: there is one
// at most.
func (r reader) OpenPurchase(
	ctx context.Context, userID, offerID string,
) (purchase.Purchase, error) {
	return r.purchase(ctx, "read the open purchase",
		` WHERE user_id = ? AND course_id = ? AND is_open = 1`, key(userID), key(offerID))
}

// RedeemingPurchase reads the purchase that holds a user's redemption of a coupon: there is one at
// most.
func (r reader) RedeemingPurchase(
	ctx context.Context, userID, couponID string,
) (purchase.Purchase, error) {
	return r.purchase(ctx, "read the purchase with a coupon",
		` WHERE coupon_id = ? AND user_id = ? AND holds_coupon = 1`, key(couponID), key(userID))
}

// PurchaseOfReference reads the purchase of a sale that was made elsewhere: there is one at most.
func (r reader) PurchaseOfReference(
	ctx context.Context, source, reference string,
) (purchase.Purchase, error) {
	return r.purchase(ctx, "read the purchase with a reference",
		` WHERE source = ? AND reference = ?`, key(source), key(reference))
}

// purchase reads the purchase that where selects.
func (r reader) purchase(
	ctx context.Context, action, where string, args ...any,
) (purchase.Purchase, error) {
	var row purchaseRow
	if err := r.q.Get(ctx, action, &row, selectPurchases+where, args...); err != nil {
		return purchase.Purchase{}, err
	}
	list := []purchase.Purchase{row.purchase()}
	err := r.addLines(ctx, list)
	return list[0], err
}

// UnpaidPurchases lists the purchases with an order but no payment that were created from one time
// up to, and without, another one, the oldest first. It begins after the purchase after, which is
// zero for the beginning.
func (r reader) UnpaidPurchases(
	ctx context.Context, from, to time.Time, after purchase.Purchase, limit int,
) ([]purchase.Purchase, error) {
	// after must not be earlier than from, because its id would exclude purchases that were
	// created exactly at from.
	if after.CreatedAt.Before(from) {
		after = purchase.Purchase{CreatedAt: from}
	}
	return r.purchases(ctx, "list unpaid purchases", `
		WHERE status IN ('pending', 'failed') AND order_id IS NOT NULL
			AND created_at >= ? AND created_at < ? AND (created_at > ? OR id > ?)
		ORDER BY created_at, id LIMIT ?`,
		timestamp(after.CreatedAt), timestamp(to), timestamp(after.CreatedAt), key(after.ID), limit)
}

// PayingCauses lists the purchases and lines that give access now: they are completed, and no
// enrolment by them has ended without being restored. It reads idBatchSize courses at a time.
func (r reader) PayingCauses(
	ctx context.Context, userID string, courseIDs []string,
) (list []study.Cause, err error) {
	for chunk := range slices.Chunk(courseIDs, idBatchSize) {
		var rows []struct {
			ID        string    `db:"id"`
			CourseID  string    `db:"course_id"`
			ExpiresAt timestamp `db:"expires_at"`
		}
		args := append([]any{key(userID)}, batchArgs(chunk)...)
		err := r.q.List(ctx, "list what gives access to courses", &rows, `
			SELECT x.id, x.course_id, x.expires_at FROM (
				SELECT p.id, p.user_id, p.course_id, p.expires_at FROM {purchases} p
				WHERE p.user_id = ? AND p.course_id IN (`+placeholders(idBatchSize)+`)
					AND p.status = 'completed' AND p.bundle_title IS NULL
				UNION ALL
				SELECT l.id, l.user_id, l.course_id, l.expires_at FROM {purchase_lines} l
					JOIN {purchases} q ON q.id = l.purchase_id
				WHERE l.user_id = ? AND l.course_id IN (`+placeholders(idBatchSize)+`)
					AND l.end_state = 0 AND q.status = 'completed'
			) x
			WHERE NOT EXISTS (SELECT 1 FROM {past_enrollments} a
				WHERE a.user_id = x.user_id AND a.course_id = x.course_id
					AND a.purchase_id = x.id AND a.restored_at IS NULL)
			ORDER BY x.id`,
			append(args, args...)...)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			list = append(list, study.Cause{ID: row.ID, UserID: userID, CourseID: row.CourseID,
				ExpiresAt: row.ExpiresAt.Time()})
		}
	}
	return list, nil
}

// OpenPurchasesWithCoupon lists a page of the open purchases that hold a coupon and were created
// before a time, the oldest first.
func (r reader) OpenPurchasesWithCoupon(
	ctx context.Context, before time.Time, page core.PageRequest,
) ([]purchase.Purchase, error) {
	var f filter
	f.add(`p.holds_coupon = 1 AND p.is_open = 1 AND p.created_at < ?`, timestamp(before))
	o := order{columns: []string{"p.created_at", "p.id"}}
	tail, limit := r.engine().addPage(&f, o, page)
	return r.purchases(ctx, "list the open purchases with a coupon", f.where()+tail,
		append(f.args, limit)...)
}

// PaidPurchases lists the purchases that a payment has completed, also refunded ones, that were
// created before a time, the oldest first. It begins after the position after.
func (r reader) PaidPurchases(
	ctx context.Context, before time.Time, after core.Position, limit int,
) ([]purchase.Purchase, error) {
	// A purchase follows the position if it is later, or has a greater id at the same time.
	return r.purchases(ctx, "list paid purchases", `
		WHERE status IN ('completed', 'refunded') AND payment_id IS NOT NULL
			AND created_at >= ? AND created_at < ? AND (created_at > ? OR id > ?)
		ORDER BY created_at, id LIMIT ?`,
		timestamp(after.At), timestamp(before), timestamp(after.At), key(after.ID), limit)
}

// purchases lists purchases. clauses follow the table of the purchases, which is p.
func (r reader) purchases(
	ctx context.Context, action, clauses string, args ...any,
) ([]purchase.Purchase, error) {
	var rows []purchaseRow
	if err := r.q.List(ctx, action, &rows, selectPurchases+clauses, args...); err != nil {
		return nil, err
	}
	list := make([]purchase.Purchase, len(rows))
	for i := range rows {
		list[i] = rows[i].purchase()
	}
	return list, r.addLines(ctx, list)
}

func (r *purchaseRow) purchase() purchase.Purchase {
	p := purchase.Purchase{
		ID:             r.ID,
		UserID:         r.UserID,
		CourseID:       r.CourseID,
		Amount:         r.Amount,
		Currency:       r.Currency,
		OrderID:        string(r.OrderID),
		PaymentID:      string(r.PaymentID),
		Status:         r.Status,
		CreatedAt:      r.CreatedAt.Time(),
		UpdatedAt:      r.UpdatedAt.Time(),
		CompletedAt:    r.CompletedAt.Time(),
		RefundedAmount: r.Refunded,
		PendingRefunds: r.Pending,
		CouponID:       string(r.CouponID),
		HoldsCoupon:    r.HoldsCoupon != nil,
		SharesPayment:  r.PaymentID != "" && r.IsFirstUse == nil,
		Metadata:       core.Metadata(r.Metadata),
		Provider:       providerOf(string(r.Provider), r.Amount),
		Attempt:        r.Attempt,
		ClientSecret:   r.Checkout.ClientSecret,
		CheckoutURL:    r.Checkout.URL,
		ListPrice:      r.ListPrice,
		CouponCode:     r.CouponCode,
		Source:         string(r.Source),
		Reference:      string(r.Reference),
		TermDays:       r.TermDays,
		TermUntil:      r.TermUntil.Time(),
		ExpiresAt:      r.ExpiresAt.Time(),
	}
	if r.BundleTitle != nil {
		p.CourseID, p.BundleID, p.BundleTitle = "", r.CourseID, *r.BundleTitle
	}
	return p
}

// bundleTitle returns the value of the column bundle_title: nil, which is NULL, for a course.
func bundleTitle(p purchase.Purchase) *string {
	if p.BundleID == "" {
		return nil
	}
	return &p.BundleTitle
}

// providerOf returns the provider of a purchase. Only one other than the gateway is stored.
func providerOf(stored string, amount core.Money) string {
	if stored == "" && amount > 0 {
		return payment.NameGateway
	}
	return stored
}

// storedProvider returns what is stored for the provider of a purchase: see providerOf.
func storedProvider(p purchase.Purchase) optionalKey {
	if p.Provider == payment.NameGateway {
		return ""
	}
	return optionalKey(p.Provider)
}

// checkout is what the buyer's checkout needs beside the id of the order, as JSON; NULL for
// nothing.
type checkout struct {
	ClientSecret string `json:"clientSecret,omitempty"`
	URL          string `json:"url,omitempty"`
}

// Value implements [driver.Valuer].
func (c checkout) Value() (driver.Value, error) {
	if c == (checkout{}) {
		return nil, nil
	}
	return formatJSON("a checkout", c)
}

// Scan implements [sql.Scanner].
func (c *checkout) Scan(value any) error {
	*c = checkout{} // a scan of the row before may have set it
	return parseJSON("a checkout", value, c)
}

func checkoutOf(p purchase.Purchase) checkout {
	return checkout{ClientSecret: p.ClientSecret, URL: p.CheckoutURL}
}

// InsertPurchase stores is_open, is_first_use and holds_coupon as 1 or NULL. Each is in a unique
// key, which allows many NULLs and a single 1.
func (t *tx) InsertPurchase(ctx context.Context, p purchase.Purchase) error {
	return t.Insert(ctx, "insert a purchase", `
		INSERT INTO {purchases} (id, user_id, course_id, is_open, amount, currency, order_id,
			payment_id, is_first_use, status, created_at, updated_at, completed_at, refunded_amount,
			pending_refunds, coupon_id, holds_coupon, metadata, provider, attempt, checkout,
			list_price, coupon_code, source, reference, term_days, term_until, expires_at,
			bundle_title)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		key(p.ID), key(p.UserID), key(p.OfferID()), oneIf(p.Status.Open()), p.Amount, p.Currency,
		optionalKey(p.OrderID), optionalKey(p.PaymentID),
		oneIf(p.PaymentID != "" && !p.SharesPayment),
		string(p.Status), timestamp(p.CreatedAt), timestamp(p.UpdatedAt), optional(p.CompletedAt),
		p.RefundedAmount, p.PendingRefunds, optionalKey(p.CouponID), oneIf(p.HoldsCoupon),
		metadata(p.Metadata), storedProvider(p), p.Attempt, checkoutOf(p), p.ListPrice,
		p.CouponCode, optionalKey(p.Source), optionalKey(p.Reference), p.TermDays,
		optional(p.TermUntil), optional(p.ExpiresAt), bundleTitle(p))
}

// UpdatePurchase changes nothing, and returns false, if the status, the amounts, the order or the
// coupon are no longer those of before. Because the amounts are still those of before, what it adds
// makes them those of after. For is_open, is_first_use and holds_coupon, see InsertPurchase.
func (t *tx) UpdatePurchase(ctx context.Context, before, after purchase.Purchase) (bool, error) {
	return t.Update(ctx, "update a purchase", `
		UPDATE {purchases} SET is_open = ?, amount = ?, currency = ?, order_id = ?, payment_id = ?,
			is_first_use = ?, status = ?, updated_at = ?, completed_at = ?,
			refunded_amount = refunded_amount + ?, pending_refunds = pending_refunds + ?,
			coupon_id = ?, holds_coupon = ?, metadata = ?, provider = ?, attempt = ?, checkout = ?,
			list_price = ?, coupon_code = ?, term_days = ?, term_until = ?, expires_at = ?,
			bundle_title = ?
		WHERE id = ? AND status = ? AND refunded_amount = ? AND pending_refunds = ?
			AND COALESCE(order_id, '') = ? AND COALESCE(coupon_id, '') = ?`,
		oneIf(after.Status.Open()), after.Amount, after.Currency, optionalKey(after.OrderID),
		optionalKey(after.PaymentID), oneIf(after.PaymentID != "" && !after.SharesPayment),
		string(after.Status), timestamp(after.UpdatedAt), optional(after.CompletedAt),
		after.RefundedAmount-before.RefundedAmount, after.PendingRefunds-before.PendingRefunds,
		optionalKey(after.CouponID), oneIf(after.HoldsCoupon), metadata(after.Metadata),
		storedProvider(after), after.Attempt, checkoutOf(after), after.ListPrice, after.CouponCode,
		after.TermDays, optional(after.TermUntil), optional(after.ExpiresAt), bundleTitle(after),
		key(before.ID), string(before.Status), before.RefundedAmount, before.PendingRefunds,
		key(before.OrderID), key(before.CouponID))
}

// DeletePurchase deletes nothing, and returns false, if the status or the coupon is no longer that
// of p.
func (t *tx) DeletePurchase(ctx context.Context, p purchase.Purchase) (bool, error) {
	return t.Update(ctx, "delete a purchase", `
		DELETE FROM {purchases} WHERE id = ? AND status = ? AND COALESCE(coupon_id, '') = ?`,
		key(p.ID), string(p.Status), key(p.CouponID))
}

// oneIf returns the value of a column that is 1 if is is true, and else NULL, which is nil.
func oneIf(is bool) *int {
	if is {
		return new(1)
	}
	return nil
}
