package httpapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/invopop/jsonschema"

	"github.com/openlectern/openlectern/learning"
)

var jsonType = []string{"application/json; charset=utf-8"}

// writeSuccess encodes an answer, which must be a struct, as a JSON object that
// begins with success: true, and writes it once it is whole.
func writeSuccess(w http.ResponseWriter, answer any) error {
	body, err := success(answer)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, body)
	return nil
}

// writeSuccess writes an answer as the function writeSuccess does, and takes answer memory
// for a large one. Only the answers to GET and HEAD may have to wait for memory, because
// other requests have changed something and must be answered.
func (c *call) writeSuccess(w http.ResponseWriter, answer any) error {
	body, err := success(answer)
	if err != nil {
		return err
	}
	return c.writeBody(w, body)
}

func (c *call) writeBody(w http.ResponseWriter, body []byte) error {
	if reads := c.Method == http.MethodGet || c.Method == http.MethodHead; reads && len(body) > smallAnswer {
		if err := c.hold(cap(body)); err != nil {
			return err
		}
	}
	writeJSON(w, http.StatusOK, body)
	return nil
}

// success encodes an answer, which must be a struct, with the field success: true before its
// own fields.
func success(answer any) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(`{"success":true,`)
	mark := b.Len()
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(answer); err != nil {
		return nil, fmt.Errorf("encode an answer: %w", err)
	}
	body := bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	if string(body[mark:]) == "{}" {
		return []byte(`{"success":true}`), nil
	}
	return append(body[:mark], body[mark+1:]...), nil
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

// gatewayFailureJSON is the body of every failure of the gateway's webhook
// (docs/api.md §2).
type gatewayFailureJSON struct {
	Error string `json:"error" doc:"What went wrong, in English."`
}

// writeFailure answers a request with a failure. The gateway's webhook has a failure body of
// its own.
func writeFailure(w http.ResponseWriter, r *http.Request, status int, message string) {
	var failure any = failureJSON{Message: message}
	if r.URL.Path == gatewayPath {
		failure = gatewayFailureJSON{message}
	}
	body, _ := json.Marshal(failure) // a bool and a string always encode
	writeJSON(w, status, body)
}

func writeJSON(w http.ResponseWriter, status int, body []byte) {
	h := w.Header()
	h["Content-Type"] = jsonType
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client may have left
}

// instant is a time as the contract writes it: ISO 8601, UTC, milliseconds.
type instant time.Time

// MarshalText writes 2026-01-31T09:30:00.000Z. It is not MarshalJSON, because the
// encoder would parse its result again, twice for each row of a long list.
func (t instant) MarshalText() ([]byte, error) {
	return time.Time(t).UTC().AppendFormat(make([]byte, 0, 24), "2006-01-02T15:04:05.000Z"), nil
}

// Fill implements [schemas.Filler] for a text with an offset from UTC (RFC 3339).
func (t *instant) Fill(text any) error {
	parsed, err := time.Parse(time.RFC3339Nano, fmt.Sprint(text))
	*t = instant(parsed)
	return err
}

// JSONSchema describes the text of MarshalText.
func (instant) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Format: "date-time"}
}

// decimal is an exact number with at most two places, in major units.
type decimal learning.Hundredths

// MarshalJSON writes the number as JavaScript would: 19.99, 19.5, 19.
func (d decimal) MarshalJSON() ([]byte, error) { return []byte(learning.Hundredths(d).String()), nil }

// Fill implements [schemas.Filler] for a number that the schema has accepted.
func (d *decimal) Fill(number any) error {
	text := fmt.Sprint(number)
	if f, ok := number.(float64); ok {
		text = strconv.FormatFloat(f, 'f', -1, 64)
	}
	h, err := learning.ParseHundredths(text)
	*d = decimal(h)
	return err
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
