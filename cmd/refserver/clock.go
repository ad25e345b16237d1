package main

import "github.com/openlectern/openlectern/learning"

// clockOptions are the options of the platform's clock. There are none, so that the clock is the
// system's, except in the build of the fault bench, which moves clocks (clock_faultbench.go).
var clockOptions []learning.Option
