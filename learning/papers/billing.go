package papers

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/openlectern/openlectern/learning/core"
)

// Billing is what a user wants to stand on receipts.
type Billing struct {
	Name    string
	Address string // lines are separated by \n
	Country string // ISO 3166-1 (alpha-2)
	TaxID   string // "" for none
}

// countries are the codes of ISO 3166-1 (alpha-2).
const countries = " AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL " +
	"BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE " +
	"DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ " +
	"GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM " +
	"KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ " +
	"MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN " +
	"PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY " +
	"SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF " +
	"WS YE YT ZA ZM ZW "

// isCountry reports whether a code is in countries, with the spaces around it. The length is
// checked because a part of the list with several codes is no code.
func isCountry(code string) bool {
	return len(code) == 2 && strings.Contains(countries, " "+code+" ")
}

// normalised returns the data without spaces around them, and with the country in upper case.
func (b Billing) normalised() Billing {
	return Billing{
		Name:    strings.TrimSpace(b.Name),
		Address: strings.TrimSpace(strings.ReplaceAll(b.Address, "\r\n", "\n")),
		Country: strings.ToUpper(strings.TrimSpace(b.Country)),
		TaxID:   strings.TrimSpace(b.TaxID),
	}
}

// check returns an error that names the first wrong field.
func (b Billing) check() error {
	return cmp.Or(
		core.RequireText("name", b.Name, 1, MaxName),
		core.RequireText("address", b.Address, 1, MaxAddress),
		core.Require(isCountry(b.Country), "country", "must be a code of ISO 3166-1, such as IN"),
		core.RequireText("taxId", b.TaxID, 0, MaxTaxID),
	)
}

// Billing returns the billing data of the actor. It reports false if there are none. Error:
// [core.ErrUnauthenticated].
func (s *Service) Billing(ctx context.Context, actor core.Actor) (Billing, bool, error) {
	if err := actor.Require(); err != nil {
		return Billing{}, false, err
	}
	b, err := s.store.Billing(ctx, actor.UserID)
	if errors.Is(err, core.ErrNoRecord) {
		return Billing{}, false, nil
	}
	return b, err == nil, core.Wrap("read billing data", err)
}

// SetBilling stores the billing data of the actor for the papers of later purchases, and returns
// them as they are stored. Earlier papers keep theirs. Errors: [core.ErrUnauthenticated], also if
// the user is deleted during the call, [core.ErrInvalidRequest].
func (s *Service) SetBilling(
	ctx context.Context, actor core.Actor, b Billing,
) (Billing, error) {
	if err := actor.Require(); err != nil {
		return Billing{}, err
	}
	b = b.normalised()
	if err := b.check(); err != nil {
		return Billing{}, err
	}
	err := s.base.ChangeOfUndeleted(ctx, actor.UserID, func(tx Tx, _ *core.Changes) error {
		return tx.ReplaceBilling(ctx, actor.UserID, b, s.base.Now())
	})
	return b, core.Wrap("store billing data", err)
}

// billingReader reads billing data.
type billingReader interface {
	Billing(ctx context.Context, userID string) (Billing, error)
}

// billingWriter writes billing data.
type billingWriter interface {
	// ReplaceBilling stores the billing data of a user in place of those before.
	ReplaceBilling(ctx context.Context, userID string, b Billing, at time.Time) error
	DeleteBilling(ctx context.Context, userID string) error
}
