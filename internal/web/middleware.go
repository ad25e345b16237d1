package web

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"time"
)

// Info collects what the log line of a request says.
type Info struct {
	Route    string // the id of the route; "" if no route has served the request
	User     string // the id of the user; "" without a valid token
	Cause    error  // of a 500 or 503, or of an answer that ended too early
	Broken   bool   // the answer ended too early, but the client has not left
	id       string // of the request
	expected bool   // the cause was logged when the server started
	// isDetached means that the status is 200, and that the connection is not the server's any
	// more.
	isDetached bool
}

type infoKey struct{}

// InfoOf returns the Info of a request that came through [Server.AccessLog], and an
// unused one for any other request.
func InfoOf(r *http.Request) *Info {
	n, _ := r.Context().Value(infoKey{}).(*Info)
	if n == nil {
		return &Info{}
	}
	return n
}

// AccessLog is the outermost layer. It gives the request an id, recovers from panics and
// writes the request's log line. The id is the one that middleware around the handler has set on
// the answer, or else a new one. It is never one that the client has sent.
func (s *Server) AccessLog(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := &Info{id: answerID(w.Header())}
		start := time.Now()
		// The layers below find the Info of the request in its context, and fill it.
		ctx, end := s.Observe(r)
		r = r.WithContext(context.WithValue(ctx, infoKey{}, n))
		// From here on the client has deadlines, and the recorder sees what is answered.
		bounded := s.Deadlines.bound(w, r)
		rec := &recorder{ResponseWriter: bounded}
		// Deferred calls run from the last to the first, also after a panic: answer the panic,
		// write the log line, end the observation.
		defer func() { end(n, rec.status, rec.bytes) }()
		defer func() { s.logRequest(r, n, rec.status, time.Since(start)) }()
		defer func() { s.recoverPanic(rec, r, recover()) }()
		next.ServeHTTP(rec, r)
		if n.isDetached {
			rec.status = http.StatusOK
			return
		}
		// After the handler net/http still writes what is buffered: set a new deadline for that.
		bounded.arm()
	})
}

// recoverPanic answers 500 for a panic of a handler. If the answer has begun, or the panic is
// http.ErrAbortHandler, it breaks the connection, so that the client sees that the answer is
// incomplete.
func (s *Server) recoverPanic(rec *recorder, r *http.Request, panicValue any) {
	if panicValue == nil {
		return
	}
	// The handler breaks the connection on purpose: do the same, without a line in the log.
	if panicValue == http.ErrAbortHandler {
		rec.abort() // panics
	}
	s.Log.ErrorContext(r.Context(), "a handler panicked",
		"request_id", InfoOf(r).id, "panic", panicValue, "stack", string(debug.Stack()))
	// The answer has begun: it is too late for the status 500.
	if rec.status != 0 {
		rec.abort() // panics
	}
	s.writeFailure(rec, r, ErrPanicked.Answer())
}

// logRequest writes the log line of a request, as an error if the server is to blame for the
// failure. It leaves out the path, because paths contain ids; the route id is logged instead.
// status is 0 if no answer has begun.
func (s *Server) logRequest(r *http.Request, n *Info, status int, took time.Duration) {
	level := slog.LevelInfo
	// A provider that is not configured answers 503, which the log said at the start.
	isUnexpected := status >= http.StatusInternalServerError && !n.expected
	if isUnexpected || n.Broken {
		level = slog.LevelError
	}
	if !s.Log.Enabled(r.Context(), level) {
		return
	}
	// The record is made by hand. 0 leaves out its place in the source, which takes long to find.
	line := slog.NewRecord(time.Now(), level, "request", 0)
	// A record holds five attributes without allocating memory: these are in every line.
	line.AddAttrs(slog.String("request_id", n.id), slog.String("method", r.Method),
		slog.String("route", n.Route),
		slog.Int("status", status), slog.String("took", took.Round(time.Microsecond).String()))
	if n.User != "" {
		line.AddAttrs(slog.String("user", n.User))
	}
	if n.Cause != nil {
		line.AddAttrs(slog.String("error", n.Cause.Error()))
	}
	_ = s.Log.Handler().Handle(r.Context(), line)
}

// requestIDHeader is the header of an answer with the id of its request.
const requestIDHeader = "X-Request-Id"

// answerID returns the id that an answer has, or gives it a new one. Middleware may have set the
// header with another spelling, such as X-Request-ID, without net/http making it canonical.
func answerID(h http.Header) string {
	for name, values := range h {
		if strings.EqualFold(name, requestIDHeader) && len(values) > 0 && values[0] != "" {
			return values[0]
		}
	}
	id := requestID()
	h.Set(requestIDHeader, id)
	return id
}

// requestID returns 64 random bits in hex.
func requestID() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// recorder records the length of an answer, and its status: 0 until the answer begins. Before the
// first byte it calls WriteHeader with 200, because the API may be mounted in the router of another
// package, whose ResponseWriter may have another default, such as 404.
type recorder struct {
	http.ResponseWriter
	status int
	bytes  int64 // of the body that were written
}

// WriteHeader records the first status of 200 or more, and passes every status on.
func (rec *recorder) WriteHeader(status int) {
	if rec.status == 0 && status >= 200 { // a status below 200 comes before that of the answer
		rec.status = status
	}
	rec.ResponseWriter.WriteHeader(status)
}

// Write counts the bytes that it writes.
func (rec *recorder) Write(b []byte) (int, error) {
	if rec.status == 0 {
		rec.WriteHeader(http.StatusOK)
	}
	n, err := rec.ResponseWriter.Write(b)
	rec.bytes += int64(n)
	return n, err
}

// abort panics with http.ErrAbortHandler, so that net/http breaks the connection. It does not
// return. Some middleware around the API recovers from this panic, and the server would then end
// the answer as a complete one. So abort first sets a deadline in the past, after which the server
// can write nothing.
func (rec *recorder) abort() {
	// not every writer has deadlines
	_ = http.NewResponseController(rec).SetWriteDeadline(time.Unix(1, 0))
	panic(http.ErrAbortHandler)
}

// Unwrap lets http.ResponseController flush a stream.
func (rec *recorder) Unwrap() http.ResponseWriter { return rec.ResponseWriter }

// securityHeaders are the headers that Helmet 8 sends by default.
var securityHeaders = map[string]string{
	"Content-Security-Policy": "default-src 'self';base-uri 'self';font-src 'self' https: data:;" +
		"form-action 'self';frame-ancestors 'self';img-src 'self' data:;object-src 'none';" +
		"script-src 'self';script-src-attr 'none';style-src 'self' https: 'unsafe-inline';" +
		"upgrade-insecure-requests",
	"Cross-Origin-Opener-Policy":        "same-origin",
	"Cross-Origin-Resource-Policy":      "same-origin",
	"Origin-Agent-Cluster":              "?1",
	"Referrer-Policy":                   "no-referrer",
	"Strict-Transport-Security":         "max-age=31536000; includeSubDomains",
	"X-Content-Type-Options":            "nosniff",
	"X-Dns-Prefetch-Control":            "off",
	"X-Download-Options":                "noopen",
	"X-Frame-Options":                   "SAMEORIGIN",
	"X-Permitted-Cross-Domain-Policies": "none",
	"X-Xss-Protection":                  "0",
}

// Secure sets the security headers of every answer.
func Secure(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		for name, value := range securityHeaders {
			h.Set(name, value)
		}
		next.ServeHTTP(w, r)
	})
}
