package papers

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"github.com/openlectern/openlectern/internal/text"
	"github.com/openlectern/openlectern/learning/core"
)

// TaxPort says which tax is contained in what a buyer has paid. It must be safe for concurrent use.
type TaxPort interface {
	// Tax is called once for each receipt, before that gets its number, and outside a transaction;
	// after an error it is called again, after pauses that grow to an hour. What it returned is
	// stored. Its context ends after at most four seconds.
	Tax(ctx context.Context, s TaxedSale) (Tax, error)
}

// TaxedSale is what a [TaxPort] is asked about.
type TaxedSale struct {
	Country  string // of the buyer, in ISO 3166-1 (alpha-2); "" if the buyer has not told it
	TaxID    string // of the buyer; "" for none
	Currency string // ISO 4217
	Amount   core.Money
}

// Tax is the tax that is contained in an amount.
type Tax struct {
	Rate   Rate
	Amount core.Money // from 0 to the amount that contains it
	Name   string     // such as VAT; at most [MaxTaxName] code points
	Note   string     // such as the reason of no tax; at most [MaxTaxNote] code points
}

// Limits of a [Tax], in code points.
const (
	MaxTaxName = 100
	MaxTaxNote = 500
)

// check returns an error if a tax cannot stand on a paper of an amount.
func (t Tax) check(amount core.Money) error {
	switch {
	case t.Amount < 0 || t.Amount > amount:
		return fmt.Errorf("the tax is %d of %d", t.Amount, amount)
	case t.Rate < 0 || t.Rate > wholeRate:
		return fmt.Errorf("the rate of the tax is %d", t.Rate)
	case !text.Is(t.Name, 0, MaxTaxName):
		return errors.New("the name of the tax " + text.Problem(t.Name, 0, MaxTaxName))
	case !text.Is(t.Note, 0, MaxTaxNote):
		return errors.New("the note of the tax " + text.Problem(t.Note, 0, MaxTaxNote))
	}
	return nil
}

// Rate is the rate of a tax on the amount without the tax, in millionths: 190_000 is 19 %.
type Rate int64

// wholeRate is the largest rate, 100 %.
const wholeRate Rate = 1_000_000

// ParseRate parses a percentage from 0 to 100 with at most four decimals, such as "19" or "9.975".
func ParseRate(percent string) (Rate, error) {
	whole, fraction, _ := strings.Cut(percent, ".")
	fraction = strings.TrimRight(fraction, "0")
	isNumber := whole != "" && len(whole) <= 3 && len(fraction) <= 4 &&
		strings.Trim(whole+fraction, "0123456789") == ""
	if isNumber {
		n, err := strconv.ParseInt(whole+fraction+strings.Repeat("0", 4-len(fraction)), 10, 64)
		if err == nil && Rate(n) <= wholeRate {
			return Rate(n), nil
		}
	}
	return 0, errors.New("it must be a percentage from 0 to 100 with at most four decimals")
}

// String returns the percentage without a sign, such as "19" or "9.975".
func (r Rate) String() string {
	s := strconv.FormatInt(int64(r)/10_000, 10)
	if rest := int64(r) % 10_000; rest != 0 { // 10,000 is added so that it has all zeros
		s += "." + strings.TrimRight(strconv.FormatInt(10_000+rest, 10)[1:], "0")
	}
	return s
}

// FixedTax is a [TaxPort] that has one rate for every buyer. The zero FixedTax is no tax.
type FixedTax struct {
	Rate Rate
	Name string // such as VAT
}

// Tax implements [TaxPort].
func (f FixedTax) Tax(_ context.Context, s TaxedSale) (Tax, error) {
	return Tax{Rate: f.Rate, Amount: f.Rate.ContainedIn(s.Amount), Name: f.Name}, nil
}

// check returns an error if the rate or the name cannot be used.
func (f FixedTax) check() error { return core.Wrap("tax", Tax{Rate: f.Rate, Name: f.Name}.check(0)) }

// ContainedIn returns the tax that is contained in an amount, rounded half away from zero: 19 % in
// 119.00 is 19.00. The amount must not be negative.
func (r Rate) ContainedIn(amount core.Money) core.Money {
	return share(amount, core.Money(r), core.Money(wholeRate+r))
}

// share returns part/whole of an amount, rounded half away from zero. No argument may be negative,
// whole must be positive, and part at most whole. The product has 128 bits, because that of two
// large prices does not fit into 64.
func share(amount, part, whole core.Money) core.Money {
	high, low := bits.Mul64(uint64(amount), uint64(part))
	low, carry := bits.Add64(low, uint64(whole)/2, 0)
	quotient, _ := bits.Div64(high+carry, low, uint64(whole))
	return core.Money(quotient)
}
