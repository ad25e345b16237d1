package httpapi_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/internal/contracttest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// The fuzz targets send arbitrary requests through the whole handler to a platform on SQLite.
// The answer must be one of the contract, and never a panic or a 5xx.

// discardMedia stores nothing.
type discardMedia struct{}

func (discardMedia) Put(context.Context, string, string, []byte) error { return nil }
func (discardMedia) Delete(context.Context, string) error              { return nil }
func (discardMedia) URL(
	name string) string {
	return "https://media.example.org/" + name
}

// rollbackStore is a store that rolls back each transaction, so that every run of a target begins
// with the same rows and none waits for the disk.
type rollbackStore struct{ learning.Store }

var errRolledBack = errors.New("rolled back")

func (u rollbackStore) InTx(ctx context.Context, fn func(learning.Tx) error) error {
	err := u.Store.InTx(ctx, func(tx learning.Tx) error {
		if err := fn(reservedTx{tx}); err != nil {
			return err
		}
		return errRolledBack
	})
	if errors.Is(err, errRolledBack) {
		return nil
	}
	return err
}

// reservedTx is a transaction that has every file reserved: the transaction that has reserved it
// was rolled back.
type reservedTx struct{ learning.Tx }

func (reservedTx) UseReservedFile(context.Context, string) (bool, error) { return true, nil }

func keepChanges(st learning.Store) learning.Store { return st }
func rollBack(st learning.Store) learning.Store    { return rollbackStore{st} }

func fuzzSite(f *testing.F, wrap func(learning.Store) learning.Store) *site {
	f.Helper()
	silent := slog.New(slog.DiscardHandler)
	kit := learningtest.New(f,
		learningtest.WithPlatform(learning.WithMedia(discardMedia{}), learning.WithLogger(silent)),
		learningtest.WithStore(func(st learning.Store) learning.Store {
			contracttest.Fill(f, st)
			return wrap(st)
		}))
	for _, u := range contracttest.FixtureUsers {
		check(f, kit.Sandbox.Identity().PutUserQuietly(u))
	}
	return newSite(f, kit, httpapi.WithLimiters(unlimited))
}

// wantContractAnswer checks that an answer is one that the contract allows.
func wantContractAnswer(t *testing.T, got *httptest.ResponseRecorder) {
	t.Helper()
	if got.Code >= 500 {
		t.Fatalf("the answer is %d %s", got.Code, got.Body)
	}
	if got.Header().Get("X-Request-Id") == "" ||
		got.Header().Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("headers are missing: %v", got.Header())
	}
	var body struct{ Message, Error *string }
	if got.Code >= 400 && (json.Unmarshal(got.Body.Bytes(), &body) != nil ||
		body.Message == nil && body.Error == nil) {
		t.Errorf("a %d says %q", got.Code, got.Body)
	}
}

// caseBodies returns the bodies of a route's contract cases, as seeds of a target.
func caseBodies(f *testing.F, s *site, route string) []string {
	f.Helper()
	e := &contracttest.Expander{TB: f, Providers: s.Sandbox, Now: s.Clock.Now}
	var bodies []string
	for _, c := range contracttest.LoadCases(f) {
		_, body, _ := strings.Cut(c.Request, "\n\n")
		if c.Route == route && len(body) < 4000 && !strings.HasPrefix(body, "multipart:") &&
			!strings.Contains(body, "repeat") {
			bodies = append(bodies, e.Expand(body))
		}
	}
	return bodies
}

func FuzzGatewayWebhook(f *testing.F) {
	s := fuzzSite(f, rollBack)
	for _, body := range caseBodies(f, s, "gateway.webhook") {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		got := s.of(t).do(http.MethodPost, "/gateway", string(body), "x-gateway-signature",
			s.Sandbox.Gateway().SignWebhook(body))
		if wantContractAnswer(t, got); len(body) <= 1<<20 &&
			got.Body.String() != `{"received":true}` {
			t.Errorf("a signed event is answered %d %s", got.Code, got.Body)
		}
	})
}

func FuzzIdentityWebhook(f *testing.F) {
	s := fuzzSite(f, rollBack)
	for i, body := range caseBodies(f, s, "identity.webhook") {
		f.Add([]string{"msg_1", "msg_2", "msg_3", ""}[i%4], []byte(body))
	}
	f.Fuzz(func(t *testing.T, id string, body []byte) {
		if strings.ContainsAny(id, "\r\n\x00") || strings.TrimSpace(id) != id || id == "" {
			return // not the value of a header
		}
		signed := s.Sandbox.Identity().SignWebhook(body, id, s.Clock.Now())
		got := s.of(t).do(http.MethodPost, "/idp", string(body), "hook-id", id, "hook-timestamp",
			signed.Get("hook-timestamp"), "hook-signature", signed.Get("hook-signature"))
		if wantContractAnswer(t, got); len(body) <= 1<<20 && got.Body.String() != "{}" {
			t.Errorf("a signed event is answered %d %s", got.Code, got.Body)
		}
	})
}

// FuzzJSONBody sends bodies to every route that accepts JSON, as a caller with access.
func FuzzJSONBody(f *testing.F) {
	s := fuzzSite(f, keepChanges)
	cases, tried := successCases(f), []attempt(nil)
	var rows []httpapi.Row
	for _, row := range httpapi.Table() {
		if !row.JSON {
			continue
		}
		a, _ := attemptOf(cases[row.ID], row)
		tried = append(tried, a)
		for _, body := range caseBodies(f, s, row.ID) {
			f.Add(uint8(len(rows)), []byte(body))
		}
		rows = append(rows, row)
	}
	// without an open order, which the gateway of this test does not know
	buyer, admin := s.as("other_student"), s.as("admin")
	f.Fuzz(func(t *testing.T, which uint8, body []byte) {
		row, a := rows[int(which)%len(rows)], tried[int(which)%len(rows)]
		who, path := buyer, cmp.Or(a.path, row.Path)
		if a.want == admins {
			who = admin
		}
		wantContractAnswer(t, s.of(t).do(row.Method, path, string(body),
			append(slices.Clone(who), "Content-Type", "application/json")...))
	})
}

func FuzzCourseData(f *testing.F) {
	s := fuzzSite(f, rollBack)
	for _, c := range contracttest.LoadCases(f) {
		_, data, found := strings.Cut(c.Request, "part: courseData\n")
		if data, _, _ = strings.Cut(data, "\npart: "); c.Route == "course.add" && found &&
			!strings.Contains(data, "repeat") {
			f.Add([]byte((&contracttest.Expander{TB: f}).Expand(data)))
		}
	}
	image := learningtest.Thumbnail(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		wantContractAnswer(t, s.of(t).upload(string(data), image))
	})
}

// FuzzRoute sends any method to any path. An answer has Allow if it is a 405, or answers OPTIONS.
func FuzzRoute(f *testing.F) {
	s := fuzzSite(f, keepChanges)
	for _, c := range contracttest.LoadCases(f) {
		line, _, _ := strings.Cut(c.Request, "\n")
		if _, path, _ := strings.Cut(line, " "); !strings.Contains(path, "{{") {
			f.Add(c.Method(), path, c.Route == "any")
		}
	}
	token := s.as("student")
	f.Fuzz(func(t *testing.T, method, path string, signedIn bool) {
		target, err := url.ParseRequestURI(path)
		if err != nil || !strings.HasPrefix(path, "/") ||
			strings.Trim(method, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" || method == "" {
			return // net/http refuses it
		}
		r := httptest.NewRequest(method, "/", strings.NewReader("{}"))
		r.URL, r.RequestURI = target, path
		if signedIn {
			r.Header.Set(token[0], token[1])
		}
		got := httptest.NewRecorder()
		s.handler.ServeHTTP(got, r)
		if method == http.MethodPost && target.Path == "/idp" &&
			got.Code == http.StatusInternalServerError {
			return // the contract's answer to an unsigned webhook
		}
		wantContractAnswer(t, got)
		if allow := got.Header().Get("Allow"); (got.Code == http.StatusMethodNotAllowed) !=
			(allow != "" && method != http.MethodOptions) {
			t.Errorf("%s %s: %d with Allow %q", method, path, got.Code, allow)
		}
	})
}
