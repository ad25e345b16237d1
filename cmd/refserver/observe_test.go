package main

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestTracesNotSent_WarnsOnceInAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		p := &program{log: newLogger(&out, true, nil)}
		for range 1000 {
			p.tracesNotSent(errors.New("no receiver"))
		}
		time.Sleep(tracesWarning)
		p.tracesNotSent(errors.New("no receiver"))
		got := out.String()
		if strings.Count(got, "\n") != 2 || !strings.Contains(got, `"times":1,`) ||
			!strings.Contains(got, `"times":1000,`) {
			t.Errorf("the log:\n%.1000s", got)
		}
	})
}
