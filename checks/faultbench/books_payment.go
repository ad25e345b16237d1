//go:build linux

package faultbench

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/openlectern/openlectern/learning/sandbox"
)

// captured calls a function for each captured payment at the gateway, with its order and its
// refunds. It returns an error if the sandbox does not know an order or payment that it has listed.
func captured(box *sandbox.Sandbox,
	each func(o sandbox.Order, p sandbox.Payment, refunds []sandbox.Refund)) error {
	for _, o := range box.Gateway().Orders() {
		payments, err := box.Gateway().Payments(o.ID)
		if err != nil {
			return err
		}
		for _, p := range payments {
			if !p.Captured {
				continue
			}
			refunds, err := box.Gateway().Refunds(p.ID)
			if err != nil {
				return err
			}
			each(o, p, refunds)
		}
	}
	return nil
}

// checkPayments checks that every captured payment has completed its purchase, that what the
// gateway has refunded of it is counted, and that nothing else was completed.
func (l *ledger) checkPayments(ctx context.Context) error {
	rows, err := l.rows(ctx,
		"SELECT id, payment_id, amount, refunded_amount, status FROM purchases WHERE status IN "+
			"('completed', 'refunded') AND amount > 0")
	if err != nil {
		return err
	}
	// Build the rows from the gateway's records, and compare in both directions.
	want := map[string]string{}
	err = captured(l.box, func(o sandbox.Order, p sandbox.Payment, _ []sandbox.Refund) {
		status := "completed"
		if p.AmountRefunded == p.Amount {
			status = "refunded"
		}
		want[o.Receipt] = fmt.Sprintf("%s|%d|%d|%s", p.ID, p.Amount, p.AmountRefunded, status)
	})
	l.compare("captured payment of purchase", want, rows)
	l.compare("completed purchase", rows, want)
	return err
}

// checkRefunds checks that every refund at the gateway is in the database once, with its outcome,
// and no other, and that the requests of admins have refunded once.
func (l *ledger) checkRefunds(ctx context.Context) error {
	// Refunds as the gateway names them, and by the idempotency key, which is their own id.
	rows, err := l.rows(ctx,
		"SELECT provider_id, payment_id, amount, status FROM refunds WHERE provider_id IS NOT NULL")
	if err != nil {
		return err
	}
	ids, err := l.rows(ctx, "SELECT id, provider_id, status FROM refunds")
	if err != nil {
		return err
	}
	// Build the rows from the gateway's records, and count the refunds that the platform has
	// requested.
	want, requested := map[string]string{}, map[string]int{}
	err = captured(l.box, func(o sandbox.Order, p sandbox.Payment, refunds []sandbox.Refund) {
		for _, r := range refunds {
			want[r.ID] = fmt.Sprintf("%s|%d|%s", p.ID, r.Amount, r.Status)
			if r.Key == "" {
				continue // it was started at the gateway
			}
			requested[o.Receipt]++
			if got := r.ID + "|" + r.Status; ids[r.Key] != got {
				l.difference("the refund %s is %q in the database, and %q at the gateway", r.Key,
					ids[r.Key], got)
			}
		}
	})
	// Compare in both directions.
	l.compare("refund at the gateway", want, rows)
	l.compare("refund in the database", rows, want)
	l.compareRequests(requested)
	return err
}

// compareRequests compares the number of refunds of each purchase that the gateway has got from the
// platform with the requests of admins.
func (l *ledger) compareRequests(requested map[string]int) {
	parts := l.claims.of(claimPart)
	// Each answered request must have refunded.
	for purchase := range l.claims.of(claimRefund) {
		if requested[purchase] == 0 {
			l.difference("the refund of purchase %s was answered, and the gateway has none",
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
