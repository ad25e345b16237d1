package ai

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// eventsIn reads all events of a stream, as texts.
func eventsIn(r io.Reader) (all []string, err error) {
	for e := newEvents(r, 1000); ; {
		ev, err := e.next()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		text := string(ev.data)
		if ev.name != "" {
			text = ev.name + "|" + text
		}
		all = append(all, text)
	}
}

var streams = map[string]struct {
	stream string
	want   []string
}{
	"one":                     {"data: a\n\n", []string{"a"}},
	"without the blank":       {"data:a\n\n", []string{"a"}},
	"one blank only":          {"data:  a\n\n", []string{" a"}},
	"CRLF":                    {"data: a\r\n\r\ndata: b\r\n\r\n", []string{"a", "b"}},
	"several lines, CRLF":     {"data: a\r\ndata: b\r\n\r\n", []string{"a\nb"}},
	"CR":                      {"data: a\r\rdata: b\r\r", []string{"a", "b"}},
	"mixed ends":              {"data: a\r\n\ndata: b\n\r\ndata: c\r\n\r", []string{"a", "b", "c"}},
	"comments":                {": hello\n\ndata: a\n:\n: more\n\n:end\n\n", []string{"a"}},
	"several lines":           {"data: a\ndata:\ndata: b\n\n", []string{"a\n\nb"}},
	"empty data":              {"data\n\ndata:\n\n", []string{"", ""}},
	"other fields":            {"id: 1\nretry: 5\nwhatever\ndata: a\n\n", []string{"a"}},
	"a name":                  {"event: error\ndata: a\n\ndata: b\n\n", []string{"error|a", "b"}},
	"a name without data":     {"event: error\n\ndata: b\n\n", []string{"b"}},
	"byte order mark":         {"\xef\xbb\xbfdata: a\n\ndata: \xef\xbb\xbfb\n\n", []string{"a", "\xef\xbb\xbfb"}},
	"a colon in it":           {"data: {\"a\":1}\n\n", []string{`{"a":1}`}},
	"no end":                  {"data: a\n\ndata: b\n", []string{"a"}},
	"no end of the line":      {"data: a\n\ndata: b", []string{"a"}},
	"nothing":                 {"", nil},
	"many empty lines":        {"\n\n\n\ndata: a\n\n\n\n", []string{"a"}},
	"a field that begins so":  {"database: a\ndata: b\n\n", []string{"b"}},
	"a blank before the name": {" data: a\n\ndata: b\n\n", []string{"b"}},
}

func TestEventsAreReadAsTheStandardSays(t *testing.T) {
	for name, test := range streams {
		for _, r := range []io.Reader{strings.NewReader(test.stream), iotest.OneByteReader(strings.NewReader(test.stream))} {
			got, err := eventsIn(r)
			if diff := cmp.Diff(test.want, got); diff != "" || err != nil {
				t.Errorf("%s: %v %s", name, err, diff)
			}
		}
	}
}

// An event is not waited for longer than it takes: the LF after its last CR may come
// with the next one only.
func TestAnEventIsReadBeforeTheNextOneBegins(t *testing.T) {
	in, out := io.Pipe()
	defer in.Close()
	go func() { _, _ = out.Write([]byte("data: a\r\n\r")) }()
	if ev, err := newEvents(in, 1000).next(); err != nil || string(ev.data) != "a" {
		t.Errorf("%q, %v", ev.data, err)
	}
}

func TestALongEventIsAnErrorBeforeItIsKept(t *testing.T) {
	for name, s := range map[string]string{
		"one line":     "data: " + strings.Repeat("x", 2000),
		"many lines":   strings.Repeat("data: x\n", 2000),
		"many others":  strings.Repeat("id: x\n", 2000),
		"long comment": ":" + strings.Repeat("x", 2000) + "\n\n",
	} {
		if _, err := eventsIn(strings.NewReader(s)); !errors.Is(err, errLongEvent) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if all, err := eventsIn(strings.NewReader(strings.Repeat("data: x\n\n", 2000))); err != nil || len(all) != 2000 {
		t.Errorf("a long stream of short events: %d, %v", len(all), err)
	}
}

func TestAnErrorOfTheConnectionIsTheErrorOfTheEvents(t *testing.T) {
	got, err := eventsIn(io.MultiReader(strings.NewReader("data: a\n\ndata: b\n"), iotest.ErrReader(io.ErrUnexpectedEOF)))
	if !errors.Is(err, io.ErrUnexpectedEOF) || len(got) != 1 {
		t.Errorf("%q, %v", got, err)
	}
}

// FuzzEvents makes sure that the way in which a stream arrives does not matter, that no
// event has a line end that was none of its own, and that all has an end.
func FuzzEvents(f *testing.F) {
	for _, s := range streams {
		f.Add([]byte(s.stream))
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		whole, err := eventsIn(bytes.NewReader(stream))
		bytewise, errBytewise := eventsIn(iotest.OneByteReader(bytes.NewReader(stream)))
		if diff := cmp.Diff(whole, bytewise); diff != "" || (err == nil) != (errBytewise == nil) {
			t.Fatalf("%v, %v %s", err, errBytewise, diff)
		}
		if bytes.ContainsRune(stream, '\r') {
			return
		}
		crlf, errCRLF := eventsIn(bytes.NewReader(bytes.ReplaceAll(stream, []byte("\n"), []byte("\r\n"))))
		if diff := cmp.Diff(whole, crlf); diff != "" || (err == nil) != (errCRLF == nil) {
			t.Fatalf("with CRLF: %v, %v %s", err, errCRLF, diff)
		}
	})
}
