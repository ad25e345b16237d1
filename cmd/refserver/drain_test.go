package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning/sandbox"
	"github.com/openlectern/openlectern/learning/store/sqlite"
)

func TestDrain_StreamThatOutlivesItEndsWithAnErrorEvent(t *testing.T) {
	t.Parallel()
	st, err := sqlite.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "learning.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	if err := st.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	var log transcript
	p := &program{log: newLogger(&log, true, nil), drainTime: time.Millisecond,
		cancelTime: longEnough,
		Settings: Settings{Currency: "INR", Media: t.TempDir(), PublicURL: "http://localhost",
			Certificate: CertificateSettings{Name: "School"}}}
	box := providers(t)
	p.useSandbox(box.Config())
	site, err := p.build(t.Context(), st)
	if err != nil {
		t.Fatal(err)
	}
	defer site.close()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan error, 1)
	go func() {
		ended <- p.serve(ctx, listener, site.handler, func(ctx context.Context) { <-ctx.Done() })
	}()

	body := beginChat(t, box, "http://"+listener.Addr().String())
	stop()
	rest, err := io.ReadAll(body)
	if want := "event: error\ndata: {\"success\":false,\"message\":\"An unexpected error " +
		"occurred\"}\n\n"; err != nil || !strings.HasSuffix(string(rest), want) {
		t.Errorf("the stream ends with %q, %v", rest, err)
	}
	if err := <-ended; err != nil {
		t.Errorf("the server ended with %v", err)
	}
	var line string
	for l := range strings.Lines(log.String()) {
		if strings.Contains(l, `"route":"chat.ask"`) {
			line = l
		}
	}
	if !strings.Contains(line, `"level":"ERROR"`) || !strings.Contains(line, `"error":`) {
		t.Errorf("the log says of the stream: %q", line)
	}
}

// The client reads nothing, so the handler blocks in a write.
func TestDrain_ClientThatReadsNothing(t *testing.T) {
	t.Parallel()
	var log transcript
	p := &program{log: newLogger(&log, true, nil), drainTime: time.Millisecond,
		cancelTime: time.Millisecond, closeTime: longEnough}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		stop()
		for err := error(nil); err == nil; {
			_, err = w.Write(make([]byte, 1<<20))
		}
	})
	ended := make(chan error, 1)
	go func() {
		ended <- p.serve(ctx, listener, handler,
			func(ctx context.Context) { <-ctx.Done() })
	}()
	client, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if _, err := io.WriteString(client, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Errorf("the server ended with %v", err)
	}
	if !strings.Contains(log.String(), "closing the connections") {
		t.Errorf("the log says %s", log.String())
	}
}

// beginChat asks the tutor, who stops in the middle of the answer, and returns the stream
// after its first bytes.
func beginChat(t *testing.T, box *sandbox.Sandbox, url string) io.Reader {
	t.Helper()
	box.AI().Faults().Next(1, sandbox.Fault{Kind: sandbox.FaultStall})
	if err := box.Identity().PutUserQuietly(sandbox.User{ID: "ada"}); err != nil {
		t.Fatal(err)
	}
	token, err := box.Identity().Token("ada")
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequest(http.MethodPost, url+"/api/user/ai-chat",
		strings.NewReader(`{"content":"Why?"}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Accept", "text/event-stream")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = answer.Body.Close() })
	if _, err := io.ReadFull(answer.Body, make([]byte, 8)); err != nil {
		t.Fatalf("%s: %v", answer.Status, err)
	}
	return answer.Body
}
