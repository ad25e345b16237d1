package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"strconv"
	"unicode/utf8"
)

// The gateway's limits on an order.
const (
	minAmount  = 100 // in the smallest unit
	maxReceipt = 40  // code points
	maxNotes   = 15
	maxNote    = 256 // code points, of a key as of a value
)

// Statuses of an order. It stays paid after a refund.
const (
	orderCreated   = "created"
	OrderAttempted = "attempted"
	OrderPaid      = "paid"
)

// Errors of orders, all of type *APIError.
var (
	ErrUnknownOrder = badRequest("id", "The id provided does not exist")
	ErrOrderPaid    = &APIError{Code: "BAD_REQUEST_ERROR", Description: "The order is already paid",
		Reason: "order_already_paid"}
)

// Notes are the key-value pairs that a merchant attaches. Empty notes are [] in JSON, as at the
// real gateway.
type Notes map[string]string

// MarshalJSON encodes an object, or [] for empty notes.
func (n Notes) MarshalJSON() ([]byte, error) {
	if len(n) == 0 {
		return []byte("[]"), nil
	}
	return json.Marshal(map[string]string(n))
}

// UnmarshalJSON decodes an object of strings, [] or null.
func (n *Notes) UnmarshalJSON(b []byte) error {
	*n = nil
	var list []struct{}
	if json.Unmarshal(b, &list) == nil && len(list) == 0 { // [] or null
		return nil
	}
	return json.Unmarshal(b, (*map[string]string)(n))
}

// Order is a request for a payment, which a merchant opens and a user pays. Amounts are in the
// currency's smallest unit.
type Order struct {
	ID         string `json:"id"`
	Entity     string `json:"entity"` // "order"
	Amount     int64  `json:"amount"`
	AmountPaid int64  `json:"amount_paid"`
	AmountDue  int64  `json:"amount_due"`
	Currency   string `json:"currency"`
	Receipt    string `json:"receipt"`
	Status     string `json:"status"`
	Attempts   int    `json:"attempts"`
	Notes      Notes  `json:"notes"`
	CreatedAt  int64  `json:"created_at"` // Unix seconds
}

// clone returns a copy for a caller, with notes of its own.
func (o *Order) clone() Order {
	c := *o
	c.Notes = maps.Clone(o.Notes)
	return c
}

// Orders returns all orders, oldest first.
func (g *Gateway) Orders() []Order {
	out := []Order{}
	g.state.read(func(r *records) {
		for _, o := range r.Orders {
			out = append(out, o.clone())
		}
	})
	return out
}

// Order returns one order, or ErrUnknownOrder.
func (g *Gateway) Order(id string) (out Order, err error) {
	err = ErrUnknownOrder
	g.state.read(func(r *records) {
		if o := r.orders[id]; o != nil {
			out, err = o.clone(), nil
		}
	})
	return out, err
}

// CreateOrder opens an order as POST /v1/orders does, without HTTP and without OnOrder. It uses the
// fields Amount, Currency, Receipt and Notes of o. If the order is invalid, the error is an
// *APIError.
func (g *Gateway) CreateOrder(o Order) (Order, error) {
	if e := checkOrder(o); e != nil {
		return Order{}, e
	}
	// The sandbox chooses the id and the time.
	stored := &Order{ID: newID("order_"), Entity: "order", Amount: o.Amount, AmountDue: o.Amount,
		Currency: o.Currency,
		Receipt:  o.Receipt, Status: orderCreated, Notes: maps.Clone(o.Notes),
		CreatedAt: g.now().Unix()}
	var out Order
	err := g.state.change(func(r *records) error {
		r.orders[stored.ID], r.Orders = stored, append(r.Orders, stored)
		out = stored.clone()
		return nil
	})
	// Tests ask how many orders were opened, also if the file could not be written.
	g.mu.Lock()
	g.created++
	g.mu.Unlock()
	return out, err
}

var currencyCode = regexp.MustCompile(`^[A-Z]{3}$`)

// checkOrder returns the error of the first field of a new order that breaks a limit of the
// gateway, or nil.
func checkOrder(o Order) *APIError {
	if o.Amount < minAmount {
		return badRequest("amount", fmt.Sprintf("The amount must be at least %d.", minAmount))
	}
	if !currencyCode.MatchString(o.Currency) {
		return badRequest("currency", "The currency must be three capital letters.")
	}
	if utf8.RuneCountInString(o.Receipt) > maxReceipt {
		return badRequest("receipt",
			fmt.Sprintf("The receipt may not be longer than %d characters.", maxReceipt))
	}
	if len(o.Notes) > maxNotes {
		return badRequest("notes", fmt.Sprintf("There may be at most %d notes.", maxNotes))
	}
	for k, v := range o.Notes {
		if utf8.RuneCountInString(k) > maxNote || utf8.RuneCountInString(v) > maxNote {
			return badRequest("notes",
				fmt.Sprintf("A note may not be longer than %d characters.", maxNote))
		}
	}
	return nil
}

// serveCreate opens an order and answers it. Of the faults it applies those that only the opening
// of an order has: FaultSameID, FaultPaid and FaultBare.
func (g *Gateway) serveCreate(w http.ResponseWriter, r *http.Request) {
	in, err := readOrder(r)
	if err != nil {
		g.answerError(w, err)
		return
	}
	// FaultSameID: the answer has the id of the latest order, and none is stored.
	kind := faultOf(r).Kind
	create := g.CreateOrder
	if kind == FaultSameID {
		create = g.repeatOrder
	}
	o, err := create(in)
	if err != nil {
		g.answerError(w, err)
		return
	}
	// A test may act between the opening and the answer. Its function is called without the lock,
	// because it may call methods that take it, such as OrdersCreated.
	g.mu.Lock()
	onOrder := g.onOrder
	g.mu.Unlock()
	if onOrder != nil {
		onOrder(o)
	}
	// FaultPaid: the payment and its webhook come before the answer.
	if kind == FaultPaid {
		if err := g.payBeforeAnswer(r.Context(), o.ID); err != nil {
			g.answerError(w, err)
			return
		}
	}
	// FaultBare: the answer has the id and nothing else.
	if kind == FaultBare {
		writeJSON(w, http.StatusOK, map[string]string{"id": o.ID})
		return
	}
	writeJSON(w, http.StatusOK, o)
}

// payBeforeAnswer pays an order, and waits until its webhook and all others in flight are
// delivered, but no longer than one attempt may take.
func (g *Gateway) payBeforeAnswer(ctx context.Context, id string) error {
	if _, err := g.Pay(id); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, gatewayWebhookTime)
	defer cancel()
	_ = g.sandbox.Wait(ctx) // a platform that does not take the webhook gets the answer anyway
	return nil
}

// repeatOrder returns the latest order, but with the amount, currency, receipt and notes of o,
// which it does not check. It stores nothing. If there is no order yet, it creates one.
func (g *Gateway) repeatOrder(o Order) (Order, error) {
	all := g.Orders()
	if len(all) == 0 {
		return g.CreateOrder(o)
	}
	latest := all[len(all)-1]
	latest.Amount = o.Amount
	latest.Currency = o.Currency
	latest.Receipt = o.Receipt
	latest.Notes = o.Notes
	return latest, nil
}

// readOrder decodes an order, and leaves the limits of its fields to checkOrder. The amount must be
// written as an integer: 100.0, 1e3 and "100" are invalid. Errors have the type *APIError.
func readOrder(r *http.Request) (Order, error) {
	b, err := readBody(r)
	if err != nil {
		return Order{}, badRequest("", "The body cannot be read.")
	}
	var in struct {
		Amount   json.RawMessage `json:"amount"`
		Currency string          `json:"currency"`
		Receipt  string          `json:"receipt"`
		Notes    json.RawMessage `json:"notes"`
	}
	if err := json.Unmarshal(b, &in); err != nil {
		// Name the field of a wrong type. Only the currency and the receipt can have one here,
		// because the other fields take any JSON.
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && wrong.Field != "" {
			return Order{}, badRequest(wrong.Field, "The "+wrong.Field+" must be a string.")
		}
		return Order{}, badRequest("", "The body must be a JSON object.")
	}
	// JSON numbers are read as written, because a float64 would round and accept 1e3.
	o := Order{Currency: in.Currency, Receipt: in.Receipt}
	if o.Amount, err = strconv.ParseInt(string(in.Amount), 10, 64); err != nil {
		return Order{}, badRequest("amount", "The amount must be an integer.")
	}
	if notes := bytes.TrimSpace(in.Notes); len(notes) > 0 && o.Notes.UnmarshalJSON(notes) != nil {
		return Order{}, badRequest("notes", "The notes must be an object of strings.")
	}
	return o, nil
}
