package sandbox

import (
	"context"
	"errors"
	"slices"
)

// ErrUnknownWebhook is returned for the id of a webhook that is not in Deliveries.
var ErrUnknownWebhook = errors.New("the sandbox has no webhook with this id")

// HoldWebhooks starts or ends holding webhooks. A webhook whose event happens while webhooks are
// held is sent by [Sandbox.Resend] only, so that a test decides about the order in which webhooks
// arrive.
func (s *Sandbox) HoldWebhooks(hold bool) { s.sender.setHold(hold) }

// Resend sends a webhook of Deliveries once more, with the same id and body and a new signature. It
// returns ErrUnknownWebhook, or an error unless the answer is 2xx.
func (s *Sandbox) Resend(ctx context.Context, id string) error { return s.sender.resend(ctx, id) }

// setHold starts or ends holding messages. Those that are held stay so: resend sends them.
func (s *sender) setHold(hold bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hold = hold
}

// resend makes one more attempt to deliver the kept message with an id, and returns its error, or
// ErrUnknownWebhook. It records the result for a message in any state: one that was delivered
// before counts as given up if this attempt fails.
func (s *sender) resend(ctx context.Context, id string) error {
	s.mu.Lock()
	i := slices.IndexFunc(s.kept, func(d *sentMessage) bool { return d.ID == id })
	if i < 0 {
		s.mu.Unlock()
		return ErrUnknownWebhook
	}
	d := s.kept[i]
	last := d.State != deliveryPending // a pending delivery makes further attempts itself
	s.mu.Unlock()
	status, err := s.post(ctx, d.message)
	s.record(d, status, err, last)
	return err
}
