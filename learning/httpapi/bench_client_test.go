package httpapi_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"testing"

	"github.com/openlectern/openlectern/internal/baseline"
)

// request is an encoded GET, which is sent many times, and its answer.
type request struct {
	address string
	bytes   []byte
	answer  struct {
		header http.Header
		body   []byte
	}
}

// get sends one request with a normal client. The answer must be a 200.
func get(tb testing.TB, address, path, header, value string) request {
	tb.Helper()
	r := request{address: address}
	r.bytes = fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: %s\r\n%s: %s\r\n\r\n", path, address,
		header, value)
	conn, err := net.Dial("tcp", address)
	if err != nil {
		tb.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Write(r.bytes); err != nil {
		tb.Fatal(err)
	}
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		tb.Fatal(err)
	}
	defer res.Body.Close()
	r.answer.header = res.Header
	r.answer.body, err = io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		tb.Fatalf("%s: status %d, length %d, %v: %.300s", path, res.StatusCode, res.ContentLength,
			err, r.answer.body)
	}
	return r
}

// clients send the request repeatedly, each on its own connection. They parse as little of
// an answer as possible, because they share the processors with the measured server.
func (r request) clients(tb testing.TB, n int) func(int) {
	tb.Helper()
	readers, conns := make([]*bufio.Reader, n), make([]net.Conn, n)
	for i := range n {
		conn, err := net.Dial("tcp", r.address)
		if err != nil {
			tb.Fatal(err)
		}
		tb.Cleanup(func() { _ = conn.Close() })
		conns[i], readers[i] = conn, bufio.NewReaderSize(conn, 64<<10)
	}
	return baseline.Parallel(tb, n, func(client, _ int) error {
		if _, err := conns[client].Write(r.bytes); err != nil {
			return err
		}
		return skim(readers[client], len(r.answer.body))
	})
}

var (
	statusOK      = []byte("HTTP/1.1 200 OK\r\n")
	contentLength = []byte("Content-Length: ")
	chunked       = []byte("Transfer-Encoding: chunked\r\n")
	endOfHeader   = []byte("\r\n")
)

// skim reads an answer of 200 with a body of a length, in one piece or in chunks.
func skim(r *bufio.Reader, length int) error {
	line, err := r.ReadSlice('\n')
	if err != nil || !bytes.Equal(line, statusOK) {
		return fmt.Errorf("answer %q: %w", line, err)
	}
	stated, inChunks := -1, false
	for !bytes.Equal(line, endOfHeader) {
		if line, err = r.ReadSlice('\n'); err != nil {
			return err
		}
		inChunks = inChunks || bytes.Equal(line, chunked)
		if text, ok := bytes.CutPrefix(line, contentLength); ok {
			if stated, err = strconv.Atoi(string(bytes.TrimSpace(text))); err != nil {
				return err
			}
		}
	}
	if inChunks {
		stated, err = skimChunks(r)
	} else {
		_, err = r.Discard(stated)
	}
	if err == nil && stated != length {
		err = fmt.Errorf("a body of %d bytes, want %d", stated, length)
	}
	return err
}

// skimChunks reads a body in chunks, and returns its length.
func skimChunks(r *bufio.Reader) (length int, err error) {
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return 0, err
		}
		size, err := strconv.ParseInt(string(bytes.TrimSpace(line)), 16, 32)
		if err != nil {
			return 0, err
		}
		if _, err := r.Discard(int(size) + len(endOfHeader)); err != nil || size == 0 {
			return length, err
		}
		length += int(size)
	}
}
