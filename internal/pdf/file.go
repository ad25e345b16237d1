package pdf

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

// Ref is the number of an object in a [File].
type Ref int

// String is the reference as other objects write it.
func (r Ref) String() string { return fmt.Sprintf("%d 0 R", int(r)) }

// File collects the objects of one PDF file. The zero File is empty and ready to
// use. It is not safe for concurrent use.
type File struct{ objects [][]byte }

// Reserve returns the number of an object whose body is set later. It allows objects that refer to
// each other.
func (f *File) Reserve() Ref {
	f.objects = append(f.objects, nil)
	return Ref(len(f.objects))
}

// Set sets the body of a reserved object.
func (f *File) Set(r Ref, body string) { f.objects[r-1] = []byte(body) }

// Add adds an object.
func (f *File) Add(body string) Ref {
	r := f.Reserve()
	f.Set(r, body)
	return r
}

// AddStream compresses data and adds it as a stream. dict holds further entries of
// the stream's dictionary, without the brackets around it.
func (f *File) AddStream(dict string, data []byte) Ref {
	return f.AddRaw(dict+"/Filter/FlateDecode", Deflate(data))
}

// AddRaw adds data as a stream without compressing them. dict is as in [File.AddStream]; it names
// the filter if the data are compressed already.
func (f *File) AddRaw(dict string, data []byte) Ref {
	var b bytes.Buffer
	fmt.Fprintf(&b, "<<%s/Length %d>>\nstream\n", dict, len(data))
	b.Write(data)
	b.WriteString("\nendstream")
	f.objects = append(f.objects, b.Bytes())
	return Ref(len(f.objects))
}

// Bytes returns the whole file. catalog is the object that leads to all others, and info the one
// of the metadata. The file's identifier is a digest of its content, so that equal content gives
// equal files.
func (f *File) Bytes(catalog, info Ref) []byte {
	var b bytes.Buffer
	// The comment with bytes above 127 tells programs that the file is binary.
	b.WriteString("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
	offsets := make([]int, len(f.objects))
	for i, body := range f.objects {
		offsets[i] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, body)
	}
	id := sha256.Sum256(b.Bytes())
	// The table says where each object begins, in lines of exactly 20 bytes. Its first line is the
	// head of a list of free objects, which is empty.
	xref := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, offset := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&b,
		"trailer\n<</Size %d/Root %v/Info %v/ID[<%x><%[4]x>]>>\nstartxref\n%[5]d\n%%%%EOF\n",
		len(offsets)+1, catalog, info, id[:16], xref)
	return b.Bytes()
}

// deflaters keeps writers for reuse, because each takes 800 kB and a page needs several.
var deflaters = sync.Pool{New: func() any { return zlib.NewWriter(io.Discard) }}

// Deflate compresses data for a stream with the filter FlateDecode.
func Deflate(data []byte) []byte {
	var b bytes.Buffer
	w := deflaters.Get().(*zlib.Writer)
	defer deflaters.Put(w)
	w.Reset(&b)
	_, _ = w.Write(data) // a buffer accepts every write
	_ = w.Close()
	return b.Bytes()
}

// textString formats text as a string of PDF in UTF-16, with the mark FEFF of this encoding.
func textString(s string) string {
	return "<FEFF" + utf16Hex(s) + ">"
}

// utf16Hex returns text in UTF-16, big-endian, in hexadecimal.
func utf16Hex(s string) string {
	var b strings.Builder
	for _, unit := range utf16.Encode([]rune(s)) {
		fmt.Fprintf(&b, "%04X", unit)
	}
	return b.String()
}

// byteString formats bytes, such as those of a URL, as a string of PDF.
func byteString(s string) string { return fmt.Sprintf("<%X>", s) }

// date formats a time for PDF, in UTC. It returns "" for the zero time and for a year before 1 or
// after 9999.
func date(t time.Time) string {
	if t = t.UTC(); t.Year() < 1 || t.Year() > 9999 || t.IsZero() {
		return ""
	}
	return t.Format("(D:20060102150405Z)")
}
