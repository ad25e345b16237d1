package web

import (
	"bytes"
	"errors"
	"net/http"
)

const (
	// partSize is the size of the buffer of an answer in parts, in bytes. An answer that fits is
	// written at once, so that a failure still has a status of its own.
	partSize = 64 << 10
	// partFull is the length at which the buffer is flushed, so that a row of usual size does not
	// make it grow.
	partFull = partSize - 8<<10
	// partSmall is the length at which the buffer grows to its full size, which most answers do
	// not need.
	partSmall = 8 << 10
)

var (
	// ErrPartFull means that the buffer is full.
	ErrPartFull = errors.New("web: the buffer of a part is full")
	// ErrClientGone means that the client has stopped reading.
	ErrClientGone = errors.New("web: the client went away")
	// errNoBody means that the request is a HEAD and its header has been written.
	errNoBody = errors.New("web: no body is wanted")
)

// PartWriter buffers an answer and sends it in parts of a fixed size. A failure before the first
// part has a status of its own. A later one breaks the connection, so that the client sees that
// the answer is incomplete; the log has the cause.
type PartWriter struct {
	bytes.Buffer
	MediaType string // of the answer; JSONType unless it is changed before the first part
	w         http.ResponseWriter
	call      *Call
	held      int  // bytes that the rows hold in addition to the buffer
	begun     bool // the header was written, or there is none
	sent      int  // bytes of the parts that were written
}

// NewPartWriter returns a writer of the answer to c. held is how many bytes of memory the rows use
// until they are written, in addition to the buffer.
func NewPartWriter(w http.ResponseWriter, c *Call, held int) *PartWriter {
	return &PartWriter{MediaType: JSONType, w: w, call: c, held: held}
}

// NewPlainPartWriter returns a writer of parts that are not an answer of their own, such as the
// data of an event: it sets no header of w, and does not count its memory. Finish must not be
// called.
func NewPlainPartWriter(w http.ResponseWriter, c *Call) *PartWriter {
	return &PartWriter{w: w, call: c, begun: true}
}

// IsSent reports whether a part was sent.
func (p *PartWriter) IsSent() bool { return p.sent > 0 }

// Written returns how many bytes were written, sent ones included.
func (p *PartWriter) Written() int { return p.sent + p.Len() }

// Free returns how many bytes of rows a caller should read next: those that fill the buffer, or,
// if less than a quarter of it is free, those that also fill the next one, so that no query is for
// a few rows only.
func (p *PartWriter) Free() int {
	free := partFull - p.Len()
	if free < partFull/4 {
		free += partFull
	}
	return free
}

// Room makes room for another row. It returns ErrPartFull if the buffer is full: then the caller
// calls Flush before the next row.
func (p *PartWriter) Room() error {
	switch {
	case p.Len() >= partFull:
		return ErrPartFull
	case p.Len() >= partSmall && p.Cap() < partSize:
		p.Grow(partSize - p.Len())
	}
	return nil
}

// Flush writes the buffered part, and the header before the first part. Before the header it takes
// the memory of the answer, and returns the error of [Call.Hold] if that is not free. If the client
// has left it returns an error that wraps ErrClientGone. For a HEAD request it returns an error
// that means no failure, so that the caller reads no more rows; Finish ignores it.
func (p *PartWriter) Flush() error {
	if !p.begun {
		// This is the last moment at which the answer can be given up and begun again by Run.
		if err := p.call.Hold(max(p.Cap(), partSize) + p.held); err != nil {
			return err
		}
		p.begun = true
		p.w.Header().Set("Content-Type", p.MediaType)
	}
	_, err := p.w.Write(p.Bytes())
	p.sent += p.Len()
	p.Reset()
	switch {
	case err != nil:
		return errors.Join(ErrClientGone, err)
	case p.call.Method == http.MethodHead:
		return errNoBody
	}
	return nil
}

// Finish ends the answer. err is the failure to make it, nil if the answer is complete; then Finish
// writes what is buffered. It returns err if no part was written, so that the caller can answer it.
// After the first part it does not return a failure, but breaks the connection by a panic. The
// error of Flush for a HEAD request is no failure: Finish returns nil for it.
func (p *PartWriter) Finish(err error) error {
	switch {
	// The buffer has the whole answer, and its length is known. So short an answer takes no memory
	// by Hold.
	case err == nil && !p.begun:
		writeBody(p.w, p.MediaType, http.StatusOK, p.Bytes())
	case err == nil: // the last part
		err = p.Flush()
	}
	switch {
	case err == nil, errors.Is(err, errNoBody):
		return nil
	case !p.begun: // the caller can still answer the failure
		return err
	}
	// A part was sent. Break the connection, so that the client does not take it for the whole.
	info := InfoOf(p.call.Request)
	info.Cause = err
	// The server is not to blame if the client has left, or if the request was cancelled.
	info.Broken = !errors.Is(err, ErrClientGone) && p.call.Context().Err() == nil
	panic(http.ErrAbortHandler)
}
