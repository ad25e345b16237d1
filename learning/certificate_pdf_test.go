package learning_test

import (
	"context"
	"errors"
	"testing"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// Exists implements [catalog.MediaChecker].
func (p *fakeRenderer) Exists(_ context.Context, name string) (bool, error) {
	p.Mu.Lock()
	defer p.Mu.Unlock()
	_, there := p.Files[name]
	return there, nil
}

// lose removes a file, as an operator may by mistake.
func (p *fakeRenderer) lose(name string) { _ = p.MemoryMedia.Delete(ctx(), name) }

func TestCertificate_PDFGoneFromTheMediaStore(t *testing.T) {
	withCertificatesOnEngines(t, func(t *testing.T, w *roomtest.World, p *fakeRenderer) {
		course := w.Course(t, "go", 0)
		ada := w.Graduates(t, "ada", course)
		want := w.Generated(t, ada, course)
		for name, ask := range map[string]func() (learning.Certificate, error){
			"fetched": func() (learning.Certificate, error) {
				return w.Platform.Certify.Certificate(ctx(),
					ada, course)
			},
			"generated again": func() (learning.Certificate, error) {
				c, err := w.Platform.Certify.GenerateCertificate(ctx(), ada, course)
				if c.IsNew {
					t.Error("the certificate was issued a second time")
				}
				return c.Certificate, err
			},
		} {
			p.lose(want.File())
			if got, err := ask(); err != nil || got != want {
				t.Errorf("%s: %+v, %v", name, got, err)
			}
			p.wantPrinted(t, want)
		}
		if n := p.drawn.Load(); n != 3 {
			t.Errorf("drawn %d times, want once at first and once for each loss", n)
		}
	})
}

func TestCheckCertificate_Revoked(t *testing.T) {
	withCertificatesOnEngines(t, func(t *testing.T, w *roomtest.World, _ *fakeRenderer) {
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

// The next operation on the certificate removes the PDF.
func TestRevokeCertificate_CrashBeforeThePDFIsRemoved(t *testing.T) {
	withCertificatesOnEngines(t, func(t *testing.T, w *roomtest.World, p *fakeRenderer) {
		course := w.Course(t, "go", 0)
		for name, use := range map[string]func(who learning.Actor, id string){
			"check": func(who learning.Actor,
				_ string) {
				_, _ = w.Platform.Certify.CheckCertificate(ctx(), who, course)
			},
			"fetch": func(who learning.Actor, _ string) {
				_, _ = w.Platform.Certify.Certificate(ctx(),
					who, course)
			},
			"generate": func(who learning.Actor,
				_ string) {
				_, _ = w.Platform.Certify.GenerateCertificate(ctx(), who, course)
			},
			"verify": func(_ learning.Actor,
				id string) {
				_, _ = w.Platform.Certify.VerifyCertificate(ctx(), id)
			},
			"revoke": func(_ learning.Actor, id string) {
				_, _ = w.Platform.System().RevokeCertificate(ctx(), id, "reason")
			},
		} {
			ada := w.Graduates(t, "ada-"+name, course)
			c := w.Generated(t, ada, course)
			// it cannot remove the PDF
			crashed := w.OtherInstance(t, p.option(),
				learningtest.WithPlatform(learning.Without("WithMedia")))
			if r, err := crashed.Platform.System().RevokeCertificate(ctx(), c.ID,
				"reason"); err != nil || !r.IsNew {
				t.Fatalf("%s: revoked %v, %v", name, r.IsNew, err)
			}
			if there, _ := p.Exists(ctx(), c.File()); !there {
				t.Fatalf("%s: there is nothing to remove", name)
			}
			use(ada, c.ID)
			if there, _ := p.Exists(ctx(), c.File()); there {
				t.Errorf("%s: the PDF is still there", name)
			}
			if n := w.Count(t, "certificates WHERE is_revoked = 1 AND filed_at IS NOT NULL"); n !=
				0 {
				t.Errorf("%s: the PDF is still recorded", name)
			}
		}
	})
}

// A PDF that is drawn during the revocation is removed.
func TestRevokeCertificate_WhileThePDFIsDrawn(t *testing.T) {
	withCertificatesOnEngines(t, func(t *testing.T, w *roomtest.World, p *fakeRenderer) {
		course := w.Course(t, "go", 0)
		ada := w.Graduates(t, "ada", course)
		p.amid = func() {
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
			learning.ErrCertificateRevoked) {
			t.Errorf("%v", err)
		}
		if n := p.certificates(); n != 0 {
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
		p, media := &fakeRenderer{}, &leavingMedia{leave: func() {}}
		w := roomtest.New(t, database, p.option())
		course := w.Course(t, "go", 0)
		ada := w.Graduates(t, "ada", course)
		caller, leave := context.WithCancel(ctx())
		media.leave = leave
		leaving := w.OtherInstance(t, p.option(),
			learningtest.WithPlatform(learning.WithMedia(media)))
		if _, err := leaving.Platform.Certify.GenerateCertificate(caller, ada, course); !errors.Is(err,
			context.Canceled) {
			t.Errorf("%v", err)
		}
		roomtest.Await(t, "the PDF to be recorded",
			func() bool { return w.Count(t, "certificates WHERE filed_at IS NOT NULL") == 1 })
	})
}
