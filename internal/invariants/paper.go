package invariants

// Papers contains, by name, the part of a query after "SELECT COUNT(*) FROM" that selects invalid
// rows of receipts and credit notes: series with a gap or a number above their last one, papers
// that are half numbered, receipts of another amount than their purchase, and purchases with a
// receipt whose credit notes are not what was refunded.
var Papers = map[string]string{
	"gap in a series": `
		{paper_series} s
		WHERE s.last_number <> (SELECT COUNT(*) FROM {papers} p
				WHERE p.series = s.series AND p.series_year = s.series_year)`,
	"number outside a series": `
		{papers} p
		WHERE p.numbered_at IS NOT NULL AND NOT EXISTS (SELECT 1 FROM {paper_series} s
				WHERE s.series = p.series AND s.series_year = p.series_year
					AND p.series_number >= 1 AND p.series_number <= s.last_number)`,
	"half numbered paper": `
		{papers} p
		WHERE (p.numbered_at IS NULL) <> (p.try_at IS NOT NULL)
			OR (p.numbered_at IS NULL) <> (p.series_number IS NULL)
			OR (p.numbered_at IS NULL) <> (p.paper_number IS NULL)
			OR (p.numbered_at IS NULL) <> (p.content IS NULL)
			OR p.numbered_at IS NOT NULL AND p.tax_amount IS NULL`,
	"tax of a paper": "{papers} p WHERE p.tax_amount < 0 OR p.tax_amount > p.amount",
	"paper of nothing": `
		{papers} p
		WHERE p.amount <= 0 OR NOT EXISTS (SELECT 1 FROM {purchases} q
				WHERE q.id = p.purchase_id AND q.user_id = p.user_id
					AND q.completed_at IS NOT NULL
					AND (p.kind <> 'receipt' OR q.amount = p.amount))`,
	"credit notes": `
		{papers} p JOIN {purchases} q ON q.id = p.purchase_id
		WHERE p.kind = 'receipt' AND q.refunded_amount <> (
			SELECT COALESCE(SUM(CASE WHEN n.kind = 'credit note' THEN n.amount ELSE 0 - n.amount END),
				0) FROM {papers} n WHERE n.purchase_id = p.purchase_id AND n.kind <> 'receipt')`,
	"credit note without receipt": `
		{papers} p
		WHERE p.kind <> 'receipt' AND NOT EXISTS (SELECT 1 FROM {papers} r
				WHERE r.purchase_id = p.purchase_id AND r.kind = 'receipt')`,
	"reversal of nothing": `
		{papers} p
		WHERE p.kind = 'reversal' AND NOT EXISTS (SELECT 1 FROM {papers} n
				WHERE n.id = p.cause AND n.kind = 'credit note' AND n.amount = p.amount
					AND n.numbered_at IS NOT NULL)`,
}
