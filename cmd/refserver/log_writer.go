package main

import (
	"bytes"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// logDelay is how long a line of the log waits for others in production, so that a busy
	// server writes many lines in one system call.
	logDelay = 50 * time.Millisecond
	// logBatch is from how many bytes on lines do not wait any longer.
	logBatch = 64 << 10
	// logBuffer is how many bytes of lines wait at most while they cannot be written.
	logBuffer = 1 << 20
	// flushTime bounds how long the end of the program waits for lines to be written.
	flushTime = time.Second
)

// logWriter writes lines in another goroutine, so that no request waits for the reader of the
// log. If the reader is so slow that the buffer is full, lines are dropped, and a line says how
// many. It is safe for concurrent use. A goroutine runs while lines wait, so that a logWriter
// need not be closed; flush writes what waits. The methods of a nil logWriter do nothing.
type logWriter struct {
	w      io.Writer
	delay  time.Duration          // how long a line waits for others
	report func(lines int) []byte // returns the line about dropped lines
	urgent chan struct{}          // has an element if what waits is to be written at once
	total  atomic.Uint64          // dropped lines
	torn   bool                   // whether the last line was written in part; of the goroutine that writes

	mu      sync.Mutex
	waiting []byte
	dropped int           // since the last report
	prompt  bool          // lines do not wait for others any longer
	done    chan struct{} // closed when everything is written; nil if nothing waits
}

func newLogWriter(w io.Writer, delay time.Duration, report func(lines int) []byte) *logWriter {
	return &logWriter{w: w, delay: delay, report: report, urgent: make(chan struct{}, 1), prompt: delay == 0}
}

// Write keeps a line to be written. It never waits and never fails.
func (l *logWriter) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting)+len(line) > logBuffer {
		l.dropped++
		l.total.Add(1)
		return len(line), nil
	}
	l.waiting = append(l.waiting, line...)
	if l.done == nil {
		l.done = make(chan struct{})
		go l.writeAll()
	}
	if len(l.waiting) >= logBatch {
		l.hasten()
	}
	return len(line), nil
}

// lost returns how many lines were dropped so far.
func (l *logWriter) lost() uint64 {
	if l == nil {
		return 0
	}
	return l.total.Load()
}

// hasten ends the pause in which lines wait for others.
func (l *logWriter) hasten() {
	select {
	case l.urgent <- struct{}{}:
	default:
	}
}

// writeAll writes lines until none is waiting.
func (l *logWriter) writeAll() {
	var batch []byte
	for {
		l.pause()
		var dropped int
		if batch, dropped = l.take(batch); len(batch) == 0 {
			return
		}
		failed := l.write(batch)
		dropped += failed
		l.total.Add(uint64(failed))
		if dropped == 0 {
			continue
		}
		if l.write(l.report(dropped)) > 0 {
			l.mu.Lock()
			l.dropped += dropped
			l.mu.Unlock()
		}
	}
}

// write writes lines, and returns how many it could not write. A disk that is full may take a part
// of a line: write ends that line before the next one.
func (l *logWriter) write(lines []byte) (failed int) {
	if l.torn {
		if _, err := l.w.Write([]byte("\n")); err != nil {
			return bytes.Count(lines, []byte("\n"))
		}
		l.torn = false
	}
	n, err := l.w.Write(lines)
	if err == nil {
		return 0
	}
	l.torn = n > 0 && lines[n-1] != '\n'
	return bytes.Count(lines[n:], []byte("\n"))
}

// pause waits for more lines.
func (l *logWriter) pause() {
	l.mu.Lock()
	prompt := l.prompt
	l.mu.Unlock()
	if prompt {
		return
	}
	timer := time.NewTimer(l.delay)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-l.urgent:
	}
}

// take returns the waiting lines, and how many were dropped after them. The memory of written is
// used for the next lines. If no lines wait, it records that everything is written.
func (l *logWriter) take(written []byte) (batch []byte, dropped int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	batch, dropped = l.waiting, l.dropped
	l.waiting, l.dropped = written[:0], 0
	select {
	case <-l.urgent: // it was about these lines
	default:
	}
	if len(batch) == 0 {
		close(l.done)
		l.done, l.dropped = nil, dropped
	}
	return batch, dropped
}

// stopWaiting makes lines be written as soon as they can be, from now on.
func (l *logWriter) stopWaiting() {
	if l == nil {
		return
	}
	l.mu.Lock()
	l.prompt = true
	l.mu.Unlock()
	l.hasten()
}

// flush waits until all lines are written, at most for flushTime, because the log may have no
// reader. Lines do not wait for others from now on.
func (l *logWriter) flush() {
	if l == nil {
		return
	}
	l.stopWaiting()
	l.mu.Lock()
	done := l.done
	l.mu.Unlock()
	if done == nil {
		return
	}
	timer := time.NewTimer(flushTime)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	}
}
