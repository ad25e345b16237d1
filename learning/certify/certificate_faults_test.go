package certify_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/certify"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// After a fault at any step, a repeated call returns one certificate with its PDF, and no
// number is skipped.
func TestGenerateCertificate_FaultAtEachStep(t *testing.T) {
	again := map[string]func(w *roomtest.World, who learning.Actor, course string) error{
		"generated again": func(w *roomtest.World, who learning.Actor, course string) error {
			_, err := w.Platform.Certify.GenerateCertificate(ctx(), who, course)
			return err
		},
		"fetched": func(w *roomtest.World, who learning.Actor, course string) error {
			_, err := w.Platform.Certify.Certificate(ctx(), who, course)
			// the fault was before the certificate was stored
			if errors.Is(err, certify.ErrCertificateNotGenerated) {
				_, err = w.Platform.Certify.GenerateCertificate(ctx(), who, course)
			}
			return err
		},
	}
	for name, again := range again {
		t.Run(name, func(t *testing.T) {
			roomtest.OnEnginesRepeatedly(t,
				func(t *testing.T, database string) { breakGenerating(t, database, again) })
		})
	}
}

func breakGenerating(t *testing.T, database string,
	again func(w *roomtest.World, who learning.Actor, course string) error) {
	store, p := &roomtest.FaultyStore{}, &roomtest.Renderer{}
	w := roomtest.New(t, database, roomtest.WithFaultyStore(store), p.Option())
	course := w.Course(t, "go", 0)
	var steps []string
	for n := 1; ; n++ {
		ada, bob := w.Graduates(t, fmt.Sprint("ada-", n), course),
			w.Graduates(t, fmt.Sprint("bob-", n), course)
		// so that it is the first one, whose number is 0
		w.Exec(t, "DELETE FROM certificates")
		w.Exec(t, "DELETE FROM counters")
		store.FailAt(n)
		issued, err := w.Platform.Certify.GenerateCertificate(ctx(), ada, course)
		step := store.Disarm()
		if public := (*learning.Error)(nil); errors.As(err, &public) ||
			(err == nil) != issued.IsNew {
			t.Errorf("%s: new %v, %v", step, issued.IsNew, err)
		}
		if step == "" {
			break
		}
		steps = append(steps, step)
		if err := again(w, ada, course); err != nil {
			t.Errorf("%s, then again: %v", step, err)
		}
		c, err := w.Store.CertificateOf(ctx(), ada.UserID, course)
		if next := w.Generated(t, bob, course); err != nil || c.Number != 0 ||
			c.PDFStoredAt.IsZero() || next.Number != 1 {
			t.Errorf("%s: the certificate is %+v (%v), and the next %+v", step, c, err, next)
		}
		if n := w.Count(t, "certificates"); n != 2 {
			t.Errorf("%s: %d certificates of two users", step, n)
		}
		p.WantPrinted(t, c)
	}
	t.Logf("it broke at %v", steps)
	for _, step := range []string{"count a certificate",
		"read how many certificates there are", "insert a certificate",
		"record that a PDF is stored", "COMMIT", roomtest.LostAnswer} {
		if !slices.Contains(steps, step) {
			t.Errorf("it was never broken at %s", step)
		}
	}
}

func TestGenerateCertificate_RetriesThePDF(t *testing.T) {
	breaks := map[string]func(p *roomtest.Renderer, broken bool){
		"drawn": func(p *roomtest.Renderer, broken bool) { p.Broken.Store(broken) },
		"kept": func(p *roomtest.Renderer, broken bool) {
			p.Mu.Lock()
			defer p.Mu.Unlock()
			if p.MemoryMedia.Broken = nil; broken {
				p.MemoryMedia.Broken = roomtest.ErrInjected
			}
		},
	}
	for name, breaks := range breaks {
		t.Run(name, func(t *testing.T) {
			roomtest.WithCertificatesOnEngines(t, func(t *testing.T, w *roomtest.World,
				p *roomtest.Renderer) {
				course := w.Course(t, "go", 0)
				ada := w.Graduates(t, "ada", course)
				breaks(p, true)
				issued, err := w.Platform.Certify.GenerateCertificate(ctx(), ada, course)
				if !errors.Is(err, roomtest.ErrInjected) || issued.IsNew {
					t.Errorf("new %v, %v", issued.IsNew, err)
				}
				if _, err := w.Platform.Certify.Certificate(ctx(), ada, course); !errors.Is(err,
					roomtest.ErrInjected) {
					t.Errorf("fetched: %v", err)
				}
				w.WantChecked(t, ada, course, true, true)
				breaks(p, false)
				w.Clock.Advance(time.Hour)
				c, err := w.Platform.Certify.Certificate(ctx(), ada, course)
				if err != nil || !c.PDFStoredAt.Equal(w.Clock.Now()) ||
					!c.IssuedAt.Equal(w.Clock.Now().Add(-time.Hour)) {
					t.Errorf("%+v: %v", c, err)
				}
				p.WantPrinted(t, c)
			})
		})
	}
}

// createOnlyMedia is a memoryMedia that stores each name only once, as a disk does.
type createOnlyMedia struct{ *roomtest.Renderer }

func (a createOnlyMedia) Put(ctx context.Context, name, contentType string, data []byte) error {
	a.Mu.Lock()
	_, there := a.Files[name]
	a.Mu.Unlock()
	if there {
		return fmt.Errorf("keep a file: %w", fs.ErrExist)
	}
	return a.Renderer.Put(ctx, name, contentType, data)
}

// A crash after the file is stored and before that is recorded.
func TestGenerateCertificate_PDFExists(t *testing.T) {
	roomtest.WithCertificatesOnEngines(t, func(t *testing.T, w *roomtest.World,
		p *roomtest.Renderer) {
		on := w.OtherInstance(t, p.Option(),
			learningtest.WithPlatform(learning.WithMedia(createOnlyMedia{p})))
		course := on.Course(t, "go", 0)
		ada := on.Graduates(t, "ada", course)
		c := on.Generated(t, ada, course)
		w.Exec(t, "UPDATE certificates SET filed_at = NULL")
		got, err := on.Platform.Certify.Certificate(ctx(), ada, course)
		if err != nil || got.ID != c.ID || w.Count(t, "certificates WHERE filed_at IS NULL") != 0 {
			t.Errorf("%+v: %v", got, err)
		}
		p.WantPrinted(t, c)
	})
}

// Waiting callers get the PDF after the leader has left.
func TestGenerateCertificate_LeaderLeaves(t *testing.T) {
	roomtest.WithCertificatesOnEngines(t, func(t *testing.T, w *roomtest.World,
		p *roomtest.Renderer) {
		course := w.Course(t, "go", 0)
		ada := w.Graduates(t, "ada", course)
		impatient, leave := context.WithCancel(ctx())
		defer leave()
		waits := make(chan certify.Certificate, 1)
		p.Amid = func() {
			go func() {
				c, err := w.Platform.Certify.Certificate(ctx(), ada, course)
				if err != nil {
					t.Error(err)
				}
				waits <- c
			}()
			c, err := w.Store.CertificateOf(ctx(), "ada", course)
			if err != nil {
				t.Error(err)
			}
			for end := time.Now().Add(20 * time.Second); w.Platform.Certify.ForRooms().PDFCallers(c.ID) != 2 &&
				time.Now().Before(end); {
				runtime.Gosched()
			}
			leave()
		}
		if issued, err := w.Platform.Certify.GenerateCertificate(impatient, ada,
			course); !errors.Is(err,
			context.Canceled) || issued.IsNew {
			t.Errorf("new %v, %v", issued.IsNew, err)
		}
		p.WantPrinted(t, <-waits)
	})
}

// A renderer that does not return ends with the time-out of providers.
func TestGenerateCertificate_RendererTimesOut(t *testing.T) {
	roomtest.WithCertificatesOnEngines(t, func(t *testing.T, w *roomtest.World,
		p *roomtest.Renderer) {
		on := w.OtherInstance(t, p.Option(),
			learningtest.WithPlatform(learning.WithProviderTimeout(50*time.Millisecond),
				learning.WithCertificates(hanging{}, "https://learn.example.org")))
		course := on.Course(t, "go", 0)
		ada := on.Graduates(t, "ada", course)
		if _, err := on.Platform.Certify.GenerateCertificate(ctx(), ada, course); !errors.Is(err,
			context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		c, err := w.Platform.Certify.Certificate(ctx(), ada, course)
		if err != nil {
			t.Fatal(err)
		}
		p.WantPrinted(t, c)
	})
}

type hanging struct{}

func (hanging) RenderCertificate(ctx context.Context, _ certify.Certificate,
	_ string) ([]byte, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestRevokeCertificate_FaultAtEachStep(t *testing.T) {
	roomtest.OnEnginesRepeatedly(t, func(t *testing.T, database string) {
		store, p := &roomtest.FaultyStore{}, &roomtest.Renderer{}
		w := roomtest.New(t, database, roomtest.WithFaultyStore(store), p.Option())
		course := w.Course(t, "go", 0)
		var steps []string
		for n := 1; ; n++ {
			c := w.Generated(t, w.Graduates(t, fmt.Sprint("ada-", n), course), course)
			store.FailAt(n)
			r, err := w.Platform.System().RevokeCertificate(ctx(), c.ID, "reason")
			step := store.Disarm()
			if step == "" {
				break
			}
			steps = append(steps, step)
			if lost := step == roomtest.LostAnswer; errors.Is(err, roomtest.ErrInjected) == lost ||
				(lost && !r.IsNew) {
				t.Errorf("%s: revoked %v, %v", step, r.IsNew, err)
			}
			r, err = w.Platform.System().RevokeCertificate(ctx(), c.ID, "reason")
			got := r.Certificate
			if err != nil || !got.Revoked() || got.RevocationReason != "reason" {
				t.Errorf("%s, then again: %+v %v", step, got, err)
			}
			if there, _ := p.Exists(ctx(), c.File()); there ||
				w.Count(t, "certificates WHERE is_revoked = 1 AND filed_at IS NOT NULL") != 0 {
				t.Errorf("%s, then again: the PDF is there: %v", step, there)
			}
		}
		t.Logf("it broke at %v", steps)
		for _, step := range []string{"revoke a certificate", "record that a PDF is removed",
			"COMMIT", roomtest.LostAnswer} {
			if !slices.Contains(steps, step) {
				t.Errorf("it was never broken at %s", step)
			}
		}
	})
}
