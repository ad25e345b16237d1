// Package sandbox is an identity provider, a payment gateway, Stripe and an AI provider for
// development and tests. They use the real protocols over HTTP, with test users, test money and
// generated answers. In development a user signs in and pays on small web pages.
//
// It has signing keys and tokens, users and their roles, orders, payments, and signed webhooks,
// which it repeats with back-off until the answer is 2xx. It answers as a language model, in one
// piece and as a stream, with texts that are made from the titles in the request and marked as
// stand-ins. It can fail on request, see [Faults], because a platform must handle failures of its
// providers.
//
// It must not be used in production: every client can sign in as any user and pay any order, so it
// should listen on the loopback interface only. It imports no other package of this module, so that
// it does not share their mistakes.
//
//	s, err := sandbox.Listen(sandbox.Config{WebhookURL: "http://127.0.0.1:3000"})
//	defer s.Close()
//	s.Identity().PutUser(sandbox.User{ID: "user_1", FirstName: "Ada", Email: "ada@example.com"})
//	token, err := s.Identity().Token("user_1")
//
// # Over HTTP
//
// Pages: GET / (users, open orders, deliveries) and GET /checkout/{order}.
//
// Identity provider: GET /.well-known/jwks.json, GET /v1/people (the users to sign in as), POST
// /v1/sign-in, GET /v1/users/{id}, PATCH /v1/users/{id}/metadata, and GET /pictures/{id}, the
// initials of a user who has no picture.
//
// Payment gateway: POST /v1/orders, GET /v1/orders/{id}/payments, POST /checkout/{order}. A front
// end that leads the browser to /checkout/{order}?return=URL gets it back at the URL, which must be
// one of Config.FrontendOrigin, with the proof of payment (gateway_order_id, gateway_payment_id,
// gateway_signature) or with payment=failed, cancelled or pending.
//
// Stripe, whose base URL is that of the sandbox and [StripePath]: POST /v1/payment_intents, GET
// /v1/payment_intents/{id}, POST /v1/payment_intents/{id}/cancel, GET /v1/charges, POST and GET
// /v1/refunds, GET /v1/disputes. GET /v3/ is a script that stands in for Stripe.js. It leads the
// browser to /pay/{client secret}?return=URL, and the browser returns to the URL with the
// parameters of Stripe (payment_intent, payment_intent_client_secret, redirect_status).
//
// AI provider: POST /v1/chat/completions.
//
// The pages of Config.FrontendOrigin may list people, sign in and check out from the browser.
//
// To let things happen at the providers that hurt a platform, from a test in another process: the
// routes below /sandbox/orders, /sandbox/payments, /sandbox/stripe, /sandbox/users and
// /sandbox/webhooks. They have the names of the methods [Gateway.Pay], [Gateway.Capture],
// [Stripe.Dispute], [Identity.DeleteUser], [Sandbox.Resend] and so on; docs/testing.md lists them.
//
// To make a provider fail, by hand or from a test in another process: POST and DELETE
// /sandbox/faults, GET /sandbox/counters. In this example the next two answers of the AI are prose,
// and then it hangs until the faults are deleted:
//
//	curl 127.0.0.1:3001/sandbox/faults -d '{"provider":"ai","kind":"prose","times":2}'
//	curl 127.0.0.1:3001/sandbox/faults -d '{"provider":"ai","kind":"hang","times":-1}'
//	curl -X DELETE 127.0.0.1:3001/sandbox/faults
//
// A provider is identity, gateway, stripe or ai; the kinds are those of [FaultKind], with status
// (for the kind status), delay ("1.5s"), on (an operation, such as "order.create") and after (the
// request is performed, and its answer lost).
package sandbox
