package tutor_test

import (
	"context"
	"errors"
	"testing"

	leases "github.com/openlectern/openlectern/internal/lease"
	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/tutor"
)

// interrupted is a model that calls during, and then gives an invalid answer.
type interrupted struct {
	tutor.AI
	during func()
	asked  int
}

func (m *interrupted) Complete(context.Context, tutor.AIRequest) (tutor.AIReply, error) {
	m.asked++
	m.during()
	return tutor.AIReply{Text: "no JSON", Usage: core.AIUsage{Prompt: 10, Completion: 5}},
		nil
}

// A panic ends a call as an error does: it is booked, and its slot is free.
func TestAskAI_PanicOfTheModelFreesTheSlot(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		model := &interrupted{during: func() { panic("no model") }}
		w := roomtest.New(t, database, learningtest.WithPlatform(learning.WithAI(model)))
		const calls = 3 // more than there are slots
		for range calls {
			if value := roomtest.Recovered(func() {
				_, _ = w.Platform.Tutor.Ask(ctx(), roomtest.Ada,
					longRequest())
			}); value != "no model" {
				t.Fatalf("the caller got %v", value)
			}
		}
		most := longRequest().MaxUsage()
		w.WantUsed(t, "ada", calls*most.Prompt, calls*most.Completion)
		if n := w.Count(t, "ai_reservations"); n != 0 {
			t.Errorf("%d reservations are left", n)
		}
	})
}

// A call whose slot was taken over makes no further request and leaves the slot to its
// new holder. What it has used is booked.
func TestAskJSON_LostSlotMakesNoSecondRequest(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		model := &interrupted{}
		w := roomtest.New(t, database, learningtest.WithPlatform(learning.WithAI(model)))
		model.during = func() { w.Exec(t, "UPDATE leases SET holder = 'successor'") }
		if _, err := tutor.AskJSON(ctx(), w.Platform.Tutor, roomtest.Ada, sampleForm,
			sampleRequest); !errors.Is(err, leases.ErrLost) {
			t.Errorf("got %v", err)
		}
		if model.asked != 1 {
			t.Errorf("the model was asked %d times", model.asked)
		}
		if n := w.Count(t, "leases WHERE holder = 'successor'"); n != 1 {
			t.Errorf("the successor has %d leases", n)
		}
		if used := w.UsedBy(t, "ada"); used.Prompt != 10 || used.Completion != 5 {
			t.Errorf("booked %+v", used)
		}
		if n := w.Count(t, "ai_reservations"); n != 0 {
			t.Errorf("%d reservations are left", n)
		}
	})
}
