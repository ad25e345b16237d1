//go:build linux

package faultbench

import (
	"strings"
	"sync"
)

// serverLog receives what a server logs. It keeps the last lines, and reports lines that are always
// failures.
type serverLog struct {
	server  string
	journal *journal

	mu       sync.Mutex
	lines    []string
	unshared int // lines that say that rate limits are not shared
}

// alwaysWrong are texts that no fault explains.
var alwaysWrong = []string{"panic", "DATA RACE", "double payment", "completed another purchase"}

// limitsUnshared is what a server logs when it has lost Redis.
const limitsUnshared = "rate limits are not shared"

const keptLines = 10

// Write takes lines of the log, and looks for problems in them. It never fails, so that the server
// can go on.
func (l *serverLog) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range strings.Lines(string(b)) {
		// Some lines are problems whatever fails.
		for _, wrong := range alwaysWrong {
			if strings.Contains(line, wrong) {
				l.journal.problem("%s logs: %.2000s", l.server, line)
			}
		}
		if strings.Contains(line, limitsUnshared) {
			l.unshared++
		}
		// Keep the last lines for the messages of the bench.
		l.lines = append(l.lines, strings.TrimSpace(line))
		if len(l.lines) > keptLines {
			l.lines = l.lines[1:]
		}
	}
	return len(b), nil
}

// last returns the last lines of the log, for the text of a problem.
func (l *serverLog) last() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.lines, "\n")
}

// unsharedLimits returns how often the server has logged that it has lost Redis.
func (l *serverLog) unsharedLimits() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.unshared
}
