// Package gateway is a client of a payment gateway.
//
// It opens orders, lists their payments and refunds them over HTTP with basic authentication, and
// verifies the gateway's two signatures: that of the proof of payment which the browser
// brings, and that of a webhook's body.
//
// An answer that does not match the request is an error and never counts as "unpaid",
// such as an order for another amount or a missing list. The package does not retry,
// because only the platform knows which order it wants. Decisions about purchases are
// made in package learning. Errors contain no secret, signature or body.
package gateway
