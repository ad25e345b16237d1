package invariants

// Refunds contains, by name, the part of a query after "SELECT COUNT(*) FROM" that selects
// invalid rows of refunds: purchases with a refunded or pending amount that is not the sum of their
// refunds, with a status that does not match what was refunded, or with more refunded than was
// paid, and refunds of no purchase.
var Refunds = map[string]string{
	"refunded amount": `
		{purchases} p
		WHERE p.refunded_amount <> (SELECT COALESCE(SUM(r.amount), 0) FROM {refunds} r
				WHERE r.purchase_id = p.id AND r.status = 'processed')`,
	"pending refunds": `
		{purchases} p
		WHERE p.pending_refunds <> (SELECT COALESCE(SUM(r.amount), 0) FROM {refunds} r
				WHERE r.purchase_id = p.id AND r.status = 'pending')`,
	"refunded status": `
		{purchases} p
		WHERE (p.status = 'refunded') <> (p.refunded_amount = p.amount AND p.amount > 0)
			AND NOT (p.status = 'refunded' AND p.completed_at IS NULL)`,
	"returned payment": `
		{purchases} p
		WHERE p.status = 'refunded' AND p.completed_at IS NULL
			AND (p.refunded_amount + p.pending_refunds < p.amount OR p.holds_coupon = 1)`,
	"refunded too much": `
		{purchases} p
		WHERE p.refunded_amount < 0 OR p.refunded_amount > p.amount OR p.pending_refunds < 0`,
	"refund of nothing": `
		{refunds} r
		WHERE NOT EXISTS (SELECT 1 FROM {purchases} p WHERE p.id = r.purchase_id
				AND COALESCE(p.payment_id, '') = r.payment_id)`,
	"reserved refund": `
		{refunds} r
		WHERE r.status = 'pending' AND r.is_by_lines = 0
			AND (r.pending_amount IS NULL OR r.pending_amount <> r.amount) OR r.status <> 'pending'
			AND r.pending_amount IS NOT NULL`,
	"sums of lines": `
		{purchases} p
		WHERE p.bundle_title IS NOT NULL
			AND (p.amount <> (SELECT COALESCE(SUM(l.amount), -1) FROM {purchase_lines} l
					WHERE l.purchase_id = p.id)
				OR p.refunded_amount <> (SELECT SUM(l.refunded_amount) FROM {purchase_lines} l
					WHERE l.purchase_id = p.id)
				OR p.pending_refunds <> (SELECT SUM(l.pending_refunds) FROM {purchase_lines} l
					WHERE l.purchase_id = p.id))`,
	"line refunded too much": `
		{purchase_lines} l
		WHERE l.amount < 0 OR l.refunded_amount < 0 OR l.refunded_amount > l.amount
			OR l.pending_refunds < 0`,
	"refunds of a line": `
		{purchase_lines} l
		WHERE l.refunded_amount <> (SELECT COALESCE(SUM(s.amount), 0)
				FROM {refund_lines} s JOIN {refunds} r ON r.id = s.refund_id
				WHERE s.line_id = l.id AND r.status = 'processed')
			OR l.pending_refunds <> (SELECT COALESCE(SUM(s.amount), 0)
				FROM {refund_lines} s JOIN {refunds} r ON r.id = s.refund_id
				WHERE s.line_id = l.id AND r.status = 'pending')`,
	"sums of refunded lines": `
		{refunds} r JOIN {purchases} p ON p.id = r.purchase_id
		WHERE p.bundle_title IS NOT NULL AND r.status <> 'failed'
			AND r.amount <> (SELECT COALESCE(SUM(s.amount), 0) FROM {refund_lines} s
				WHERE s.refund_id = r.id)`,
	"end of a line": `
		{purchase_lines} l JOIN {purchases} p ON p.id = l.purchase_id
		WHERE p.completed_at IS NOT NULL
			AND (l.end_state <> 0 AND l.refunded_amount < l.amount
				OR l.end_state = 0 AND p.status = 'refunded')`,
	"refund not counted": "{refunds} r WHERE r.status = 'processed' AND r.provider_id IS NULL",
}
