package bundle

import (
	"context"
	"errors"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/offer"
)

// Offer returns the offer of a bundle that is for sale. Error: [ErrBundleNotFound].
func (s *ForRooms) Offer(ctx context.Context, id string) (offer.Offer, error) {
	b, err := readStable(ctx, s.store, id)
	if err == nil && !b.IsForSale(s.base.Now()) {
		return offer.Offer{}, ErrBundleNotFound
	}
	return b.offer(), err
}

// AnyOffer returns the offer of a bundle, which need not be for sale. Error: [ErrBundleNotFound].
func (s *ForRooms) AnyOffer(ctx context.Context, id string) (offer.Offer, error) {
	b, err := readStable(ctx, s.store, id)
	return b.offer(), err
}

// offer returns the offer of the bundle.
func (b Bundle) offer() offer.Offer {
	parts := make([]offer.Part, len(b.Courses))
	for i, c := range b.Courses {
		parts[i] = offer.Part{CourseID: c.ID, Title: c.Title, Price: c.Price, Prices: c.Prices,
			Discount: c.Discount, Terms: c.Terms}
	}
	return offer.Offer{BundleID: b.ID, Title: b.Title, Price: b.Price, Prices: b.Prices,
		Discount: b.Discount, Parts: parts}
}

// readAttempts is how often readStable reads a bundle that changes meanwhile.
const readAttempts = 5

// readStable reads a bundle and its courses of one version, so that no order has the price of one
// version and the courses of another one. Errors: [ErrBundleNotFound], [ErrBundleChanged].
func readStable(ctx context.Context, r bundleReader, id string) (b Bundle, err error) {
	for range readAttempts {
		if b, err = readBundle(ctx, r, id); err != nil {
			return Bundle{}, err
		}
		again, err := r.Bundle(ctx, id)
		if errors.Is(err, core.ErrNoRecord) {
			return Bundle{}, ErrBundleNotFound
		}
		if err != nil {
			return Bundle{}, core.Wrap("read a bundle again", err)
		}
		if again.Version == b.Version {
			return b, nil
		}
	}
	return Bundle{}, ErrBundleChanged
}
