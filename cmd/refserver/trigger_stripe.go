package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/openlectern/openlectern/learning/sandbox"
)

// isOfStripe reports whether an event is one that Stripe sends.
func (c triggerCommand) isOfStripe() bool {
	about, _, _ := strings.Cut(c.Event, ".")
	switch about {
	case "payment_intent", "charge":
		return true
	case "refund": // refund.processed is the gateway's, and both send refund.failed
		return c.Event == "refund.created" || c.Event == "refund.updated" ||
			strings.HasPrefix(c.Order, "pi_")
	}
	return false
}

// sendOfStripe sends an event of Stripe, and returns what it is about. The platform believes no
// event of Stripe: it asks the sandbox, whose records the event does not change.
func (c triggerCommand) sendOfStripe(
	ctx context.Context, p *program, stripe *sandbox.Stripe,
) (about string, err error) {
	if p.Stripe.set() {
		return "", errors.New("events come from Stripe here; an event of the sandbox would be " +
			"rejected. Use \"stripe trigger\" of the Stripe CLI")
	}

	// Choose the PaymentIntent. The sandbox lists the oldest first.
	id := c.Order
	if intents := stripe.Intents(); id == "" && len(intents) > 0 {
		id = intents[len(intents)-1].ID
	}
	if id == "" {
		return "", errors.New("no order at Stripe yet: open one with POST /api/user/purchase, for a " +
			"course and a currency that are paid there")
	}
	intent, err := stripe.Intent(id)
	if err != nil {
		return "", fmt.Errorf("order %s: %w", id, err)
	}

	object, err := c.objectOfStripe(stripe, intent)
	if err != nil {
		return "", fmt.Errorf("order %s: %w", id, err)
	}
	body, err := stripe.Event(c.Event, object)
	if err != nil {
		return "", err
	}
	return "order " + id, stripe.SendWebhook(ctx, body)
}

// objectOfStripe returns the object that the event is about: the PaymentIntent, or the latest
// charge, refund or dispute of it.
func (c triggerCommand) objectOfStripe(
	stripe *sandbox.Stripe, intent sandbox.PaymentIntent,
) (any, error) {
	switch {
	case strings.HasPrefix(c.Event, "payment_intent."):
		return intent, nil
	case strings.HasPrefix(c.Event, "charge.dispute."):
		return latest(stripe.Disputes(intent.ID), "dispute: open one at the sandbox")
	case strings.HasPrefix(c.Event, "charge."):
		return latest(stripe.Charges(intent.ID), "charge: pay it at the sandbox")
	}
	return latest(stripe.Refunds(intent.ID), "refund: refund the purchase")
}

// latest returns the last element. Without one, the error says what is missing.
func latest[T any](list []T, missing string) (any, error) {
	if len(list) == 0 {
		return nil, fmt.Errorf("it has no %s first", missing)
	}
	return list[len(list)-1], nil
}
