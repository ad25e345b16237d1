package learning_test

import (
	"testing"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/certify"
	"github.com/openlectern/openlectern/learning/file"
	"github.com/openlectern/openlectern/learning/learningtest"
)

func TestCertificate_NotConfigured(t *testing.T) {
	roomtest.WithCertificatesOnEngines(t, func(t *testing.T, w *roomtest.World,
		p *roomtest.Renderer) {
		course := w.Course(t, "go", 0)
		ada := w.Graduates(t, "ada", course)
		c := w.Generated(t, ada, course)
		for _, without := range []struct {
			option  learning.Option
			want    *learning.Error
			message string
		}{
			{learning.Without("WithCertificates"), certify.ErrCertificatesNotConfigured,
				"Certificates are not configured"},
			{learning.Without("WithMedia"), file.ErrMediaNotConfigured,
				"Media store is not configured"},
		} {
			w := w.OtherInstance(t, p.Option(), learningtest.WithPlatform(without.option))
			_, err := w.Platform.Certify.GenerateCertificate(ctx(), ada, course)
			roomtest.WantError(t, err, without.want, without.message)
			_, err = w.Platform.Certify.Certificate(ctx(), ada, course)
			roomtest.WantError(t, err, without.want, without.message)
			w.WantChecked(t, ada, course, true, true)
			if _, err := w.Platform.Certify.VerifyCertificate(ctx(), c.ID); err != nil {
				t.Error(err)
			}
		}
	})
}

func TestCredential_NotConfigured(t *testing.T) {
	w := roomtest.New(t, "sqlite:"+t.TempDir()+"/learning.db",
		learningtest.WithPlatform(learning.Without("WithCredentials")))
	for _, ask := range []func() error{
		func() error { _, err := w.Platform.Certify.Credential(ctx(), "unknown"); return err },
		func() error { _, err := w.Platform.Certify.StatusList(ctx(), -1); return err },
		func() error { _, err := w.Platform.Certify.PublicKeys(); return err },
		func() error { _, err := w.Platform.Certify.PublicKey("now"); return err },
	} {
		roomtest.WantError(t, ask(), certify.ErrCredentialsNotConfigured,
			"Credential issuer is not configured")
	}
}

// The next operation on the certificate removes the PDF.
func TestRevokeCertificate_CrashBeforeThePDFIsRemoved(t *testing.T) {
	roomtest.WithCertificatesOnEngines(t, func(t *testing.T, w *roomtest.World,
		p *roomtest.Renderer) {
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
			crashed := w.OtherInstance(t, p.Option(),
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
