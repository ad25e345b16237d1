package certify_test

import (
	"context"
	"errors"
	"testing"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/certify"
	"github.com/openlectern/openlectern/learning/learningtest"
)

func TestCertificate_PDFGoneFromTheMediaStore(t *testing.T) {
	roomtest.WithCertificatesOnEngines(t, func(t *testing.T, w *roomtest.World,
		p *roomtest.Renderer) {
		course := w.Course(t, "go", 0)
		ada := w.Graduates(t, "ada", course)
		want := w.Generated(t, ada, course)
		for name, ask := range map[string]func() (certify.Certificate, error){
			"fetched": func() (certify.Certificate, error) {
				return w.Platform.Certify.Certificate(ctx(),
					ada, course)
			},
			"generated again": func() (certify.Certificate, error) {
				c, err := w.Platform.Certify.GenerateCertificate(ctx(), ada, course)
				if c.IsNew {
					t.Error("the certificate was issued a second time")
				}
				return c.Certificate, err
			},
		} {
			p.Lose(want.File())
			if got, err := ask(); err != nil || got != want {
				t.Errorf("%s: %+v, %v", name, got, err)
			}
			p.WantPrinted(t, want)
		}
		if n := p.Drawn.Load(); n != 3 {
			t.Errorf("drawn %d times, want once at first and once for each loss", n)
		}
	})
}

func TestCheckCertificate_Revoked(t *testing.T) {
	roomtest.WithCertificatesOnEngines(t, func(t *testing.T, w *roomtest.World,
		_ *roomtest.Renderer) {
		course := w.Course(t, "go", 0)
		ada := w.Graduates(t, "ada", course)
		c := w.Generated(t, ada, course)
		if _, err := w.Platform.System().RevokeCertificate(ctx(), c.ID, "reason"); err != nil {
			t.Fatal(err)
		}
		got, err := w.Platform.Certify.CheckCertificate(ctx(), ada, course)
		if err != nil || !got.Earned || !got.Exists || !got.Revoked {
			t.Errorf("%+v, %v", got, err)
		}
	})
}

// A PDF that is drawn during the revocation is removed.
func TestRevokeCertificate_WhileThePDFIsDrawn(t *testing.T) {
	roomtest.WithCertificatesOnEngines(t, func(t *testing.T, w *roomtest.World,
		p *roomtest.Renderer) {
		course := w.Course(t, "go", 0)
		ada := w.Graduates(t, "ada", course)
		p.Amid = func() {
			c, err := w.Store.CertificateOf(ctx(), ada.UserID, course)
			if err != nil {
				t.Error(err)
			}
			if _, err := w.Platform.System().RevokeCertificate(ctx(), c.ID, "reason"); err !=
				nil {
				t.Error(err)
			}
		}
		if _, err := w.Platform.Certify.GenerateCertificate(ctx(), ada, course); !errors.Is(err,
			certify.ErrCertificateRevoked) {
			t.Errorf("%v", err)
		}
		if n := p.Certificates(); n != 0 {
			t.Errorf("%d PDFs are left", n)
		}
	})
}

// leavingMedia is a media store whose caller leaves while a file is stored.
type leavingMedia struct {
	roomtest.MemoryMedia
	leave func()
}

func (m *leavingMedia) Put(ctx context.Context, name, contentType string, data []byte) error {
	m.leave()
	<-ctx.Done()
	return m.MemoryMedia.Put(ctx, name, contentType, data)
}

// A PDF that is stored is recorded, also if the caller has left.
func TestGenerateCertificate_CallerLeavesWhileThePDFIsStored(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		p, media := &roomtest.Renderer{}, &leavingMedia{leave: func() {}}
		w := roomtest.New(t, database, p.Option())
		course := w.Course(t, "go", 0)
		ada := w.Graduates(t, "ada", course)
		caller, leave := context.WithCancel(ctx())
		media.leave = leave
		leaving := w.OtherInstance(t, p.Option(),
			learningtest.WithPlatform(learning.WithMedia(media)))
		if _, err := leaving.Platform.Certify.GenerateCertificate(caller, ada,
			course); !errors.Is(err,
			context.Canceled) {
			t.Errorf("%v", err)
		}
		roomtest.Await(t, "the PDF to be recorded",
			func() bool { return w.Count(t, "certificates WHERE filed_at IS NOT NULL") == 1 })
	})
}
