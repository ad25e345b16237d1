package certificate_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/openlectern/learning/learning"
	"github.com/openlectern/learning/learning/certificate"
)

const verifyURL = "https://learn.example.org/api/certificate/verify/7d9f3c1e-52a4-4b8e-9f06-3a1c8e2d5b47"

// of is a certificate of a person, for a course of an educator.
func of(name, title, educator string) learning.Certificate {
	return learning.Certificate{
		ID:          "7d9f3c1e-52a4-4b8e-9f06-3a1c8e2d5b47",
		StudentName: name, CourseTitle: title, EducatorName: educator,
		CompletedAt: time.Date(2026, 11, 20, 23, 30, 0, 0, time.UTC),
		IssuedAt:    time.Date(2026, 11, 21, 9, 5, 0, 0, time.UTC),
	}
}

var ordinary = of("Zoë Łukaszewicz-Ŵynne", "Distributed Systems in Go", "Małgorzata Dąbrowska")

func newRenderer(tb testing.TB, opts ...certificate.Option) *certificate.Renderer {
	tb.Helper()
	r, err := certificate.New(opts...)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

func render(tb testing.TB, r *certificate.Renderer, c learning.Certificate) []byte {
	tb.Helper()
	file, err := r.RenderCertificate(tb.Context(), c, verifyURL)
	if err != nil {
		tb.Fatal(err)
	}
	return file
}

func TestSameCertificateGivesTheSameBytes(t *testing.T) {
	first := render(t, newRenderer(t), ordinary)
	if !bytes.Equal(first, render(t, newRenderer(t), ordinary)) {
		t.Error("another renderer draws other bytes")
	}
}
