package papers

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/openlectern/openlectern/internal/schedule"
	"github.com/openlectern/openlectern/learning/core"
)

const (
	// numberEvery is how often one of the instances looks for papers without a number. With the
	// time of a run it stays below the ten seconds after which a paper has its number.
	numberEvery = 3 * time.Second
	// numberLease is the length of the lease of a run: after a crash another instance waits for so
	// long.
	numberLease = 5 * time.Second
	// taxTimeout bounds a call of the port of the tax, so that one that does not answer delays the
	// papers of others by no more.
	taxTimeout = 4 * time.Second

	askedAtOnce = 16  // calls of the port of the tax
	waitingPage = 100 // papers that are read at a time

	// The pause before a paper is tried again whose tax could not be found out. It doubles.
	firstPause   = 10 * time.Second
	longestPause = time.Hour
)

// Numbering is the result of [System.NumberPapers].
type Numbering struct {
	Numbered  int // papers that got their number
	Postponed int // receipts whose tax could not be found out
}

// NumberPapers gives each paper that waits its number. It asks for the tax of a receipt that has
// none, once, outside a transaction. If that fails, the receipt and its credit notes are tried
// again after a pause, and all others get their numbers. A server calls [System.RunNumbering]
// instead. NumberPapers is safe for concurrent use, also in several processes. If one paper fails,
// it continues with the others and returns all errors joined. Without a seller it does nothing.
func (host System) NumberPapers(ctx context.Context) (Numbering, error) {
	s := host.service
	if s.seller.Name == "" {
		return Numbering{}, nil
	}
	var done Numbering
	var failed []error
	due := s.base.Now()
	page := core.PageRequest{Limit: waitingPage}
	for {
		waiting, err := s.store.WaitingPapers(ctx, due, page)
		if err != nil {
			return done, errors.Join(append(failed, core.Wrap("list waiting papers", err))...)
		}
		failed = append(failed, s.numberPage(ctx, waiting, &done)...)

		// Continue after the last one, because papers that have failed stay in the list.
		if len(waiting) < waitingPage || ctx.Err() != nil {
			return done, errors.Join(append(failed, ctx.Err())...)
		}
		last := waiting[len(waiting)-1]
		page.After = core.Position{At: last.TryAt, ID: last.ID}
	}
}

// RunNumbering calls [System.NumberPapers] every few seconds until ctx is done, and logs failures.
// If several instances run it on one database, one of them numbers at a time. It returns at once if
// there is no seller.
func (host System) RunNumbering(ctx context.Context) {
	if host.service.seller.Name == "" {
		return
	}
	schedule.Loop(ctx, host.numbering())
}

// numbering is the schedule of numberAndLog.
func (host System) numbering() core.Work {
	return core.Work{
		Schedule: schedule.New(host.service.base.Leases, "papers", numberEvery,
			host.numberAndLog).WithLease(numberLease).OnlyIf(host.service.hasWaiting),
		FirstPause: schedule.FirstPause(numberEvery),
	}
}

// hasWaiting reports whether a paper is to be numbered now.
func (s *Service) hasWaiting(ctx context.Context) (bool, error) {
	waiting, err := s.store.WaitingPapers(ctx, s.base.Now(), core.PageRequest{Limit: 1})
	return len(waiting) > 0, err
}

// numberAndLog numbers once, and logs an error. It returns an error only if ctx has ended.
func (host System) numberAndLog(ctx context.Context) error {
	_, err := host.NumberPapers(ctx)
	if err != nil && ctx.Err() == nil {
		host.service.base.Log.ErrorContext(ctx, "number papers", "error", err)
		return nil
	}
	return err
}

// numberPage numbers the papers of a page, and counts them in done. It returns the errors of single
// papers.
func (s *Service) numberPage(ctx context.Context, waiting []Paper, done *Numbering) []error {
	var failed []error
	number := func(p Paper) {
		numbered, err := s.number(ctx, p)
		if err != nil {
			failed = append(failed, fmt.Errorf("number paper %s: %w", p.ID, err))
		}
		if numbered {
			done.Numbered++
		}
	}

	// First the receipts whose tax is not known, each as soon as its tax is. They come before the
	// papers that correct them.
	var others []Paper
	var untaxed []Paper
	for _, p := range waiting {
		if p.Kind == Receipt && p.Tax == nil {
			untaxed = append(untaxed, p)
		} else {
			others = append(others, p)
		}
	}
	for p, err := range s.findTaxes(ctx, untaxed) {
		switch {
		case err == nil:
			number(p)
		case ctx.Err() == nil:
			done.Postponed++
			if err := s.postpone(ctx, p, err); err != nil {
				failed = append(failed, err)
			}
		}
	}
	for _, p := range others {
		number(p)
	}
	return failed
}

// findTaxes calls findTax for each of receipts, and yields each with the error as soon as it is
// known. A fixed tax is known at once, so that the receipts keep their order. Any other port is
// asked for several at once, so that a slow answer delays no other.
func (s *Service) findTaxes(ctx context.Context, receipts []Paper) iter.Seq2[Paper, error] {
	return func(yield func(Paper, error) bool) {
		if _, isFixed := s.tax.(FixedTax); isFixed {
			for _, p := range receipts {
				if !yield(p, s.findTax(ctx, p)) {
					return
				}
			}
			return
		}
		type answer struct {
			paper Paper
			err   error
		}
		answers := make(chan answer, len(receipts)) // so that no call waits if the loop ends
		slots := make(chan struct{}, askedAtOnce)
		for _, p := range receipts {
			go func() {
				slots <- struct{}{}
				defer func() { <-slots }()
				answers <- answer{paper: p, err: s.findTax(ctx, p)}
			}()
		}
		for range receipts {
			if a := <-answers; !yield(a.paper, a.err) {
				return
			}
		}
	}
}

// findTax asks for the tax of a receipt, and stores it. Whoever is second finds it stored.
func (s *Service) findTax(ctx context.Context, p Paper) (err error) {
	defer func() {
		if value := recover(); value != nil { // of the host's port
			err = fmt.Errorf("panic: %v", value)
		}
	}()
	asked, cancel := context.WithTimeout(ctx, min(taxTimeout, s.base.Timeout))
	defer cancel()
	tax, err := s.tax.Tax(asked, TaxedSale{Country: p.Buyer.Country, TaxID: p.Buyer.TaxID,
		Currency: p.Currency, Amount: p.Amount})
	if err == nil {
		err = tax.check(p.Amount)
	}
	if err != nil {
		return fmt.Errorf("ask for the tax: %w", err)
	}
	err = s.base.InTx(ctx, func(tx Tx) error {
		tx.Repeatable() // the condition of the UPDATE prevents a second effect
		_, err := tx.SetPaperTax(ctx, p.ID, tax)
		return err
	})
	return core.Wrap("store the tax", err)
}

// postpone makes a receipt wait whose tax could not be found out, and logs why.
func (s *Service) postpone(ctx context.Context, p Paper, cause error) error {
	pause := longestPause
	if p.Attempts < 9 { // 2^9 times the first pause is longer than the longest
		pause = min(longestPause, firstPause<<p.Attempts)
	}
	s.base.Log.WarnContext(ctx, "the tax of a receipt is not known, so that it waits", "paper", p.ID,
		"purchase", p.PurchaseID, "attempts", p.Attempts+1, "pause", pause, "error", cause)
	err := s.base.InTx(ctx, func(tx Tx) error {
		tx.Repeatable() // a second run sets the same
		return tx.PostponePaper(ctx, p.ID, p.Attempts+1, s.base.Now().Add(pause))
	})
	return core.Wrap("postpone a paper", err)
}

// number gives a paper its number, and reports whether it did. The transaction locks the buyer, so
// that it excludes the payment and the refunds of the purchase, then reads and decides, and then
// locks the last number of the series. If anything fails, the number is taken back with the rest.
func (s *Service) number(ctx context.Context, waiting Paper) (numbered bool, err error) {
	err = s.base.ChangeOfUser(ctx, waiting.UserID, func(tx Tx, _ *core.Changes) error {
		// Read the papers of the purchase, and decide.
		numbered = false
		all, err := tx.PapersOf(ctx, waiting.PurchaseID)
		if err != nil {
			return err
		}
		p, result := decideNumbering(all, waiting.ID)
		switch result {
		case stays:
			return nil
		case waits: // until the paper that it corrects has a number
			return tx.PostponePaper(ctx, p.ID, p.Attempts, p.TryAt)
		}

		// Take the next number.
		now := s.base.Now()
		day := s.seller.local(now)
		p.Number = Number{Series: p.Kind.series(), Year: day.Year()}
		if err := tx.IncrementPaperNumber(ctx, p.Number.Series, p.Number.Year); err != nil {
			return err
		}
		p.Number.Number, err = tx.LastPaperNumber(ctx, p.Number.Series, p.Number.Year)
		if err != nil {
			return err
		}

		// Store it, with what the paper says from now on.
		p.NumberedAt = now
		p.Content.SellerName = s.seller.Name
		p.Content.SellerAddress = s.seller.Address
		p.Content.SellerTaxID = s.seller.TaxID
		p.Content.Date = day.Format(time.DateOnly)
		p.Content.SoldOn = s.seller.local(p.SoldAt).Format(time.DateOnly)
		numbered, err = tx.NumberPaper(ctx, p)
		if err == nil && !numbered { // a program that does not lock users has numbered it: run again
			err = fmt.Errorf("store the number of a paper: %w", core.ErrDuplicate)
		}
		return err
	})
	return numbered && err == nil, err
}

// result is what becomes of a paper that waits for its number.
type result int

const (
	stays      result = iota // nothing
	waits                    // it is tried again when the paper that it corrects is
	isNumbered               // it gets its number
)

// decideNumbering returns what becomes of the paper with an id. all are the papers of its purchase.
// A paper that is numbered has its tax, and the number of the paper that it corrects.
//
//	paper        corrected paper            result
//	gone         any                        stays: its refund has failed
//	numbered     any                        stays
//	receipt      none, its tax is unknown   stays: the tax is asked for first
//	receipt      none, its tax is known     isNumbered
//	any other    is tried again later       waits
//	any other    is due too                 stays
//	credit note  a numbered receipt         isNumbered, with its share of the tax
//	reversal     a numbered credit note     isNumbered, with the tax of that
//
// The share of a credit note is that of its amount in what is left of the receipt, so that the tax
// of all credit notes together is that of the receipt when all is refunded.
func decideNumbering(all []Paper, id string) (Paper, result) {
	byID := map[string]Paper{}
	var receipt Paper
	for _, p := range all {
		byID[p.ID] = p
		if p.Kind == Receipt {
			receipt = p
		}
	}
	p, isThere := byID[id]
	if !isThere || p.IsNumbered() || p.Kind == Receipt && p.Tax == nil {
		return p, stays
	}
	if p.Kind == Receipt {
		return p, isNumbered
	}

	// The paper that it corrects must have a number.
	corrected := receipt
	if p.Kind == Reversal {
		corrected = byID[p.Cause]
	}
	switch {
	case corrected.IsNumbered():
	case corrected.TryAt.After(p.TryAt):
		p.TryAt = corrected.TryAt
		return p, waits
	default: // it is due too
		return p, stays
	}
	tax := *corrected.Tax
	if p.Kind == CreditNote {
		left, taxLeft := leftOf(receipt, all)
		tax.Amount = share(taxLeft, min(p.Amount, left), max(left, 1))
	}
	p.Tax = &tax
	p.Content.Corrects = corrected.Number.String()
	return p, isNumbered
}

// leftOf returns what the numbered credit notes and reversals leave of a receipt and of its tax.
func leftOf(receipt Paper, all []Paper) (amount, tax core.Money) {
	amount, tax = receipt.Amount, receipt.Tax.Amount
	for _, p := range all {
		switch {
		case !p.IsNumbered():
		case p.Kind == CreditNote:
			amount, tax = amount-p.Amount, tax-p.Tax.Amount
		case p.Kind == Reversal:
			amount, tax = amount+p.Amount, tax+p.Tax.Amount
		}
	}
	return amount, tax
}
