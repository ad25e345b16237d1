package storetest

import (
	"context"
	"testing"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/refund"
)

// dispute returns an open dispute of a purchase, in yen.
func dispute(id, purchaseID string) refund.Dispute {
	return refund.Dispute{ID: id, PurchaseID: purchaseID, ProviderID: "dispute-" + id, Amount: 1_00,
		Currency: "JPY", Reason: "fraudulent", Status: payment.DisputeOpen, CreatedAt: noon,
		UpdatedAt: noon}
}

// disputeRoundTrip: a purchase has several disputes, the oldest first, each id at the provider
// once, and a dispute that changes keeps its id and its time.
func disputeRoundTrip(t *testing.T, f *fixture) {
	first, second := dispute("b", "p"), dispute("a", "p")
	second.CreatedAt = later
	f.add(second, first, dispute("c", "another"))
	got, err := f.DisputesOf(t.Context(), "p")
	equal(t, got, err, []refund.Dispute{first, second})

	again := dispute("d", "p")
	again.ProviderID = first.ProviderID
	f.fails(core.ErrDuplicate, func(ctx context.Context, tx learning.Tx) error {
		return tx.InsertDispute(ctx, again)
	})

	first.Status, first.Amount, first.Reason = payment.DisputeLost, 50, "another reason"
	first.EndedAccess, first.UpdatedAt = true, later
	f.do(func(ctx context.Context, tx learning.Tx) error { return tx.UpdateDispute(ctx, first) })
	got, err = f.DisputesOf(t.Context(), "p")
	equal(t, got, err, []refund.Dispute{first, second})
	got, err = f.DisputesOf(t.Context(), "unknown")
	equal(t, len(got), err, 0)
}
