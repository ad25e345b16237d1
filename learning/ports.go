package learning

import (
	"context"
	"time"
)

// The ports are what a host plugs in with options: each is small, and each has
// an implementation in this module that speaks the real protocol.

// Clock tells the time. Tests set it by hand.
type Clock interface {
	Now() time.Time
}

// TokenVerifier checks the session tokens of the identity provider (package
// identity). Its errors: [ErrInvalidToken] when the token is not to be believed,
// [ErrIdentityUnavailable] while no keys could be had yet.
type TokenVerifier interface {
	VerifyToken(ctx context.Context, token string) (Claims, error)
}

// RoleGranter writes a role into the public metadata of a user at the identity
// provider, so that later tokens carry it (docs/api.md §3).
type RoleGranter interface {
	GrantRole(ctx context.Context, userID string, role Role) error
}

// Webhook is a request by which the identity provider reports an event.
type Webhook struct {
	ID        string // hook-id
	Timestamp string // hook-timestamp, Unix seconds
	Signature string // hook-signature
	Body      []byte // the exact bytes
}

// WebhookVerifier checks the signature of a [Webhook] and that it is no more
// than five minutes away from now; the error is [ErrInvalidWebhook].
type WebhookVerifier interface {
	VerifyWebhook(w Webhook, now time.Time) error
}

// NewOrder is what the payment gateway is asked to open.
type NewOrder struct {
	Amount     Money  // in the smallest unit
	Currency   string // ISO 4217
	PurchaseID string // becomes the receipt (at most 40 characters) and a note
	Title      string // of the course, a note; cut to the gateway's limit by the gateway
}

// Payment is a payment as the gateway tells it.
type Payment struct {
	ID         string
	OrderID    string // "" when it was made without an order; it may be of another system
	PurchaseID string // from the notes; a browser may have written them
	Amount     *Money // nil when the gateway does not tell it
	Currency   string // "" when the gateway does not tell it
	Captured   bool   // the money is there, and was not given back
}

// Gateway is the payment gateway (package gateway).
type Gateway interface {
	Orders
	PaymentVerifier
}

// Orders is the part of a gateway that is asked over the network. An answer
// that is late, failing or makes no sense is an error.
type Orders interface {
	// CreateOrder opens an order and returns its id.
	CreateOrder(ctx context.Context, o NewOrder) (orderID string, err error)
	// Payments lists the payments of an order.
	Payments(ctx context.Context, orderID string) ([]Payment, error)
}

// PaymentVerifier is the part of a gateway that needs no network.
type PaymentVerifier interface {
	// KeyID is the public key id that the client's checkout needs.
	KeyID() string
	// VerifyPayment checks the signature that the checkout gave to the client.
	VerifyPayment(orderID, paymentID, signature string) bool
	// VerifyWebhook checks the signature over the exact body of a webhook.
	VerifyWebhook(body []byte, signature string) bool
}

// Media keeps public files: thumbnails and certificates (package media).
type Media interface {
	// Put keeps data under a name, all of it or none. A name that is taken is
	// fs.ErrExist, or, of a store that cannot tell, gets the new data.
	Put(ctx context.Context, name, contentType string, data []byte) error
	// Delete forgets a name; one that is not there is no error.
	Delete(ctx context.Context, name string) error
	// URL is where a browser finds it.
	URL(name string) string
}

// MediaChecker is what a [Media] may implement too. Then a certificate whose PDF is gone
// from the media store is drawn again when its owner asks for it.
type MediaChecker interface {
	// Exists reports whether there is a file of this name.
	Exists(ctx context.Context, name string) (bool, error)
}

// AI is a language model that answers messages (package ai).
//
// What is used up is used up, whatever became of it: the reply that comes with an
// error has no text, and its usage is that of the failed call: what the provider said,
// else [AIRequest.MaxUsage], and none if the provider refused or was never reached.
type AI interface {
	// Complete asks for an answer in one piece.
	Complete(ctx context.Context, r AIRequest) (AIReply, error)
	// Stream asks for an answer and hands each part of it on as it is written. An
	// error of write ends the call, and is returned.
	Stream(ctx context.Context, r AIRequest, write func(delta string) error) (AIReply, error)
}

// AIRequest is what a model is asked.
type AIRequest struct {
	Messages []AIMessage
	// Schema is what the answer must fulfil; nil for plain text. It is asked for, not
	// relied on: see [AIReply].
	Schema *AISchema
	// MaxTokens bounds the answer; 0 for as long as the provider lets it be.
	MaxTokens int
}

// AIMessage is one of a conversation.
type AIMessage struct {
	Role    AIRole
	Content string
}

// AIRole says whose an [AIMessage] is.
type AIRole string

// The roles of messages. What people typed is never [AISystem].
const (
	AISystem    AIRole = "system"
	AIUser      AIRole = "user"
	AIAssistant AIRole = "assistant"
)

// AISchema is a JSON Schema for an answer in JSON.
type AISchema struct {
	Name string // for the provider: letters, digits, - and _
	JSON []byte
}

// AIReply is the answer of a model. Its text is whatever the model wrote: never
// empty, valid UTF-8, and to be believed in nothing else.
type AIReply struct {
	Text  string
	Usage AIUsage // an answer without any is booked at [AIRequest.MaxUsage]
}

// AIUsage is what a call has used up, in tokens.
type AIUsage struct {
	Prompt     int64 // read
	Completion int64 // written
	Estimated  bool  // the provider did not say, and they were counted by length
}

// CertificateRenderer draws certificates (package certificate).
type CertificateRenderer interface {
	// RenderCertificate draws one page of PDF, with verifyURL as a QR code. The same
	// certificate and URL give the same bytes, on every machine with the same fonts.
	RenderCertificate(ctx context.Context, c Certificate, verifyURL string) ([]byte, error)
}

// CredentialIssuer signs certificates as Open Badges 3.0 credentials (package
// credential). What it signs are JWTs in compact form. It gives up with the
// context, also while a key that is somewhere else does not answer.
type CredentialIssuer interface {
	SignCredential(ctx context.Context, c Certificate) (string, error)
	SignStatusList(ctx context.Context, l StatusList) (string, error)
	// PublicKeys are the key that signs and, behind it, those that have signed before.
	PublicKeys() []PublicKey
}
