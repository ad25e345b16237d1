package roomtest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/certify"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// Renderer is a renderer whose pages contain the data of the certificate, and a
// [MemoryMedia]. It counts its calls, and can fail.
type Renderer struct {
	MemoryMedia
	Drawn  atomic.Int64
	Broken atomic.Bool
	Amid   func() // if not nil, called while a page is drawn
}

// RenderCertificate returns the page of a certificate.
func (p *Renderer) RenderCertificate(ctx context.Context, c certify.Certificate,
	verifyURL string) ([]byte, error) {
	p.Drawn.Add(1)
	if p.Amid != nil {
		p.Amid()
	}
	if p.Broken.Load() {
		return nil, ErrInjected
	}
	return []byte(printed(c) + " " + verifyURL), ctx.Err()
}

// printed returns what the page of a certificate shows.
func printed(c certify.Certificate) string {
	return fmt.Sprintf("%s|%s|%s|%s|%s", c.ID, c.StudentName, c.CourseTitle, c.EducatorName,
		c.CompletedAt.Format(time.RFC3339Nano))
}

// Option makes p the renderer and the media store of a platform.
func (p *Renderer) Option() learningtest.Option {
	return learningtest.WithPlatform(learning.WithMedia(p),
		learning.WithCertificates(p, "https://learn.example.org/"))
}

// WithCertificatesOnEngines runs a test on each engine, with a [Renderer].
func WithCertificatesOnEngines(t *testing.T, test func(t *testing.T, w *World,
	p *Renderer)) {
	OnEngines(t, func(t *testing.T, database string) {
		p := &Renderer{}
		test(t, New(t, database, p.Option()), p)
	})
}

// WantPrinted checks that the file of a certificate is the page drawn from its record.
func (p *Renderer) WantPrinted(t *testing.T, c certify.Certificate) {
	t.Helper()
	p.Mu.Lock()
	defer p.Mu.Unlock()
	want := printed(c) + " https://learn.example.org/api/certificate/verify/" + c.ID
	if got := string(p.Files[c.File()]); got != want || p.Types[c.File()] != "application/pdf" {
		t.Errorf("%s is %q of %q, want %q", c.File(), got, p.Types[c.File()], want)
	}
}

// Certificates returns how many PDFs of certificates are stored.
func (p *Renderer) Certificates() (n int) {
	p.Mu.Lock()
	defer p.Mu.Unlock()
	for name := range p.Files {
		if strings.HasPrefix(name, "certificate-") {
			n++
		}
	}
	return n
}

// PDFs returns the names of the PDFs in the media store.
func (p *Renderer) PDFs() (names []string) {
	p.Mu.Lock()
	defer p.Mu.Unlock()
	for name := range p.Files {
		if strings.HasSuffix(name, ".pdf") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Exists implements [file.MediaChecker].
func (p *Renderer) Exists(_ context.Context, name string) (bool, error) {
	p.Mu.Lock()
	defer p.Mu.Unlock()
	_, there := p.Files[name]
	return there, nil
}

// Lose removes a file, as an operator may by mistake.
func (p *Renderer) Lose(name string) { _ = p.MemoryMedia.Delete(ctx(), name) }
