package enginetest

import (
	"flag"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
)

// runMoreInParallel makes two tests for each processor run at the same time, of those that call
// t.Parallel, because tests wait for a database, another process or a time-out as long as they
// compute. It does nothing if -parallel is given, or if the process fuzzes, because -parallel is
// then the number of processes.
func runMoreInParallel() {
	flag.Parse()
	isGiven := false
	flag.Visit(func(f *flag.Flag) {
		isGiven = isGiven || f.Name == "test.parallel" ||
			f.Name == "test.fuzz"
	})
	if isGiven {
		return
	}
	if err := flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0))); err != nil {
		panic(err) // cannot happen: every test binary has the flag
	}
}

// collectLess makes the garbage collector run when the heap has grown five times, and not two
// times, because it took a seventh of the time of the tests. It does nothing if GOGC is set.
func collectLess() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
}
