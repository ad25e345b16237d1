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
	w     http.ResponseWriter
	call  *Call
	held  int  // bytes that the rows hold in addition to the buffer
	begun bool // the header was written, or there is none
	sent  int  // bytes of the parts that were written
}

// NewPartWriter returns a writer of the answer to c. held is how many bytes the rows that are to be
// written hold.
func NewPartWriter(w http.ResponseWriter, c *Call, held int) *PartWriter {
	return &PartWriter{w: w, call: c, held: held}
}

// NewPlainPartWriter returns a writer for w, which has no header to write and no answer whose
// memory is counted.
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

// Room makes room for another row. It returns ErrPartFull if the buffer is full.
func (p *PartWriter) Room() error {
	switch {
	case p.Len() >= partFull:
		return ErrPartFull
	case p.Len() >= partSmall && p.Cap() < partSize:
		p.Grow(partSize - p.Len())
	}
	return nil
}

// Flush writes the buffered part, and the header before the first part, for which it takes the
// memory of the answer. It returns an error for a HEAD request, so that the rest is not read.
func (p *PartWriter) Flush() error {
	if !p.begun {
		if err := p.call.Hold(max(p.Cap(), partSize) + p.held); err != nil {
			return err
		}
		p.begun = true
		p.w.Header().Set("Content-Type", JSONType)
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

// Finish ends the answer: it writes what is buffered. err is the failure to make the answer, nil if
// it is complete. Finish returns a failure if no part was written; else it breaks the connection by
// a panic. It returns nil to a HEAD request.
func (p *PartWriter) Finish(err error) error {
	switch {
	case err == nil && !p.begun: // the whole answer
		WriteJSON(p.w, http.StatusOK, p.Bytes())
	case err == nil:
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
	info.Broken = !errors.Is(err, ErrClientGone) && p.call.Context().Err() == nil
	panic(http.ErrAbortHandler)
}
