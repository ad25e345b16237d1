//go:build faultbench

package main

import (
	"os"
	"time"

	"github.com/openlectern/openlectern/learning"
)

// The build of the fault bench has a clock that the bench moves: it differs from the system's by
// the duration in the file that this variable names. The build also removes leftovers more often,
// so that a run of the bench sees them go.
func init() {
	tidyEvery = 10 * time.Second
	if file := os.Getenv("FAULTBENCH_CLOCK"); file != "" {
		clockOptions = append(clockOptions, learning.WithClock(movedClock(file)))
	}
}

// movedClock is the name of a file with a duration. The file is read at each use, because the clock
// of a machine moves while programs run.
type movedClock string

// Now returns the moved time. It panics if the file cannot be read.
func (c movedClock) Now() time.Time {
	text, err := os.ReadFile(string(c))
	if err != nil {
		panic("read how far the clock is moved: " + err.Error())
	}
	by, err := time.ParseDuration(string(text))
	if err != nil {
		panic("read how far the clock is moved: " + err.Error())
	}
	return time.Now().Add(by)
}
