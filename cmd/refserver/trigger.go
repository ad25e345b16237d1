package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strings"
	"syscall"
	"time"

	"github.com/google/uuid"

	"github.com/openlectern/openlectern/learning/sandbox"
)

type triggerCommand struct {
	Event string `arg:"" enum:"payment.captured,payment.failed,payment.authorized,refund.processed,refund.failed,payment_intent.succeeded,payment_intent.processing,payment_intent.canceled,charge.refunded,charge.dispute.created,charge.dispute.updated,charge.dispute.closed,refund.created,refund.updated,user.created,user.updated,user.deleted" help:"Of the gateway: payment.captured, payment.failed, payment.authorized, refund.processed or refund.failed. Of Stripe: payment_intent.succeeded, .processing or .canceled, charge.refunded, charge.dispute.created, .updated or .closed, refund.created or .updated, and refund.failed with an order of Stripe. Of a user: user.created, user.updated or user.deleted (which is permanent)."`
	Order string `placeholder:"ORDER" help:"The order; default the newest one at the gateway of the sandbox, or at its Stripe."`
	User  string `default:"user_student" help:"The user of a user event."`
}

// Run signs the event as the sandbox does and sends it to the server once. It does not
// change the sandbox's own records.
func (c triggerCommand) Run(ctx context.Context, p *program) error {
	if err := p.check((*Settings).checkAddresses); err != nil {
		return err
	}
	// Read the secrets of the running sandbox from its file.
	box, err := p.readSandbox(true)
	if err != nil {
		return err
	}
	defer box.Close()
	server := box.Config().WebhookURL
	about, err := c.send(ctx, p, box)
	if errors.Is(err, syscall.ECONNREFUSED) {
		return fmt.Errorf("%s: no server answers at %s: start it (%s), or give its address with "+
			"--addr: %w", c.Event, server, p.name, err)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", c.Event, err)
	}
	_, err = fmt.Fprintf(p.stdout, "%s for %s: accepted by %s\n", c.Event, about, server)
	return err
}

// send sends the event and returns the user or order that it is about.
func (c triggerCommand) send(ctx context.Context, p *program,
	box *sandbox.Sandbox) (about string, err error) {
	// Events of the identity provider.
	if strings.HasPrefix(c.Event, "user.") {
		if p.Identity.set() {
			return "", errors.New("events come from your identity provider here; an event of the " +
				"sandbox would be rejected")
		}
		body, err := box.Identity().Event(c.Event, c.User)
		if err != nil {
			return "", err
		}
		return c.User, box.Identity().SendWebhook(ctx, body)
	}
	if c.isOfStripe() {
		return c.sendOfStripe(ctx, p, box.Stripe())
	}
	// Events of the payment gateway, which are about a payment.
	if p.Gateway.set() {
		return "", errors.New("events come from your payment gateway here; an event of the " +
			"sandbox would be rejected")
	}
	payment, err := c.payment(box.Gateway())
	if err != nil {
		return "", err
	}
	body, err := c.gatewayEvent(box.Gateway(), payment)
	if err != nil {
		return "", err
	}
	return "order " + payment.OrderID, box.Gateway().SendWebhook(ctx, body)
}

// gatewayEvent returns the body of the event. An event of a refund has the latest refund of the
// payment. If the payment has none, the event has a refund of the whole payment that the sandbox
// does not know.
func (c triggerCommand) gatewayEvent(gateway *sandbox.Gateway,
	payment sandbox.Payment) ([]byte, error) {
	about, status, _ := strings.Cut(c.Event, ".") // such as refund.processed
	if about != "refund" {
		return gateway.Event(c.Event, payment)
	}
	refund := sandbox.Refund{ID: "rfnd_" + payment.ID, Entity: about, Amount: payment.Amount,
		Currency: payment.Currency, PaymentID: payment.ID,
		Status: status, CreatedAt: time.Now().Unix()}
	if made, err := gateway.Refunds(payment.ID); err == nil && len(made) > 0 {
		refund = made[len(made)-1]
	}
	return gateway.RefundEvent(c.Event, payment, refund)
}

// payment returns the latest payment of the order of the flag, or else of the newest order. If the
// order has no payment, it returns a new one that the sandbox does not know.
func (c triggerCommand) payment(gateway *sandbox.Gateway) (sandbox.Payment, error) {
	// Choose the order. The sandbox lists the oldest first.
	id := c.Order
	if orders := gateway.Orders(); id == "" && len(orders) > 0 {
		id = orders[len(orders)-1].ID
	}
	if id == "" {
		return sandbox.Payment{}, errors.New("the sandbox has no order yet: open one with POST " +
			"/api/user/purchase")
	}
	order, err := gateway.Order(id)
	if err != nil {
		return sandbox.Payment{}, fmt.Errorf("order %s: %w", id, err)
	}
	// Use its latest payment.
	if made, err := gateway.Payments(id); err == nil && len(made) > 0 {
		return made[len(made)-1], nil
	}
	// Without one, invent a payment that fits the order and, if the event is one of a payment, the
	// event.
	notes, err := json.Marshal(order.Notes)
	if err != nil {
		return sandbox.Payment{}, fmt.Errorf("encode the notes: %w", err)
	}
	_, status, _ := strings.Cut(c.Event, ".")
	random := strings.ReplaceAll(uuid.NewString(), "-", "")
	return sandbox.Payment{
		ID:      "pay_" + random[:14], // as long as the ids of the sandbox
		Entity:  "payment",
		Status:  status,
		OrderID: id, Amount: order.Amount, Currency: order.Currency, Method: "card", Notes: notes,
		Captured: status == "captured", CreatedAt: time.Now().Unix(),
	}, nil
}

// serverURL returns the URL of a server with the same settings on this machine.
func (p *program) serverURL() string {
	host, port, _ := net.SplitHostPort(p.Addr) // checked before
	// A server on all addresses, such as 0.0.0.0, is reached at localhost.
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = ""
	}
	return "http://" + net.JoinHostPort(cmp.Or(host, "localhost"), port)
}
