package httpapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/baseline"
	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/internal/exportlist"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/people"
)

const exportPath = "/api/user/export"

// interruptedExport is a store that calls a function before an export reads the courses, which are
// its last list.
type interruptedExport struct {
	learning.Store
	before func() error
}

func (s *interruptedExport) ExportRows(
	ctx context.Context, list exportlist.List, userID string, after []any, limit int,
) ([]exportlist.Row, error) {
	if list.Name == "courses" {
		if err := s.before(); err != nil {
			return nil, err
		}
	}
	return s.Store.ExportRows(ctx, list, userID, after, limit)
}

// newExportSite returns a server whose user "ada" has n rows in each table, and which calls before
// as interruptedExport does.
func newExportSite(t *testing.T, n int, before func(*stalledServer) error) *stalledServer {
	t.Helper()
	var s *stalledServer
	address := "sqlite:" + filepath.Join(t.TempDir(), "learning.db")
	kit := learningtest.New(t, learningtest.WithDatabase(address),
		learningtest.WithStore(func(st learning.Store) learning.Store {
			return &interruptedExport{st, func() error { return before(s) }}
		}))
	kit.Person(t, "ada", core.Student)
	fillOwn(t, baseline.Open(t, address), "ada", n)
	s = newStalledServer(t, kit)
	return s
}

// export returns the status and the body of the export of ada, and the error of reading the body.
func (s *stalledServer) export(t *testing.T) (*http.Response, string, error) {
	t.Helper()
	answer := s.ask(t, exportPath, "ada")
	body, err := io.ReadAll(answer.Body)
	return answer, string(body), err
}

func deleteAda(s *stalledServer) error {
	return s.Platform.System().ApplyIdentityEvent(context.Background(), people.IdentityEvent{
		Type: people.UserDeleted, SentAt: s.Clock.Now().Add(time.Minute),
		User: people.IdentityUser{ID: "ada"}})
}

// An export that fails must not look like a document that is whole: its connection breaks, or, if
// the answer has not begun, the answer is a failure and no download.
func TestExport_FailsInTheMiddle(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		before func(*stalledServer) error
		status int // of a short export
	}{
		{"the database fails",
			func(*stalledServer) error { return errors.New("the disk is broken") },
			http.StatusInternalServerError},
		{"the user is deleted", deleteAda, http.StatusUnauthorized},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			answer, body, err := newExportSite(t, 1, c.before).export(t)
			if err != nil || answer.StatusCode != c.status ||
				answer.Header.Get("Content-Disposition") != "" ||
				!strings.HasPrefix(body, `{"success":false`) {
				t.Errorf("a short export: %s %v %s (%v)", answer.Status, answer.Header, body, err)
			}
			answer, body, err = newExportSite(t, 60, c.before).export(t)
			if err == nil || answer.StatusCode != http.StatusOK || len(body) < 10_000 ||
				json.Valid([]byte(body)) {
				t.Errorf("a long export: %s, %d bytes, %v", answer.Status, len(body), err)
			}
		})
	}
}

// A client that does not read holds no transaction, which would keep the log of SQLite from being
// written back.
func TestExport_StalledReaderHoldsNoTransaction(t *testing.T) {
	t.Parallel()
	address := "sqlite:" + filepath.Join(t.TempDir(), "learning.db")
	kit := learningtest.New(t, learningtest.WithDatabase(address))
	kit.Person(t, "ada", core.Student)
	pools := baseline.Open(t, address)
	fillOwn(t, pools, "ada", 100)
	newStalledServer(t, kit).stall(t, exportPath, "ada")
	kit.Person(t, "later", core.Student)
	var busy int
	check(t, pools.Write.QueryRow("PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, new(int),
		new(int)))
	if busy != 0 {
		t.Error("the log cannot be written back")
	}
}

// TestExport_LongOneIsWholeInLittleMemory exports 10,000 rows of everything. The memory that is in
// use meanwhile must be that of a short export: the document has 50 MB.
func TestExport_LongOneIsWholeInLittleMemory(t *testing.T) {
	enginetest.Need(t, "export", nil)
	enginetest.Each(t, enginetest.Dialects, func(t *testing.T, e enginetest.Engine) {
		short, shortPeak := exportedRows(t, e, 100)
		long, longPeak := exportedRows(t, e, 10_000)
		t.Logf("heap in use while %d bytes were read: %d kB; while %d bytes were read: %d kB",
			short, shortPeak>>10, long, longPeak>>10)
		if long < 100*short/2 || longPeak > shortPeak+2<<20 {
			t.Errorf("the memory in use grows with the document")
		}
	})
}

// A shorter export has the same shape as the long one.
func TestExport_HasEachRowOnce(t *testing.T) {
	t.Parallel()
	exportedRows(t, enginetest.Engine{Name: "SQLite", URL: enginetest.SQLite}, 230)
}

// exportedRows exports a user with n rows in each table and checks that the document is whole. It
// returns the length of the document and the largest heap that was in use while it was read.
func exportedRows(t *testing.T, e enginetest.Engine, n int) (length int64, heap uint64) {
	t.Helper()
	address := e.URL(t)
	kit := learningtest.New(t, learningtest.WithDatabase(address))
	kit.Person(t, "ada", core.Student)
	fillOwn(t, baseline.Open(t, address), "ada", n)
	answer := newStalledServer(t, kit).ask(t, exportPath, "ada")
	body := &heapReader{Reader: answer.Body}
	counts, twice := countRows(t, json.NewDecoder(body))
	if len(twice) > 0 {
		t.Errorf("rows that are in the document twice: %v", twice)
	}
	for _, list := range learning.ExportLists() {
		if _, found := counts[list.Name]; !found {
			t.Errorf("the document has no %s, which a room declares", list.Name)
		}
	}
	if lists := len(learning.ExportLists()); len(counts) != lists {
		t.Errorf("%d lists, want %d", len(counts), lists)
	}
	for name, count := range counts {
		if count != n {
			t.Errorf("%s has %d rows, want %d", name, count, n)
		}
	}
	return body.length, body.peak
}

// countRows reads a document to its end and returns the number of rows of each list, and a row for
// each list that has equal rows next to each other.
func countRows(t *testing.T, d *json.Decoder) (counts map[string]int, twice []string) {
	t.Helper()
	counts = map[string]int{}
	token := func() json.Token {
		t.Helper()
		next, err := d.Token()
		check(t, err)
		return next
	}
	token() // {
	for d.More() {
		name := token().(string)
		var value json.RawMessage
		if !strings.HasSuffix(name, "s") && name != "aiUsage" || name == "success" {
			check(t, d.Decode(&value))
			continue
		}
		token() // [
		last := ""
		for ; d.More(); counts[name]++ {
			check(t, d.Decode(&value))
			if string(value) == last {
				twice = append(twice, name+" "+last)
			}
			last = string(value)
		}
		token() // ]
	}
	token() // }
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		t.Errorf("after the document: %v", err)
	}
	return counts, twice
}

// heapReader measures the heap in use each time that two megabytes were read, and at the beginning.
type heapReader struct {
	io.Reader
	length, next int64
	peak         uint64
}

func (h *heapReader) Read(p []byte) (int, error) {
	n, err := h.Reader.Read(p)
	if h.length += int64(n); h.length >= h.next {
		h.next += 2 << 20
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		h.peak = max(h.peak, m.HeapAlloc)
	}
	return n, err
}
