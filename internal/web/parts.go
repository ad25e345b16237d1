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
	// partFull is the length at which no more rows are read into the buffer, so that a row of
	// usual size does not make it grow. From partNear on the buffer is flushed instead of
	// filled with another query.
	partFull = partSize - 8<<10
	partNear = partFull * 3 / 4
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
	w      http.ResponseWriter
	call   *Call
	held   int  // bytes that the rows hold in addition to the buffer
	begun  bool // the header was written, or there is none
	isSent bool // a part was written
}

// NewPartWriter returns a writer of the answer to c. held is how many bytes the rows that are to be
// written hold.
func NewPartWriter(w http.ResponseWriter, c *Call, held int) *PartWriter {
	return &PartWriter{w: w, call: c, held: held}
}

// NewPlainPartWriter returns a writer for w, which has no header to write and no answer whose memory
// is counted.
func NewPlainPartWriter(w http.ResponseWriter, c *Call) *PartWriter {
	return &PartWriter{w: w, call: c, begun: true}
}

// IsSent reports whether a part was sent.
func (p *PartWriter) IsSent() bool { return p.isSent }

// IsNearFull reports whether the buffer is to be flushed instead of filled with another query.
func (p *PartWriter) IsNearFull() bool { return p.Len() >= partNear }

// Free returns how many bytes the buffer has room for.
func (p *PartWriter) Free() int { return partFull - p.Len() }

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

// Flush writes the buffered part, and the header before the first part. It returns an error for a
// HEAD request, so that the rest is not read.
func (p *PartWriter) Flush() error {
	if !p.begun {
		if err := p.call.Hold(max(p.Cap(), partSize) + p.held); err != nil {
			return err
		}
		p.begun = true
		p.w.Header().Set("Content-Type", JSONType)
	}
	_, err := p.w.Write(p.Bytes())
	p.isSent = true
	p.Reset()
	switch {
	case err != nil:
		return errors.Join(ErrClientGone, err)
	case p.call.Method == http.MethodHead:
		return errNoBody
	}
	return nil
}

// Finish ends the answer. err is the failure to make it. Finish returns err if the answer has not
// begun; else it breaks the connection.
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
	case !p.begun:
		return err
	}
	info := InfoOf(p.call.Request)
	info.Cause = err
	info.Broken = !errors.Is(err, ErrClientGone) && p.call.Context().Err() == nil
	panic(http.ErrAbortHandler)
}
