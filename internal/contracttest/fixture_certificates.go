package contracttest

import (
	"context"
	"crypto"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/certify"
	"github.com/openlectern/openlectern/learning/credential"
)

// FixtureCertificates has a valid certificate, of a course to which lectures were added later; a
// revoked one whose PDF is still stored; one of a deleted user; and one whose PDF was lost. The
// number of each is its index. In addition, student has earned a certificate of course_odd, and
// traveller has not earned one of course_old.
var FixtureCertificates = []certify.Certificate{
	{ID: "7f1c5a9e-2d84-4b6f-9c3a-5e8d1b7a4f20", UserID: "collector", CourseID: "course_go",
		StudentName: "Zoë <Collector>", CourseTitle: "Go & friends", EducatorName: "Educator",
		IssuerName: "The School", PDFStoredAt: day(21)},
	{ID: "b3e0d7c4-91aa-4f58-8e16-0c2f6d9b7a35", UserID: "collector", CourseID: "course_older",
		StudentName: "Zoë <Collector>", CourseTitle: "Older & wiser",
		EducatorName: "Other Educator", IssuerName: "The School", PDFStoredAt: day(22),
		RevokedAt: day(25), RevocationReason: "It was earned by another person."},
	{ID: "2c9a61f0-5b3d-4e07-a8d1-94f7e02b6c58", UserID: "left_student", CourseID: "course_old",
		StudentName: "ليلى Student 学生", CourseTitle: "Øre", EducatorName: "Deleted user",
		IssuerName: "The School"},
	{ID: "e41d08b7-6f2a-4c95-b70e-1a8c3f5d9260", UserID: "buyer_refunded", CourseID: "course_go",
		StudentName: "Buyer", CourseTitle: "Go & friends", EducatorName: "Educator",
		IssuerName: "The School"},
}

// WriteFixtureMedia writes the PDF of the revoked certificate, as if its removal had failed, and
// the files of lectures.
func WriteFixtureMedia(tb testing.TB, dir string) {
	writeFixtureFiles(tb, dir)
	tb.Helper()
	check(tb, os.MkdirAll(dir, 0o755))
	check(tb, os.WriteFile(filepath.Join(dir, FixtureCertificates[1].File()),
		[]byte("%PDF-1.7\n%%EOF\n"), 0o644))
}

// insertCertificates stores FixtureCertificates, each issued a day after the previous one.
func insertCertificates(ctx context.Context, tx learning.Tx) error {
	for i, c := range FixtureCertificates {
		c.Number = int64(i)
		c.CompletedAt = day(20 + i)
		c.IssuedAt = day(21 + i)
		if err := tx.IncrementCertificates(ctx); err != nil {
			return err
		}
		if err := tx.InsertCertificate(ctx, c); err != nil {
			return err
		}
		if !c.Revoked() {
			continue
		}
		if _, err := tx.RevokeCertificate(ctx, c.ID, c.RevocationReason, c.RevokedAt); err != nil {
			return err
		}
	}
	return nil
}

// FixtureKeyID is the thumbprint of the key with which the fixture signs credentials.
const FixtureKeyID = "kADLqdWPmHEiDZK7Hz3o30KRqnL7Kj-buqoJxJbxhbs"

// WriteFixtureKey writes the key that signs credentials to a file in dir and returns the file's
// name.
func WriteFixtureKey(tb testing.TB, dir string) (file string) {
	tb.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(CredentialKey)
	check(tb, err)
	file = filepath.Join(dir, "credential.pem")
	check(tb, os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}),
		0o600))
	return file
}

// brokenKey is a signing key on another machine, which cannot be reached.
type brokenKey struct{ crypto.Signer }

func (brokenKey) Sign(io.Reader, []byte, crypto.SignerOpts) ([]byte, error) {
	return nil, errors.New("dial tcp 10.1.2.3:9000: connection refused")
}

// credentialsOf returns the option for an issuer that signs credentials with key. It panics if the
// key cannot be used.
func credentialsOf(key crypto.Signer) learning.Option {
	issuer, err := credential.New(key, PublicURL)
	if err != nil {
		panic(err)
	}
	return learning.WithCredentials(issuer)
}

// brokenRenderer fails to render any certificate.
type brokenRenderer struct{}

func (brokenRenderer) RenderCertificate(context.Context, certify.Certificate,
	string) ([]byte, error) {
	return nil, errors.New("open /usr/share/fonts/secret.ttf: permission denied")
}
