package learningtest

import (
	"context"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/openlectern/openlectern/learning/tutor"
)

// AI tests a language model of a host: what [tutor.AI] promises. The model gets some short
// questions.
func AI(t *testing.T, model tutor.AI) {
	t.Helper()
	request := tutor.AIRequest{MaxTokens: 200, Messages: []tutor.AIMessage{
		{Role: tutor.AISystem, Content: "Answer in one short sentence."},
		{Role: tutor.AIUser, Content: "What is a variable?"},
	}}
	wantText := func(t *testing.T, r tutor.AIReply, err error) {
		t.Helper()
		if err != nil || strings.TrimSpace(r.Text) == "" || !utf8.ValidString(r.Text) {
			t.Fatalf("%+v, %v", r, err)
		}
	}
	t.Run("answers in one piece", func(t *testing.T) {
		r, err := model.Complete(t.Context(), request)
		wantText(t, r, err)
	})
	t.Run("answers in parts", func(t *testing.T) {
		var parts strings.Builder
		r, err := model.Stream(t.Context(), request, func(delta string) error {
			parts.WriteString(delta)
			return nil
		})
		wantText(t, r, err)
		if parts.String() != r.Text {
			t.Errorf("the parts are %q and the reply %q", parts.String(), r.Text)
		}
	})
	t.Run("stops when its reader does", func(t *testing.T) {
		gone, calls := errors.New("the client has left"), 0
		r, err := model.Stream(t.Context(), request, func(string) error {
			calls++
			return gone
		})
		if !errors.Is(err, gone) || calls != 1 || r.Text != "" {
			t.Errorf("%d calls, %+v, %v", calls, r, err)
		}
	})
	t.Run("ends with its context", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if r, err := model.Complete(ctx, request); err == nil || r.Text != "" {
			t.Errorf("Complete: %+v, %v", r, err)
		}
		r, err := model.Stream(ctx, request, func(string) error { return nil })
		if err == nil || r.Text != "" {
			t.Errorf("Stream: %+v, %v", r, err)
		}
	})
	t.Run("takes a schema", func(t *testing.T) {
		withSchema := request
		withSchema.Schema = &tutor.AISchema{Name: "answer", JSON: []byte(`{"type":"object",` +
			`"properties":{"text":{"type":"string"}},"required":["text"],` +
			`"additionalProperties":false}`)}
		r, err := model.Complete(t.Context(), withSchema)
		wantText(t, r, err)
	})
}
