package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/openlectern/openlectern/learning"
)

// eventStream is the media type of server-sent events.
const eventStream = "text/event-stream"

// deltaJSON is the data of a delta event.
type deltaJSON struct {
	Content string `json:"content"`
}

// writeEvents answers with the server-sent events that answer sends. If answer fails before
// the first event, writeEvents returns the error; after the first event it sends an error
// event.
func writeEvents(w http.ResponseWriter, c *call, answer func(out *eventWriter) error) error {
	out := &eventWriter{w: w, flow: http.NewResponseController(w)}
	err := answer(out)
	if err == nil || !out.begun {
		return err
	}
	out.fail(c, err)
	return nil
}

// eventWriter writes events and flushes each one. It writes the header before the first.
type eventWriter struct {
	w     http.ResponseWriter
	flow  *http.ResponseController
	begun bool
}

func (e *eventWriter) begin() {
	e.begun = true
	h := e.w.Header()
	h.Set("Content-Type", eventStream)
	h.Set("X-Accel-Buffering", "no") // tells proxies not to buffer
}

// send writes an event. Its data must be JSON without line ends.
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

// supported drops the error of a writer that cannot flush, because the server then sends the
// events later.
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

// sendList sends an event whose data is a list as [writeList] writes it, in parts. A
// failure after the first part breaks the connection, because the event is not whole.
func sendList[Row any](e *eventWriter, c *call, name, path string, list *learning.List[Row], shape func(Row) any, rest func(rows int) any) error {
	data := &dataWriter{eventWriter: e, name: name}
	out := &listWriter{w: data, call: c, begun: true}
	err := encodeList(out, path, list, shape, rest)
	if err == nil {
		err = out.flush()
	}
	if err == nil {
		err = data.end()
	}
	if err == nil || !data.sent {
		return err
	}
	n := infoOf(c.Request)
	n.cause, n.broken = err, !errors.Is(err, errClientGone) && !clientLeft(c.Context())
	panic(http.ErrAbortHandler)
}

// dataWriter writes the data of one event in parts. Data is one line, so line ends, which
// JSON has between values only, are left out.
type dataWriter struct {
	*eventWriter
	name string
	sent bool
}

func (d *dataWriter) Header() http.Header { return d.w.Header() }
func (d *dataWriter) WriteHeader(int)     {}

func (d *dataWriter) Write(part []byte) (int, error) {
	if !d.begun {
		d.begin()
	}
	if !d.sent {
		d.sent = true
		if _, err := fmt.Fprintf(d.w, "event: %s\ndata: ", d.name); err != nil {
			return 0, err
		}
	}
	if _, err := d.w.Write(bytes.ReplaceAll(part, []byte("\n"), nil)); err != nil {
		return 0, err
	}
	return len(part), nil
}

// end ends the event.
func (d *dataWriter) end() error {
	if _, err := d.w.Write([]byte("\n\n")); err != nil {
		return errors.Join(errClientGone, err)
	}
	if err := supported(d.flow.Flush()); err != nil {
		return errors.Join(errClientGone, err)
	}
	return nil
}

// fail ends the answer with an error event, unless the client has left.
func (e *eventWriter) fail(c *call, err error) {
	status, message := answerTo(err)
	n := infoOf(c.Request)
	if errors.Is(err, errClientGone) || clientLeft(c.Context()) {
		n.cause = err
		return
	}
	if status == http.StatusInternalServerError || errors.Is(err, learning.ErrBusy) {
		n.cause, n.broken = err, true
	}
	_ = e.sendJSON("error", failureJSON{Message: message}) // the client may have left
}
