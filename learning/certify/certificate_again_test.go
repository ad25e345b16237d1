package certify_test

import (
	"errors"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning/study"
)

// A student whose enrolment ended and began again has the certificate of the first time: the same
// id, and its PDF, also if that must be drawn again.
func TestCertificate_OneAlthoughTheEnrolmentEndedAndBeganAgain(t *testing.T) {
	roomtest.WithCertificatesOnEngines(t, func(t *testing.T, w *roomtest.World,
		p *roomtest.Renderer) {
		w.Publish(t, "go", roomtest.Chapter("one", "a", "b"))
		ada := w.Graduates(t, "ada", "go")
		first := w.Generated(t, ada, "go")
		if err := w.Platform.Study.EndEnrollment(ctx(), roomtest.Boss, "ada", "go"); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Platform.Certify.GenerateCertificate(ctx(), ada, "go"); !errors.Is(err,
			study.ErrNotPurchased) {
			t.Errorf("without an enrolment: %v", err)
		}
		if c, err := w.Platform.Certify.VerifyCertificate(ctx(), first.ID); err != nil ||
			c.Revoked() {
			t.Errorf("the certificate of an enrolment that ended: %+v, %v", c, err)
		}
		w.Clock.Advance(time.Hour)
		w.Grants(t, true, "ada", "go")
		p.Lose(first.File())
		for range 2 {
			again, err := w.Platform.Certify.GenerateCertificate(ctx(), ada, "go")
			if err != nil || again.IsNew || again.ID != first.ID ||
				!again.CompletedAt.Equal(first.CompletedAt) {
				t.Errorf("again: %+v, %v, want %+v", again, err, first)
			}
			p.WantPrinted(t, again.Certificate)
		}
		if n := w.Count(t, "certificates"); n != 1 {
			t.Errorf("%d certificates", n)
		}
	})
}
