package certificate

import (
	"bytes"
	"compress/zlib"
	"crypto/sha256"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf16"
)

// ref is the number of an object.
type ref int

func (r ref) String() string { return fmt.Sprintf("%d 0 R", int(r)) }

// file is a PDF file in the making (ISO 32000-1).
type file struct{ objects [][]byte }

// reserve makes a number for an object that is set later.
func (f *file) reserve() ref {
	f.objects = append(f.objects, nil)
	return ref(len(f.objects))
}

func (f *file) set(r ref, body string) { f.objects[r-1] = []byte(body) }

func (f *file) add(body string) ref {
	r := f.reserve()
	f.set(r, body)
	return r
}

// addStream adds data, deflated; dict are further entries of its dictionary.
func (f *file) addStream(dict string, data []byte) ref {
	return f.addDeflated(dict, deflate(data))
}

func (f *file) addDeflated(dict string, data []byte) ref {
	return f.addRaw(dict+"/Filter/FlateDecode", data)
}

func (f *file) addRaw(dict string, data []byte) ref {
	var b bytes.Buffer
	fmt.Fprintf(&b, "<<%s/Length %d>>\nstream\n", dict, len(data))
	b.Write(data)
	b.WriteString("\nendstream")
	f.objects = append(f.objects, b.Bytes())
	return ref(len(f.objects))
}

// bytes is the file whose first object to read is the catalog. Its identifier is a
// digest of what is in it.
func (f *file) bytes(catalog, info ref) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
	offsets := make([]int, len(f.objects))
	for i, body := range f.objects {
		offsets[i] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, body)
	}
	id := sha256.Sum256(b.Bytes())
	xref := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, offset := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root %v/Info %v/ID[<%x><%[4]x>]>>\nstartxref\n%[5]d\n%%%%EOF\n",
		len(offsets)+1, catalog, info, id[:16], xref)
	return b.Bytes()
}

// deflaters are kept because one takes up 800 kB, and a page needs several.
var deflaters = sync.Pool{New: func() any { return zlib.NewWriter(io.Discard) }}

func deflate(data []byte) []byte {
	var b bytes.Buffer
	w := deflaters.Get().(*zlib.Writer)
	defer deflaters.Put(w)
	w.Reset(&b)
	_, _ = w.Write(data) // a buffer takes everything
	_ = w.Close()
	return b.Bytes()
}

// textString is a string that people read, in UTF-16.
func textString(s string) string {
	return "<FEFF" + utf16Hex(s) + ">"
}

func utf16Hex(s string) string {
	var b strings.Builder
	for _, unit := range utf16.Encode([]rune(s)) {
		fmt.Fprintf(&b, "%04X", unit)
	}
	return b.String()
}

// byteString is a string of bytes, such as an address.
func byteString(s string) string { return fmt.Sprintf("<%X>", s) }

// pdfDate is a time as PDF writes it, or nothing for one that has no four-digit year.
func pdfDate(t time.Time) string {
	if t = t.UTC(); t.Year() < 1 || t.Year() > 9999 || t.IsZero() {
		return ""
	}
	return t.Format("(D:20060102150405Z)")
}
