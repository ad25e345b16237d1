package roomtest

import (
	"testing"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/internal/till"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/sandbox"
)

const rupees = "INR"

// NewWorld returns a world with a database without rows, which sells at one provider.
type NewWorld func(opts ...learningtest.Option) *World

// AtTills runs a test on worlds that sell at the gateway and at Stripe, on the engines of
// [OnEngines]. Races, outages and reconciliation are tested at both.
func AtTills(t *testing.T, test func(t *testing.T, newWorld NewWorld)) {
	atTills(t, enginetest.Shared(t.Name()), test)
}

// AtTillsOnAllEngines is AtTills on the engines of [OnAllEngines].
func AtTillsOnAllEngines(t *testing.T, test func(t *testing.T, newWorld NewWorld)) {
	atTills(t, enginetest.All, test)
}

// AtTillsRepeatedly is AtTills on the engines of [OnEnginesRepeatedly].
func AtTillsRepeatedly(t *testing.T, test func(t *testing.T, newWorld NewWorld)) {
	atTills(t, enginetest.Repeated, test)
}

func atTills(t *testing.T, engines []enginetest.Engine,
	test func(t *testing.T, newWorld NewWorld)) {
	t.Parallel()
	enginetest.Each(t, engines, func(t *testing.T, e enginetest.Engine) {
		for _, name := range []string{payment.NameGateway, till.NameStripe} {
			t.Run(name, func(t *testing.T) {
				test(t, func(opts ...learningtest.Option) *World {
					w := New(t, e.Reused(t), append(opts, sellsAt(name))...)
					w.Till = till.Named(w.Sandbox, name)
					return w
				})
			})
		}
	})
}

// During calls f while each request meets a fault at the provider, however often clients repeat it.
func (w *World) During(fault sandbox.Fault, f func()) {
	w.Till.Faults().Next(-1, fault)
	defer w.Till.Faults().Clear()
	f()
}

// In returns the NewWorld of a database, whose worlds sell at the gateway.
func In(t *testing.T, database string) NewWorld {
	return func(opts ...learningtest.Option) *World { return New(t, database, opts...) }
}

// sellsAt returns the option that sells what costs rupees at the provider with a name.
func sellsAt(name string) learningtest.Option {
	if name == till.NameStripe {
		return learningtest.AtStripe(rupees)
	}
	return learningtest.AtStripe()
}
