package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"

	"github.com/openlectern/openlectern/learning/core"
)

// observedTransport observes each request as a call of the identity provider. The call ends with
// the body of its answer, because that may be late or end too early.
type observedTransport struct {
	observer core.Observer
	next     http.RoundTripper
}

// RoundTrip sends a request. After an error, or an answer with another status than 200, the call
// ends at once for the observer. Otherwise it ends when the caller has read or closes the body.
func (t observedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, done := t.observer.Begin(r.Context(),
		core.Operation{Kind: core.OperationProvider, Name: "identity.keys"})
	// The end of the body, an error and Close may all report the end; the first one counts.
	var once sync.Once
	end := func(err error) { once.Do(func() { done(core.Outcome{Err: err}) }) }
	res, err := t.next.RoundTrip(r.WithContext(ctx))
	switch {
	case err != nil:
		end(err)
		return res, err
	case res.StatusCode != http.StatusOK:
		end(fmt.Errorf("status %d", res.StatusCode))
	default:
		// The body reports the end.
		res.Body = observedBody{res.Body, end}
	}
	return res, nil
}

// observedBody calls end when it was read, could not be read, or was closed.
type observedBody struct {
	io.ReadCloser
	end func(error)
}

// Read reads a part of the body.
func (b observedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	switch {
	case errors.Is(err, io.EOF):
		b.end(nil)
	case err != nil:
		b.end(err)
	}
	return n, err
}

// Close closes the body. If the caller has not read it to the end, the call counts as successful,
// because the caller needs no more of it.
func (b observedBody) Close() error {
	b.end(nil)
	return b.ReadCloser.Close()
}
