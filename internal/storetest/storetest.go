// Package storetest holds what every [learning.Store] must do, as tests. It knows
// no engine: a Store that passes on one database behaves like every other on
// another, down to the order of lists, the precision of times and what a race ends
// in.
//
//	func TestConformance(t *testing.T) {
//		storetest.Run(t, func(tb testing.TB) learning.Store { return openMine(tb) })
//	}
//
// There are no switches: a Store passes all of it or is none.
package storetest

import (
	"testing"

	"github.com/openlectern/openlectern/learning"
)

// Run runs the suite. open returns an empty store with its tables, and closes it
// when the test that it was given ends.
func Run(t *testing.T, open func(tb testing.TB) learning.Store) {
	suites := []struct {
		name  string
		tests []test
	}{
		{"Course", courseTests},
		{"User", userTests},
		{"Purchase", purchaseTests},
		{"Enrollment", enrollmentTests},
		{"Progress", progressTests},
		{"Rating", ratingTests},
		{"Application", applicationTests},
		{"Certificate", certificateTests},
		{"TimeEntry", timeEntryTests},
		{"Quiz", quizTests},
		{"QuizResult", quizResultTests},
		{"Chat", chatTests},
		{"Educator", educatorTests},
		{"Admin", adminTests},
		{"AI", aiTests},
		{"Group", groupTests},
		{"Post", postTests},
		{"Reply", replyTests},
		{"Vote", voteTests},
		{"Each", eachTests},
		{"Transaction", transactionTests},
		{"Concurrency", concurrencyTests},
	}
	for _, s := range suites {
		t.Run(s.name, func(t *testing.T) {
			for _, test := range s.tests {
				t.Run(test.name, func(t *testing.T) { test.run(t, &fixture{t: t, Store: open(t)}) })
			}
		})
	}
}

// test is one behaviour.
type test struct {
	name string
	run  func(t *testing.T, f *fixture)
}
