package learning

import (
	"context"
	"io"
	"time"
)

// The ports are the interfaces that a host implements and sets with options. This module
// has an implementation of each that speaks the real protocol.

// Clock returns the current time.
type Clock interface {
	Now() time.Time
}

// TokenVerifier checks the session tokens of the identity provider (package
// identity). Errors: [ErrInvalidToken], and [ErrIdentityUnavailable] if no keys could be
// fetched yet.
type TokenVerifier interface {
	VerifyToken(ctx context.Context, token string) (Claims, error)
}

// RoleGranter writes a role into the public metadata of a user at the identity
// provider, so that later tokens carry it (docs/api.md §3).
type RoleGranter interface {
	GrantRole(ctx context.Context, userID string, role Role) error
}

// Webhook is an HTTP request by which the identity provider reports an event.
type Webhook struct {
	ID        string // hook-id
	Timestamp string // hook-timestamp, Unix seconds
	Signature string // hook-signature
	Body      []byte // the exact bytes
}

// WebhookVerifier verifies and decodes the webhooks of the identity provider.
type WebhookVerifier interface {
	// VerifyWebhook returns the event of a webhook. It returns [ErrInvalidWebhook] if the
	// signature is wrong or the timestamp differs from now by more than five minutes, and
	// [ErrMalformedEvent] if the signature is right and the body is not an event.
	VerifyWebhook(w Webhook, now time.Time) (IdentityEvent, error)
}

// NewOrder is the request for an order at the payment gateway.
type NewOrder struct {
	Amount     Money  // in the smallest unit
	Currency   string // ISO 4217
	PurchaseID string // becomes the receipt (at most 40 characters) and a note
	Title      string // of the course, a note; cut to the gateway's limit by the gateway
}

// Payment is a payment as the gateway reports it.
type Payment struct {
	ID         string
	OrderID    string // "" if it has no order; it may belong to another system
	PurchaseID string // from the notes; a browser may have written them
	Amount     *Money // nil if the gateway does not report it
	Currency   string // "" if the gateway does not report it
	Captured   bool   // the money was taken and not refunded
	Pending    bool   // authorised or processing: it may still be captured
}

// NewRefund is the request for a refund at the payment gateway.
type NewRefund struct {
	ID         string // the idempotency key, and a note
	PurchaseID string // a note
	PaymentID  string
	Amount     Money
	Currency   string // of the payment; compared with that of the answer
}

// GatewayRefund is a refund as the gateway reports it.
type GatewayRefund struct {
	ID         string
	PaymentID  string
	Amount     Money  // 0 if the gateway does not report it
	Currency   string // "" if the gateway does not report it
	Status     RefundStatus
	RefundID   string // from the notes; "" if it was started at the gateway
	PurchaseID string // from the notes
}

// GatewayEvent is what a webhook of the gateway reports. It is zero if the platform does not
// need the event.
type GatewayEvent struct {
	// Payment is the payment that was captured. In the event of a refund it is the payment
	// of the refund, if the event has it.
	Payment Payment
	// Refund is the refund that was processed or that failed; the zero value in other events.
	Refund GatewayRefund
}

// Gateway is the payment gateway (package gateway).
type Gateway interface {
	Orders
	Refunds
	PaymentVerifier
}

// Orders is the part of a gateway that needs the network. A late or invalid answer is an
// error.
type Orders interface {
	// CreateOrder opens an order and returns its id.
	CreateOrder(ctx context.Context, o NewOrder) (orderID string, err error)
	// Payments lists the payments of an order.
	Payments(ctx context.Context, orderID string) ([]Payment, error)
}

// Refunds is the part of a gateway that returns payments. A late or invalid answer is an
// error. After an error other than [ErrRefundRefused] the refund may have been created.
type Refunds interface {
	// CreateRefund refunds an amount of a payment. A repeated call with the same id returns
	// the refund of the first one. It returns [ErrRefundRefused] if the gateway has refused
	// the request, so that there is no such refund.
	CreateRefund(ctx context.Context, r NewRefund) (GatewayRefund, error)
	// Refunds lists the refunds of a payment.
	Refunds(ctx context.Context, paymentID string) ([]GatewayRefund, error)
}

// PaymentVerifier is the part of a gateway that needs no network.
type PaymentVerifier interface {
	// KeyID is the public key id that the client's checkout needs.
	KeyID() string
	// VerifyPayment checks the signature that the checkout gave to the client.
	VerifyPayment(orderID, paymentID, signature string) bool
	// VerifyWebhook checks the signature over the exact body of a webhook, and returns what
	// it reports. It returns [ErrInvalidWebhook] if the signature is wrong, and
	// [ErrMalformedEvent] if the signature is right and the body is not an event.
	VerifyWebhook(body []byte, signature string) (GatewayEvent, error)
}

// Media stores public files: thumbnails and certificates (package media).
type Media interface {
	// Put stores data with a name, completely or not at all. If the name exists, it returns
	// fs.ErrExist, or overwrites the data if the store cannot detect this.
	Put(ctx context.Context, name, contentType string, data []byte) error
	// Delete deletes a file. It returns nil if there is none.
	Delete(ctx context.Context, name string) error
	// URL returns the URL of a file for browsers.
	URL(name string) string
}

// MediaChecker is an optional interface of a [Media]. If it is implemented, the PDF of a
// certificate is rendered again if it is missing when the owner requests it.
type MediaChecker interface {
	// Exists reports whether there is a file of this name.
	Exists(ctx context.Context, name string) (bool, error)
}

// MediaReader is an optional interface of a [Media]. If it is implemented, the package of a course
// contains its thumbnail.
type MediaReader interface {
	// Open opens a file, to be read once from its beginning. It returns fs.ErrNotExist if there is
	// none.
	Open(ctx context.Context, name string) (io.ReadCloser, error)
}

// FileStore stores the files of lectures, which only users with access to a lecture may read
// (package media). Names are made by the platform: 26 characters A–Z and 2–7 that cannot be
// guessed.
type FileStore interface {
	// StoreFile stores what it reads from content, which is not empty, under a new name, completely
	// or not at all. It must not hold all of it in memory. It returns the first error of content.
	StoreFile(ctx context.Context, name string, content io.Reader) error
	// OpenFile opens a file, to be read once from its beginning. It returns fs.ErrNotExist if there
	// is none.
	OpenFile(ctx context.Context, name string) (io.ReadCloser, error)
	// DeleteFile deletes a file. It returns nil if there is none.
	DeleteFile(ctx context.Context, name string) error
	// SignFile returns a URL by which browsers read a file until a time. It sends no request.
	// Nobody must be able to make such a URL, or to change one, without the keys of the store.
	SignFile(ctx context.Context, f SignedFile) (string, error)
}

// SignedFile is what the URL of a [FileStore] contains, beside the signature.
type SignedFile struct {
	Name  string    // in the store
	Type  string    // the media type with which the file is answered
	Title string    // the name under which a browser saves the file
	Until time.Time // when the URL stops working
}

// AI is a language model that answers messages (package ai).
//
// The usage in a reply reports the tokens spent, also if there is an error: the number
// that the provider reported, else [AIRequest.MaxUsage], and none if the provider refused
// the request or was not reached. The text of a reply with an error is empty.
type AI interface {
	// Complete asks for an answer in one piece.
	Complete(ctx context.Context, r AIRequest) (AIReply, error)
	// Stream asks for an answer and calls write with each part as it arrives. It stops at
	// the first error of write and returns it.
	Stream(ctx context.Context, r AIRequest, write func(delta string) error) (AIReply, error)
}

// AIRequest is a request to a model.
type AIRequest struct {
	Messages []AIMessage
	// Schema is the schema of the answer; nil for plain text. The model may ignore it; see
	// [AIReply].
	Schema *AISchema
	// MaxTokens limits the answer; 0 for the limit of the provider.
	MaxTokens int
}

// AIMessage is one message of a conversation.
type AIMessage struct {
	Role    AIRole
	Content string
}

// AIRole is the role of the author of an [AIMessage].
type AIRole string

// The roles of messages. Text that users typed is never [AISystem].
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

// AIReply is the answer of a model. Its text is not empty and is valid UTF-8. Nothing
// else about it is guaranteed.
type AIReply struct {
	Text  string
	Usage AIUsage // if it is zero, the call is counted as [AIRequest.MaxUsage]
}

// AIUsage is the number of tokens that a call has spent.
type AIUsage struct {
	Prompt     int64 // read
	Completion int64 // written
	Estimated  bool  // computed from lengths, because the provider did not report it
}

// CertificateRenderer renders certificates (package certificate).
type CertificateRenderer interface {
	// RenderCertificate returns a PDF of one page, with verifyURL as a QR code. The same
	// certificate and URL give the same bytes on every machine with the same fonts.
	RenderCertificate(ctx context.Context, c Certificate, verifyURL string) ([]byte, error)
}

// CredentialIssuer signs certificates as Open Badges 3.0 credentials (package
// credential). The results are JWTs in compact form. Its methods return when
// the context is done, also while a remote key does not answer.
type CredentialIssuer interface {
	SignCredential(ctx context.Context, c Certificate) (string, error)
	SignStatusList(ctx context.Context, l StatusList) (string, error)
	// PublicKeys returns the key that signs, followed by the keys that signed before.
	PublicKeys() []PublicKey
}
