package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/openlectern/openlectern/internal/provider"
	"github.com/openlectern/openlectern/learning/payment"
)

const (
	maxAnswer = 1 << 20 // bytes

	// The limits of the gateway, in characters.
	maxReceipt = 40
	maxNote    = 256
	maxNotes   = 15
)

// errInvalidAnswer reports an invalid answer. It does not contain the answer, which may hold
// secrets.
var errInvalidAnswer = errors.New("the gateway's answer is invalid")

// order is the JSON of an order, in requests and answers.
type order struct {
	ID       string      `json:"id,omitempty"`
	Amount   int64       `json:"amount"` // in the smallest unit
	Currency string      `json:"currency"`
	Receipt  string      `json:"receipt,omitempty"`
	Notes    *orderNotes `json:"notes,omitempty"`
}

// orderNotes are the notes of an order: those of the platform, and then those of the host.
type orderNotes struct {
	PurchaseID  string `json:"purchaseId"`
	CourseTitle string `json:"courseTitle"`

	metadata map[string]string
}

// MarshalJSON writes all notes as the fields of one object.
func (n orderNotes) MarshalJSON() ([]byte, error) {
	type ownNotes orderNotes // without this method
	object, err := json.Marshal(ownNotes(n))
	if err != nil || len(n.metadata) == 0 {
		return object, err
	}
	more, err := json.Marshal(n.metadata)
	return append(append(object[:len(object)-1], ','), more[1:]...), err
}

// CreateOrder implements [payment.Orders] as POST {URL}/v1/orders. The gateway knows no key of a
// repeated order, so a repetition opens another one. The
// answer must have an id. An amount or a currency in it must equal that of the request.
// After an error the order may exist, because the answer may have been lost.
func (c *Client) CreateOrder(
	ctx context.Context, o payment.NewOrder,
) (payment.OpenedOrder, error) {
	id, err := c.createOrder(ctx, o)
	if err != nil {
		return payment.OpenedOrder{}, fmt.Errorf("create an order: %w", err)
	}
	return payment.OpenedOrder{ID: id}, nil
}

// CancelOrder implements [payment.Orders]. The gateway cannot cancel orders.
func (c *Client) CancelOrder(context.Context, string) error { return nil }

// createOrder is CreateOrder without the context of its errors.
func (c *Client) createOrder(ctx context.Context, o payment.NewOrder) (string, error) {
	if o.PurchaseID == "" || cut(o.PurchaseID, maxReceipt) != o.PurchaseID {
		return "", fmt.Errorf("the purchase id must have 1 to %d characters to be a receipt",
			maxReceipt)
	}
	if o.Amount <= 0 {
		return "", errors.New("the amount must be more than zero")
	}
	asked := order{Amount: int64(o.Amount), Currency: o.Currency, Receipt: o.PurchaseID,
		Notes: notesOf(o)}
	var got struct { // not order, because its notes may have any type and are not needed
		ID       string `json:"id"`
		Amount   *int64 `json:"amount"`
		Currency string `json:"currency"`
	}
	var noHeaders http.Header
	err := c.ask(ctx, http.MethodPost, c.base.JoinPath("v1/orders"), noHeaders, asked, &got)
	if err != nil {
		return "", err
	}
	// An answer for another order must not be taken for this one. An id with | could not be paid:
	// VerifyPayment refuses it.
	switch {
	case got.ID == "" || strings.Contains(got.ID, "|"):
		return "", fmt.Errorf("%w: it has no usable order id", errInvalidAnswer)
	case got.Amount != nil && *got.Amount != asked.Amount,
		got.Currency != "" && got.Currency != asked.Currency:
		return "", fmt.Errorf("%w: its amount or currency differs", errInvalidAnswer)
	}
	return got.ID, nil
}

// notesOf returns the notes of an order: those of the platform, and then the metadata, as far as it
// fits. It takes the keys in their order, and leaves out a value that is too long for a note,
// because a part of it may mean something else. No key of metadata has a capital letter, as those
// of the platform have.
func notesOf(o payment.NewOrder) *orderNotes {
	const ownNotes = 2
	metadata := map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(o.Metadata)) {
		value := o.Metadata[key]
		if len(metadata) < maxNotes-ownNotes && cut(value, maxNote) == value {
			metadata[key] = value
		}
	}
	return &orderNotes{PurchaseID: o.PurchaseID, CourseTitle: cut(o.Title, maxNote),
		metadata: metadata}
}

// ask sends a request and decodes the JSON of the answer into answer, a pointer. headers are sent
// in addition to those of every request, and body as JSON; both may be nil. A status other than 2xx
// is a [provider.StatusError], and an answer that cannot be decoded errInvalidAnswer.
func (c *Client) ask(ctx context.Context, method string, u *url.URL, headers http.Header,
	body, answer any) error {
	var sent bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&sent).Encode(body); err != nil {
			return err
		}
	}
	r, err := http.NewRequestWithContext(ctx, method, u.String(), &sent)
	if err != nil {
		return err
	}
	// The caller's headers first, so that they cannot replace the credentials.
	maps.Copy(r.Header, headers)
	r.SetBasicAuth(c.keyID, c.keySecret)
	r.Header.Set("Accept", "application/json")
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	// An order may be repeated, because only one of two orders is stored and paid, and a refund
	// because it has a key.
	got, err := provider.DoAgain(c.http, r, maxAnswer)
	if err != nil {
		return err
	}
	if json.Unmarshal(got, answer) != nil {
		return fmt.Errorf("%w: it is not the expected JSON", errInvalidAnswer)
	}
	return nil
}

// cut shortens a text to at most n code points.
func cut(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}
