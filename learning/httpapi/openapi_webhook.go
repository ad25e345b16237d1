package httpapi

import (
	"github.com/invopop/jsonschema"

	"github.com/openlectern/openlectern/internal/openapi"
)

// The types of this file describe webhooks in the API document only: package learning reads
// them, and reads some fields more tolerantly.

// identityPath is the path of the identity provider's webhook.
const identityPath = "/idp"

// gatewayEventJSON is an event of the payment gateway.
type gatewayEventJSON struct {
	Event   string             `json:"event" doc:"The type of the event. 'payment.captured' completes a purchase, 'refund.processed' and 'refund.failed' change what was refunded; every other changes nothing."`
	Payload gatewayPayloadJSON `json:"payload,omitempty" doc:"What the event is about."`
}

type gatewayPayloadJSON struct {
	Payment gatewayPaymentJSON `json:"payment,omitempty"`
	Refund  gatewayRefundJSON  `json:"refund,omitempty" doc:"The refund, in the event of one."`
}

type gatewayRefundJSON struct {
	Entity refundEntityJSON `json:"entity,omitempty"`
}

// refundEntityJSON is a refund as the gateway describes it.
type refundEntityJSON struct {
	ID        string       `json:"id,omitempty" doc:"Each refund is counted once."`
	PaymentID string       `json:"payment_id,omitempty" doc:"The id of the refunded payment, which decides what purchase it belongs to."`
	Amount    int64        `json:"amount,omitempty" doc:"In minor units of the currency."`
	Currency  string       `json:"currency,omitempty"`
	Status    string       `json:"status,omitempty" doc:"Such as 'processed'."`
	Notes     gatewayNotes `json:"notes,omitempty" doc:"The notes of the refund, with 'purchaseId' and 'refundId' if the platform has started it. An empty list if there are none."`
}

type gatewayPaymentJSON struct {
	Entity gatewayEntityJSON `json:"entity,omitempty"`
}

// gatewayEntityJSON is a payment as the gateway describes it.
type gatewayEntityJSON struct {
	ID        string       `json:"id,omitempty" doc:"The id of the payment at the gateway."`
	Amount    int64        `json:"amount,omitempty" doc:"In minor units of the currency."`
	Currency  string       `json:"currency,omitempty"`
	Status    string       `json:"status,omitempty" doc:"Such as 'captured'."`
	OrderID   string       `json:"order_id,omitempty" doc:"It decides which purchase is completed."`
	Method    string       `json:"method,omitempty" doc:"How the user paid, such as 'card'."`
	Notes     gatewayNotes `json:"notes,omitempty" doc:"The notes of the order, with 'purchaseId'. An empty list if there are none."`
	CreatedAt int64        `json:"created_at,omitempty" doc:"In Unix seconds."`
}

// gatewayNotes is an object, and an empty list if there are no notes.
type gatewayNotes struct{}

// JSONSchema describes both forms.
func (gatewayNotes) JSONSchema() *jsonschema.Schema {
	fields := jsonschema.NewProperties()
	fields.Set("purchaseId",
		&jsonschema.Schema{Type: "string", Description: "The id of the purchase."})
	return openapi.AnyOf([]*jsonschema.Schema{{Type: "object", Properties: fields},
		{Type: "array", Items: &jsonschema.Schema{Type: "string"}, MaxItems: new(uint64(0))}})
}

// stripeEventJSON is an event of Stripe.
type stripeEventJSON struct {
	ID   string         `json:"id,omitempty"`
	Type string         `json:"type" doc:"'payment_intent.succeeded', '.processing' and '.canceled', 'charge.refunded', 'refund.created', '.updated' and '.failed', and 'charge.dispute.created', '.updated' and '.closed' are asked about; every other changes nothing."`
	Data stripeDataJSON `json:"data,omitempty"`
}

type stripeDataJSON struct {
	Object stripeObjectJSON `json:"object,omitempty" doc:"The PaymentIntent, charge, refund or dispute."`
}

// stripeObjectJSON is what an event of Stripe is about.
type stripeObjectJSON struct {
	ID     string `json:"id,omitempty"`
	Object string `json:"object,omitempty" doc:"The type of the object."`
	Intent string `json:"payment_intent,omitempty" doc:"The PaymentIntent of a charge, a refund or a dispute."`
}

// providerEventJSON is an event of a provider of the host, in the form of that provider.
type providerEventJSON map[string]any

// receivedJSON is the answer to every event of a payment provider.
type receivedJSON struct {
	Received bool `json:"received" doc:"Always true."`
}

// identityEventJSON is an event of the identity provider. That of a deletion has the id only.
type identityEventJSON struct {
	Type string           `json:"type" doc:"'user.created', 'user.updated' or 'user.deleted'; every other changes nothing."`
	Data identityUserJSON `json:"data" doc:"The user. That of a deletion has the id only."`
}

// identityUserJSON is a user as the identity provider describes one.
type identityUserJSON struct {
	ID             string              `json:"id"`
	FirstName      string              `json:"first_name,omitempty"`
	LastName       string              `json:"last_name,omitempty"`
	ImageURL       string              `json:"image_url,omitempty" doc:"The user's picture."`
	Emails         []identityEmailJSON `json:"email_addresses,omitempty"`
	PrimaryEmailID string              `json:"primary_email_address_id,omitempty" doc:"The id of the address to use. Without it the first one is used."`
	CreatedAt      eventTime           `json:"created_at,omitempty" doc:"When the user was created: Unix milliseconds or ISO 8601."`
	UpdatedAt      eventTime           `json:"updated_at,omitempty" doc:"When the user was last changed: Unix milliseconds or ISO 8601. An event that is older than the last one applied changes nothing."`
	Metadata       identityMetadata    `json:"public_metadata,omitempty" doc:"Its 'role' is the user's role. Without the field the role is unchanged."`
}

type identityEmailJSON struct {
	ID      string `json:"id,omitempty"`
	Address string `json:"email_address"`
}

// identityMetadata is an object. Only its role is read.
type identityMetadata struct{}

// JSONSchema describes the role.
func (identityMetadata) JSONSchema() *jsonschema.Schema {
	fields := jsonschema.NewProperties()
	fields.Set("role", &jsonschema.Schema{Type: "string",
		Enum: []any{"student", "educator", "admin"}, Description: "The user's role."})
	return &jsonschema.Schema{Type: "object", Properties: fields}
}

// eventTime is a time in an event.
type eventTime struct{}

// JSONSchema describes both forms of a time.
func (eventTime) JSONSchema() *jsonschema.Schema {
	return openapi.AnyOf([]*jsonschema.Schema{{Type: "integer", Description: "Unix milliseconds."},
		{Type: "string", Format: "date-time"}})
}

// emptyJSON is an object without described fields.
type emptyJSON struct{}

// documentJSON is the API document.
type documentJSON struct{}

// JSONSchemaExtend allows every field in schemas.
func (documentJSON) JSONSchemaExtend(s *jsonschema.Schema) {
	s.AdditionalProperties = jsonschema.TrueSchema
}
