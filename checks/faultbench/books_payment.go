//go:build linux

package faultbench

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/openlectern/openlectern/internal/till"
)

// checkPayments checks that every captured payment has completed its purchase, that what the
// provider has refunded of it is counted, and that nothing else was completed.
func (l *ledger) checkPayments(ctx context.Context) error {
	rows, err := l.rows(ctx,
		"SELECT id, payment_id, amount, refunded_amount, status FROM purchases WHERE status IN "+
			"('completed', 'refunded') AND amount > 0")
	if err != nil {
		return err
	}
	// Build the rows from the providers' records, and compare in both directions.
	want := map[string]string{}
	err = captured(l.box, func(_ till.Till, p till.Payment) {
		status := "completed"
		if p.Refunded == p.Amount {
			status = "refunded"
		}
		if _, isThere := rows[p.PurchaseID]; !isThere && p.MayBeUnknown {
			return
		}
		want[p.PurchaseID] = fmt.Sprintf("%s|%d|%d|%s", p.ID, p.Amount, p.Refunded, status)
	})
	l.compare("captured payment of purchase", want, rows)
	l.compare("completed purchase", rows, want)
	return err
}

// checkRefunds checks that every refund at a provider is in the database once, with its outcome,
// and no other, and that the requests of admins have refunded once.
func (l *ledger) checkRefunds(ctx context.Context) error {
	// Refunds as the provider names them, and by the idempotency key, which is their own id.
	rows, err := l.rows(ctx,
		"SELECT provider_id, payment_id, amount, status FROM refunds WHERE provider_id IS NOT NULL")
	if err != nil {
		return err
	}
	ids, err := l.rows(ctx, "SELECT id, provider_id, status FROM refunds")
	if err != nil {
		return err
	}
	// Build the rows from the providers' records, and count the refunds that the platform has
	// requested.
	want, requested := map[string]string{}, map[string]int{}
	err = captured(l.box, func(_ till.Till, p till.Payment) {
		for _, r := range p.Refunds {
			if _, isThere := rows[r.ID]; !isThere && (p.MayBeUnknown || r.MayBeUnknown()) {
				continue
			}
			want[r.ID] = fmt.Sprintf("%s|%d|%s", p.ID, r.Amount, r.Status)
			if r.Key == "" {
				continue // it was started at the provider
			}
			requested[p.PurchaseID]++
			if got := r.ID + "|" + string(r.Status); ids[r.Key] != got {
				l.difference("the refund %s is %q in the database, and %q at the provider", r.Key,
					ids[r.Key], got)
			}
		}
	})
	// Compare in both directions.
	l.compare("refund at the provider", want, rows)
	l.compare("refund in the database", rows, want)
	l.compareRequests(requested)
	return err
}

// compareRequests compares the number of refunds of each purchase that the provider has got from
// the platform with the requests of admins.
func (l *ledger) compareRequests(requested map[string]int) {
	parts := l.claims.of(claimPart)
	// Each answered request must have refunded.
	for purchase := range l.claims.of(claimRefund) {
		if requested[purchase] == 0 {
			l.difference("the refund of purchase %s was answered, and the provider has none",
				purchase)
		}
	}
	// No request may have refunded twice.
	for purchase, n := range requested {
		most := 1 // a refund of the whole
		if text, isPart := parts[purchase]; isPart {
			most, _ = strconv.Atoi(text) // always a number: see claims.increment
		}
		if n > most {
			l.difference("purchase %s was refunded %d times, and %d were asked for", purchase, n,
				most)
		}
	}
}

// checkAccess checks that a user is enrolled in a course if and only if a purchase of it is
// completed, or an admin has decided so.
func (l *ledger) checkAccess(ctx context.Context) error {
	got, err := l.keys(ctx, "enrollments", "user_id", "course_id")
	if err != nil {
		return err
	}
	// A completed purchase enrols.
	want, err := l.keys(ctx, "purchases WHERE status = 'completed' GROUP BY user_id, course_id",
		"user_id", "course_id")
	if err != nil {
		return err
	}
	// Decisions of admins come after that. If the outcome of one is unknown, both are right.
	for key, decision := range l.claims.of(claimAccess) {
		switch decision {
		case granted:
			want[key] = ""
		case ended:
			delete(want, key)
		default: // unknown
			delete(want, key)
			delete(got, key)
		}
	}
	l.compare("access of", want, got)
	l.compare("enrolment of", got, want)
	return nil
}

// checkCoupons checks that no coupon was redeemed more often than it may.
func (l *ledger) checkCoupons(ctx context.Context) error {
	rows, err := l.rows(ctx,
		"SELECT code, redemptions, max_redemptions FROM coupons WHERE redemptions > "+
			"max_redemptions")
	for code, counts := range rows {
		l.difference("the coupon %s was redeemed too often: %s", code,
			strings.ReplaceAll(counts, "|", " of "))
	}
	return err
}
