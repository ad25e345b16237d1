package stripe

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/openlectern/openlectern/learning/payment"
)

// The limits of Stripe on metadata.
const (
	maxMetadata      = 50  // entries
	maxMetadataValue = 500 // characters
)

// The notes of the platform in Stripe's metadata.
const (
	purchaseNote = "purchaseId"
	titleNote    = "courseTitle"
	refundNote   = "refundId"
)

// Statuses of a PaymentIntent.
const (
	intentSucceeded = "succeeded"
	intentCanceled  = "canceled"
)

// intent is the JSON of a PaymentIntent.
type intent struct {
	ID             string            `json:"id"`
	Amount         int64             `json:"amount"`
	AmountReceived int64             `json:"amount_received"`
	ClientSecret   string            `json:"client_secret"`
	Currency       string            `json:"currency"` // in small letters
	LatestCharge   *charge           `json:"latest_charge"`
	Metadata       map[string]string `json:"metadata"`
	Status         string            `json:"status"`
}

// charge is the JSON of a charge. Without its id only the id of the charge was sent, because the
// request did not ask for more.
type charge struct {
	ID             string `json:"id"`
	AmountRefunded int64  `json:"amount_refunded"`
	Refunded       bool   `json:"refunded"` // all of it
}

// UnmarshalJSON decodes a charge, and accepts an id in its place.
func (c *charge) UnmarshalJSON(b []byte) error {
	if bytes.HasPrefix(b, []byte(`"`)) {
		return nil
	}
	type object charge // without this method
	return json.Unmarshal(b, (*object)(c))
}

// CreateOrder implements [payment.Orders] as POST /v1/payment_intents. The idempotency key is
// the id of the purchase with the attempt. The answer must have an id and a client secret, and the
// amount and the currency of the request. After an error the intent may exist.
func (c *Client) CreateOrder(ctx context.Context, o payment.NewOrder) (payment.OpenedOrder, error) {
	got, err := c.createOrder(ctx, o)
	if err != nil {
		return payment.OpenedOrder{}, fmt.Errorf("create a PaymentIntent: %w", err)
	}
	return got, nil
}

// createOrder is CreateOrder without the context of its errors.
func (c *Client) createOrder(ctx context.Context, o payment.NewOrder) (payment.OpenedOrder, error) {
	if o.PurchaseID == "" {
		return payment.OpenedOrder{}, errors.New("the order has no purchase")
	}
	if _, ok := c.Accepts(o.Currency); !ok {
		return payment.OpenedOrder{}, fmt.Errorf("the currency %q is not one of Stripe", o.Currency)
	}
	amount, err := toStripe(o.Amount, o.Currency)
	if err != nil {
		return payment.OpenedOrder{}, err
	}
	form := metadataOf(o)
	form.Set("amount", strconv.FormatInt(amount, 10))
	form.Set("currency", strings.ToLower(o.Currency))
	form.Set("automatic_payment_methods[enabled]", "true")
	var got intent
	key := o.PurchaseID + "-" + strconv.Itoa(o.Attempt)
	err = c.post(ctx, "v1/payment_intents", form, key, &got)
	// If the answer to the first request was lost, and the title was changed then, Stripe refuses
	// the key for a day. The intent of the first request is known to no buyer, so that this one
	// gets a key of its own.
	if f, ok := errors.AsType[*failure](err); ok && f.kind == idempotencyError &&
		f.status.Status == http.StatusBadRequest {
		digest := sha256.Sum256([]byte(form.Encode()))
		key += "-" + hex.EncodeToString(digest[:8])
		err = c.post(ctx, "v1/payment_intents", form, key, &got)
	}
	if err != nil {
		return payment.OpenedOrder{}, err
	}
	// An answer for another order must not be taken for this one.
	switch {
	case !isPathPart(got.ID) || got.ClientSecret == "":
		return payment.OpenedOrder{}, fmt.Errorf("%w: it has no id or no client secret",
			errInvalidAnswer)
	case got.Amount != amount, got.Currency != strings.ToLower(o.Currency):
		return payment.OpenedOrder{}, fmt.Errorf("%w: its amount or currency differs", errInvalidAnswer)
	}
	return payment.OpenedOrder{ID: got.ID, ClientSecret: got.ClientSecret}, nil
}

// metadataOf returns the metadata of an order as parameters: the notes of the platform, and then
// that of the host, as far as it fits. It takes the keys in their order, and leaves out a value
// that is too long, because a part of it may mean something else. No key of the host has a capital
// letter, as those of the platform have.
func metadataOf(o payment.NewOrder) url.Values {
	form := url.Values{}
	set := func(key, value string) { form.Set("metadata["+key+"]", value) }
	for _, key := range slices.Sorted(maps.Keys(o.Metadata)) {
		value := o.Metadata[key]
		const ownNotes = 2
		if len(form) < maxMetadata-ownNotes && utf8.RuneCountInString(value) <= maxMetadataValue {
			set(key, value)
		}
	}
	set(purchaseNote, o.PurchaseID)
	title := []rune(o.Title)
	set(titleNote, string(title[:min(len(title), maxMetadataValue)]))
	return form
}

// Order implements [payment.Orders] as GET /v1/payment_intents/{id} with the latest charge, which
// says whether the payment was refunded.
func (c *Client) Order(ctx context.Context, orderID string) (payment.OrderReport, error) {
	got, err := c.intent(ctx, orderID)
	if err == nil {
		var report payment.OrderReport
		if report, err = got.report(); err == nil {
			return report, nil
		}
	}
	return payment.OrderReport{}, fmt.Errorf("ask for a PaymentIntent: %w", err)
}

// intent asks for a PaymentIntent.
func (c *Client) intent(ctx context.Context, id string) (intent, error) {
	if !isPathPart(id) {
		return intent{}, errors.New("not an id of an order")
	}
	var got intent
	err := c.get(ctx, "v1/payment_intents/"+url.PathEscape(id),
		url.Values{"expand[]": {"latest_charge"}}, &got)
	if err == nil && got.ID != id {
		err = fmt.Errorf("%w: it is about another PaymentIntent", errInvalidAnswer)
	}
	return got, err
}

// report returns the state of an intent with its payment.
//
//	status                                        state       payment
//	requires_payment_method, _confirmation,
//	_action                                       open        none
//	processing, requires_capture                  processing  pending
//	succeeded                                     paid        captured
//	succeeded, and all of it was refunded         closed      not captured
//	canceled                                      closed      none
//
// A status that is not known is an error, because it could mean that the intent is paid.
func (p intent) report() (payment.OrderReport, error) {
	switch p.Status {
	case "requires_payment_method", "requires_confirmation", "requires_action":
		return payment.OrderReport{State: payment.OrderOpen}, nil
	case "processing", "requires_capture":
		pending, err := p.payment(p.Amount)
		pending.Pending = true
		return payment.OrderReport{State: payment.OrderProcessing,
			Payments: []payment.Payment{pending}}, err
	case intentCanceled:
		return payment.OrderReport{State: payment.OrderClosed}, nil
	case intentSucceeded:
		if p.LatestCharge == nil || p.LatestCharge.ID == "" {
			return payment.OrderReport{}, fmt.Errorf("%w: a paid PaymentIntent has no charge",
				errInvalidAnswer)
		}
		paid, err := p.payment(p.AmountReceived)
		paid.Captured = !p.LatestCharge.Refunded &&
			p.LatestCharge.AmountRefunded < p.AmountReceived
		report := payment.OrderReport{State: payment.OrderPaid, Payments: []payment.Payment{paid}}
		if !paid.Captured {
			report.State = payment.OrderClosed
		}
		return report, err
	}
	return payment.OrderReport{}, fmt.Errorf("%w: the status is not known", errInvalidAnswer)
}

// payment returns the payment of an intent with an amount in Stripe's unit.
func (p intent) payment(amount int64) (payment.Payment, error) {
	money, err := fromStripe(amount, p.Currency)
	return payment.Payment{ID: p.ID, OrderID: p.ID, PurchaseID: p.Metadata[purchaseNote],
		Amount: &money, Currency: strings.ToUpper(p.Currency)}, err
}

// CancelOrder implements [payment.Orders] as POST /v1/payment_intents/{id}/cancel. If Stripe
// refuses that, it asks for the status of the intent.
func (c *Client) CancelOrder(ctx context.Context, orderID string) error {
	if err := c.cancelOrder(ctx, orderID); err != nil {
		return fmt.Errorf("cancel a PaymentIntent: %w", err)
	}
	return nil
}

// cancelOrder is CancelOrder without the context of its errors.
func (c *Client) cancelOrder(ctx context.Context, orderID string) error {
	if !isPathPart(orderID) {
		return errors.New("not an id of an order")
	}
	var got intent
	const noKey = "" // a cancelled intent stays so
	err := c.post(ctx, "v1/payment_intents/"+url.PathEscape(orderID)+"/cancel", url.Values{}, noKey,
		&got)
	if err == nil && (got.ID != orderID || got.Status != intentCanceled) {
		return fmt.Errorf("%w: the PaymentIntent is not cancelled", errInvalidAnswer)
	}
	f, ok := errors.AsType[*failure](err)
	if !ok || !f.isRefusal() {
		return err
	}
	// Stripe refuses to cancel what is cancelled, paid or being paid.
	now, askErr := c.intent(ctx, orderID)
	switch {
	case askErr != nil:
		return askErr
	case now.Status == intentCanceled:
		return nil
	case now.Status == intentSucceeded, now.Status == "processing":
		return payment.ErrOrderPaid
	}
	return err
}

// CheckProof implements [payment.Provider]. It uses the order of the proof only, and asks Stripe:
// what a browser says proves nothing.
func (c *Client) CheckProof(ctx context.Context, proof payment.Proof) (payment.Payment, error) {
	if !isPathPart(proof.OrderID) {
		return payment.Payment{}, payment.ErrInvalidSignature
	}
	report, err := c.Order(ctx, proof.OrderID)
	if err != nil {
		return payment.Payment{}, err
	}
	if report.State != payment.OrderPaid {
		return payment.Payment{}, payment.ErrIncomplete
	}
	return report.Payments[0], nil
}
