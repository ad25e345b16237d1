package learning

import (
	"context"
	"time"

	"github.com/openlectern/openlectern/learning/core"
)

// WithIDs is withIDs.
var WithIDs = withIDs

// Without takes back options of the given names that come before it, such as "WithAI".
func Without(names ...string) Option {
	return func(p *Platform) {
		for _, name := range names {
			switch name {
			case "WithTokens":
				p.identity.Tokens = nil
			case "WithRoles":
				p.identity.Roles = nil
			case "WithWebhooks":
				p.identity.Webhooks = nil
			case "WithProvider":
				p.saleSettings.Providers = nil
			case "WithMedia":
				p.fileSettings.Media = nil
			case "WithAI":
				p.tutorSettings.AI = nil
			case "WithCertificates":
				p.certifySettings.Renderer = nil
			case "WithCredentials":
				p.certifySettings.Credentials = nil
			default:
				panic("learning: no option " + name)
			}
		}
	}
}

// WithEventTimeout sets the time limit of one call of an [core.EventHandler].
func WithEventTimeout(d time.Duration) Option { return func(p *Platform) { p.base.Events.Timeout = d } }

// MaintainEvents runs the maintenance of events.
func (p *Platform) MaintainEvents(ctx context.Context) error { return p.base.Events.Maintain(ctx) }

// RecountUntilRight is recountUntilRight.
func (p *Platform) RecountUntilRight(ctx context.Context) error { return p.recountUntilRight(ctx) }

// Rooms returns the rooms that a platform asks.
func Rooms(p *Platform) []core.Room[Tx] { return p.rooms }
