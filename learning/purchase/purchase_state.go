package purchase

import (
	"slices"
	"time"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/study"
)

// State is a purchase with what a payment or a refund of it depends on.
type State struct {
	Purchase
	Enrollment    study.Enrollment // of the user in the course; zero if there is none
	PaymentUsed   bool             // whether the payment in question has completed another purchase
	CourseDeleted bool
	CourseTerms   catalog.Terms // at present; zero for a deleted course
	// Parts are the lines of a bundle with what of the above is theirs.
	Parts []Part
}

// AllParts returns what the purchase gives in each course. title is that of a single course.
func (s State) AllParts(title string) []Part {
	if s.BundleID != "" {
		parts := slices.Clone(s.Parts)
		for i := range parts {
			parts[i].Line = s.Lines[i]
		}
		return parts
	}
	end := Living
	if s.Status == Refunded {
		end = EndedWithAll
	}
	return []Part{{
		Line: Line{ID: s.ID, PurchaseID: s.ID, Number: 1, UserID: s.UserID,
			CourseID: s.CourseID, CreatedAt: s.CreatedAt, Amount: s.Amount,
			RefundedAmount: s.RefundedAmount, PendingRefunds: s.PendingRefunds,
			TermDays: s.TermDays, TermUntil: s.TermUntil, ExpiresAt: s.ExpiresAt, End: end},
		CourseTitle: title, CourseDeleted: s.CourseDeleted, CourseTerms: s.CourseTerms,
		Enrollment: s.Enrollment,
	}}
}

// HasEnded reports whether a course of the purchase is not sold any more, by the terms of the order
// and by the present ones.
func (s State) HasEnded(at time.Time) bool {
	return slices.ContainsFunc(s.AllParts(""), func(p Part) bool { return p.HasEnded(at) })
}

// Expiring returns p, which is the purchase after its completion, with the end of the access that
// it gives since a time.
func (s State) Expiring(p Purchase, at time.Time) Purchase {
	p.Lines = slices.Clone(p.Lines)
	for i, part := range s.AllParts("") {
		end := EndOf(part.Terms(at), part.Enrollment, at)
		if p.BundleID == "" {
			p.ExpiresAt = end
		} else {
			p.Lines[i].ExpiresAt = end
		}
	}
	return p
}
