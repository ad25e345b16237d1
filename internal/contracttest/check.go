package contracttest

import (
	"testing"
	"time"
)

// check ends the test if err is not nil.
func check(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// answerTime is the longest time that a case waits for an answer.
const answerTime = 30 * time.Second
