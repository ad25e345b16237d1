package sale

import (
	"cmp"
	"fmt"
	"time"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
)

// The lengths of the longest reference and source of a [SaleElsewhere], in code points.
const (
	MaxReference = 200
	MaxSource    = 40
)

// SaleElsewhere is a sale that was made outside of the platform: by an invoice, in an app store or
// in another system.
type SaleElsewhere struct {
	UserID   string
	CourseID string     // "" for a bundle
	BundleID string     // "" for a course
	Amount   core.Money // what was paid; may be 0
	Currency string     // ISO 4217
	// Reference is the number of the sale where it was made, which Source names, such as "invoice".
	// Both together name one sale.
	Reference string
	Source    string
	SoldAt    time.Time // zero for now
	Paper     bool      // whether it gets a receipt, if there is a seller
}

// Check returns an error that names the first wrong field.
func (e SaleElsewhere) Check(now time.Time) error {
	_, isCurrency := core.Decimals(e.Currency)
	most := catalog.MaxPriceIn(e.Currency)
	return cmp.Or(
		core.RequireText("reference", e.Reference, 1, MaxReference),
		core.RequireText("source", e.Source, 1, MaxSource),
		core.Require(isCurrency, "currency", "must be a currency of ISO 4217"),
		core.Require(e.Amount >= 0 && e.Amount <= most, "amount",
			fmt.Sprintf("must be from 0 to %s", core.FormatMoney(most, e.Currency))),
		core.Require(core.IsStorableTime(e.SoldAt), "soldAt", core.StorableTimeRule),
		core.Require(!e.SoldAt.After(now), "soldAt", "must not be in the future"),
	)
}

// TermsOf returns the terms that the sale gives. A course that had ended when it was sold gives no
// end by that.
func (e SaleElsewhere) TermsOf(course catalog.Terms, soldAt time.Time) catalog.Terms {
	terms := catalog.Terms{Days: course.Days, Until: course.Until}
	if terms.HasEnded(soldAt) {
		terms.Until = time.Time{}
	}
	return terms
}
