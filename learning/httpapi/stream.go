package httpapi

import (
	"bufio"
	"errors"
	"net/http"
)

// streamBuffer is how much of a streamed list is held, in bytes. A list that fits
// is answered in one piece, and may still fail with a proper status.
const streamBuffer = 16 << 10

// errClientGone: the client does not read any more; there is nobody to tell.
var errClientGone = errors.New("httpapi: the client went away")

// errNoBody: the client asked for the header alone, and has it.
var errNoBody = errors.New("httpapi: no body is wanted")

// stream answers {"success":true,"<field>":[…]} with elements that are written as
// they are read: the list may be larger than what a server can hold. A failure
// after the answer has begun cannot be a status any more, so it breaks the
// connection: the client sees that the list is not whole, and the log says why.
func stream(w http.ResponseWriter, c *call, field string, each func(write func(any) error) error) error {
	out := &streamWriter{w: w, head: c.Method == http.MethodHead}
	b := bufio.NewWriterSize(out, streamBuffer)
	err := encodeList(b, field, each)
	if err == nil {
		_ = b.WriteByte('}') // an error stays with b, and Flush reports it
		err = b.Flush()
	}
	switch {
	case err == nil, errors.Is(err, errNoBody):
		return nil
	case !out.begun:
		return err
	}
	n := note(c.Request)
	n.cause, n.broken = err, !errors.Is(err, errClientGone) && c.Context().Err() == nil
	panic(http.ErrAbortHandler)
}

// streamWriter sets the header of the answer just before its first byte. What a
// HEAD asks for ends with that byte: the rest of the list need not be read.
type streamWriter struct {
	w           http.ResponseWriter
	head, begun bool
}

func (s *streamWriter) Write(b []byte) (int, error) {
	if !s.begun {
		s.begun = true
		s.w.Header()["Content-Type"] = jsonType
	}
	n, err := s.w.Write(b)
	switch {
	case err != nil:
		err = errors.Join(errClientGone, err)
	case s.head:
		err = errNoBody
	}
	return n, err
}
