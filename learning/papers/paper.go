package papers

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/openlectern/openlectern/learning/core"
)

// The public failures of papers.
var (
	ErrReceiptNotFound = &core.Error{Kind: core.NotFound, Code: "receipt_not_found",
		Message: "Receipt not found"}
	ErrLinkExpired = &core.Error{Kind: core.Forbidden, Code: "link_expired",
		Message: "This link is not valid any more. Please load the page again."}
	ErrReceiptsNotConfigured = &core.Error{Kind: core.Unavailable,
		Code: "receipts_not_configured", Message: "Receipts are not configured"}
)

// Kind says what a paper is about.
type Kind string

// The kinds of papers.
const (
	Receipt    Kind = "receipt"     // of a purchase
	CreditNote Kind = "credit note" // of a refund
	Reversal   Kind = "reversal"    // of a credit note whose refund has failed later
)

// series returns the series in which papers of a kind are numbered.
func (k Kind) series() string {
	if k == CreditNote {
		return "C"
	}
	return "R"
}

// Number is the number of a paper, such as R-2026-000001.
type Number struct {
	Series string // R or C
	Year   int
	Number int64 // from 1 in each series and year, without gaps
}

// String returns the number as it stands on the paper; "" for the zero Number.
func (n Number) String() string {
	if n == (Number{}) {
		return ""
	}
	return fmt.Sprintf("%s-%04d-%06d", n.Series, n.Year, n.Number)
}

// Paper is a receipt, a credit note or a reversal. What stands on it does not change after it was
// numbered, but for [Paper.Buyer] of a user who was deleted years ago.
type Paper struct {
	ID         string
	UserID     string // the buyer
	PurchaseID string
	RefundID   string // "" for a receipt
	Kind       Kind
	// Cause is the id of what the paper is made for. A kind has one paper for each: a purchase, a
	// counted part of a refund, or a credit note.
	Cause    string
	Amount   core.Money
	Currency string
	Lines    []Line
	SoldAt   time.Time // when the purchase was completed
	Buyer    Billing   // a copy; its country is "" if the buyer had no billing data
	// Tax is contained in Amount. Of a receipt it is nil until the port has answered, of another
	// paper until that is numbered.
	Tax       *Tax
	CreatedAt time.Time

	// What the numbering waits for; TryAt is zero once the paper is numbered:
	Attempts int       // how often the port of the tax has failed
	TryAt    time.Time // when the next attempt is due

	// What the numbering fixes; all is zero before:
	Number     Number
	NumberedAt time.Time
	Content    Content

	Forgotten Forgotten
}

// Line is a part of what was sold.
type Line struct {
	LineID string // of the purchase of a bundle; "" for a course
	Title  string // of the course when it was sold
	Amount core.Money
}

// Content is what the numbering fixes beside the number. Its dates are days in the time zone of the
// seller, such as 2026-01-31.
type Content struct {
	SellerName    string
	SellerAddress string
	SellerTaxID   string
	Date          string // of the numbering
	SoldOn        string // of the payment
	// Corrects is the number of the paper that a credit note or a reversal changes; "" for a
	// receipt.
	Corrects string
}

// Sold is what a receipt copies of a purchase.
type Sold struct {
	Title     string  // of the course, the last one if that was deleted, or of the bundle
	Lines     []Line  // of a bundle
	Buyer     Billing // without billing data it has the name of the user only
	IsDeleted bool    // whether the user was deleted
}

// IsNumbered reports whether the paper has its number. Before that nobody can read it.
func (p Paper) IsNumbered() bool { return !p.NumberedAt.IsZero() }

// Forgotten says what was removed from a paper with its buyer.
type Forgotten int

// The states of the buyer of a paper. Only admins can read the paper of a deleted user.
const (
	BuyerKnown   Forgotten = iota
	BuyerDeleted           // the user was deleted, and the paper is whole
	BuyerRemoved           // name, address and tax id were removed too
)

// PurchasePapersReader reads the papers of a purchase.
type PurchasePapersReader interface {
	// PapersOf lists the papers of a purchase, the first made first, also those without a number.
	PapersOf(ctx context.Context, purchaseID string) ([]Paper, error)
}

// paperReader reads papers.
type paperReader interface {
	PurchasePapersReader
	Paper(ctx context.Context, id string) (Paper, error)
	// NumberedPapers lists the papers that have a number and belong to one of the purchases of a
	// user, in the order in which they were made, without those of a deleted user. purchaseIDs must
	// not be empty.
	NumberedPapers(ctx context.Context, userID string, purchaseIDs []string) ([]Paper, error)
	// WaitingPapers lists a page of the papers without a number whose next attempt is due at a
	// time, those first whose attempt was due first.
	WaitingPapers(ctx context.Context, due time.Time, page core.PageRequest) ([]Paper, error)
	// ForgottenPapers lists at most limit ids of papers of deleted users that have the name of the
	// buyer and were numbered before a time, the oldest first.
	ForgottenPapers(ctx context.Context, before time.Time, limit int) ([]string, error)
	// Sold reads what a receipt copies of a purchase.
	Sold(ctx context.Context, purchaseID string) (Sold, error)
	// LastPaperNumber reads the last number of a series in a year.
	LastPaperNumber(ctx context.Context, series string, year int) (int64, error)
}

// paperWriter writes papers.
type paperWriter interface {
	// InsertPaper adds a paper that waits for its number. It returns [core.ErrDuplicate] if there
	// is one of its kind with its cause.
	InsertPaper(ctx context.Context, p Paper) error
	// DeletePaper deletes a paper that has no number. It reports whether it did.
	DeletePaper(ctx context.Context, id string) (bool, error)
	// SetPaperTax stores the tax of a paper that has none. It reports whether it did.
	SetPaperTax(ctx context.Context, id string, t Tax) (bool, error)
	// PostponePaper stores when the next attempt to number a paper is due, and how many have
	// failed.
	PostponePaper(ctx context.Context, id string, attempts int, tryAt time.Time) error
	// IncrementPaperNumber adds one to the last number of a series in a year, which begins at 0. It
	// locks that number until the transaction ends.
	IncrementPaperNumber(ctx context.Context, series string, year int) error
	// NumberPaper stores the number, the tax and the content of a paper that has no number. It
	// reports whether it did.
	NumberPaper(ctx context.Context, p Paper) (bool, error)
	// ForgetBuyer marks the papers of a user as those of a deleted one.
	ForgetBuyer(ctx context.Context, userID string) error
	// RemoveBuyers removes the name, the address and the tax id of the buyers of papers. ids must
	// not be empty.
	RemoveBuyers(ctx context.Context, ids []string) error
}

// ParseNumber parses a number as [Number.String] writes it. It reports false for any other text.
func ParseNumber(text string) (Number, bool) {
	parts := strings.Split(text, "-")
	if len(parts) != 3 {
		return Number{}, false
	}
	year, yearErr := strconv.Atoi(parts[1])
	number, numberErr := strconv.ParseInt(parts[2], 10, 64)
	n := Number{Series: parts[0], Year: year, Number: number}
	isSeries := n.Series == Receipt.series() || n.Series == CreditNote.series()
	return n, yearErr == nil && numberErr == nil && isSeries && n.String() == text
}
