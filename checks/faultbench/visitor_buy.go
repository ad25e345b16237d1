//go:build linux

package faultbench

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/openlectern/openlectern/internal/till"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// sale is a purchase of the present user.
type sale struct {
	course     course
	PurchaseID string
	OrderID    string // "" for a free course, and if the user is enrolled already
	Provider   string // of the order
	currency   string // "" for that of the platform, which the gateway takes
	payment    string // "" until the order is paid
}

// buy opens an order, pays it, and returns the sale, also if it is incomplete. It reports whether
// the user is enrolled. The client proves the payment, or the gateway reports it, or both, or
// neither. A few users never pay.
func (v *visitor) buy(ctx context.Context, c course) (s sale, isEnrolled bool) {
	s, ok := v.order(ctx, c)
	if !ok {
		return s, false
	}
	if s.OrderID != "" {
		neverPays := v.random.IntN(12) == 0
		if neverPays || !v.pay(ctx, &s) {
			return s, false
		}
	}
	const enrolled = true
	if !v.awaitEnrolment(ctx, c, enrolled) {
		return s, false // the webhook may come late
	}
	v.claims.add(v.id+"|"+c.id, answered, claimEnrolled)
	return s, true
}

// Texts of refusals.
const (
	couponRefused   = "This coupon cannot be used"
	alreadyEnrolled = "You are already enrolled in this course"
)

// order opens an order, perhaps with a coupon, and reports whether the user can pay it or is
// enrolled. A few users change their mind about the coupon, which replaces the order.
func (v *visitor) order(ctx context.Context, c course) (s sale, ok bool) {
	s.course = c
	if c.price > 0 && v.random.IntN(2) == 0 {
		s.currency = stripeCurrency
	}
	status := http.StatusConflict // as if a coupon was refused, so that one without is requested
	if c.price > 0 && v.random.IntN(2) == 0 {
		status = v.requestOrder(ctx, &s, coupons[v.random.IntN(len(coupons))].code)
	}
	// Without a coupon: it was refused, or the user does not want it any more.
	if status != http.StatusOK || s.OrderID != "" && v.random.IntN(6) == 0 {
		status = v.requestOrder(ctx, &s, "")
	}
	isEnrolled := status == http.StatusConflict && strings.Contains(v.refusal, alreadyEnrolled)
	return s, status == http.StatusOK || isEnrolled
}

// requestOrder asks for an order, with a coupon unless that is "", until it is answered or refused.
// It fills s and returns the status.
func (v *visitor) requestOrder(ctx context.Context, s *sale, coupon string) int {
	in := body{"courseId": s.course.id}
	if s.currency != "" {
		in["currency"] = s.currency
	}
	if coupon != "" {
		in["couponCode"] = coupon
	}
	return v.repeat(ctx, func() int {
		return v.call(ctx, "purchase.create", areaPurchase, http.MethodPost, "/api/user/purchase",
			in, s)
	})
}

// pay pays the order, and reports whether the platform learns of it now: by the proof, if that was
// accepted, or by the webhook. Otherwise reconciliation finds the payment.
func (v *visitor) pay(ctx context.Context, s *sale) bool {
	// The proof of the browser, the webhook of the gateway, both or neither.
	proves, reports := v.random.IntN(5) < 3, v.random.IntN(5) < 3
	var options []sandbox.PayOption
	if !reports {
		options = append(options, sandbox.WithoutWebhook())
	}
	payment, err := v.till(*s).Pay(s.OrderID, options...)
	if err != nil {
		v.journal.problem("pay order %q: %v", s.OrderID, err)
		return false
	}
	s.payment = payment
	if !proves {
		return reports
	}
	return v.prove(ctx, *s) == http.StatusOK || reports
}

// till returns where a sale is paid.
func (v *visitor) till(s sale) till.Till { return till.Named(v.box, s.Provider) }

// prove sends the proof of a payment until it is answered or refused, and returns the status.
func (v *visitor) prove(ctx context.Context, s sale) (status int) {
	proof := proofBody(v.till(s).Proof(s.OrderID, s.payment))
	where := areaPlain
	if s.Provider == linkStripe { // which is asked
		where = areaPurchase
	}
	return v.repeat(ctx, func() int {
		return v.call(ctx, "purchase.verify", where, http.MethodPost,
			"/api/user/verify-gateway", proof, nil)
	})
}

// awaitEnrolment waits until the user's data list a course, or, if enrolled is false, do not list
// it any more. It reports whether that happened before repeat gave up.
func (v *visitor) awaitEnrolment(ctx context.Context, c course, enrolled bool) bool {
	return v.repeat(ctx, func() int {
		var data struct {
			User struct{ EnrolledCourses []string }
		}
		status := v.call(ctx, "user.data", areaPlain, http.MethodGet, "/api/user/data", nil, &data)
		if status == http.StatusOK && slices.Contains(data.User.EnrolledCourses, c.id) != enrolled {
			return http.StatusNotFound // the list may be behind: repeat asks again
		}
		return status
	}) == http.StatusOK
}
