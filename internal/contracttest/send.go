package contracttest

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/textproto"
	"strings"
	"testing"
	"time"
)

// boundary separates the parts of every multipart body.
const boundary = "boundary-of-the-case"

// rawRequest is a request with the bytes that are sent.
type rawRequest struct {
	method string
	bytes  []byte
}

// Build expands the request of a case: a line with the method and the path, headers, an empty line
// and the body. It adds the headers that every client sets, unless the case sets them: Host,
// Connection, Content-Length, and the Content-Type of a multipart body.
func (e *Expander) Build(text string) rawRequest {
	e.TB.Helper()
	// Expand the body first, because marks of the headers may sign it.
	head, body, _ := strings.Cut(text, "\n\n")
	form, multipart := strings.CutPrefix(body, "multipart:\n")
	if multipart {
		e.body = e.multipart(form)
	} else {
		e.body = e.Expand(body)
	}

	// Put the prefix of the host before the path.
	lines := strings.Split(e.Expand(head), "\n")
	method, path, _ := strings.Cut(lines[0], " ")
	if strings.HasPrefix(path, "/") {
		lines[0] = method + " " + e.prefix + path
	}

	// Add the headers that the case does not set.
	set := map[string]bool{}
	for _, line := range lines[1:] {
		name, _, _ := strings.Cut(line, ":")
		set[textproto.CanonicalMIMEHeaderKey(name)] = true
	}
	for _, header := range [][2]string{
		{"Host", "api.example.org"}, {"Content-Length", fmt.Sprint(len(e.body))},
		{"Content-Type", "multipart/form-data; boundary=" + boundary}, {"Connection", "close"},
	} {
		needed := true
		switch header[0] {
		case "Content-Type":
			needed = multipart
		case "Content-Length":
			hasBody := e.body != "" || method == http.MethodPost
			needed = hasBody && !set["Transfer-Encoding"]
		}
		if needed && !set[header[0]] {
			lines = append(lines, header[0]+": "+header[1])
		}
	}
	lines[0] += " HTTP/1.1"
	return rawRequest{method, []byte(strings.Join(lines, "\r\n") + "\r\n\r\n" + e.body)}
}

// multipart returns a multipart body. form has a line "part: name filename=… type=…" for each
// part, followed by the content of the part.
func (e *Expander) multipart(form string) string {
	e.TB.Helper()
	var b strings.Builder
	for _, part := range strings.Split("\n"+form, "\npart: ")[1:] {
		first, content, _ := strings.Cut(part, "\n")
		words := strings.Fields(first)
		fmt.Fprintf(&b, "--%s\r\nContent-Disposition: form-data; name=%q", boundary, words[0])
		contentType := ""
		for _, word := range words[1:] {
			if name, found := strings.CutPrefix(word, "filename="); found {
				fmt.Fprintf(&b, "; filename=%q", name)
			} else if contentType, found = strings.CutPrefix(word, "type="); !found {
				e.TB.Fatalf("a part cannot have %q", word)
			}
		}
		if contentType != "" {
			b.WriteString("\r\nContent-Type: " + contentType)
		}
		b.WriteString("\r\n\r\n" + e.Expand(content) + "\r\n")
	}
	b.WriteString("--" + boundary + "--\r\n")
	return b.String()
}

// Send sends a request on a connection of its own and reads the answer. A server may answer and
// close before it has read everything, so an error while writing is ignored if there is an answer.
func Send(tb testing.TB, addr string, r rawRequest) *Response {
	tb.Helper()
	conn, err := net.Dial("tcp", addr)
	check(tb, err)
	defer conn.Close()
	check(tb, conn.SetDeadline(time.Now().Add(answerTime)))
	written := make(chan struct{})
	go func() {
		defer close(written)
		_, _ = io.Copy(conn, bytes.NewReader(r.bytes))
	}()
	answer, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: r.method})
	if err != nil {
		tb.Fatalf("read the answer: %v", err)
	}
	body, err := io.ReadAll(answer.Body)
	check(tb, err)
	_ = conn.Close() // which ends the writing
	<-written
	return &Response{answer, body}
}
