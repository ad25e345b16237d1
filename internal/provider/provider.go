// Package provider sends HTTP requests to the servers of providers and to receivers of
// webhooks, for the packages identity, gateway, stripe, ai, credential and webhook.
//
// A client has a time-out, follows no redirects (they would send credentials to another
// server) and reads a bounded body. Errors say what happened. They contain no part of the answer,
// no credential, and of the URL at most the host. The package does not interpret requests or
// answers. Only [DoAgain] repeats a request, because only the caller knows whether that is safe.
package provider

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// DefaultTimeout bounds one request, from dialling to the last byte of the answer.
const DefaultTimeout = 10 * time.Second

// StatusError is an answer whose status is not 2xx. Redirects are included.
type StatusError struct {
	Status     int
	RetryAfter time.Duration // from the header of that name; 0 without it
}

// Error returns a text with the status, without any part of the answer.
func (e *StatusError) Error() string {
	return fmt.Sprintf("the remote server answered status %d", e.Status)
}

// NewClient returns a client with a time-out that follows no redirects: it returns their answers.
// A nil transport is [http.DefaultTransport]. A timeout of 0 is none.
func NewClient(transport http.RoundTripper, timeout time.Duration) *http.Client {
	return &http.Client{
		Transport: transport,
		Timeout:   timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	}
}

// NewTransport returns a transport like [http.DefaultTransport] that keeps up to conns idle
// connections to one server, for clients that send as many requests at once. The default
// keeps two, so that most of these requests would need a new connection. If the host has replaced
// the default by another type, NewTransport returns that, unchanged.
func NewTransport(conns int) http.RoundTripper {
	t, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return http.DefaultTransport
	}
	t = t.Clone()
	t.MaxIdleConns = max(t.MaxIdleConns, conns)
	t.MaxIdleConnsPerHost = conns
	return t
}

// Do sends r and returns the body of a 2xx answer. For other statuses it returns a [*StatusError],
// for a body of more than limit bytes another error, and for a failed request that of [Cause].
func Do(c *http.Client, r *http.Request, limit int64) ([]byte, error) {
	res, err := Open(c, r)
	if err != nil {
		return nil, err
	}
	return readAnswer(res, limit)
}

// readAnswer returns the body of a 2xx answer, as [Do] does, and closes it.
func readAnswer(res *http.Response, limit int64) ([]byte, error) {
	defer res.Body.Close()
	if err := Status(res); err != nil {
		return nil, err
	}
	return ReadAll(res.Body, limit)
}

// Open sends r and returns the answer, whatever its status. A failed request has the error of
// [Cause]. The caller reads and closes the body, and passes errors of reading to [Cause].
func Open(c *http.Client, r *http.Request) (*http.Response, error) {
	res, err := c.Do(r)
	if err != nil {
		return nil, Cause(err)
	}
	return res, nil
}

// Status returns nil for a 2xx status, and a [*StatusError] otherwise.
func Status(res *http.Response) error {
	if res.StatusCode >= 200 && res.StatusCode <= 299 {
		return nil
	}
	return &StatusError{
		Status:     res.StatusCode,
		RetryAfter: retryAfter(res.Header.Get("Retry-After")),
	}
}

// ReadAll reads a body. It returns an error if the body is longer than limit bytes.
func ReadAll(body io.Reader, limit int64) ([]byte, error) {
	all, err := io.ReadAll(io.LimitReader(body, limit+1)) // one more shows that it is too long
	if err != nil {
		return nil, fmt.Errorf("read the remote server's answer: %w", Cause(err))
	}
	if int64(len(all)) > limit {
		return nil, fmt.Errorf("the remote server's answer is longer than %d bytes", limit)
	}
	return all, nil
}

// retryAfter parses both forms of the header Retry-After (RFC 9110, 10.2.3), which are a number of
// seconds and a time. It returns 0 for a time in the past, for no header and for an invalid one.
func retryAfter(header string) time.Duration {
	// At most 31 bits, so that the duration does not overflow.
	if seconds, err := strconv.ParseUint(header, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(header); err == nil {
		return max(0, time.Until(at))
	}
	return 0
}

// URL parses the address of a provider, which must be an absolute http or https URL. It
// allows http because development and private networks use it.
func URL(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Fragment != "" ||
		(u.Scheme != "http" && u.Scheme != "https") {
		return nil, errors.New("not an absolute http or https URL")
	}
	return u, nil
}

// Cause returns an error for an error of net/http that is safe to log. The errors of net/http quote
// the URL, and lines of an answer that is not HTTP. Cause returns:
//
//	context.Canceled                 if the request was cancelled
//	a context.DeadlineExceeded       if a time-out or the deadline of the request has passed
//	a [*net.OpError]                 if there is no connection; it has the host at most
//	an io.ErrUnexpectedEOF           if the server closed the connection
//	a CertificateVerificationError   if the certificate of the server is not valid
//
// It takes every other error for an answer that is not HTTP.
func Cause(err error) error {
	var timeout interface{ Timeout() bool }
	switch op, isOp := errors.AsType[*net.OpError](err); {
	case errors.Is(err, context.Canceled):
		return context.Canceled
	case errors.As(err, &timeout) && timeout.Timeout():
		return fmt.Errorf("the remote server did not answer in time: %w", context.DeadlineExceeded)
	case isOp:
		return op
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return fmt.Errorf("the remote server closed the connection: %w", io.ErrUnexpectedEOF)
	}
	if bad, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return bad
	}
	return errors.New("the remote server's answer is not HTTP")
}
