package web

import (
	"errors"
	"io"
	"net"
	"net/http"
	"time"
)

// Deadlines bound how long a client may keep a request waiting. They are extended with every
// piece that is transferred, so that a slow client is served to the end, and a client that
// stops is disconnected whatever timeouts the server has.
type Deadlines struct {
	Write time.Duration // for the client to take the next piece of the answer
	Read  time.Duration // for the client to send the next piece of the body
	Body  time.Duration // for the whole body, plus its length at bodyRate
	// Longest bounds the time for the whole body whatever its length is; 0 for no bound.
	Longest time.Duration
}

// DefaultDeadlines are those of a server that sets none.
var DefaultDeadlines = Deadlines{
	Write: 20 * time.Second, Read: 10 * time.Second, Body: 15 * time.Second,
	Longest: 6 * time.Hour,
}

const (
	// writePiece is how much of an answer is written under one deadline, in bytes.
	writePiece = 64 << 10
	// bodyRate is the lowest rate at which a body must arrive, in bytes a second.
	bodyRate = 32 << 10
)

// ErrBodyTooSlow is the failure of a request whose body does not arrive in time.
var ErrBodyTooSlow = &Failure{
	Status: http.StatusRequestTimeout, Message: "Request body was not received in time",
	Code: "body_too_slow",
}

// bound puts the body of r under deadlines, by replacing it, and returns a writer that puts the
// answer under deadlines.
func (d Deadlines) bound(w http.ResponseWriter, r *http.Request) *deadlineWriter {
	writer := &deadlineWriter{ResponseWriter: w, control: http.NewResponseController(w),
		limit: d.Write, clears: r.ProtoMajor > 1}
	if r.Body == nil || r.Body == http.NoBody {
		return writer
	}
	// With HTTP/1 net/http itself reads what the handler leaves of the body. If the handler reads
	// nothing, no read of deadlineBody sets a deadline for that.
	if r.ProtoMajor == 1 {
		// not every writer has deadlines
		_ = writer.control.SetReadDeadline(time.Now().Add(d.Read))
	}
	r.Body = &deadlineBody{ReadCloser: r.Body, control: writer.control, limits: d}
	return writer
}

// deadlineWriter writes in pieces and sets a deadline for each.
type deadlineWriter struct {
	http.ResponseWriter
	control *http.ResponseController
	limit   time.Duration
	until   time.Time // the deadline that is set; zero for none
	// clears means that the deadline is removed between two writes. HTTP/2 needs that,
	// because it ends a stream at its deadline even if nothing is being written.
	clears bool
}

// arm sets the deadline for what is written next. One that was set a moment ago stays, until a
// twentieth of its time has passed, because setting it for each row of a list would cost more
// than the row.
func (d *deadlineWriter) arm() {
	now := time.Now()
	isRecent := d.until.Sub(now) > d.limit-d.limit/20
	if isRecent {
		return
	}
	d.until = now.Add(d.limit)
	_ = d.control.SetWriteDeadline(d.until) // not every writer has deadlines
}

// disarm removes the deadline if none may stay set between two writes: see clears.
func (d *deadlineWriter) disarm() {
	if d.clears {
		d.until = time.Time{}
		_ = d.control.SetWriteDeadline(d.until)
	}
}

// Write writes b in pieces, and returns how many bytes were written. It fails when the client does
// not take one of them in time.
func (d *deadlineWriter) Write(b []byte) (n int, err error) {
	for {
		piece := b[n:min(len(b), n+writePiece)]
		d.arm()
		written, err := d.ResponseWriter.Write(piece)
		n += written
		if err != nil || n >= len(b) {
			d.disarm()
			return n, err
		}
	}
}

// FlushError flushes what is buffered, under a deadline.
func (d *deadlineWriter) FlushError() error {
	d.arm()
	defer d.disarm()
	return d.control.Flush()
}

// Unwrap returns the writer of the server, for http.ResponseController.
func (d *deadlineWriter) Unwrap() http.ResponseWriter { return d.ResponseWriter }

// deadlineBody sets a deadline for each read of a body.
type deadlineBody struct {
	io.ReadCloser
	control *http.ResponseController
	limits  Deadlines
	begun   time.Time // of the first read; zero before it
	read    int64     // bytes that were read
	ended   bool      // a read has returned an error, such as io.EOF
}

// Read returns an error that wraps ErrBodyTooSlow when the client sends nothing in time,
// or sends too slowly.
func (d *deadlineBody) Read(p []byte) (int, error) {
	// After the end of the body net/http reads the connection without a deadline, to notice that
	// the client leaves. A deadline that is set here would end that.
	if d.ended {
		return d.ReadCloser.Read(p)
	}
	now := time.Now()
	if d.begun.IsZero() {
		d.begun = now
	}
	// The earliest of the deadlines: that of the whole body, which grows with what has arrived up
	// to the longest, and that of this piece.
	until := d.begun.Add(d.limits.Body + time.Duration(d.read)*time.Second/bodyRate)
	if longest := d.begun.Add(d.limits.Longest); d.limits.Longest > 0 && longest.Before(until) {
		until = longest
	}
	if next := now.Add(d.limits.Read); next.Before(until) {
		until = next
	}
	_ = d.control.SetReadDeadline(until) // not every writer has deadlines
	n, err := d.ReadCloser.Read(p)
	d.read, d.ended = d.read+int64(n), err != nil
	// A deadline that has passed is the client's failure, and is answered as one.
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		err = errors.Join(ErrBodyTooSlow, err)
	}
	return n, err
}
