package learning

import (
	"context"
	"strings"
	"time"

	"github.com/openlectern/openlectern/learning/core"
)

// The parts of the operations that use the AI, for tests.

// Ask is askAI.
func (p *Platform) Ask(ctx context.Context, actor core.Actor, r AIRequest) (string, error) {
	return p.askAI(ctx, actor, r)
}

// AskStream is streamAI.
func (p *Platform) AskStream(ctx context.Context, actor core.Actor, r AIRequest,
	write func(string) error) (string, error) {
	return p.streamAI(ctx, actor, r, write)
}

// Format is aiFormat.
type Format[T any] struct{ aiFormat[T] }

// NewFormat is newAIFormat.
func NewFormat[T any](name string, check func(T) []string) Format[T] {
	return Format[T]{newAIFormat(name, check)}
}

// Read is aiFormat.read.
func (f Format[T]) Read(text string) (T, []string) { return f.read(text) }

// AskJSON is askJSON.
func AskJSON[T any](ctx context.Context, p *Platform, actor core.Actor, form Format[T],
	r AIRequest) (T, error) {
	return askJSON(ctx, p, actor, form.aiFormat, r)
}

// AIData is aiData.
func AIData(v any) (string, error) { return aiData(v) }

// FindOrCreate is findOrCreate.
func FindOrCreate[T any](ctx context.Context, p *Platform, key string,
	find func(context.Context) (T, error), admit Admission,
	create func(context.Context) error) (T, error) {
	return findOrCreate(ctx, p, key, recordSource[T]{find: find, admit: admit, create: create})
}

// Callers returns how many callers wait for what is being made in this process: a
// record by its key, "roadmap of ID", or "roadmap of ID to TOPIC".
func (p *Platform) Callers(key string) int {
	id, ok := strings.CutPrefix(key, "roadmap of ")
	if !ok {
		return p.creations.Callers(key)
	}
	if id, topic, ok := strings.Cut(id, " to "); ok {
		return p.customRoadmaps.Callers(userTopic{id, topic})
	}
	return p.personalRoadmaps.Callers(id)
}

// AIDataRule is aiDataRule.
const AIDataRule = aiDataRule

// MaxChatMessages is maxChatMessages.
const MaxChatMessages = maxChatMessages

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
			case "WithGateway":
				p.saleSettings.Gateway = nil
			case "WithMedia":
				p.catalogSettings.Media = nil
			case "WithAI":
				p.ai = nil
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
