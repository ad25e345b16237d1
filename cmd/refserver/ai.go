package main

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/ai"
)

// aiTimeout bounds each call to the AI, together with the repair of an invalid answer.
const aiTimeout = time.Minute

// options returns the options that give a platform an AI; nil if none is configured.
func (a AISettings) options(transport http.RoundTripper) ([]learning.Option, error) {
	if !a.set() {
		return nil, nil
	}
	model, err := ai.New(a.URL, a.APIKey, a.Model, ai.WithTransport(transport))
	if err != nil {
		return nil, err
	}
	budget, err := a.budget()
	if err != nil {
		return nil, err
	}
	ofUser, ofPlatform := budget[0], budget[1]
	return []learning.Option{learning.WithAI(model), learning.WithAITimeout(aiTimeout),
		learning.WithAIBudget(ofUser, ofPlatform)}, nil
}

// budget returns the tokens per day for one user and for all users; 0 means unlimited, as does a
// missing number. With an error they must not be used.
func (a AISettings) budget() (b [2]int64, err error) {
	parts := list(a.Budget)
	if len(parts) > len(b) {
		return b, errBudget
	}
	for i, part := range parts {
		if b[i], err = strconv.ParseInt(part, 10, 64); err != nil || b[i] < 0 {
			return b, errBudget
		}
	}
	return b, nil
}

var errBudget = errors.New("it must be tokens per day for one user and, after a comma, for all " +
	"users, such as 50000,5000000; 0 means unlimited")
