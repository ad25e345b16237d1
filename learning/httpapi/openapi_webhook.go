package httpapi

import "github.com/invopop/jsonschema"

// The types of this file describe webhooks in the API document only: package learning reads
// them, and reads some fields more tolerantly.

// identityPath is the path of the identity provider's webhook.
const identityPath = "/idp"

// gatewayEventJSON is an event of the payment gateway.
type gatewayEventJSON struct {
	Event   string             `json:"event"`
	Payload gatewayPayloadJSON `json:"payload,omitempty"`
}

type gatewayPayloadJSON struct {
	Payment gatewayPaymentJSON `json:"payment,omitempty"`
	Refund  gatewayRefundJSON  `json:"refund,omitempty"`
}

type gatewayRefundJSON struct {
	Entity refundEntityJSON `json:"entity,omitempty"`
}

// refundEntityJSON is a refund as the gateway describes it.
type refundEntityJSON struct {
	ID        string       `json:"id,omitempty"`
	PaymentID string       `json:"payment_id,omitempty"`
	Amount    int64        `json:"amount,omitempty"`
	Currency  string       `json:"currency,omitempty"`
	Status    string       `json:"status,omitempty"`
	Notes     gatewayNotes `json:"notes,omitempty"`
}

type gatewayPaymentJSON struct {
	Entity gatewayEntityJSON `json:"entity,omitempty"`
}

// gatewayEntityJSON is a payment as the gateway describes it.
type gatewayEntityJSON struct {
	ID        string       `json:"id,omitempty"`
	Amount    int64        `json:"amount,omitempty"`
	Currency  string       `json:"currency,omitempty"`
	Status    string       `json:"status,omitempty"`
	OrderID   string       `json:"order_id,omitempty"`
	Method    string       `json:"method,omitempty"`
	Notes     gatewayNotes `json:"notes,omitempty"`
	CreatedAt int64        `json:"created_at,omitempty"`
}

// gatewayNotes is an object, and an empty list if there are no notes.
type gatewayNotes struct{}

// JSONSchema describes both forms.
func (gatewayNotes) JSONSchema() *jsonschema.Schema {
	fields := jsonschema.NewProperties()
	fields.Set("purchaseId", &jsonschema.Schema{Type: "string", Description: "The id of the purchase."})
	return anyOf([]*jsonschema.Schema{{Type: "object", Properties: fields},
		{Type: "array", Items: &jsonschema.Schema{Type: "string"}, MaxItems: new(uint64(0))}})
}

// receivedJSON is the answer to every event of the gateway.
type receivedJSON struct {
	Received bool `json:"received"`
}

// identityEventJSON is an event of the identity provider. That of a deletion has the id only.
type identityEventJSON struct {
	Type string           `json:"type"`
	Data identityUserJSON `json:"data"`
}

// identityUserJSON is a user as the identity provider describes one.
type identityUserJSON struct {
	ID             string              `json:"id"`
	FirstName      string              `json:"first_name,omitempty"`
	LastName       string              `json:"last_name,omitempty"`
	ImageURL       string              `json:"image_url,omitempty"`
	Emails         []identityEmailJSON `json:"email_addresses,omitempty"`
	PrimaryEmailID string              `json:"primary_email_address_id,omitempty"`
	CreatedAt      eventTime           `json:"created_at,omitempty"`
	UpdatedAt      eventTime           `json:"updated_at,omitempty"`
	Metadata       identityMetadata    `json:"public_metadata,omitempty"`
}

type identityEmailJSON struct {
	ID      string `json:"id,omitempty"`
	Address string `json:"email_address"`
}

// identityMetadata is an object of which the role is read.
type identityMetadata struct{}

// JSONSchema describes the role.
func (identityMetadata) JSONSchema() *jsonschema.Schema {
	fields := jsonschema.NewProperties()
	fields.Set("role", &jsonschema.Schema{Type: "string", Enum: []any{"student", "educator", "admin"}, Description: "The user's role."})
	return &jsonschema.Schema{Type: "object", Properties: fields}
}

// eventTime is a time in an event.
type eventTime struct{}

// JSONSchema describes both forms of a time.
func (eventTime) JSONSchema() *jsonschema.Schema {
	return anyOf([]*jsonschema.Schema{{Type: "integer", Description: "Unix milliseconds."}, {Type: "string", Format: "date-time"}})
}

// emptyJSON is an object of which no field is described.
type emptyJSON struct{}

// documentJSON is the API document.
type documentJSON struct{}

// JSONSchemaExtend allows every field in schemas.
func (documentJSON) JSONSchemaExtend(s *jsonschema.Schema) {
	s.AdditionalProperties = jsonschema.TrueSchema
}
