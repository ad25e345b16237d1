package httpapi_test

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

// answerTime is the longest time that a test waits for an answer.
const answerTime = 30 * time.Second
