package learningtest

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning/certify"
)

// Renderer tests what draws the certificates of a host: what [certify.CertificateRenderer]
// promises.
func Renderer(t *testing.T, renderer certify.CertificateRenderer) {
	t.Helper()
	const url = "https://learn.example.org/verify/CERT-1"
	certificate := certify.Certificate{ID: "CERT-1", StudentName: "Ada Lovelace",
		CourseTitle: "Analytical engines", IssuedAt: time.Date(2026, 1, 31, 9, 30, 0, 0, time.UTC)}
	draw := func(t *testing.T, c certify.Certificate, url string) []byte {
		t.Helper()
		pdf, err := renderer.RenderCertificate(t.Context(), c, url)
		if err != nil || !bytes.HasPrefix(pdf, []byte("%PDF-")) {
			t.Fatalf("%v, %.20q", err, pdf)
		}
		return pdf
	}
	t.Run("draws the same again", func(t *testing.T) {
		first := draw(t, certificate, url)
		if again := draw(t, certificate, url); !bytes.Equal(first, again) {
			t.Error("the same certificate has other bytes")
		}
		other := certificate
		other.StudentName = "Charles Babbage"
		if bytes.Equal(first, draw(t, other, url)) || bytes.Equal(first, draw(t, certificate, url+"1")) {
			t.Error("another certificate has the same bytes")
		}
	})
	t.Run("draws any name", func(t *testing.T) {
		for _, name := range []string{"", "Åsa Öberg", "अदा लवलेस", "عايدة", "학생 이름", "学生",
			"🎓 Ada", strings.Repeat("long ", 60), strings.Repeat("x", 300), "a\x00\nb"} {
			named := certificate
			named.StudentName, named.CourseTitle = name, name
			draw(t, named, url)
		}
	})
	t.Run("ends with its context", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		pdf, err := renderer.RenderCertificate(ctx, certificate, url)
		if err == nil && !bytes.HasPrefix(pdf, []byte("%PDF-")) {
			t.Errorf("%.20q without an error", pdf)
		}
	})
}
