package staff

import (
	"context"
	"time"

	"github.com/openlectern/openlectern/internal/paging"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/papers"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/purchase"
)

// PurchaseReport is a purchase as administrators see it.
type PurchaseReport struct {
	purchase.Purchase
	CourseTitle string
	Receipt     papers.Paper // its id, number and state of the buyer only; zero for none
	ReceiptURL  string       // works without a token; see [papers.Listed]
}

// PurchaseQuery selects purchases. The zero PurchaseQuery selects all.
type PurchaseQuery struct {
	// Search is the id of an order or of a payment at its provider, or the number of a paper, or it
	// has words, each of which is the beginning of a word of the name or the e-mail address of the
	// buyer. "" selects the purchases of all buyers.
	Search   string
	Status   purchase.Status // "" for all
	UserID   string          // of the buyer; "" for all
	CourseID string          // "" for all
	// From and To are the times of creation, From included and To not; zero for no bound.
	From, To time.Time
}

// Purchases returns a page of the purchases that q selects, the newest first. It leaves out those
// with the status [purchase.Created], also if that is asked for: their order is not open at the
// provider yet, so nothing can be paid. It reads a bounded number of purchases for a page, which
// may therefore have fewer than page.Limit, or none, before the end. Errors:
// [core.ErrUnauthenticated],
// [core.ErrForbidden], [core.ErrInvalidRequest] for a limit that is not valid, and for a search
// that is too long.
func (s *Service) Purchases(
	ctx context.Context, actor core.Actor, q PurchaseQuery, page core.PageRequest,
) (core.Page[PurchaseReport], error) {
	if err := actor.RequireRole(core.Admin); err != nil {
		return core.Page[PurchaseReport]{}, err
	}
	const action = "report on the purchases"
	if err := page.Check(); err != nil {
		return core.Page[PurchaseReport]{}, err
	}
	selected, found, err := s.selectPurchases(ctx, q)
	if err != nil || !found {
		return core.Page[PurchaseReport]{}, core.Wrap(action, err)
	}
	read := func(ctx context.Context, page core.PageRequest) ([]PurchaseReport, error) {
		list, err := s.store.PurchaseReports(ctx, selected, page)
		for i := range list {
			list[i].ReceiptURL = s.papers.LinkTo(list[i].Receipt)
		}
		return list, err
	}
	position := func(r PurchaseReport) core.Position {
		return core.Position{At: r.CreatedAt, ID: r.ID}
	}
	if !selected.IsScan() {
		return paging.ReadPage(ctx, action, page, read, position)
	}

	// Few of the purchases in the order of the list may be selected. So a page reads a bounded
	// number of them, and ends after them even if it is not full.
	end := func(ctx context.Context, after core.Position) (core.Position, error) {
		return s.store.PurchasesEnd(ctx, selected, after, selected.scannedRows())
	}
	return paging.ReadScan(ctx, action, page, end, read, position)
}

// scannedWithStatus is how many purchases of a course a page of those with a status reads at most.
// With so few, a page takes about as long in a course with a million of them as in a small one.
const scannedWithStatus = 500

// scannedRows returns how many purchases a page reads at most, of which not all are selected.
func (s PurchaseSelection) scannedRows() int {
	if s.Query.CourseID != "" && s.Query.Status != "" {
		return min(scannedWithStatus, s.Words.Rows())
	}
	return s.Words.Rows()
}

// PurchaseSelection is what a store reads for a [PurchaseQuery].
type PurchaseSelection struct {
	Query PurchaseQuery // whose Search does not matter
	IDs   []string      // the only purchases that are selected; nil for all
	Words core.WordSearch
}

// IsScan reports whether purchases are read in the order of an index of which not all are selected:
//
//	selected by                what is read                               scan
//	ids                        these purchases                            no
//	a user                     those of the user, who has not many        no
//	a rare word                those of the few users who have the word   no
//	words that are not rare    all, those of the course, or of the status yes
//	a course and a status      those of the course                        yes
//	a course, a status, times  those of the index of the same name        no
func (s PurchaseSelection) IsScan() bool {
	if s.IDs != nil || s.Query.UserID != "" || s.Words.Rare != "" {
		return false
	}
	return len(s.Words.Also) > 0 || s.Query.CourseID != "" && s.Query.Status != ""
}

// selectPurchases returns the selection of a query. It reports false if no purchase is selected.
func (s *Service) selectPurchases(
	ctx context.Context, q PurchaseQuery,
) (selected PurchaseSelection, found bool, err error) {
	selected.Query = q
	if q.Search == "" {
		return selected, true, nil
	}

	// The words come first, because their search checks the text.
	words, found, err := core.FindWords(ctx, s.store, people.UserWords, q.Search)
	if err != nil {
		return PurchaseSelection{}, false, err
	}
	for _, by := range []PurchaseNumber{OrderNumber, PaymentNumber, PaperNumber} {
		ids, err := s.store.PurchasesNumbered(ctx, by, q.Search, MaxNumberedPurchases)
		if err != nil {
			return PurchaseSelection{}, false, err
		}
		if len(ids) > 0 { // a number names what is meant better than words
			selected.IDs = ids
			return selected, true, nil
		}
	}
	if q.UserID != "" && words.Rare != "" { // the user has fewer purchases than those of the word
		words.Also, words.Rare = append(words.Also, words.Rare), ""
	}
	selected.Words = words
	return selected, found, nil
}

// PurchaseNumber says what has a number by which purchases are found.
type PurchaseNumber int

// The numbers of purchases: the id of the order or of the payment at the provider, and the number
// of a paper.
const (
	OrderNumber PurchaseNumber = iota
	PaymentNumber
	PaperNumber
)

// MaxNumberedPurchases is how many purchases a search finds by a number. Almost always that is one.
const MaxNumberedPurchases = 32

// purchaseReader reads the purchases of the administration.
type purchaseReader interface {
	// PurchaseReports lists a page of the purchases that are selected, the newest first, without
	// those that have no order. They have no URL of their receipts.
	PurchaseReports(ctx context.Context, s PurchaseSelection,
		page core.PageRequest) ([]PurchaseReport, error)
	// PurchasesEnd returns the position of the last of so many purchases that follow a position in
	// the order of PurchaseReports, or zero if there are fewer. s must be a scan. The purchases are
	// those of the course, or else of the status, or else all, within the times.
	PurchasesEnd(ctx context.Context, s PurchaseSelection, after core.Position,
		rows int) (core.Position, error)
	// PurchasesNumbered lists at most limit ids of purchases that have a number.
	PurchasesNumbered(ctx context.Context, by PurchaseNumber, number string,
		limit int) ([]string, error)
}
