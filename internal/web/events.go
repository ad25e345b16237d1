package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
)

// EventStream is the media type of server-sent events.
const EventStream = "text/event-stream"

// WriteEvents answers with the server-sent events that answer sends. If answer fails before the
// first event, WriteEvents returns the error, so that the caller can answer it with a status. After
// the first event it sends an error event, records the cause for the log, and returns nil.
func WriteEvents(w http.ResponseWriter, c *Call, answer func(out *EventWriter) error) error {
	out := &EventWriter{w: w, flow: http.NewResponseController(w), call: c}
	err := answer(out)
	if err == nil || !out.begun {
		return err
	}
	out.fail(err)
	return nil
}

// EventWriter writes events and flushes each one. It writes the header before the first.
type EventWriter struct {
	w     http.ResponseWriter
	flow  *http.ResponseController
	call  *Call
	begun bool
}

// begin sets the headers of the stream. The status is 200, with which the first write answers.
func (e *EventWriter) begin() {
	e.begun = true
	h := e.w.Header()
	h.Set("Content-Type", EventStream)
	h.Set("X-Accel-Buffering", "no") // tells proxies not to buffer
}

// send writes an event and flushes it. Its data must be JSON without line ends. The error wraps
// ErrClientGone, because writing fails only if the client has left or has stopped reading.
func (e *EventWriter) send(name string, data []byte) error {
	if !e.begun {
		e.begin()
	}
	if _, err := fmt.Fprintf(e.w, "event: %s\ndata: %s\n\n", name, data); err != nil {
		return errors.Join(ErrClientGone, err)
	}
	return e.flush()
}

// flush sends what is written. A writer that cannot flush is no failure, because the server then
// sends the events later.
func (e *EventWriter) flush() error {
	if err := e.flow.Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return errors.Join(ErrClientGone, err)
	}
	return nil
}

// Send sends an event with v as JSON. The error wraps ErrClientGone if the client has left.
func (e *EventWriter) Send(name string, v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("encode an event: %w", err)
	}
	// Encode ends with a line end, which would end the data of the event.
	return e.send(name, bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

// SendParts sends an event whose data is the JSON that write writes, in parts, for data that is too
// long for Send. It returns a failure before the first part. A failure after the first part breaks
// the connection by a panic, because the event is not whole.
func (e *EventWriter) SendParts(name string, write func(*PartWriter) error) error {
	data := &dataWriter{EventWriter: e, name: name}
	out := NewPlainPartWriter(data, e.call)
	err := write(out)
	if err == nil {
		err = out.Flush()
	}
	if err == nil {
		err = data.end()
	}
	if err == nil || !data.isSent {
		return err
	}
	// A part of the event was sent, and cannot be taken back.
	info := InfoOf(e.call.Request)
	info.Cause = err
	// The server is not to blame if the client has left.
	info.Broken = !errors.Is(err, ErrClientGone) && !ClientLeft(e.call.Context())
	panic(http.ErrAbortHandler)
}

// dataWriter writes the data of one event in parts. It is the ResponseWriter of a [PartWriter]. The
// data of an event is one line, so Write leaves out line ends, which JSON has between values only.
type dataWriter struct {
	*EventWriter
	name   string // of the event
	isSent bool   // a part was sent, or its write has failed
}

// Header returns the header of the stream.
func (d *dataWriter) Header() http.Header { return d.w.Header() }

// WriteHeader does nothing: the stream has its status.
func (d *dataWriter) WriteHeader(int) {}

// Write writes a part of the data, after the name of the event if it is the first. It returns the
// length of the part with its line ends, as io.Writer demands. Its errors do not wrap
// ErrClientGone, because the PartWriter adds that.
func (d *dataWriter) Write(part []byte) (int, error) {
	if !d.begun {
		d.begin()
	}
	// The name of the event comes before the first part of its data.
	if !d.isSent {
		d.isSent = true
		if _, err := fmt.Fprintf(d.w, "event: %s\ndata: ", d.name); err != nil {
			return 0, err
		}
	}
	if _, err := d.w.Write(bytes.ReplaceAll(part, []byte("\n"), nil)); err != nil {
		return 0, err
	}
	return len(part), nil
}

// end ends the event with an empty line, and flushes it.
func (d *dataWriter) end() error {
	if _, err := d.w.Write([]byte("\n\n")); err != nil {
		return errors.Join(ErrClientGone, err)
	}
	return d.flush()
}

// fail ends the answer with an error event, unless the client has left. The log line gets err if
// the server is to blame, or if the client has left.
func (e *EventWriter) fail(err error) {
	answer, info := e.call.Server.AnswerTo(e.call.Request, err), InfoOf(e.call.Request)
	if errors.Is(err, ErrClientGone) || ClientLeft(e.call.Context()) {
		info.Cause = err // for the log only: nobody reads another event
		return
	}
	// The answer has the status 200 already: only the log line can say that it failed. Failures
	// other than these two, such as a limit that is reached, are for the client only.
	if answer.Status == http.StatusInternalServerError || answer.IsBusy {
		info.Cause, info.Broken = err, true
	}
	// The client may have left.
	_ = e.send("error", e.call.Server.FailureBody(e.call.Request, answer.Message))
}
