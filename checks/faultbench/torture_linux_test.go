package faultbench

import (
	"cmp"
	"iter"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestTorture runs the bench on each engine in LEARNING_TORTURE_ENGINE, for LEARNING_TORTURE_TIME,
// with the seed LEARNING_TORTURE_SEED or a random one.
func TestTorture(t *testing.T) {
	total := duration(t, "torture", "LEARNING_TORTURE_TIME")
	seed, err := rand.Uint64N(1_000_000), error(nil)
	if text := os.Getenv("LEARNING_TORTURE_SEED"); text != "" {
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	for engine := range chosenEngines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			Torture(t, engine, seed, total)
		})
	}
}

// TestSoak runs the load of Soak on each engine in LEARNING_TORTURE_ENGINE, for LEARNING_SOAK_TIME.
func TestSoak(t *testing.T) {
	total := duration(t, "soak", "LEARNING_SOAK_TIME")
	for engine := range chosenEngines() {
		t.Run(engine, func(t *testing.T) { Soak(t, engine, total) })
	}
}

// duration returns the duration in an environment variable. It skips the test if there is none,
// because the test takes that long.
func duration(t *testing.T, name, variable string) time.Duration {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		t.Skipf("left out: %s is not set; see make %s", variable, name)
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func chosenEngines() iter.Seq[string] {
	return strings.SplitSeq(cmp.Or(os.Getenv("LEARNING_TORTURE_ENGINE"), "sqlite,mariadb,postgres"), ",")
}
