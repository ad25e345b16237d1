package provider

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
)

// DoAgain is [Do] that sends r a second time if the connection broke before any byte of an answer
// came, as it does when a server or a proxy is restarted. The server may have worked on the first
// request, so it is for requests that may be repeated: reads, and those with a key by which the
// server knows a repetition. The time-out of c bounds both together. A failure to connect, a
// time-out and an answer that was cut off are not repeated. A body of r must have GetBody.
func DoAgain(c *http.Client, r *http.Request, limit int64) ([]byte, error) {
	return doAgain(c, r, func(res *http.Response) ([]byte, error) {
		return readAnswer(res, limit)
	})
}

// AskAgain is [DoAgain] that returns the body of an answer whose status is not 2xx too, beside the
// [*StatusError], for servers whose failures say in the body what was refused. The body is nil with
// every other error.
func AskAgain(c *http.Client, r *http.Request, limit int64) ([]byte, error) {
	return doAgain(c, r, func(res *http.Response) ([]byte, error) {
		defer res.Body.Close()
		body, err := ReadAll(res.Body, limit)
		if err != nil {
			return nil, err
		}
		return body, Status(res)
	})
}

// doAgain sends r once or twice, and returns what read makes of the answer. read must close it.
func doAgain(c *http.Client, r *http.Request,
	read func(*http.Response) ([]byte, error)) ([]byte, error) {
	ctx := r.Context()
	if c.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.Timeout)
		defer cancel()
	}
	var answered atomic.Bool
	res, err := send(ctx, c, r, &answered) //nolint:bodyclose // read closes it
	if err != nil && !answered.Load() && isBroken(ctx, err) {
		again := r.Clone(ctx)
		if r.GetBody != nil {
			body, bodyErr := r.GetBody()
			if bodyErr != nil {
				return nil, Cause(err)
			}
			again.Body = body
		}
		res, err = send(ctx, c, again, &answered) //nolint:bodyclose // as above
	}
	if err != nil {
		return nil, Cause(err)
	}
	return read(res)
}

// send sends r, and sets answered when the first byte of an answer comes.
func send(
	ctx context.Context, c *http.Client, r *http.Request, answered *atomic.Bool,
) (*http.Response, error) {
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotFirstResponseByte: func() { answered.Store(true) },
	})
	return c.Do(r.WithContext(ctx))
}

// isBroken reports whether an error of net/http means that a connection broke: it was closed or
// reset.
func isBroken(ctx context.Context, err error) bool {
	op, isOp := errors.AsType[*net.OpError](err)
	switch {
	case ctx.Err() != nil:
		return false
	case isOp:
		return op.Op != "dial" && !op.Timeout()
	}
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		strings.Contains(err.Error(), closedIdle)
}

// closedIdle is the text of an error of net/http that has no name: the server has closed a
// connection that it kept open, just when the request was to be sent on it.
const closedIdle = "server closed idle connection"
