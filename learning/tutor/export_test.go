package tutor

import (
	"context"
	"strings"

	"github.com/openlectern/openlectern/learning/core"
)

// The parts of the operations that use the AI, for tests.

// Ask is askAI.
func (s *Service) Ask(ctx context.Context, actor core.Actor, r AIRequest) (string, error) {
	return s.askAI(ctx, actor, r)
}

// AskStream is streamAI.
func (s *Service) AskStream(ctx context.Context, actor core.Actor, r AIRequest,
	write func(string) error) (string, error) {
	return s.streamAI(ctx, actor, r, write)
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
func AskJSON[T any](ctx context.Context, s *Service, actor core.Actor, form Format[T],
	r AIRequest) (T, error) {
	return askJSON(ctx, s, actor, form.aiFormat, r)
}

// AIData is aiData.
func AIData(v any) (string, error) { return aiData(v) }

// FindOrCreate is findOrCreate.
func FindOrCreate[T any](ctx context.Context, s *Service, key string,
	find func(context.Context) (T, error), admit Admission,
	create func(context.Context) error) (T, error) {
	return findOrCreate(ctx, s, key, recordSource[T]{find: find, admit: admit, create: create})
}

// Callers returns how many callers wait for what is being made in this process: a
// record by its key, "roadmap of ID", or "roadmap of ID to TOPIC".
func (s *Service) Callers(key string) int {
	id, ok := strings.CutPrefix(key, "roadmap of ")
	if !ok {
		return s.creations.Callers(key)
	}
	if id, topic, ok := strings.Cut(id, " to "); ok {
		return s.customRoadmaps.Callers(userTopic{id, topic})
	}
	return s.personalRoadmaps.Callers(id)
}

// AIDataRule is aiDataRule.
const AIDataRule = aiDataRule

// MaxChatMessages is maxChatMessages.
const MaxChatMessages = maxChatMessages
