package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
)

// JSONType is the media type of JSON.
const JSONType = "application/json; charset=utf-8"

// WriteJSON writes an answer that is encoded.
func WriteJSON(w http.ResponseWriter, status int, body []byte) {
	writeBody(w, JSONType, status, body)
}

// writeBody is WriteJSON for any media type.
func writeBody(w http.ResponseWriter, kind string, status int, body []byte) {
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client may have left
}

// WriteBody writes an answer of status 200 that is encoded, and takes memory for a large one. If
// no memory is free, it writes nothing and returns an error. The action must return this error, so
// that [Call.Run] waits for memory and runs the action again. Only the answers to GET and HEAD wait
// for memory, because other requests have changed something and must be answered.
func (c *Call) WriteBody(w http.ResponseWriter, body []byte) error {
	isRead := c.Method == http.MethodGet || c.Method == http.MethodHead
	if isRead && len(body) > SmallAnswer {
		if err := c.Hold(cap(body)); err != nil { // the whole array of body stays in memory
			return err
		}
	}
	WriteJSON(w, http.StatusOK, body)
	return nil
}

// Success encodes an answer, which must be a struct, with the field success: true before its
// own fields.
func Success(answer any) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(`{"success":true,`)
	mark := b.Len() // where the answer begins
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(answer); err != nil {
		return nil, fmt.Errorf("encode an answer: %w", err)
	}
	body := bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	if string(body[mark:]) == "{}" {
		return []byte(`{"success":true}`), nil
	}
	// Remove the { of the answer: its fields continue the object that has success.
	return append(body[:mark], body[mark+1:]...), nil
}
