// Package stripe takes payments by Stripe.
//
// It creates PaymentIntents, asks for their state, cancels and refunds them, lists disputes, and
// verifies the signatures of webhooks. It implements [payment.Provider] with the few requests that
// this needs, and not with the library of Stripe, so that a host compiles neither that library nor
// depends on its releases. All requests name one version of Stripe's API.
//
// One PaymentIntent is one order. It has at most one payment that succeeds, so the id of the intent
// is also the id of the payment.
//
// Webhooks only say what has changed: the state of an order, the refunds or the disputes of a
// payment. The platform then asks Stripe. So neither the order nor the repetition of webhooks
// matters.
//
// An answer that does not match the request is an error and never counts as "unpaid". Errors
// contain no secret, no signature, and of an answer at most the type and the code of its error.
package stripe
