package payment

import (
	"errors"
	"fmt"
	"slices"

	"github.com/openlectern/openlectern/learning/core"
)

// Setting is a payment provider of the platform.
type Setting struct {
	Provider Provider
	// Currencies are those that go to this provider although another one takes them too. Without
	// them it gets what no provider before it takes.
	Currencies []string
}

// Providers are the payment providers of a platform, each with a name of its own.
type Providers []Setting

// With returns a copy of list with another provider, in place of one of the same name or at the
// end.
func (list Providers) With(added Setting) Providers {
	list = slices.Clone(list)
	if i := list.index(added.Provider.Name()); i >= 0 {
		list[i] = added
		return list
	}
	return append(list, added)
}

// index returns the index of the provider with a name; -1 for none.
func (list Providers) index(name string) int {
	return slices.IndexFunc(list, func(p Setting) bool { return p.Provider.Name() == name })
}

// Named returns the provider with a name. Error: [ErrNotConfigured] if there is none, such
// as the provider of an old purchase that the host does not use any more.
func (list Providers) Named(name string) (Provider, error) {
	i := list.index(name)
	if i < 0 {
		return nil, ErrNotConfigured
	}
	return list[i].Provider, nil
}

// For returns the provider that takes a currency, with its rule. The first one that is meant for
// the currency decides, else the first one without currencies that accepts it. Errors:
// [ErrNotConfigured] without any provider, and [ErrCurrencyNotSold].
func (list Providers) For(currency string) (Provider, core.AmountRule, error) {
	if len(list) == 0 {
		return nil, core.AmountRule{}, ErrNotConfigured
	}
	for _, isMeant := range []func(Setting) bool{
		func(p Setting) bool { return slices.Contains(p.Currencies, currency) },
		func(p Setting) bool { return len(p.Currencies) == 0 },
	} {
		for _, p := range list {
			if rule, takes := p.Provider.Accepts(currency); takes && isMeant(p) {
				return p.Provider, rule, nil
			}
		}
	}
	return nil, core.AmountRule{}, ErrCurrencyNotSold
}

// Check returns an error if the name of a provider cannot be stored, if none takes the currency of
// the platform, or if one does not take a currency that is meant for it.
func (list Providers) Check(platform string) error {
	for _, p := range list {
		name := p.Provider.Name()
		if !IsName(name) || name == NameManual {
			return fmt.Errorf("payment provider %q: its name must be 1 to 20 of a-z, 0-9 and -, "+
				"and not %s", name, NameManual)
		}
		for _, currency := range p.Currencies {
			if _, takes := p.Provider.Accepts(currency); !takes {
				return fmt.Errorf("payment provider %q: it does not take the currency %q", name,
					currency)
			}
		}
	}
	_, _, err := list.For(platform)
	if errors.Is(err, ErrCurrencyNotSold) {
		return fmt.Errorf("no payment provider takes %s, the currency of the platform", platform)
	}
	return nil
}
