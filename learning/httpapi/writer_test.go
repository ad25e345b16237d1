package httpapi_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"
)

// signal is a response writer that reports writes, flushes and deadlines to a test.
type signal struct {
	http.ResponseWriter
	written func(event string)
	flushed int
	until   []time.Time
}

func (s *signal) Write(b []byte) (int, error) {
	s.written(string(b))
	return s.ResponseWriter.Write(b)
}

func (s *signal) FlushError() error { s.flushed++; return nil }

func (s *signal) SetWriteDeadline(at time.Time) error {
	s.until = append(s.until, at)
	return nil
}

// plain is a response writer of a host that cannot flush.
type plain struct {
	header http.Header
	body   strings.Builder
}

func (p *plain) Header() http.Header { return p.header }

func (p *plain) WriteHeader(int) {}

func (p *plain) Write(b []byte) (int, error) { return p.body.Write(b) }

// gone is a response writer that fails after some events, as if the client had left.
type gone struct {
	*httptest.ResponseRecorder
	left int
}

func (g *gone) Write(b []byte) (int, error) {
	if g.left--; g.left < 0 {
		return 0, errors.New("broken pipe")
	}
	return g.ResponseRecorder.Write(b)
}

// closedWriter is a response writer whose client has closed the connection.
type closedWriter struct{ header http.Header }

func (n *closedWriter) Header() http.Header {
	if n.header == nil {
		n.header = http.Header{}
	}
	return n.header
}

func (*closedWriter) Write(b []byte) (int, error) { return len(b), nil }

func (*closedWriter) WriteHeader(int) {}
