package main

import (
	"errors"
	"strconv"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/ai"
)

// aiTimeout bounds each call to the AI, with the second round of an answer that was no
// use.
const aiTimeout = time.Minute

// options are what a platform is made with to have an AI; none when there is none.
func (a AISettings) options() ([]learning.Option, error) {
	if !a.set() {
		return nil, nil
	}
	model, err := ai.New(a.URL, a.APIKey, a.Model)
	if err != nil {
		return nil, err
	}
	budget, err := a.budget()
	if err != nil {
		return nil, err
	}
	return []learning.Option{learning.WithAI(model), learning.WithAITimeout(aiTimeout), learning.WithAIBudget(budget[0], budget[1])}, nil
}

// budget is the tokens a day of a person, and of all together; 0 for any number.
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

var errBudget = errors.New("it must be tokens a day for one person and, after a comma, for all together, such as 50000,5000000; 0 is no bound")
