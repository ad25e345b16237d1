//go:build linux

package faultbench

import (
	"context"
	"net/http"

	"github.com/openlectern/openlectern/learning/sandbox"
)

// regret lets some users have their payment back, wholly or in part, by an admin or at the gateway,
// also if the platform does not know of the payment yet. Some of those who lost their access by it
// buy again; an admin ends the enrolment of a few others.
func (v *visitor) regret(ctx context.Context, s sale, isEnrolled bool) {
	// Six in ten want something:
	//
	//	choice  enrolled                              not enrolled
	//	0       an admin ends the access              a part, at the gateway
	//	1       a part, by an admin                   a part, at the gateway
	//	2       a part, at the gateway                the same
	//	3       all, at the gateway without a webhook all, at the gateway
	//	4       all, by an admin                      all, at the gateway
	//	5       all, at the gateway                   the same
	choice := v.random.IntN(10)
	if s.payment == "" || choice > 5 {
		return
	}
	// An admin can refund what the platform knows to be paid only.
	byAdmin := isEnrolled && (choice == 1 || choice == 4)
	switch {
	case choice == 0 && isEnrolled:
		v.endByHand(ctx, s.course)
	case choice <= 2:
		v.refundPart(ctx, s, byAdmin)
	case choice == 3 && isEnrolled:
		v.refundThere(s, sandbox.WithoutWebhook()) // reconciliation finds it
	default:
		v.refundAll(ctx, s, byAdmin)
		v.afterRefund(ctx, s, isEnrolled)
	}
}

// afterRefund lets the refund fail later, or lets the user buy again. It does not do both, because
// a user may have the access of a failed refund back before a second order is paid, which is a
// double payment.
func (v *visitor) afterRefund(ctx context.Context, s sale, isEnrolled bool) {
	choice := v.random.IntN(3)
	if choice == 2 {
		return // bench.finish decides about pending refunds
	}
	fail := choice == 0
	v.decide(s, fail)
	// A refund of all ends the enrolment.
	const enrolled = false
	if !fail && isEnrolled && v.awaitEnrolment(ctx, s.course, enrolled) {
		v.buyAgain(ctx, s.course)
	}
}

// buyAgain buys a course that the user had before: the progress must be there again.
func (v *visitor) buyAgain(ctx context.Context, c course) {
	if _, ok := v.buy(ctx, c); !ok {
		return
	}
	// Read the progress, and compare it with the lectures that were answered.
	var answer struct {
		ProgressData *struct{ LectureCompleted []string }
	}
	status := v.repeat(ctx, func() int {
		return v.call(ctx, "progress.get", areaPlain, http.MethodPost,
			"/api/user/get-course-progress", body{"courseId": c.id}, &answer)
	})
	if status != http.StatusOK {
		return
	}
	done := 0
	if answer.ProgressData != nil {
		done = len(answer.ProgressData.LectureCompleted)
	}
	if want := v.claims.count(v.id+"|"+c.id+"|", claimLecture); done < want {
		v.journal.problem("%s has bought %s again, and %d of %d lectures are completed", v.id, c.id,
			done, want)
	}
}

// refundAll refunds what is left of a payment, by an admin, who repeats the request until there is
// an answer, or at the gateway.
func (v *visitor) refundAll(ctx context.Context, s sale, byAdmin bool) {
	if !byAdmin {
		v.refundThere(s)
		return
	}
	v.delayRefund(s)
	boss := v.staff()
	status := boss.repeat(ctx,
		func() int { return boss.refund(ctx, s, body{"reason": "The user asks for it."}) })
	// The status is 409 if an earlier try has refunded it and its answer was lost. Only an answer
	// 200 is a claim.
	if status == http.StatusOK {
		v.claims.add(s.PurchaseID, answered, claimRefund)
	}
}

// refundPart refunds one or two parts of a payment. An admin does not repeat the request, because
// each one may be another part. Some of them fail later.
func (v *visitor) refundPart(ctx context.Context, s sale, byAdmin bool) {
	for range 1 + v.random.IntN(2) {
		amount := 1 + v.random.IntN(90)
		if !byAdmin {
			v.refundThere(s, sandbox.WithAmount(int64(100*amount)))
			continue
		}
		v.delayRefund(s)
		v.claims.increment(s.PurchaseID, claimPart)
		if v.staff().refund(ctx, s, body{"amount": amount}) == http.StatusOK {
			v.claims.add(s.PurchaseID, answered, claimRefund)
		}
	}
	// The gateway decides some refunds now, and the others at the end.
	if v.random.IntN(3) == 0 {
		fail := v.random.IntN(2) == 0
		v.decide(s, fail)
	}
}

// refund requests a refund as an admin, once, and returns the status.
func (v *visitor) refund(ctx context.Context, s sale, in body) int {
	return v.call(ctx, "purchase.refund", areaPurchase, http.MethodPost,
		"/api/admin/purchases/"+s.PurchaseID+"/refund", in, nil)
}

// refundThere refunds a payment at the gateway: what is left of it, or the amount of an option. The
// platform learns of it by a webhook, unless an option prevents that. A refund that is too large is
// no problem: earlier ones have left less.
func (v *visitor) refundThere(s sale, options ...sandbox.PayOption) {
	if err := exceptRefused(v.till(s).Refund(s.payment, options...)); err != nil {
		v.journal.problem("refund payment %q: %v", s.payment, err)
	}
}

// delayRefund lets some refunds of the platform stay pending at the provider of a sale. Which ones
// does not matter.
func (v *visitor) delayRefund(s sale) {
	if v.random.IntN(3) == 0 {
		v.till(s).DelayRefund()
	}
}

// decide lets the provider decide about the refunds of a payment: they fail, or those that are
// pending are processed.
func (v *visitor) decide(s sale, fail bool) {
	if err := decideRefunds(v.till(s), s.payment, fail); err != nil {
		v.journal.problem("decide about the refunds of %q: %v", s.payment, err)
	}
}
