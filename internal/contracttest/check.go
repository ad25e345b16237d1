package contracttest

import (
	"testing"
	"time"
)

func check(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// answerTime is the longest time that a case waits for an answer.
const answerTime = 30 * time.Second
