package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/papers"
)

type paperRow struct {
	ID         string      `db:"id"`
	UserID     string      `db:"user_id"`
	PurchaseID string      `db:"purchase_id"`
	RefundID   optionalKey `db:"refund_id"`
	Kind       papers.Kind `db:"kind"`
	Cause      string      `db:"cause"`
	Amount     core.Money  `db:"amount"`
	Currency   string      `db:"currency"`
	SoldAt     timestamp   `db:"sold_at"`
	CreatedAt  timestamp   `db:"created_at"`
	Attempts   int         `db:"attempts"`
	TryAt      timestamp   `db:"try_at"`
	// The tax; all is nil until it is known.
	TaxRate   *papers.Rate `db:"tax_rate"`
	TaxAmount *core.Money  `db:"tax_amount"`
	TaxName   *string      `db:"tax_name"`
	TaxNote   *string      `db:"tax_note"`

	Series     *string           `db:"series"`
	Year       *int              `db:"series_year"`
	Number     *int64            `db:"series_number"`
	NumberedAt timestamp         `db:"numbered_at"`
	Forgotten  *papers.Forgotten `db:"forgotten"`

	BuyerName    string  `db:"buyer_name"`
	BuyerCountry string  `db:"buyer_country"`
	BuyerTaxID   string  `db:"buyer_tax_id"`
	BuyerAddress string  `db:"buyer_address"`
	Lines        string  `db:"sold_lines"`
	Content      *string `db:"content"`
}

const selectPapers = `
	SELECT id, user_id, purchase_id, refund_id, kind, cause, amount, currency, sold_at, created_at,
		attempts, try_at, tax_rate, tax_amount, tax_name, tax_note, series, series_year,
		series_number, numbered_at, forgotten, buyer_name, buyer_country, buyer_tax_id,
		buyer_address, sold_lines, content
	FROM {papers}`

// paperLineJSON is the stored form of a line of a paper.
type paperLineJSON struct {
	LineID string     `json:"lineId,omitempty"`
	Title  string     `json:"title"`
	Amount core.Money `json:"amount"`
}

// paperContentJSON is the stored form of what the numbering of a paper fixes.
type paperContentJSON struct {
	SellerName    string `json:"sellerName"`
	SellerAddress string `json:"sellerAddress"`
	SellerTaxID   string `json:"sellerTaxId"`
	Date          string `json:"date"`
	SoldOn        string `json:"soldOn"`
	Corrects      string `json:"corrects"`
}

// paper returns the paper of a row.
func (r *paperRow) paper() (papers.Paper, error) {
	p := papers.Paper{
		ID:         r.ID,
		UserID:     r.UserID,
		PurchaseID: r.PurchaseID,
		RefundID:   string(r.RefundID),
		Kind:       r.Kind,
		Cause:      r.Cause,
		Amount:     r.Amount,
		Currency:   r.Currency,
		SoldAt:     r.SoldAt.Time(),
		Buyer: papers.Billing{Name: r.BuyerName, Address: r.BuyerAddress,
			Country: r.BuyerCountry, TaxID: r.BuyerTaxID},
		CreatedAt:  r.CreatedAt.Time(),
		Attempts:   r.Attempts,
		TryAt:      r.TryAt.Time(),
		NumberedAt: r.NumberedAt.Time(),
	}
	if r.TaxAmount != nil {
		p.Tax = &papers.Tax{Rate: *r.TaxRate, Amount: *r.TaxAmount, Name: *r.TaxName,
			Note: *r.TaxNote}
	}
	if r.Number != nil {
		p.Number = papers.Number{Series: *r.Series, Year: *r.Year, Number: *r.Number}
	}
	if r.Forgotten != nil {
		p.Forgotten = *r.Forgotten
	}
	var lines []paperLineJSON
	if err := json.Unmarshal([]byte(r.Lines), &lines); err != nil {
		return papers.Paper{}, fmt.Errorf("parse the lines of paper %s: %w", r.ID, err)
	}
	for _, line := range lines {
		p.Lines = append(p.Lines, papers.Line(line))
	}
	if r.Content != nil {
		var content paperContentJSON
		if err := json.Unmarshal([]byte(*r.Content), &content); err != nil {
			return papers.Paper{}, fmt.Errorf("parse the content of paper %s: %w", r.ID, err)
		}
		p.Content = papers.Content(content)
	}
	return p, nil
}

// Paper reads a paper.
func (r reader) Paper(ctx context.Context, id string) (papers.Paper, error) {
	var row paperRow
	if err := r.q.Get(ctx, "read a paper", &row, selectPapers+` WHERE id = ?`,
		key(id)); err != nil {
		return papers.Paper{}, err
	}
	return row.paper()
}

// PapersOf lists the papers of a purchase, the first made first.
func (r reader) PapersOf(ctx context.Context, purchaseID string) ([]papers.Paper, error) {
	return r.papers(ctx, "list the papers of a purchase",
		` WHERE purchase_id = ? ORDER BY created_at, id`, key(purchaseID))
}

// NumberedPapers lists the papers of purchases that have a number, the first made first.
func (r reader) NumberedPapers(
	ctx context.Context, userID string, purchaseIDs []string,
) ([]papers.Paper, error) {
	return r.papers(ctx, "list the numbered papers of purchases", `
		WHERE purchase_id IN (`+placeholders(len(purchaseIDs))+`) AND user_id = ?
			AND numbered_at IS NOT NULL AND forgotten IS NULL
		ORDER BY created_at, id`, append(keys(purchaseIDs), key(userID))...)
}

// WaitingPapers lists a page of the papers without a number that are due at a time, those first
// that were due first. Only they have try_at.
func (r reader) WaitingPapers(
	ctx context.Context, due time.Time, page core.PageRequest,
) ([]papers.Paper, error) {
	var f filter
	f.add(`try_at <= ?`, timestamp(due))
	tail, limit := r.engine().addPage(&f, order{columns: []string{"try_at", "id"}}, page)
	return r.papers(ctx, "list waiting papers", f.where()+tail, append(f.args, limit)...)
}

// ForgottenPapers lists the oldest papers of deleted users from whom the buyer was not removed.
func (r reader) ForgottenPapers(
	ctx context.Context, before time.Time, limit int,
) (ids []string, err error) {
	err = r.q.List(ctx, "list the papers of deleted users", &ids, `
		SELECT id FROM {papers} WHERE forgotten = ? AND numbered_at < ?
		ORDER BY numbered_at, id LIMIT ?`, papers.BuyerDeleted, timestamp(before), limit)
	return ids, err
}

// Sold reads what a receipt copies of a purchase.
func (r reader) Sold(ctx context.Context, purchaseID string) (papers.Sold, error) {
	var row struct {
		billingRow
		Title     *string `db:"title"`
		IsDeleted bool    `db:"is_deleted"`
		OfBundle  bool    `db:"of_bundle"`
	}
	err := r.q.Get(ctx, "read what a receipt copies", &row, `
		SELECT `+purchasedTitle+` AS title, COALESCE(b.name, u.name, '') AS name,
			COALESCE(b.address, '') AS address, COALESCE(b.country, '') AS country,
			COALESCE(b.tax_id, '') AS tax_id,
			CASE WHEN u.deleted_at IS NULL THEN 0 ELSE 1 END AS is_deleted,
			CASE WHEN p.bundle_title IS NULL THEN 0 ELSE 1 END AS of_bundle
		FROM {purchases} p
			LEFT JOIN {users} u ON u.id = p.user_id
			LEFT JOIN {billing} b ON b.user_id = p.user_id
		WHERE p.id = ?`, key(purchaseID))
	sold := papers.Sold{Buyer: papers.Billing(row.billingRow), IsDeleted: row.IsDeleted}
	if row.Title != nil {
		sold.Title = *row.Title
	}
	if err != nil || !row.OfBundle {
		return sold, err
	}
	parts, err := r.PurchaseParts(ctx, purchaseID)
	for _, part := range parts {
		sold.Lines = append(sold.Lines, papers.Line{LineID: part.ID, Title: part.CourseTitle,
			Amount: part.Amount})
	}
	return sold, err
}

// LastPaperNumber reads the number that IncrementPaperNumber increments.
func (r reader) LastPaperNumber(
	ctx context.Context, series string, year int,
) (n int64, err error) {
	err = r.q.Get(ctx, "read the last number of papers", &n,
		`SELECT last_number FROM {paper_series} WHERE series = ? AND series_year = ?`,
		series, year)
	return n, err
}

// papers lists papers. clauses follow their table.
func (r reader) papers(
	ctx context.Context, action, clauses string, args ...any,
) ([]papers.Paper, error) {
	var rows []paperRow
	if err := r.q.List(ctx, action, &rows, selectPapers+clauses, args...); err != nil {
		return nil, err
	}
	list := make([]papers.Paper, len(rows))
	for i := range rows {
		var err error
		if list[i], err = rows[i].paper(); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// InsertPaper returns ErrDuplicate if there is a paper of its kind with its cause.
func (t *tx) InsertPaper(ctx context.Context, p papers.Paper) error {
	lines := make([]paperLineJSON, len(p.Lines))
	for i, line := range p.Lines {
		lines[i] = paperLineJSON(line)
	}
	sold, err := formatJSON("the lines of a paper", lines)
	if err != nil {
		return err
	}
	return t.Insert(ctx, "insert a paper", `
		INSERT INTO {papers} (id, user_id, purchase_id, refund_id, kind, cause, amount, currency,
			sold_at, created_at, attempts, try_at, forgotten, buyer_name, buyer_country,
			buyer_tax_id, buyer_address, sold_lines)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		key(p.ID), key(p.UserID), key(p.PurchaseID), optionalKey(p.RefundID), string(p.Kind),
		p.Cause, p.Amount, p.Currency, timestamp(p.SoldAt), timestamp(p.CreatedAt), p.Attempts,
		timestamp(p.TryAt), forgottenOrNull(p.Forgotten), p.Buyer.Name, p.Buyer.Country,
		p.Buyer.TaxID, p.Buyer.Address, sold)
}

// forgottenOrNull returns the value of the column forgotten: nil, which is NULL, for a buyer who is
// known.
func forgottenOrNull(f papers.Forgotten) *papers.Forgotten {
	if f == papers.BuyerKnown {
		return nil
	}
	return &f
}

// DeletePaper deletes nothing, and returns false, if the paper has a number.
func (t *tx) DeletePaper(ctx context.Context, id string) (bool, error) {
	return t.Update(ctx, "delete a paper",
		`DELETE FROM {papers} WHERE id = ? AND numbered_at IS NULL`, key(id))
}

// SetPaperTax changes nothing, and returns false, if the paper has a tax.
func (t *tx) SetPaperTax(ctx context.Context, id string, tax papers.Tax) (bool, error) {
	return t.Update(ctx, "set the tax of a paper", `
		UPDATE {papers} SET tax_rate = ?, tax_amount = ?, tax_name = ?, tax_note = ?
		WHERE id = ? AND tax_amount IS NULL AND numbered_at IS NULL`,
		tax.Rate, tax.Amount, tax.Name, tax.Note, key(id))
}

// PostponePaper leaves a paper that has a number as it is.
func (t *tx) PostponePaper(
	ctx context.Context, id string, attempts int, tryAt time.Time,
) error {
	_, err := t.Exec(ctx, "postpone a paper", `
		UPDATE {papers} SET attempts = ?, try_at = ? WHERE id = ? AND numbered_at IS NULL`,
		attempts, timestamp(tryAt), key(id))
	return err
}

// IncrementPaperNumber adds 1 to the last number of a series in a year, or inserts it with 1.
func (t *tx) IncrementPaperNumber(ctx context.Context, series string, year int) error {
	_, err := t.Exec(ctx, "take a number of a paper", `
		INSERT INTO {paper_series} (series, series_year, last_number)
		VALUES (?, ?, 1)`+t.Dialect().AddToRow("paper_series",
		[]string{"series", "series_year"}, []string{"last_number"}), series, year)
	return err
}

// NumberPaper changes nothing, and returns false, if the paper has a number.
func (t *tx) NumberPaper(ctx context.Context, p papers.Paper) (bool, error) {
	content, err := formatJSON("the content of a paper", paperContentJSON(p.Content))
	if err != nil {
		return false, err
	}
	return t.Update(ctx, "number a paper", `
		UPDATE {papers} SET series = ?, series_year = ?, series_number = ?, paper_number = ?,
			numbered_at = ?, try_at = NULL, tax_rate = ?, tax_amount = ?, tax_name = ?,
			tax_note = ?, content = ?
		WHERE id = ? AND numbered_at IS NULL`,
		p.Number.Series, p.Number.Year, p.Number.Number, p.Number.String(),
		timestamp(p.NumberedAt), p.Tax.Rate, p.Tax.Amount, p.Tax.Name, p.Tax.Note, content,
		key(p.ID))
}

// ForgetBuyer marks the papers of a deleted user.
func (t *tx) ForgetBuyer(ctx context.Context, userID string) error {
	_, err := t.Exec(ctx, "mark the papers of a deleted user",
		`UPDATE {papers} SET forgotten = ? WHERE user_id = ? AND forgotten IS NULL`,
		papers.BuyerDeleted, key(userID))
	return err
}

// RemoveBuyers keeps the country of the buyers, by which the tax was found out.
func (t *tx) RemoveBuyers(ctx context.Context, ids []string) error {
	_, err := t.Exec(ctx, "remove the buyers of papers", `
		UPDATE {papers} SET forgotten = ?, buyer_name = '', buyer_tax_id = '', buyer_address = ''
		WHERE id IN (`+placeholders(len(ids))+`)`,
		append([]any{papers.BuyerRemoved}, keys(ids)...)...)
	return err
}
