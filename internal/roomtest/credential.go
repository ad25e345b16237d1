package roomtest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/certify"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// Issued stores certificates with these numbers.
func (w *World) Issued(t *testing.T, numbers ...int64) {
	t.Helper()
	err := w.Store.InTx(ctx(), func(tx learning.Tx) error {
		if err := tx.IncrementCertificates(ctx()); err != nil {
			return err
		}
		for _, number := range numbers {
			c := certify.Certificate{ID: CertificateID(number),
				UserID: fmt.Sprint("user_", number), CourseID: "go", Number: number,
				CompletedAt: learningtest.Start, IssuedAt: learningtest.Start}
			if err := tx.InsertCertificate(ctx(), c); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	w.Exec(t, "UPDATE counters SET counted = ? WHERE name = 'certificates'", slices.Max(numbers)+1)
}

// CertificateID returns the id of the certificate with a number.
func CertificateID(number int64) string {
	return fmt.Sprintf("0b6ae1c4-7d3f-4a51-9a4e-%012d",
		number)
}

// Revoke revokes the certificate with a number.
func (w *World) Revoke(t *testing.T, number int64) {
	t.Helper()
	if r, err := w.Platform.System().RevokeCertificate(ctx(), CertificateID(number),
		"reason"); err != nil || !r.IsNew {
		t.Fatalf("revoke %d: %v, %v", number, r.IsNew, err)
	}
}

// WantList compares the status list at the place of a certificate.
func (w *World) WantList(t *testing.T, number int64, want string) {
	t.Helper()
	got, err := w.Platform.Certify.StatusList(ctx(), number)
	if err != nil || got != want {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
}
