package httpapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/contracttest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/staff"
)

// streams are the routes whose list is sent while it is read: path and name of the field that
// holds the list.
var streams = map[string]string{"/api/admin/purchases": "purchases", "/api/admin/users": "users"}

// manyRows are more rows than the handler buffers before an answer begins. A row has at least a
// hundred bytes.
const manyRows = 800

// rowStore is a store whose long lists come from a function of the test. The function calls row
// for each index, beginning at from.
type rowStore struct {
	learning.Store
	produce func(ctx context.Context, from int, row func(i int) error) error
}

func (r *rowStore) PurchaseReports(
	ctx context.Context, _ staff.PurchaseSelection, page learning.PageRequest,
) ([]staff.PurchaseReport, error) {
	return producedPage(ctx, r, page, func(i int) staff.PurchaseReport {
		return staff.PurchaseReport{Purchase: purchase.Purchase{
			ID:        rowID(i),
			Status:    purchase.Completed,
			Currency:  "INR",
			CreatedAt: learningtest.Start,
		}}
	})
}

func (r *rowStore) UserReports(
	ctx context.Context, _ core.WordSearch, _ learning.Role, page learning.PageRequest,
) ([]people.UserReport, error) {
	return producedPage(ctx, r, page, func(i int) people.UserReport {
		u := people.User{ID: rowID(i), CreatedAt: learningtest.Start}
		return people.UserReport{User: u, Role: core.Student}
	})
}

func rowID(i int) string { return fmt.Sprintf("row_%06d", i) }

// errPageFull ends the list when a page has all its rows.
var errPageFull = errors.New("the page is full")

// producedPage returns a page of the rows that r produces.
func producedPage[Row any](
	ctx context.Context, r *rowStore, page learning.PageRequest, row func(i int) Row,
) (list []Row, err error) {
	from := 0
	if !page.After.IsZero() {
		if _, err := fmt.Sscanf(page.After.ID, "row_%d", &from); err != nil {
			return nil, err
		}
		from++
	}
	err = r.produce(ctx, from, func(i int) error {
		if list = append(list, row(i)); len(list) == page.Limit {
			return errPageFull
		}
		return nil
	})
	if errors.Is(err, errPageFull) {
		err = nil
	}
	return list, err
}

// rows calls row for each index in [from, to).
func rows(row func(int) error, from, to int) error {
	for i := from; i < to; i++ {
		if err := row(i); err != nil {
			return err
		}
	}
	return nil
}

// streamServer serves the lists of a rowStore over HTTP.
type streamServer struct {
	*site
	url string
}

func onEachStream(t *testing.T,
	produce func(ctx context.Context, from int, row func(i int) error) error,
	test func(t *testing.T, c streamServer, path string)) {
	t.Helper()
	for path := range streams {
		t.Run(streams[path], func(t *testing.T) {
			kit := wrapped(t,
				func(st learning.Store) learning.Store { return &rowStore{st, produce} })
			kit.Person(t, "admin", core.Admin)
			s := newSite(t, kit)
			server := httptest.NewServer(s.handler)
			t.Cleanup(server.Close)
			test(t, streamServer{s, server.URL}, path)
		})
	}
}

// open requests a list. It returns when the answer begins.
func (c streamServer) open(t *testing.T, ctx context.Context, method, path string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, c.url+path, nil)
	check(t, err)
	r.Header.Set("Authorization", "Bearer "+c.Token(t, "admin"))
	answer, err := http.DefaultClient.Do(r)
	check(t, err)
	t.Cleanup(func() { _ = answer.Body.Close() })
	return answer
}

func TestStream_BeginsBeforeItsLastRowIsRead(t *testing.T) {
	begun := make(chan struct{}) // receives a value when the client has read the first byte
	produce := func(_ context.Context, from int, row func(int) error) error {
		if from < manyRows {
			if err := rows(row, from, manyRows); err != nil {
				return err
			}
			select {
			case <-begun:
			case <-time.After(answerTime):
				return errors.New("the client received nothing before the last row")
			}
		}
		return rows(row, max(from, manyRows), 2*manyRows)
	}
	onEachStream(t, produce, func(t *testing.T, c streamServer, path string) {
		answer := c.open(t, t.Context(), http.MethodGet, path)
		first := make([]byte, 1)
		_, err := io.ReadFull(answer.Body, first)
		check(t, err)
		begun <- struct{}{}
		rest, err := io.ReadAll(answer.Body)
		check(t, err)
		wantRows(t, append(first, rest...), streams[path], 2*manyRows)
		if answer.StatusCode != http.StatusOK ||
			answer.Header.Get("Content-Type") != "application/json; charset=utf-8" {
			t.Errorf("the answer is %s, %s", answer.Status, answer.Header.Get("Content-Type"))
		}
	})
}

// The client must see that the list is incomplete, and the log must have the cause.
func TestStream_FailureInTheMiddleBreaksTheConnection(t *testing.T) {
	produce := func(_ context.Context, from int, row func(int) error) error {
		return errors.Join(rows(row, from, manyRows), contracttest.ErrInternal)
	}
	onEachStream(t, produce, func(t *testing.T, c streamServer, path string) {
		answer := c.open(t, t.Context(), http.MethodGet, path)
		body, err := io.ReadAll(answer.Body)
		if !errors.Is(err, io.ErrUnexpectedEOF) || len(body) == 0 || json.Valid(body) {
			t.Errorf("after %d bytes (valid: %v) the error is %v", len(body), json.Valid(body), err)
		}
		for _, trace := range contracttest.Traces {
			if strings.Contains(string(body), trace) {
				t.Errorf("%q is in the answer", trace)
			}
		}
		line := c.requestLine(t)
		for _, want := range []string{"level=ERROR",
			"request_id=" + answer.Header.Get("X-Request-Id"), "route=admin." + streams[path],
			"hunter2", "user=admin"} {
			if !strings.Contains(line, want) {
				t.Errorf("%q is not in the log: %s", want, line)
			}
		}
	})
}

func TestStream_FailureBeforeTheStartIsA500(t *testing.T) {
	for _, n := range []int{0, 10} { // fewer than the handler buffers
		produce := func(_ context.Context, from int, row func(int) error) error {
			return errors.Join(rows(row, from, n), contracttest.ErrInternal)
		}
		onEachStream(t, produce, func(t *testing.T, c streamServer, path string) {
			answer := c.open(t, t.Context(), http.MethodGet, path)
			body, err := io.ReadAll(answer.Body)
			check(t, err)
			if answer.StatusCode != http.StatusInternalServerError ||
				string(body) != `{"success":false,"message":"An unexpected error occurred"}` ||
				answer.ContentLength != int64(len(body)) {
				t.Errorf("after %d rows the answer is %s %s", n, answer.Status, body)
			}
			if line := c.requestLine(t); !strings.Contains(line, "level=ERROR") ||
				!strings.Contains(line, "hunter2") {
				t.Errorf("the log does not have the cause: %s", line)
			}
		})
	}
}

// If the client closes the connection, the query ends, and nothing is logged as an error.
func TestStream_QueryEndsWhenTheClientLeaves(t *testing.T) {
	begun, ended := make(chan error, 1), make(chan error, 1)
	produce := func(ctx context.Context, from int, row func(int) error) error {
		if err := rows(row, from, manyRows); err != nil {
			return err
		}
		begun <- nil
		select {
		case <-ctx.Done():
			ended <- ctx.Err()
			return ctx.Err()
		case <-time.After(answerTime):
			ended <- nil
			return errors.New("the context did not end when the client left")
		}
	}
	onEachStream(t, produce, func(t *testing.T, c streamServer, path string) {
		ctx, leave := context.WithCancel(t.Context())
		c.open(t, ctx, http.MethodGet, path)
		check(t, <-begun)
		leave()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("the query ended with %v", err)
		}
		if line := c.requestLine(t); !strings.Contains(line, "level=INFO") ||
			!strings.Contains(line, "error=") {
			t.Errorf("the log says: %s", line)
		}
	})
}

// If a query ignores its context, the first failed write to the closed connection ends it.
func TestStream_FailedWriteEndsTheQuery(t *testing.T) {
	produce := func(_ context.Context, from int, row func(int) error) error { // ignores its context
		return rows(row, from, 10_000_000)
	}
	onEachStream(t, produce, func(t *testing.T, c streamServer, path string) {
		answer := c.open(t, t.Context(), http.MethodGet, path)
		_, err := io.ReadFull(answer.Body, make([]byte, 1))
		check(t, err)
		check(t, answer.Body.Close())
		if line := c.requestLine(t); !strings.Contains(line, "level=INFO") ||
			!strings.Contains(line, "error=") {
			t.Errorf("the log says: %s", line)
		}
	})
}

// HEAD reads no more rows than the handler buffers before an answer begins.
func TestStream_HeadReadsFewRows(t *testing.T) {
	read := 0
	produce := func(_ context.Context, from int, row func(int) error) error {
		for read = from; read < 1_000_000; read++ {
			if err := row(read); err != nil {
				return err
			}
		}
		return nil
	}
	onEachStream(t, produce, func(t *testing.T, c streamServer, path string) {
		answer := c.open(t, t.Context(), http.MethodHead, path)
		body, err := io.ReadAll(answer.Body)
		check(t, err)
		if answer.StatusCode != http.StatusOK || len(body) != 0 ||
			answer.Header.Get("Content-Type") != "application/json; charset=utf-8" {
			t.Errorf("the answer is %s, %s, %d bytes", answer.Status,
				answer.Header.Get("Content-Type"), len(body))
		}
		if line := c.requestLine(t); read > manyRows || !strings.Contains(line, "level=INFO") ||
			strings.Contains(line, "error=") {
			t.Errorf("%d rows were read; the log says: %s", read, line)
		}
	})
}

func TestStream_IsComplete(t *testing.T) {
	produce := func(_ context.Context, from int, row func(int) error) error {
		return rows(row, from,
			manyRows)
	}
	onEachStream(t, produce, func(t *testing.T, c streamServer, path string) {
		answer := c.open(t, t.Context(), http.MethodGet, path)
		body, err := io.ReadAll(answer.Body)
		check(t, err)
		wantRows(t, body, streams[path], manyRows)
	})
}

// wantRows checks that a body is the envelope with n rows, in order.
func wantRows(t *testing.T, body []byte, field string, n int) {
	t.Helper()
	var envelope map[string]json.RawMessage
	check(t, json.Unmarshal(body, &envelope))
	var list []struct {
		ID string `json:"_id"`
	}
	check(t, json.Unmarshal(envelope[field], &list))
	if len(envelope) != 2 || string(envelope["success"]) != "true" || len(list) != n {
		t.Fatalf("%d fields, success %s, %d rows; want %d", len(envelope), envelope["success"],
			len(list), n)
	}
	for i, row := range list {
		if row.ID != rowID(i) {
			t.Fatalf("row %d is %s", i, row.ID)
		}
	}
}
