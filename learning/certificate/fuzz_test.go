package certificate_test

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"testing"

	"github.com/openlectern/openlectern/learning/certificate"
	"github.com/openlectern/openlectern/learning/certify"
)

// FuzzRender checks that every name and title gives a complete file.
func FuzzRender(f *testing.F) {
	for _, c := range people {
		f.Add(c.StudentName, c.CourseTitle, c.EducatorName)
	}
	for _, c := range awkward {
		f.Add(c.StudentName, c.CourseTitle, c.EducatorName)
	}
	f.Add("(\\)%<</>>", "endstream endobj", "]]>&<x>")
	r := newRenderer(f, certificate.WithFonts(hostFonts()...))
	f.Fuzz(func(t *testing.T, name, title, educator string) {
		c := certify.Certificate{ID: educator, StudentName: name, CourseTitle: title,
			EducatorName: educator}
		file, err := r.RenderCertificate(t.Context(), c, verifyURL)
		if err != nil {
			t.Fatal(err)
		}
		checkObjects(t, file)
	})
}

var (
	startOfTable = regexp.MustCompile(`startxref\n(\d+)\n%%EOF\n$`)
	entry        = regexp.MustCompile(`(?m)^(\d{10}) 00000 n $`)
	length       = regexp.MustCompile(`/Length (\d+)>>\nstream\n`)
)

// checkObjects checks that every object of a PDF file is where the cross-reference table
// says, and that every stream has the length that its dictionary says.
func checkObjects(t *testing.T, file []byte) {
	t.Helper()
	start := startOfTable.FindSubmatch(file)
	if start == nil {
		t.Fatal("the file has no trailer")
	}
	at, _ := strconv.Atoi(string(start[1]))
	for i, e := range entry.FindAllSubmatch(file[at:], -1) {
		offset, _ := strconv.Atoi(string(e[1]))
		if !bytes.HasPrefix(file[offset:], fmt.Appendf(nil, "%d 0 obj\n", i+1)) {
			t.Fatalf("object %d is not where the table says", i+1)
		}
	}
	for _, m := range length.FindAllSubmatchIndex(file, -1) {
		n, _ := strconv.Atoi(string(file[m[2]:m[3]]))
		if !bytes.HasPrefix(file[m[1]+n:], []byte("\nendstream\nendobj\n")) {
			t.Fatalf("the stream at %d is not %d bytes long", m[1], n)
		}
	}
}
