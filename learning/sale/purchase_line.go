package sale

import (
	"context"
	"slices"
	"time"

	"github.com/openlectern/openlectern/learning/line"
)

// lineWriter writes the lines of purchases.
type lineWriter interface {
	// InsertLines adds the lines of a purchase, of which there must be one.
	InsertLines(ctx context.Context, lines []line.Line) error
	// UpdateLine stores the refunds, the end and the expiry of a line.
	UpdateLine(ctx context.Context, l line.Line) error
	DeleteLines(ctx context.Context, purchaseID string) error
}

// parts returns what the purchase gives in each course. title is that of a single course.
func (s PurchaseState) parts(title string) []line.Part {
	if s.BundleID != "" {
		parts := slices.Clone(s.Parts)
		for i := range parts {
			parts[i].Line = s.Lines[i]
		}
		return parts
	}
	end := line.Living
	if s.Status == PurchaseRefunded {
		end = line.EndedWithAll
	}
	return []line.Part{{
		Line: line.Line{ID: s.ID, PurchaseID: s.ID, Number: 1, UserID: s.UserID,
			CourseID: s.CourseID, CreatedAt: s.CreatedAt, Amount: s.Amount,
			RefundedAmount: s.RefundedAmount, PendingRefunds: s.PendingRefunds,
			TermDays: s.TermDays, TermUntil: s.TermUntil, ExpiresAt: s.ExpiresAt, End: end},
		CourseTitle: title, CourseDeleted: s.CourseDeleted, CourseTerms: s.CourseTerms,
		Enrollment: s.Enrollment,
	}}
}

// hasEnded reports whether a course of the purchase is not sold any more, by the terms of the order
// and by the present ones.
func (s PurchaseState) hasEnded(at time.Time) bool {
	return slices.ContainsFunc(s.parts(""), func(p line.Part) bool { return p.HasEnded(at) })
}

// expiring returns p, which is the purchase after its completion, with the end of the access that
// it gives since a time.
func (s PurchaseState) expiring(p Purchase, at time.Time) Purchase {
	p.Lines = slices.Clone(p.Lines)
	for i, part := range s.parts("") {
		end := line.EndOf(part.Terms(at), part.Enrollment, at)
		if p.BundleID == "" {
			p.ExpiresAt = end
		} else {
			p.Lines[i].ExpiresAt = end
		}
	}
	return p
}

// courseIDs returns the courses that p gives.
func (p Purchase) courseIDs() []string {
	if p.BundleID == "" {
		return []string{p.CourseID}
	}
	return line.CourseIDs(p.Lines)
}

// insertPurchase inserts a purchase with its lines.
func insertPurchase(ctx context.Context, tx Tx, p Purchase) error {
	if err := tx.InsertPurchase(ctx, p); err != nil || len(p.Lines) == 0 {
		return err
	}
	return tx.InsertLines(ctx, p.Lines)
}

// storeLines stores the lines of after in place of those of before.
func storeLines(ctx context.Context, tx Tx, before, after Purchase) error {
	if slices.EqualFunc(before.Lines, after.Lines, line.Line.IsSame) {
		for i, l := range after.Lines {
			if l == before.Lines[i] {
				continue
			}
			if err := tx.UpdateLine(ctx, l); err != nil {
				return err
			}
		}
		return nil
	}
	// Another order takes the purchase over.
	if err := tx.DeleteLines(ctx, before.ID); err != nil || len(after.Lines) == 0 {
		return err
	}
	return tx.InsertLines(ctx, after.Lines)
}

// titleOf returns the title of what was bought, for events.
func (s *Service) titleOf(ctx context.Context, p Purchase) (string, error) {
	if p.BundleID != "" {
		return p.BundleTitle, nil
	}
	return s.catalog.EventTitle(ctx, p.CourseID)
}
