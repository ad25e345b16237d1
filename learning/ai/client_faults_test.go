package ai_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/backoff"
	"github.com/openlectern/openlectern/learning/ai"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/tutor"
)

const key = "sk-very-secret"

// rawServer starts a server that answers each request with the next of these texts, and
// further requests with the last one, and then closes the connection. It returns its address
// and the number of requests.
func rawServer(t *testing.T, says ...string) (address string, asked *atomic.Int64) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	asked = &atomic.Int64{}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer conn.Close()
				if r, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
					_, _ = io.Copy(io.Discard, r.Body)
					n := asked.Add(1)
					_, _ = io.WriteString(conn, says[min(int(n), len(says))-1])
				}
			})
		}
	})
	t.Cleanup(func() { l.Close(); all.Wait() })
	return "http://" + l.Addr().String(), asked
}

const (
	streamHead = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; " +
		"charset=utf-8\r\nConnection: close\r\n\r\n"
	jsonHead = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n"
)

// delta returns an event with a part of an answer.
func delta(text string) string {
	return fmt.Sprintf(
		`data: {"choices":[{"index":0,"delta":{"content":%q},"finish_reason":null}]}`, text) +
		"\n\n"
}

const (
	finished   = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n"
	done       = "data: [DONE]\n\n"
	usageEvent = `data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10}}` + "\n\n"
)

func client(t *testing.T, address string, opts ...ai.Option) *ai.Client {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	c, err := ai.New(address, key, "model",
		append([]ai.Option{ai.WithRetries(0), ai.WithPause(time.Millisecond),
			ai.WithTransport(transport)}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// wantPlain checks that an error contains nothing of the request, the answer or the key.
func wantPlain(t *testing.T, err error) {
	t.Helper()
	for _, secret := range []string{key, "Hello", "世界", "oops", "127.0.0.1/", "chat/completions"} {
		if strings.Contains(fmt.Sprint(err), secret) {
			t.Errorf("the error contains %q: %v", secret, err)
		}
	}
}

func TestStream_CompleteOrError(t *testing.T) {
	for name, test := range map[string]struct {
		stream string
		want   string // "" for a failure
	}{
		"valid":                    {delta("a") + delta("b") + finished + usageEvent + done, "ab"},
		"without DONE":             {delta("a") + finished, "a"},
		"without DONE, with usage": {delta("a") + finished + usageEvent, "a"},
		"without an end, DONE":     {delta("a") + done, "a"},
		"after DONE, anything":     {delta("a") + done + "data: oops\n\n", "a"},
		"comments and CRLF": {strings.ReplaceAll(": hi\n\n"+delta("a")+": ping\n\n"+finished+
			done, "\n", "\r\n"), "a"},
		"CR":              {strings.ReplaceAll(delta("a")+finished+done, "\n", "\r"), "a"},
		"byte order mark": {"\xef\xbb\xbf" + delta("a") + done, "a"},
		"events without data": {"event: ping\n\nid: 1\n\nretry: 5\n\n" + delta("a") + done,
			"a"},
		"no empty line at the end": {delta("a") + strings.TrimSuffix(done, "\n"), "a"},
		"several data lines": {
			"data: {\"choices\":[{\"delta\":\ndata: {\"content\":\"a\"}}]}\n\n" + done, "a"},
		"a role without content": {`data: {"choices":[{"delta":{"role":"assistant"}}]}` + "\n\n" +
			delta("a") + done, "a"},
		"content of null": {`data: {"choices":[{"delta":{"content":null}}]}` + "\n\n" +
			delta("a") + done, "a"},
		"no delta": {`data: {"choices":[{}]}` + "\n\n" + delta("a") + done, "a"},
		"usage of null": {`data: {"choices":[],"usage":null,"error":null}` + "\n\n" +
			delta("a") + done, "a"},
		"stopped by length": {delta("a") + strings.Replace(finished, "stop", "length", 1) +
			done, "a"},

		"cut off":             {delta("a"), ""},
		"cut off in an event": {delta("a") + `data: {"choices":[{"finish_reason":"sto`, ""},
		"an error in it": {delta("a") + `data: {"error":{"message":"oops","code":500}}` +
			"\n\n" + finished + done, ""},
		"an event named error": {delta("a") + "event: error\ndata: {\"message\":\"oops\"}\n\n" +
			done, ""},
		"no JSON": {delta("a") + "data: oops\n\n" + done, ""},
		"content of a number": {`data: {"choices":[{"delta":{"content":1}}]}` + "\n\n" + done,
			""},
		"a list": {"data: []\n\n" + done, ""},
		"invalid UTF-8": {"data: {\"choices\":[{\"delta\":{\"content\":\"\xff\"}}]}\n\n" +
			done, ""},
		"withheld": {delta("a") +
			strings.Replace(finished, "stop", "content_filter", 1) + done, ""},
		"only DONE":    {done, ""},
		"only its end": {finished + done, ""},
		"empty":        {"", ""},
		"a long event": {"data: " + strings.Repeat("x", 3<<20) + "\n\n" + done, ""},
		"a long answer": {strings.Repeat(delta(strings.Repeat("x", 10_000)), 30) + done,
			""},
		"a long comment": {":" + strings.Repeat("x", 3<<20), ""},
		"not a stream": {
			`{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}`, ""},
		"an end of several words": {delta("a") + "data: [DONE] oops\n\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			address, asked := rawServer(t, streamHead+test.stream)
			reply, deltas, err := stream(t.Context(), client(t, address), hello)
			if (err == nil) != (test.want != "") || reply.Text != test.want {
				t.Errorf("%q, %v", reply.Text, err)
			}
			if err == nil && strings.Join(deltas, "") != test.want {
				t.Errorf("passed on %q", deltas)
			}
			if reply.Usage.Prompt == 0 || asked.Load() != 1 {
				t.Errorf("%d requests, usage %+v", asked.Load(), reply.Usage)
			}
			wantPlain(t, err)
		})
	}
}

func TestComplete_CompleteOrError(t *testing.T) {
	const good = `{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":3}}`
	for name, test := range map[string]struct {
		says, want string
	}{
		"valid": {jsonHead + good, "a"},
		"error of null": {jsonHead +
			strings.Replace(good, `{"choices"`, `{"error":null,"choices"`, 1), "a"},
		"no choices": {jsonHead + `{"choices":[]}`, ""},
		"no content": {jsonHead + `{"choices":[{"message":{}}]}`, ""},
		"empty":      {jsonHead, ""},
		"an error":   {jsonHead + `{"error":{"message":"oops"}}`, ""},
		"withheld":   {jsonHead + strings.Replace(good, "stop", "content_filter", 1), ""},
		"cut off": {strings.Replace(jsonHead, "Connection: close",
			"Content-Length: 500", 1) + good[:20], ""},
		"invalid UTF-8":       {jsonHead + strings.Replace(good, `"a"`, "\"\xff\"", 1), ""},
		"content of a number": {jsonHead + strings.Replace(good, `"a"`, "1", 1), ""},
		"too long": {jsonHead +
			strings.Replace(good, `"a"`, `"`+strings.Repeat("x", 300<<10)+`"`, 1), ""},
		"10 MB":   {jsonHead + strings.Repeat(" ", 10<<20) + good, ""},
		"no HTTP": {"oops\r\n\r\n", ""},
		"a redirect": {
			"HTTP/1.1 307 Temporary Redirect\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: " +
				"0\r\n\r\n", ""},
		"401": {"HTTP/1.1 401 Unauthorized\r\nContent-Length: 4\r\n\r\noops", ""},
	} {
		t.Run(name, func(t *testing.T) {
			address, _ := rawServer(t, test.says)
			reply, err := client(t, address).Complete(t.Context(), hello)
			if (err == nil) != (test.want != "") || reply.Text != test.want {
				t.Errorf("%q, %v", reply.Text, err)
			}
			wantPlain(t, err)
		})
	}
}

func TestUsage_InvalidCountIsEstimated(t *testing.T) {
	for _, usage := range []string{`{"prompt_tokens":-7,"completion_tokens":3}`,
		`{"prompt_tokens":7,"completion_tokens":9000000000}`,
		`{"prompt_tokens":7,"completion_tokens":-3}`,
		`{"prompt_tokens":9000000000,"completion_tokens":3}`, `{}`} {
		address, _ := rawServer(t, jsonHead+`{"choices":[{"message":{"content":"abcd"}}],"usage":`+
			usage+`}`)
		reply, err := client(t, address).Complete(t.Context(), hello)
		if want := (core.AIUsage{Prompt: 16, Completion: 1, Estimated: true}); err != nil ||
			reply.Usage != want {
			t.Errorf("%s: %+v, %v", usage, reply.Usage, err)
		}
	}
}

func TestClient_RedirectIsNotFollowed(t *testing.T) {
	var elsewhere atomic.Int64
	other := httptest.NewServer(
		http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	defer other.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		s := httptest.NewServer(http.RedirectHandler(other.URL, status))
		if _, err := client(t, s.URL).Complete(t.Context(), hello); err == nil {
			t.Errorf("%d: no error", status)
		}
		s.Close()
	}
	if n := elsewhere.Load(); n != 0 {
		t.Errorf("%d requests to the other address", n)
	}
}

func TestRetry_FollowsRetryAfter(t *testing.T) {
	busy := func(after string) string {
		return "HTTP/1.1 429 Too Many Requests\r\nRetry-After: " + after +
			"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
	}
	good := jsonHead + `{"choices":[{"message":{"content":"a"}}]}`
	soon := time.Now().Add(2 * time.Second).UTC().Truncate(time.Second)
	for name, test := range map[string]struct {
		after string
		from  time.Time // the earliest time of the answer
		asked int64
	}{
		"in seconds":           {"1", time.Now().Add(time.Second), 2},
		"as a date":            {soon.Format(http.TimeFormat), soon, 2},
		"long ago":             {"Sun, 06 Nov 1994 08:49:37 GMT", time.Time{}, 2},
		"missing":              {"", time.Time{}, 2},
		"not a time":           {"soon", time.Time{}, 2},
		"negative":             {"-5", time.Time{}, 2},
		"after the time limit": {"3600", time.Time{}, 1},
		"too large":            {"99999999999999999999", time.Time{}, 2}, // is ignored as invalid
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, asked := rawServer(t, busy(test.after), good)
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			begun := time.Now()
			_, err := client(t, address, ai.WithRetries(1)).Complete(ctx, hello)
			took := time.Since(begun)
			if (err == nil) != (test.asked == 2) || asked.Load() != test.asked ||
				time.Now().Before(test.from) || took > 10*time.Second {
				t.Errorf("%d requests in %v: %v", asked.Load(), took, err)
			}
		})
	}
}

func TestUsage_IncludesFailedTries(t *testing.T) {
	good := jsonHead +
		`{"choices":[{"message":{"content":"a"}}],"usage":{"prompt_tokens":7,"completion_tokens":3}}`
	cutOff := strings.Replace(jsonHead, "Connection: close", "Content-Length: 500", 1) + "{"
	refused := "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
	most := hello.MaxUsage()
	for name, test := range map[string]struct {
		says []string
		want core.AIUsage
	}{
		"cut off": {[]string{cutOff, good},
			core.AIUsage{Prompt: most.Prompt + 7, Completion: most.Completion + 3,
				Estimated: true}},
		"refused": {[]string{refused, good}, core.AIUsage{Prompt: 7, Completion: 3}},
		"cut off each time": {[]string{cutOff},
			core.AIUsage{Prompt: 2 * most.Prompt, Completion: 2 * most.Completion,
				Estimated: true}},
		"refused every time": {[]string{refused}, core.AIUsage{}},
	} {
		address, _ := rawServer(t, test.says...)
		if reply, err := client(t, address, ai.WithRetries(1)).Complete(t.Context(),
			hello); reply.Usage != test.want {
			t.Errorf("%s: %+v, %v", name, reply.Usage, err)
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	if reply, err := client(t, "http://"+l.Addr().String()).Complete(t.Context(), hello); err ==
		nil || reply.Usage != (core.AIUsage{}) {
		t.Errorf("connection refused: %+v, %v", reply.Usage, err)
	}
}

// stalling starts a server that sends a text and then nothing until the test ends.
func stalling(t *testing.T, says string) string {
	t.Helper()
	end := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if says != "" {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, says)
			_ = http.NewResponseController(w).Flush()
		}
		select {
		case <-end:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(func() { close(end); s.Close() })
	return s.URL
}

func TestWithTimeouts_SilentProvider(t *testing.T) {
	const short, long = 50 * time.Millisecond, time.Minute
	for name, test := range map[string]struct {
		says               string
		whole, begin, idle time.Duration
		want               string
	}{
		"before the stream": {"", long, short, long, ""},
		"in the stream":     {delta("a"), long, long, short, ""},
		"whole call":        {delta("a"), short, long, long, ""},
		// the answer is complete
		"after the end":           {delta("a") + finished, long, long, long, "a"},
		"after DONE":              {delta("a") + done, long, long, long, "a"},
		"in the middle of a line": {delta("a") + "data: {", long, long, short, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := client(t, stalling(t, test.says),
				ai.WithTimeouts(test.whole, test.begin, test.idle))
			begun := time.Now()
			reply, _, err := stream(t.Context(), c, hello)
			if took := time.Since(begun); took > timeLimit {
				t.Errorf("the call took %v", took)
			}
			if reply.Text != test.want ||
				(test.want == "") != errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%q, %v", reply.Text, err)
			}
			wantPlain(t, err)
		})
	}
	c := client(t, stalling(t, ""), ai.WithTimeouts(short, long, long))
	if _, err := c.Complete(t.Context(), hello); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("in one piece: %v", err)
	}
}

// A stream ends soon after the answer, also if the provider keeps its connection alive.
func TestStream_ProviderThatGoesOnAfterTheEnd(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, delta("a")+finished)
		for r.Context().Err() == nil {
			_, _ = io.WriteString(w, ": alive\n\n"+delta("b"))
			_ = http.NewResponseController(w).Flush()
			_ = backoff.Sleep(r.Context(), 100*time.Millisecond)
		}
	}))
	defer s.Close()
	begun := time.Now()
	c := client(t, s.URL, ai.WithTimeouts(time.Minute, time.Minute, time.Minute))
	reply, _, err := stream(t.Context(), c, hello)
	if took := time.Since(begun); reply.Text != "a" || err != nil || took > timeLimit {
		t.Errorf("%q, %v after %v", reply.Text, err, took)
	}
}

// The time in which the caller writes the answer to a slow connection does not count as a
// pause of the provider.
func TestWithTimeouts_SlowCallerIsNotSilence(t *testing.T) {
	sent := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, delta("a"))
		_ = http.NewResponseController(w).Flush()
		_, _ = io.WriteString(w, delta("b")+finished+done)
		_ = http.NewResponseController(w).Flush()
		close(sent)
	}))
	defer s.Close()
	const idle = time.Second
	reply, err := client(t, s.URL,
		ai.WithTimeouts(time.Minute, time.Minute, idle)).Stream(t.Context(), hello,
		func(delta string) error {
			if delta == "a" {
				<-sent
				<-time.After(idle * 3 / 2)
			}
			return nil
		})
	if err != nil || reply.Text != "ab" {
		t.Errorf("%q, %v", reply.Text, err)
	}
}

func TestClient_LeavesNoGoroutine(t *testing.T) {
	before := runtime.NumGoroutine()
	t.Run("calls", func(t *testing.T) { // servers and connections end with the subtest
		addresses := []string{stalling(t, ""), stalling(t, delta("a"))}
		for _, says := range []string{streamHead + delta("a") + finished + done,
			streamHead + delta("a"), streamHead + "data: oops\n\n", jsonHead + "{", "oops"} {
			address, _ := rawServer(t, says)
			addresses = append(addresses, address)
		}
		for _, address := range addresses {
			c := client(t, address,
				ai.WithTimeouts(100*time.Millisecond, 50*time.Millisecond, 50*time.Millisecond))
			_, _ = c.Complete(t.Context(), hello)
			_, _, _ = stream(t.Context(), c, hello)
			_, _ = c.Stream(t.Context(), hello, func(string) error { return errors.New("enough") })
		}
	})
	for end := time.Now().Add(timeLimit); runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Now().After(end) {
			stacks := make([]byte, 1<<20)
			t.Fatalf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before,
				stacks[:runtime.Stack(stacks, true)])
		}
	}
}

func TestNew_InvalidArguments(t *testing.T) {
	for name, make := range map[string]func() (*ai.Client, error){
		"no address": func() (*ai.Client, error) { return ai.New("", key, "model") },
		"relative":   func() (*ai.Client, error) { return ai.New("/v1", key, "model") },
		"no model": func() (*ai.Client, error) {
			return ai.New("http://x/v1", key,
				" ")
		},
		"line in key": func() (*ai.Client, error) {
			return ai.New("http://x/v1", key+"\n",
				"model")
		},
		"no time": func() (*ai.Client, error) {
			return ai.New("http://x/v1", key, "m",
				ai.WithTimeouts(0, 1, 1))
		},
		"no start of a stream": func() (*ai.Client, error) {
			return ai.New("http://x/v1", key, "m",
				ai.WithTimeouts(1, 0, 1))
		},
		"no pause": func() (*ai.Client, error) {
			return ai.New("http://x/v1", key, "m",
				ai.WithTimeouts(1, 1, 0))
		},
		"negative retries": func() (*ai.Client, error) {
			return ai.New("http://x/v1", key, "m",
				ai.WithRetries(-1))
		},
		"no pause of retries": func() (*ai.Client, error) {
			return ai.New("http://x/v1", key, "m",
				ai.WithPause(0))
		},
		"no answer": func() (*ai.Client, error) {
			return ai.New("http://x/v1", key, "m",
				ai.WithMaxAnswer(0))
		},
	} {
		if c, err := make(); err == nil || c != nil || strings.Contains(err.Error(), key) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := ai.New("http://x/v1/", "", "model"); err != nil { // no key, and a slash
		t.Error(err)
	}
	c, err := ai.New("http://x/v1", key, "model")
	if err != nil || fmt.Sprintf("%v %+v %#v %s", c, c, c, c) != strings.Repeat("ai.Client ", 3)+
		"ai.Client" {
		t.Errorf("%v, %v", c, err)
	}
}

func TestClient_RequestWithOrWithoutAKey(t *testing.T) {
	var got []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r.Method+" "+r.URL.Path+" "+r.Header.Get("Authorization"))
		_, _ = io.WriteString(w, `{"choices":[{"message":{"content":"a"}}]}`)
	}))
	defer s.Close()
	for _, key := range []string{"", "k"} {
		c, err := ai.New(s.URL+"/base/v1/", key, "model")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Complete(t.Context(), hello); err != nil {
			t.Error(err)
		}
	}
	if len(got) != 2 || got[0] != "POST /base/v1/chat/completions " ||
		got[1] != "POST /base/v1/chat/completions Bearer k" {
		t.Errorf("%q", got)
	}
}

// Newer models have another name for the limit, and their error message contains it.
func TestFeature_OtherNameOfTheLimit(t *testing.T) {
	var bodies []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		bodies = append(bodies, string(body))
		if strings.Contains(string(body), `"max_tokens"`) {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w,
				`{"error":{"message":"Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.","param":"max_tokens"}}`)
			return
		}
		_, _ = io.WriteString(w, `{"choices":[{"message":{"content":"a"}}]}`)
	}))
	defer s.Close()
	c := client(t, s.URL)
	for range 2 {
		if _, err := c.Complete(t.Context(), hello); err != nil {
			t.Fatal(err)
		}
	}
	if len(bodies) != 3 || !strings.Contains(bodies[2], `"max_completion_tokens":100`) {
		t.Errorf("%q", bodies)
	}
}

// refusing starts a provider that refuses some requests with 400 and gives no reason. It
// records the bodies of the requests.
func refusing(t *testing.T, refuses func(body string) bool) (address string, bodies *[]string) {
	t.Helper()
	bodies = &[]string{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		*bodies = append(*bodies, string(body))
		if refuses(string(body)) {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"error":{"message":"Bad request."}}`)
			return
		}
		_, _ = io.WriteString(w, `{"choices":[{"message":{"content":"a"}}]}`)
	}))
	t.Cleanup(s.Close)
	return s.URL, bodies
}

func TestFeature_SchemaRefusedWithoutAReason(t *testing.T) {
	address, bodies := refusing(t,
		func(body string) bool { return strings.Contains(body, "response_format") })
	c := client(t, address)
	for range 2 {
		if reply, err := c.Complete(t.Context(), asked(hello, strictSchema)); err != nil ||
			reply.Text != "a" {
			t.Fatalf("%+v, %v", reply, err)
		}
	}
	if len(*bodies) != 3 || !strings.Contains((*bodies)[2], "additionalProperties") {
		t.Errorf("%q", *bodies)
	}
}

// A provider can refuse a request because of its content, for example because it is too long.
func TestFeature_StaysIfTheRequestIsRefusedWithoutItToo(t *testing.T) {
	address, bodies := refusing(t,
		func(body string) bool { return strings.Contains(body, "too long") })
	c := client(t, address)
	long := asked(tutor.AIRequest{Messages: []tutor.AIMessage{{Role: tutor.AIUser,
		Content: "much too long"}}}, strictSchema)
	if _, err := c.Complete(t.Context(), long); err == nil {
		t.Error("no error")
	}
	if _, err := c.Complete(t.Context(), asked(hello, strictSchema)); err != nil {
		t.Error(err)
	}
	if len(*bodies) != 3 || !strings.Contains((*bodies)[2], `"response_format"`) {
		t.Errorf("%q", *bodies)
	}
}
