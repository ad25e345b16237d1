package httpapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/invopop/jsonschema"

	"github.com/openlectern/openlectern/internal/schemas"
	"github.com/openlectern/openlectern/internal/web"
	"github.com/openlectern/openlectern/learning/core"
)

// writeSuccess encodes an answer, which must be a struct, as a JSON object that begins with
// success: true, and writes it. If it returns an error it has written nothing, and the action must
// return the error: see [web.Call.WriteBody].
func (c *call) writeSuccess(w http.ResponseWriter, answer any) error {
	body, err := web.Success(answer)
	if err != nil {
		return err
	}
	return c.WriteBody(w, body)
}

type failureJSON struct {
	_ struct{} `doc:"Every failure, except those of the payment gateway's webhook."`

	Success no     `json:"success" doc:"Always false."`
	Message string `json:"message" doc:"What went wrong, in English, for the user. It is stable: front ends may compare it."`
}

// no is a field that is always false.
type no bool

// JSONSchema describes the constant false.
func (no) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "boolean", Const: false}
}

// gatewayFailureJSON is the body of every failure of a payment provider's webhook
// (docs/api.md §2).
type gatewayFailureJSON struct {
	Error string `json:"error" doc:"What went wrong, in English."`
}

// failureBody returns the JSON of a failure. The webhooks of payment
// providers have a failure body of their own.
func failureBody(r *http.Request, message string) []byte {
	var failure any = failureJSON{Message: message}
	if isProviderPath(r.URL.Path) {
		failure = gatewayFailureJSON{message}
	}
	body, _ := json.Marshal(failure) // a bool and a string always encode
	return body
}

// instant is a time as the contract writes it: ISO 8601, UTC, milliseconds.
type instant time.Time

// instantLayout is the layout of an instant in UTC.
const instantLayout = "2006-01-02T15:04:05.000Z"

// MarshalText writes 2026-01-31T09:30:00.000Z. It is not MarshalJSON, because the
// encoder would parse its result again, twice for each row of a long list.
func (t instant) MarshalText() ([]byte, error) {
	return time.Time(t).UTC().AppendFormat(make([]byte, 0, len(instantLayout)), instantLayout), nil
}

// Fill implements [schemas.Filler] for a text with an offset from UTC (RFC 3339).
func (t *instant) Fill(text any) error {
	parsed, err := time.Parse(time.RFC3339Nano, fmt.Sprint(text))
	if err != nil {
		return schemas.Refusal("must be a time such as 2026-01-31T09:30:00Z")
	}
	*t = instant(parsed)
	return nil
}

// JSONSchema describes the text of MarshalText.
func (instant) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Format: "date-time"}
}

// instantText is the text of an instant. The encoder writes it faster than an instant, which counts
// where each lecture of a course has one.
type instantText string

// JSONSchema describes it as that of an instant.
func (instantText) JSONSchema() *jsonschema.Schema { return instant{}.JSONSchema() }

// decimal is an exact number with at most two places, in major units.
type decimal core.Hundredths

// MarshalJSON writes the number as JavaScript would: 19.99, 19.5, 19.
func (d decimal) MarshalJSON() ([]byte, error) {
	return []byte(core.Hundredths(d).String()), nil
}

// Fill implements [schemas.Filler] for a number that the schema has accepted.
func (d *decimal) Fill(number any) error {
	text := fmt.Sprint(number)         // of a json.Number its digits
	if f, ok := number.(float64); ok { // which Sprint may write with an exponent
		text = strconv.FormatFloat(f, 'f', -1, 64)
	}
	h, err := core.ParseHundredths(text)
	if err != nil {
		return schemas.Refusal("must have at most two decimals")
	}
	*d = decimal(h)
	return nil
}

// JSONSchema describes the number of MarshalJSON and Fill.
func (decimal) JSONSchema() *jsonschema.Schema { return &jsonschema.Schema{Type: "number"} }

// messageAnswer is an answer with a message for the user.
type messageAnswer struct {
	Message string `json:"message"`
}

// nullableTime returns nil for the zero time, which is null in JSON, else a pointer to the
// time.
func nullableTime(t time.Time) *instant {
	if t.IsZero() {
		return nil
	}
	return new(instant(t))
}

// nullable returns nil for "", which is null in JSON, else a pointer to the text.
func nullable(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
