package main

import (
	"context"
	"slices"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/refund"
	"github.com/openlectern/openlectern/learning/webhook"
)

// The targets of the events of this program. Their names are stored with each delivery.
const (
	webhookTarget = "webhook" // the receiver of the settings
	logTarget     = "log"     // the log of a server in development, if there is no receiver
)

// targetName returns the name of the target of the settings. In production without a receiver it is
// that of an earlier one, whose events may still be stored.
func (s *Settings) targetName() string {
	if s.Events.set() || s.production() {
		return webhookTarget
	}
	return logTarget
}

// eventTarget returns the option for the target of the settings. Without a receiver the
// events of a server in development are lines of its log, so that they can be seen, and
// those of a server in production are not written.
func (p *program) eventTarget() ([]learning.Option, error) {
	switch {
	case p.Events.set():
		transport := p.traceTransport(webhook.NewTransport())
		sender, err := webhook.NewSender(p.Events.URL, list(p.Events.Secret),
			webhook.WithTransport(transport))
		return []learning.Option{learning.WithEvents(webhookTarget, sender)}, err
	case p.production():
		return nil, nil
	}
	return []learning.Option{learning.WithEvents(logTarget, core.EventHandlerFunc(p.logEvent))},
		nil
}

// logEvent handles an event by a line of the log, without the event's data.
func (p *program) logEvent(_ context.Context, e learning.Event) error {
	p.log.Info("event", "id", e.ID, "type", e.Type, "subject", e.Subject)
	return nil
}

// newPlatform returns a platform with the options and those that every command has: the log, the
// refund policy, the clock of the build and the target of events. The platform writes its events
// for this target, and a running server delivers them.
func (p *program) newPlatform(st learning.Store,
	options ...learning.Option) (*learning.Platform, error) {
	target, err := p.eventTarget()
	if err != nil {
		return nil, err
	}
	papers, err := p.paperOptions()
	if err != nil {
		return nil, err
	}
	options = slices.Concat(options, clockOptions, papers,
		[]learning.Option{learning.WithLogger(p.log),
			learning.WithRefundPolicy(refund.Policy(p.Refund))}, target)
	return learning.New(st, options...)
}
