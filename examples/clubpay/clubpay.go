// Package clubpay is an adapter of a host to a payment provider, here to Club Pay, which is made
// up:
//
//	pay := clubpay.New(url, key, secret, "https://school.example.org/paid")
//	platform, err := learning.New(store, learning.WithProvider(pay, "CHF"), …)
//
// It has what the providers of the library have not: a checkout on a page of its own, where the
// buyer pays within an hour, and webhooks that name a checkout, but no purchase. They arrive at
// POST /providers/club. docs/providers.md says what each method is for.
package clubpay

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/payment"
)

// Client implements [payment.Provider]. It is safe for concurrent use.
type Client struct {
	url, key string
	secret   []byte // of the webhooks
	back     string // where the buyer goes after the checkout
	client   http.Client
}

// currencies are those that Club Pay takes, with the smallest amount of each.
var currencies = map[string]core.Money{"CHF": 50, "EUR": 50, "JPY": 50}

// checkoutTime is how long a checkout can be paid.
const checkoutTime = time.Hour

// maxAnswer is the length of the longest answer that is read, in bytes.
const maxAnswer = 1 << 20

// New returns the client for the base URL, the key and the secret of an account at Club Pay.
func New(url, key, secret, back string) *Client {
	return &Client{url: url, key: key, secret: []byte(secret), back: back,
		client: http.Client{Timeout: 10 * time.Second}}
}

// Name is stored with each purchase, so it must never change.
func (c *Client) Name() string { return "club" }

// KeyID returns none, because the page of Club Pay needs none.
func (c *Client) KeyID() string { return "" }

// Accepts takes amounts in the units of ISO 4217, in which Club Pay counts too.
func (c *Client) Accepts(currency string) (core.AmountRule, bool) {
	smallest, takes := currencies[currency]
	return core.AmountRule{Smallest: smallest, Step: 1}, takes
}

// The answers of Club Pay.
type (
	checkout struct {
		ID       string
		URL      string
		Status   string // open, processing, paid, expired or cancelled
		Payment  string // its id; "" before there is one
		Amount   core.Money
		Currency string
	}
	refund struct {
		ID        string
		Payment   string
		Reference string // our id; "" if it was made on the site of Club Pay
		Status    string // pending, done or failed
		Amount    core.Money
		Currency  string
	}
)

// CreateOrder opens a checkout. Its key makes a repeated request answer the same one.
func (c *Client) CreateOrder(
	ctx context.Context, o payment.NewOrder) (payment.OpenedOrder, error) {
	var opened checkout
	err := c.call(ctx, http.MethodPost, "/checkouts", fmt.Sprint(o.PurchaseID, "-", o.Attempt),
		map[string]any{"amount": o.Amount, "currency": o.Currency, "title": o.Title,
			"language": o.Language, "expiresIn": int(checkoutTime.Seconds()), "back": c.back},
		&opened)
	switch {
	case err != nil:
		return payment.OpenedOrder{}, fmt.Errorf("open a checkout: %w", err)
	case opened.Amount != o.Amount || opened.Currency != o.Currency:
		return payment.OpenedOrder{}, errors.New("the checkout has another amount")
	}
	return payment.OpenedOrder{ID: opened.ID, CheckoutURL: opened.URL}, nil
}

// states are what becomes of a checkout. Another word is an error, and not "not paid".
var states = map[string]payment.OrderState{
	"open": payment.OrderOpen, "processing": payment.OrderProcessing, "paid": payment.OrderPaid,
	"expired": payment.OrderClosed, "cancelled": payment.OrderClosed,
}

// Order asks for a checkout.
func (c *Client) Order(ctx context.Context, orderID string) (payment.OrderReport, error) {
	var found checkout
	path := "/checkouts/" + url.PathEscape(orderID)
	if err := c.call(ctx, http.MethodGet, path, "", nil, &found); err != nil {
		return payment.OrderReport{}, fmt.Errorf("ask for a checkout: %w", err)
	}
	return found.report()
}

// report returns what the checkout says about its order.
func (o checkout) report() (payment.OrderReport, error) {
	state, known := states[o.Status]
	isPaid := state == payment.OrderPaid
	if !known || isPaid && o.Payment == "" {
		return payment.OrderReport{}, fmt.Errorf("the checkout has the status %q", o.Status)
	}
	report := payment.OrderReport{State: state}
	if o.Payment != "" {
		report.Payments = []payment.Payment{{ID: o.Payment, OrderID: o.ID, Amount: &o.Amount,
			Currency: o.Currency, Captured: isPaid, Pending: state == payment.OrderProcessing}}
	}
	return report, nil
}

// CancelOrder closes a checkout. Club Pay answers with its status after that.
func (c *Client) CancelOrder(ctx context.Context, orderID string) error {
	var after checkout
	path := "/checkouts/" + url.PathEscape(orderID) + "/cancel"
	if err := c.call(ctx, http.MethodPost, path, "", nil, &after); err != nil {
		return fmt.Errorf("cancel a checkout: %w", err)
	}
	switch report, err := after.report(); {
	case err != nil:
		return err
	case report.State == payment.OrderClosed:
		return nil
	}
	return payment.ErrOrderPaid
}

// CheckProof believes Club Pay, and nothing that the browser says.
func (c *Client) CheckProof(ctx context.Context, p payment.Proof) (payment.Payment, error) {
	report, err := c.Order(ctx, p.OrderID)
	if err != nil {
		return payment.Payment{}, err
	}
	if report.State != payment.OrderPaid {
		return payment.Payment{}, payment.ErrIncomplete
	}
	return report.Payments[0], nil
}

// CreateRefund refunds with our id as key, so that a repeated request answers the same refund.
func (c *Client) CreateRefund(ctx context.Context, r payment.NewRefund) (payment.Refund, error) {
	var made refund
	err := c.call(ctx, http.MethodPost, "/refunds", r.ID, map[string]any{"payment": r.PaymentID,
		"amount": r.Amount, "reference": r.ID}, &made)
	if errors.Is(err, errRefused) {
		return payment.Refund{}, payment.ErrRefundRefused
	}
	if err != nil {
		return payment.Refund{}, fmt.Errorf("refund a payment: %w", err)
	}
	return made.report(), nil
}

// Refunds asks for all refunds of a payment, also those that were made on the site of Club Pay.
func (c *Client) Refunds(ctx context.Context, paymentID string) ([]payment.Refund, error) {
	var found struct{ Refunds []refund }
	path := "/payments/" + url.PathEscape(paymentID) + "/refunds"
	if err := c.call(ctx, http.MethodGet, path, "", nil, &found); err != nil {
		return nil, fmt.Errorf("ask for refunds: %w", err)
	}
	var list []payment.Refund
	for _, r := range found.Refunds {
		list = append(list, r.report())
	}
	return list, nil
}

// report returns the refund as the platform knows it. Its outcome is not known while it has a
// status that has no place here.
func (r refund) report() payment.Refund {
	status := payment.RefundPending
	switch r.Status {
	case "done":
		status = payment.RefundProcessed
	case "failed":
		status = payment.RefundFailed
	}
	return payment.Refund{ID: r.ID, PaymentID: r.Payment, Amount: r.Amount, Currency: r.Currency,
		Status: status, RefundID: r.Reference}
}

// Disputes returns none: Club Pay settles them with the buyer's bank itself.
func (c *Client) Disputes(context.Context, string) ([]payment.Dispute, error) { return nil, nil }

// ReadWebhook says what to ask for. So it does not matter in which order webhooks come, how often,
// or that they name no purchase.
func (c *Client) ReadWebhook(w payment.Webhook) (payment.Event, error) {
	mac := hmac.New(sha256.New, c.secret)
	mac.Write(w.Body)
	given, err := hex.DecodeString(w.Header("Club-Signature"))
	if err != nil || !hmac.Equal(given, mac.Sum(nil)) {
		return payment.Event{}, core.ErrInvalidWebhook
	}
	var told struct{ Checkout, Refunded string } // the ids of a checkout, or of a refunded payment
	if json.Unmarshal(w.Body, &told) != nil {
		return payment.Event{}, core.ErrMalformedEvent
	}
	return payment.Event{ChangedOrder: told.Checkout, ChangedRefunds: told.Refunded}, nil
}

var errRefused = errors.New("the request was refused")

// call sends a request, and decodes the answer. An error never has the key in it.
func (c *Client) call(ctx context.Context, method, path, key string, body, answer any) error {
	encoded, err := json.Marshal(body)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, method, c.url+path, bytes.NewReader(encoded))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+c.key)
	r.Header.Set("Content-Type", "application/json")
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	res, err := c.client.Do(r)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	switch {
	case res.StatusCode == http.StatusUnprocessableEntity:
		return errRefused
	case res.StatusCode != http.StatusOK:
		return fmt.Errorf("the answer has the status %d", res.StatusCode)
	}
	return json.NewDecoder(io.LimitReader(res.Body, maxAnswer)).Decode(answer)
}
