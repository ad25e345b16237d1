package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// blockingLog is a log that is not read until blocked is closed.
type blockingLog struct {
	transcript
	blocked chan struct{}
}

func (b *blockingLog) Write(p []byte) (int, error) {
	<-b.blocked
	return b.transcript.Write(p)
}

func reportDropped(lines int) []byte { return fmt.Appendf(nil, "dropped %d\n", lines) }

func TestLogWriter_WritesWithinItsDelay(t *testing.T) {
	for _, delay := range []time.Duration{0, logDelay} {
		synctest.Test(t, func(t *testing.T) {
			var out transcript
			l := newLogWriter(&out, delay, reportDropped)
			defer l.flush() // ends its goroutine
			fmt.Fprintln(l, "one")
			fmt.Fprintln(l, "two")
			if synctest.Wait(); delay > 0 && out.String() != "" {
				t.Errorf("at once there is %q", out.String())
			}
			time.Sleep(delay)
			if synctest.Wait(); out.String() != "one\ntwo\n" {
				t.Errorf("after %v there is %q", delay, out.String())
			}
		})
	}
}

func TestLogWriter_WritesALargeBatchAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out transcript
		l := newLogWriter(&out, time.Hour, reportDropped)
		defer l.flush() // ends its goroutine
		line := strings.Repeat("x", logBatch/4)
		for range 3 {
			fmt.Fprintln(l, line)
		}
		if synctest.Wait(); out.String() != "" {
			t.Error("it did not wait for more lines")
		}
		fmt.Fprintln(l, line)
		if synctest.Wait(); strings.Count(out.String(), "\n") != 4 {
			t.Errorf("%d lines are there", strings.Count(out.String(), "\n"))
		}
	})
}

func TestLogWriter_KeepsOrderOfConcurrentWriters(t *testing.T) {
	const writers, each = 8, 1000
	var out transcript
	l := newLogWriter(&out, 0, reportDropped)
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for i := range each {
				fmt.Fprintln(l, w, i)
			}
		})
	}
	all.Wait()
	await(t, "the lines", func() bool { l.flush(); return strings.Count(out.String(), "\n") == writers*each })
	next := map[int]int{}
	for line := range strings.Lines(out.String()) {
		var w, i int
		if _, err := fmt.Sscan(line, &w, &i); err != nil || i != next[w] {
			t.Fatalf("line %q after %d lines of the writer (%v)", line, next[w], err)
		}
		next[w]++
	}
}

func TestLogWriter_BlockedReaderLosesLinesAndSaysHowMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := &blockingLog{blocked: make(chan struct{})}
		l := newLogWriter(out, 0, reportDropped)
		const lines = 3 * logBuffer / 100
		for i := range lines {
			fmt.Fprintf(l, "%098d\n", i)
		}
		close(out.blocked)
		synctest.Wait()
		fmt.Fprintln(l, "later")
		synctest.Wait()
		text := out.String()
		var dropped int
		if _, err := fmt.Sscanf(text[strings.Index(text, "dropped"):], "dropped %d\nlater\n", &dropped); err != nil {
			t.Fatal(err)
		}
		if written := strings.Count(text, "\n") - 2; written+dropped != lines || dropped == 0 || l.lost() != uint64(dropped) {
			t.Errorf("%d lines written and %d dropped of %d, and %d are counted", written, dropped, lines, l.lost())
		}
	})
}

// failingLog fails while it is told to.
type failingLog struct {
	transcript
	fails bool
}

func (f *failingLog) Write(p []byte) (int, error) {
	if f.fails {
		return 0, errors.New("no reader")
	}
	return f.transcript.Write(p)
}

func TestLogWriter_CountsLinesThatCouldNotBeWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := &failingLog{fails: true}
		l := newLogWriter(out, 0, reportDropped)
		for range 3 {
			fmt.Fprintln(l, "lost")
			synctest.Wait()
		}
		out.fails = false
		fmt.Fprintln(l, "written")
		synctest.Wait()
		if got := out.String(); got != "written\ndropped 3\n" {
			t.Errorf("the log is %q", got)
		}
	})
}

// fullLog takes some bytes more, and then is full until it has room.
type fullLog struct {
	transcript
	left int
}

func (f *fullLog) Write(p []byte) (int, error) {
	taken := p[:min(len(p), f.left)]
	f.left -= len(taken)
	_, _ = f.transcript.Write(taken)
	if len(taken) < len(p) {
		return len(taken), errors.New("no space left on device")
	}
	return len(p), nil
}

// A line that was written in part spoils no other line, and those before it are not lost.
func TestLogWriter_DiskIsFullInTheMiddleOfALine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := &fullLog{left: len("one\ntw")}
		l := newLogWriter(out, time.Hour, reportDropped)
		fmt.Fprint(l, "one\ntwo\nthree\n")
		l.flush()
		fmt.Fprint(l, "four\n")
		synctest.Wait()
		out.left = 1000
		fmt.Fprint(l, "five\n")
		synctest.Wait()
		if got := out.String(); got != "one\ntw\nfive\ndropped 3\n" || l.lost() != 3 {
			t.Errorf("%d lines are counted; the log is %q", l.lost(), got)
		}
	})
}

func TestLogWriter_FlushWaitsForLinesButNotForABlockedReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := &blockingLog{blocked: make(chan struct{})}
		l := newLogWriter(out, time.Hour, reportDropped)
		fmt.Fprintln(l, "one")
		begun := time.Now()
		if l.flush(); time.Since(begun) != flushTime {
			t.Errorf("a blocked reader delays the end by %v", time.Since(begun))
		}
		close(out.blocked)
		fmt.Fprintln(l, "two")
		if l.flush(); out.String() != "one\ntwo\n" {
			t.Errorf("after flush there is %q", out.String())
		}
	})
}

func TestRun_WritesTheLogBeforeItPanics(t *testing.T) {
	var out transcript
	p := &program{lines: newLogWriter(&out, time.Hour, reportDropped)}
	p.log = newLogger(p.lines, true, nil)
	func() {
		defer func() { _ = recover() }()
		p.work(t.Context(), func(context.Context) {
			p.log.Info("the last line")
			panic("a fault")
		})
	}()
	if !strings.Contains(out.String(), "the last line") {
		t.Errorf("the log is %q", out.String())
	}
}

func TestLogWriter_WaitsForLinesAfterALargeBatch(t *testing.T) {
	l := newLogWriter(&transcript{}, time.Hour, reportDropped)
	l.waiting, l.done = []byte("a line\n"), make(chan struct{})
	l.hasten() // after the pause ended and before the batch is taken
	if batch, _ := l.take(nil); len(batch) == 0 || len(l.urgent) > 0 {
		t.Errorf("%d bytes are taken, and the next lines would be written at once", len(batch))
	}
}
