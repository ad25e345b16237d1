package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"runtime/debug"
	"time"
)

// Detach answers a request with server-sent events on a connection that it takes over from the
// server: a stream that mostly waits then costs some kilobytes, and not the forty that net/http
// keeps for a request. It calls serve in a goroutine, and closes the connection when serve returns.
// It reports false, and has done nothing, for HTTP/2, for a writer that cannot give up its
// connection, and for an answer that middleware wants to encode: see [WriteEvents] then.
//
// The context of the request ends when its handler returns, so serve must use another one.
func (s *Server) Detach(
	w http.ResponseWriter, r *http.Request, serve func(out *DetachedEvents),
) bool {
	if r.ProtoMajor != 1 || r.ProtoMinor < 1 || w.Header().Get("Content-Encoding") != "" {
		return false
	}
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return false
	}
	info := InfoOf(r)
	info.isDetached = true
	out := &DetachedEvents{conn: conn, limit: s.Deadlines.Write, head: headOf(w.Header()),
		gone: make(chan struct{})}
	id := info.id // the rest of info is not kept
	go out.watch()
	go func() {
		defer conn.Close()
		defer func() {
			if value := recover(); value != nil {
				s.Log.Error("a handler panicked", "request_id", id, "panic", value, "stack",
					string(debug.Stack()))
			}
		}()
		serve(out)
	}()
	return true
}

// headOf returns the head of an answer whose body ends with its connection.
func headOf(header http.Header) []byte {
	h := header.Clone()
	h.Set("Content-Type", EventStream)
	h.Set("X-Accel-Buffering", "no") // tells proxies not to buffer
	h.Set("Connection", "close")
	h.Set("Date", time.Now().UTC().Format(http.TimeFormat))
	var b bytes.Buffer
	b.WriteString("HTTP/1.1 200 OK\r\n")
	_ = h.Write(&b) // a buffer takes all
	b.WriteString("\r\n")
	return b.Bytes()
}

// DetachedEvents writes the events of [Server.Detach].
type DetachedEvents struct {
	conn  net.Conn
	limit time.Duration // for the client to take an event
	head  []byte        // is written before the first event
	gone  chan struct{}
}

// Gone is closed when the client has left.
func (d *DetachedEvents) Gone() <-chan struct{} { return d.gone }

// Send sends an event with v as JSON. It fails if the client has left or does not read.
func (d *DetachedEvents) Send(name string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode an event: %w", err)
	}
	event := fmt.Appendf(d.head, "event: %s\ndata: %s\n\n", name, data)
	d.head = nil
	if err := d.conn.SetWriteDeadline(time.Now().Add(d.limit)); err != nil {
		return err
	}
	_, err = d.conn.Write(event)
	return err
}

// watch waits until the client leaves, which is the end of what it sends. A client that sends
// something has lost count of its requests, and is taken for one that has left.
func (d *DetachedEvents) watch() {
	defer close(d.gone)
	_ = d.conn.SetReadDeadline(time.Time{})
	var b [1]byte
	_, _ = d.conn.Read(b[:])
	// The stream does not have to wait for its next event to end.
	_ = d.conn.Close()
}
