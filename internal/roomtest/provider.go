package roomtest

import (
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/payment"
)

// StubProvider is the part of a gateway that needs no network, for fakes that embed it and have the
// methods that their test calls. Its other methods panic.
type StubProvider struct{ payment.Provider }

// Name returns the name of the gateway.
func (StubProvider) Name() string { return payment.NameGateway }

// KeyID returns a key.
func (StubProvider) KeyID() string { return "key" }

// Accepts accepts what the gateway accepts.
func (StubProvider) Accepts(currency string) (core.AmountRule, bool) {
	return core.AmountRule{Smallest: 1_00, Step: 1}, core.HasTwoDecimals(currency)
}
