// Package gateway speaks to the payment gateway.
//
// It owns the protocol: orders are opened and their payments listed over HTTP
// with basic authentication, and the gateway's two signatures are checked (the
// one that the checkout hands to the browser, and the one over a webhook's body).
//
// It refuses to believe an answer that does not fit the question: an order for
// another amount, or a list that is not there, is an error and never "unpaid". It
// refuses to try again by itself, since only the platform knows which order it
// wants. It decides nothing about purchases, which is the work of package
// learning, and repeats no secret, signature or body in an error.
package gateway
