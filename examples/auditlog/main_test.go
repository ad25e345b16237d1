package main

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/openlectern/openlectern/learning/sandbox"
	"github.com/openlectern/openlectern/learning/store/sqlite"
)

// auditLog holds the lines, which several goroutines write.
type auditLog struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *auditLog) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

// lines returns "request user" of each line, and clears the log.
func (l *auditLog) lines(t *testing.T) (lines []string) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	for decoder := json.NewDecoder(&l.text); decoder.More(); {
		var line struct{ Request, User string }
		if err := decoder.Decode(&line); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, strings.TrimSpace(line.Request+" "+line.User))
	}
	return lines
}

func TestAuditLog_HasALineForEachTransactionThatChangesSomething(t *testing.T) {
	st, err := sqlite.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "learning.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	server := httptest.NewUnstartedServer(nil)
	url := "http://" + server.Listener.Addr().String()
	box, err := sandbox.Listen(sandbox.Config{WebhookURL: url})
	if err != nil {
		t.Fatal(err)
	}
	audit := &auditLog{}
	_, server.Config.Handler = routes(st, box.Config(), slog.New(slog.NewJSONHandler(audit, nil)))
	server.Start()
	t.Cleanup(func() { server.Close(); box.Close() })
	if err := box.Identity().PutUser(sandbox.User{ID: "ada", FirstName: "Ada"}); err != nil {
		t.Fatal(err)
	}
	if err := box.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	token, err := box.Identity().Token("ada")
	if err != nil {
		t.Fatal(err)
	}
	expect(t, audit, "after the webhook of a new user", "POST /idp")

	const group = `{"name": "Sailing", "description": "Wind"}`
	send(t, http.MethodPost, url+"/api/community/groups", token, group, http.StatusOK)
	expect(t, audit, "after a group was created", "POST /api/community/groups ada")
	send(t, http.MethodPost, url+"/api/community/groups", token, group, http.StatusConflict)
	expect(t, audit, "after a transaction that failed")
	send(t, http.MethodGet, url+"/api/user/data", token, "", http.StatusOK)
	expect(t, audit, "after a read")
}

func expect(t *testing.T, audit *auditLog, when string, want ...string) {
	t.Helper()
	if got := audit.lines(t); !slices.Equal(got, want) {
		t.Errorf("%s: the log has %q, want %q", when, got, want)
	}
}

// send makes a request whose answer must have a status.
func send(t *testing.T, method, url, token, body string, status int) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != status {
		t.Fatalf("%s: %s, want %d", url, answer.Status, status)
	}
}
