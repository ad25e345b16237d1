package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
)

// eventStream is the media type of server-sent events.
const eventStream = "text/event-stream"

// deltaJSON is the data of a delta event.
type deltaJSON struct {
	Content string `json:"content"`
}

// writeEvents answers with server-sent events: a delta for each part that answer hands
// on, and then done with what it returns. While nothing was handed on a failure is
// answered as that of every route; after that it is an error event.
func writeEvents(w http.ResponseWriter, c *call, answer func(delta func(string) error) (any, error)) error {
	out := &eventWriter{w: w, flow: http.NewResponseController(w)}
	whole, err := answer(out.delta)
	if err == nil {
		err = out.done(whole)
	}
	if err == nil || !out.begun {
		return err
	}
	out.fail(c, err)
	return nil
}

// eventWriter writes events, each at once. The header goes before the first.
type eventWriter struct {
	w     http.ResponseWriter
	flow  *http.ResponseController
	begun bool
}

func (e *eventWriter) begin() {
	e.begun = true
	h := e.w.Header()
	h.Set("Content-Type", eventStream)
	h.Set("X-Accel-Buffering", "no") // a proxy hands each event on, too
}

// send writes an event. Its data is JSON, in which no line ends.
func (e *eventWriter) send(name string, data []byte) error {
	if !e.begun {
		e.begin()
	}
	if _, err := fmt.Fprintf(e.w, "event: %s\ndata: %s\n\n", name, data); err != nil {
		return errors.Join(errClientGone, err)
	}
	if err := supported(e.flow.Flush()); err != nil {
		return errors.Join(errClientGone, err)
	}
	return nil
}

// supported drops the error of a writer that cannot flush: it gets the events all the
// same, only later.
func supported(err error) error {
	if errors.Is(err, http.ErrNotSupported) {
		return nil
	}
	return err
}

func (e *eventWriter) sendJSON(name string, v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("encode an event: %w", err)
	}
	return e.send(name, bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

func (e *eventWriter) delta(part string) error {
	return e.sendJSON("delta", deltaJSON{part})
}

func (e *eventWriter) done(whole any) error {
	body, err := success(whole)
	if err != nil {
		return err
	}
	return e.send("done", body)
}

// fail ends the answer with what is wrong, unless the client has left.
func (e *eventWriter) fail(c *call, err error) {
	status, message := answerTo(err)
	n := note(c.Request)
	if errors.Is(err, errClientGone) || clientLeft(c.Context()) {
		n.cause = err
		return
	}
	if status == http.StatusInternalServerError {
		n.cause, n.broken = err, true
	}
	_ = e.sendJSON("error", failureBody{Message: message}) // a client that has left since needs none
}
