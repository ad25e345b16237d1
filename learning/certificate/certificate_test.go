package certificate_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning/certificate"
	"github.com/openlectern/openlectern/learning/certify"
)

const verifyURL = "https://learn.example.org/api/certificate/verify/7d9f3c1e-52a4-4b8e-9f06-3a1c8e2d5b47"

// of returns a certificate of a student for a course of an educator.
func of(name, title, educator string) certify.Certificate {
	return certify.Certificate{
		ID:          "7d9f3c1e-52a4-4b8e-9f06-3a1c8e2d5b47",
		StudentName: name, CourseTitle: title, EducatorName: educator,
		IssuerName:  "Riverside College",
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

func render(tb testing.TB, r *certificate.Renderer, c certify.Certificate) []byte {
	tb.Helper()
	file, err := r.RenderCertificate(tb.Context(), c, verifyURL)
	if err != nil {
		tb.Fatal(err)
	}
	return file
}

func TestRender_SameCertificateGivesTheSameBytes(t *testing.T) {
	r := newRenderer(t)
	first := render(t, r, ordinary)
	// fills the shaper that the next page reuses
	render(t, r, of("Another Student", "Another Course", ""))
	if !bytes.Equal(first, render(t, r, ordinary)) {
		t.Error("the second page of the same certificate has different bytes")
	}
	if !bytes.Equal(first, render(t, newRenderer(t), ordinary)) {
		t.Error("another renderer gives different bytes")
	}
	if bytes.Equal(first,
		render(t, r, of("Zoë Łukaszewicz", ordinary.CourseTitle, ordinary.EducatorName))) {
		t.Error("another name gives the same bytes")
	}
}

func TestRender_ConcurrentCallsGiveTheSameBytes(t *testing.T) {
	r := newRenderer(t, certificate.WithFonts(hostFonts()...))
	alone := newRenderer(t, certificate.WithFonts(hostFonts()...))
	var wg sync.WaitGroup
	for _, c := range people {
		want := render(t, alone, c)
		for range 3 {
			wg.Go(func() {
				got, err := r.RenderCertificate(context.Background(), c, verifyURL)
				if err != nil || !bytes.Equal(got, want) {
					t.Errorf("%s: bytes differ from those of a call alone (%v)", c.StudentName, err)
				}
			})
		}
	}
	wg.Wait()
}

// Certificates are sent by e-mail and kept for ever, so that they must be small.
func TestRender_LatinNameGivesASmallFile(t *testing.T) {
	const limit = 100_000
	if n := len(render(t, newRenderer(t), ordinary)); n > limit {
		t.Errorf("%d bytes, want at most %d", n, limit)
	}
}

func TestRender_UnusableURLOrContext(t *testing.T) {
	r := newRenderer(t)
	for name, url := range map[string]string{"empty": "",
		"long": "https://example.org/" + strings.Repeat("x", 281)} {
		if _, err := r.RenderCertificate(t.Context(), ordinary, url); err == nil {
			t.Errorf("%s: no error for a URL that a QR code cannot hold", name)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.RenderCertificate(ctx, ordinary, verifyURL); !errors.Is(err, context.Canceled) {
		t.Errorf("with a cancelled context: %v, want %v", err, context.Canceled)
	}
}

func ExampleNew() {
	r, err := certificate.New()
	if err != nil {
		panic(err)
	}
	page, err := r.RenderCertificate(context.Background(), certify.Certificate{
		ID:           "7d9f3c1e-52a4-4b8e-9f06-3a1c8e2d5b47",
		StudentName:  "Ada Lovelace",
		CourseTitle:  "Notes on the Analytical Engine",
		EducatorName: "Charles Babbage",
		IssuerName:   "Riverside College",
		CompletedAt:  time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC),
		IssuedAt:     time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC),
	}, "https://learn.example.org/api/certificate/verify/7d9f3c1e-52a4-4b8e-9f06-3a1c8e2d5b47")
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.8s, drawn without fonts of the host in %v\n", page, r.Scripts())
	// Output: %PDF-1.7, drawn without fonts of the host in [Latin Greek Cyrillic Hebrew]
}
