// Package provider is how the adapters (identity, gateway, ai) ask somebody else's
// server a question over HTTP.
//
// It owns the caution that each of them needs and neither should write again: a
// time-out, no redirects (they would carry credentials to another place), a bound
// on what is read, and errors that say what happened without repeating a byte of
// the answer, of the address or of a credential. It refuses to know what is asked
// or what an answer means, and it never tries again: only its caller knows
// whether that is safe.
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

// DefaultTimeout bounds one question, from dialling to the last byte.
const DefaultTimeout = 10 * time.Second

// StatusError is an answer whose status is not 2xx. A redirect is one too.
type StatusError struct {
	Status     int
	RetryAfter time.Duration // that the provider asks to be left alone for; 0 when it does not say
}

// Error names the status, and nothing of the answer.
func (e *StatusError) Error() string { return fmt.Sprintf("the provider answered status %d", e.Status) }

// NewClient makes a client that gives up after a time and follows no redirects.
// A nil transport is [http.DefaultTransport].
func NewClient(transport http.RoundTripper, timeout time.Duration) *http.Client {
	return &http.Client{
		Transport:     transport,
		Timeout:       timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Do asks, and returns the body of a 2xx answer of at most limit bytes. Other
// answers are a [*StatusError].
func Do(c *http.Client, r *http.Request, limit int64) ([]byte, error) {
	res, err := Open(c, r)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if err := Status(res); err != nil {
		return nil, err
	}
	return ReadAll(res.Body, limit)
}

// Open asks, and returns an answer of any status whose body is still to be read,
// and to be closed. What goes wrong with the body later is for [Cause].
func Open(c *http.Client, r *http.Request) (*http.Response, error) {
	res, err := c.Do(r)
	if err != nil {
		return nil, Cause(err)
	}
	return res, nil
}

// Status is a [*StatusError] unless the status is 2xx.
func Status(res *http.Response) error {
	if res.StatusCode >= 200 && res.StatusCode <= 299 {
		return nil
	}
	return &StatusError{res.StatusCode, retryAfter(res.Header.Get("Retry-After"))}
}

// ReadAll reads a body of at most limit bytes.
func ReadAll(body io.Reader, limit int64) ([]byte, error) {
	all, err := io.ReadAll(io.LimitReader(body, limit+1))
	if err != nil {
		return nil, fmt.Errorf("read the provider's answer: %w", Cause(err))
	}
	if int64(len(all)) > limit {
		return nil, fmt.Errorf("the provider's answer is longer than %d bytes", limit)
	}
	return all, nil
}

// retryAfter reads the header in both its forms (RFC 9110, 10.2.3).
func retryAfter(header string) time.Duration {
	if seconds, err := strconv.ParseUint(header, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(header); err == nil {
		return max(0, time.Until(at))
	}
	return 0
}

// URL reads the address of a provider: absolute, http or https. Development and
// private networks use http, so it is not refused.
func URL(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Fragment != "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, errors.New("not an absolute http or https URL")
	}
	return u, nil
}

// Cause keeps of a failure what is safe to log. The errors of net/http quote the
// address, and lines of an answer that they cannot read.
func Cause(err error) error {
	var timeout interface{ Timeout() bool }
	switch op, isOp := errors.AsType[*net.OpError](err); {
	case errors.Is(err, context.Canceled):
		return context.Canceled
	case errors.As(err, &timeout) && timeout.Timeout():
		return fmt.Errorf("the provider did not answer in time: %w", context.DeadlineExceeded)
	case isOp:
		return op
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return fmt.Errorf("the provider hung up: %w", io.ErrUnexpectedEOF)
	}
	if bad, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return bad
	}
	return errors.New("the provider's answer is not HTTP")
}
