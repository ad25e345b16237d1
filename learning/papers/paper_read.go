package papers

import (
	"context"
	"errors"
	"time"

	"github.com/openlectern/openlectern/learning/core"
)

// Renderer draws papers. It must be safe for concurrent use.
type Renderer interface {
	// RenderPaper returns a paper as a PDF. The same paper must have the same words always, so it
	// may show only what stands in the paper.
	RenderPaper(ctx context.Context, p Paper) ([]byte, error)
}

// Listed is a paper in a list of its buyer.
type Listed struct {
	Number    string
	Amount    core.Money // negative for a reversal, which takes a credit note back
	CreatedAt time.Time  // when it was numbered
	URL       string     // works without a token, for [LinkTime]; "" without a key
}

// OfPurchase are the papers of a purchase that have a number.
type OfPurchase struct {
	Receipt     *Listed  // nil for none
	CreditNotes []Listed // with their reversals, in their order
}

// OfPurchases returns the papers of purchases of the actor, by the id of the purchase. It reads
// them at once. A purchase without papers, and one of another user, is not in the map. Error:
// [core.ErrUnauthenticated].
func (s *Service) OfPurchases(
	ctx context.Context, actor core.Actor, purchaseIDs []string,
) (map[string]OfPurchase, error) {
	if err := actor.Require(); err != nil {
		return nil, err
	}
	found := map[string]OfPurchase{}
	if len(purchaseIDs) == 0 {
		return found, nil
	}
	list, err := s.store.NumberedPapers(ctx, actor.UserID, purchaseIDs)
	if err != nil {
		return nil, core.Wrap("list the papers of purchases", err)
	}
	until := s.base.Now().Add(LinkTime)
	for _, p := range list {
		listed := Listed{Number: p.Number.String(), Amount: p.Amount, CreatedAt: p.NumberedAt,
			URL: s.links.sign(p.ID, until)}
		of := found[p.PurchaseID]
		switch p.Kind {
		case Receipt:
			of.Receipt = &listed
		case Reversal:
			listed.Amount = -listed.Amount
			fallthrough
		default:
			of.CreditNotes = append(of.CreditNotes, listed)
		}
		found[p.PurchaseID] = of
	}
	return found, nil
}

// LinkTo returns a URL by which a paper can be read without a token; "" without a key, and for a
// paper that has no number or whose buyer was deleted: only the routes with a token show these.
func (s *ForRooms) LinkTo(p Paper) string {
	if p.Number == (Number{}) || p.Forgotten != BuyerKnown {
		return ""
	}
	return s.links.sign(p.ID, s.base.Now().Add(LinkTime))
}

// File is a drawn paper.
type File struct {
	Number string
	PDF    []byte
}

// Receipt returns the receipt of a purchase. The actor must be the buyer or an admin. Errors:
// [core.ErrUnauthenticated], [ErrReceiptNotFound], also for one that has no number yet, and for an
// actor who may not read it, [ErrReceiptsNotConfigured].
func (s *Service) Receipt(
	ctx context.Context, actor core.Actor, purchaseID string,
) (File, error) {
	return s.file(ctx, actor, purchaseID, func(p Paper) bool { return p.Kind == Receipt })
}

// CreditNote returns a credit note of a purchase, or a reversal of one, by its number. Actor and
// errors are as those of Receipt.
func (s *Service) CreditNote(
	ctx context.Context, actor core.Actor, purchaseID, number string,
) (File, error) {
	return s.file(ctx, actor, purchaseID, func(p Paper) bool {
		return p.Kind != Receipt && p.Number.String() == number
	})
}

// file returns the paper of a purchase that is wanted.
func (s *Service) file(
	ctx context.Context, actor core.Actor, purchaseID string, isWanted func(Paper) bool,
) (File, error) {
	if err := actor.Require(); err != nil {
		return File{}, err
	}
	all, err := s.store.PapersOf(ctx, purchaseID)
	if err != nil {
		return File{}, core.Wrap("read the papers of a purchase", err)
	}
	for _, p := range all {
		isOwn := p.UserID == actor.UserID && p.Forgotten == BuyerKnown
		mayRead := isOwn || actor.Role == core.Admin
		if p.IsNumbered() && mayRead && isWanted(p) {
			return s.draw(ctx, p)
		}
	}
	return File{}, ErrReceiptNotFound
}

// OfLink returns the paper of a link: see [Listed.URL]. Errors: [ErrLinkExpired] if the link was
// not signed, was changed or has expired, [ErrReceiptNotFound] if the buyer was deleted meanwhile,
// [ErrReceiptsNotConfigured].
func (s *Service) OfLink(ctx context.Context, l Link) (File, error) {
	if !s.links.verify(l, s.base.Now()) {
		return File{}, ErrLinkExpired
	}
	p, err := s.store.Paper(ctx, l.PaperID)
	if errors.Is(err, core.ErrNoRecord) || err == nil && p.Forgotten != BuyerKnown {
		return File{}, ErrReceiptNotFound
	}
	if err != nil {
		return File{}, core.Wrap("read a paper", err)
	}
	return s.draw(ctx, p)
}

// draw returns the PDF of a paper that has a number.
func (s *Service) draw(ctx context.Context, p Paper) (File, error) {
	if s.renderer == nil {
		return File{}, ErrReceiptsNotConfigured
	}
	ctx, cancel := s.base.Provider(ctx)
	defer cancel()
	page, err := s.renderer.RenderPaper(ctx, p)
	return File{Number: p.Number.String(), PDF: page}, core.Wrap("draw a paper", err)
}
