package main

import (
	"fmt"
	"io"
	"os"
)

// progress is a line in a terminal that says how far a command is.
type progress struct {
	out     io.Writer // nil if there is no terminal
	action  string
	total   int64
	done    int64
	percent int64 // that is shown; -1 for none
}

// newProgress returns the line of an action with a number of bytes. It shows nothing unless the
// standard error is a terminal.
func (p *program) newProgress(action string, total int64) *progress {
	line := &progress{action: action, total: total, percent: -1}
	if file, ok := p.stderr.(*os.File); ok {
		if info, err := file.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			line.out = file
		}
	}
	return line
}

// add counts n bytes, and shows the percentage if it has grown.
func (p *progress) add(n int) {
	p.done += int64(n)
	percent := min(100, 100*p.done/max(1, p.total)) // some bytes may be read twice
	if p.out != nil && percent > p.percent {
		p.percent = percent
		fmt.Fprintf(p.out, "\r%s: %3d %%", p.action, percent)
	}
}

// end removes the line. It may be called again.
func (p *progress) end() {
	if p.out != nil && p.percent >= 0 {
		fmt.Fprint(p.out, "\r\033[K")
	}
	p.out = nil
}

// progressWriter counts what is written to a file.
type progressWriter struct {
	io.Writer
	shown *progress
}

func (w progressWriter) Write(b []byte) (int, error) {
	n, err := w.Writer.Write(b)
	w.shown.add(n)
	return n, err
}

// progressReader counts what is read from a file.
type progressReader struct {
	io.ReaderAt
	shown *progress
}

func (r progressReader) ReadAt(b []byte, offset int64) (int, error) {
	n, err := r.ReaderAt.ReadAt(b, offset)
	r.shown.add(n)
	return n, err
}
