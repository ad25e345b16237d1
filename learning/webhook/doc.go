// Package webhook sends events as webhooks that are signed according to the Standard Webhooks
// specification.
//
// A [Sender] is a [core.EventHandler]. It sends each event once, as a POST request, and
// reports whether the receiver took it; the platform stores the events, and sends them again
// if they were not taken. A receiver gets an event at least once and can verify it with any
// library of Standard Webhooks.
//
// Errors contain no secret, no signature, and no part of the URL or of the receiver's answer
// except its status. An error about a connection contains the address that was dialled.
package webhook
