// Package sandbox is an identity provider, a payment gateway and an AI provider that speak the real protocols over HTTP,
// with made-up people, made-up money and made-up answers. It serves development (a person signs in and pays on small
// web pages), our own tests, and the tests of those who embed the library.
//
// It owns what such providers own: signing keys and tokens, user records and their roles, orders, payments, and signed
// webhooks that are sent again with back-off until they are answered with 2xx; and answers of a language model, in one
// piece and as a stream, which are written from the titles in the request and say that they are stand-ins. It can
// misbehave on request, see [Faults], because a platform has to survive providers that do.
//
// It refuses to be a production service: anybody who reaches it can sign in as anybody and pay any order, so it belongs
// on the loopback interface. It imports no other package of this module, so that a mistake made there cannot hide here.
//
//	s, err := sandbox.Listen(sandbox.Config{WebhookURL: "http://127.0.0.1:3000"})
//	defer s.Close()
//	s.Identity().PutUser(sandbox.User{ID: "user_1", FirstName: "Ada", Email: "ada@example.com"})
//	token, err := s.Identity().Token("user_1")
//
// # Over HTTP
//
// Pages for people: GET / (users, open orders, deliveries) and GET /checkout/{order}.
//
// Identity provider: GET /.well-known/jwks.json, POST /v1/sign-in, GET /v1/users/{id}, PATCH /v1/users/{id}/metadata,
// and GET /pictures/{id}, the initials of a user who has no picture.
//
// Payment gateway: POST and GET /v1/orders, GET /v1/orders/{id}, GET /v1/orders/{id}/payments, POST /checkout/{order}.
//
// AI provider: POST /v1/chat/completions.
//
// The pages of Config.FrontendOrigin may call sign-in and checkout from the browser.
//
// For people who want to see a provider misbehave, and for tests whose processes are separate: POST and DELETE
// /sandbox/faults, GET /sandbox/counters. The next two answers of the AI are prose, and then it hangs until told
// otherwise:
//
//	curl 127.0.0.1:3001/sandbox/faults -d '{"provider":"ai","kind":"babble","times":2}'
//	curl 127.0.0.1:3001/sandbox/faults -d '{"provider":"ai","kind":"hang","times":-1}'
//	curl -X DELETE 127.0.0.1:3001/sandbox/faults
//
// A provider is identity, gateway or ai; the kinds are those of [FaultKind], with status (for the kind status), delay
// ("1.5s"), on (an operation, such as "order.create") and after (the request is performed, and its answer lost) beside.
package sandbox
