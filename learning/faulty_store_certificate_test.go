package learning_test

import (
	"context"
	"time"

	"github.com/openlectern/openlectern/learning"
)

func (r faultyReader) Certificate(ctx context.Context, id string) (learning.Certificate, error) {
	return read(r.b, "Certificate", func() (learning.Certificate, error) { return r.Reader.Certificate(ctx, id) })
}

func (r faultyReader) CertificateOf(ctx context.Context, userID, courseID string) (learning.Certificate, error) {
	return read(r.b, "CertificateOf", func() (learning.Certificate, error) { return r.Reader.CertificateOf(ctx, userID, courseID) })
}

func (r faultyReader) CertificatesIssued(ctx context.Context) (int64, error) {
	return read(r.b, "CertificatesIssued", func() (int64, error) { return r.Reader.CertificatesIssued(ctx) })
}

func (t *faultyTx) InsertCertificateCounter(ctx context.Context) error {
	return t.write("InsertCertificateCounter", func() error { return t.tx.InsertCertificateCounter(ctx) })
}

func (t *faultyTx) IncrementCertificates(ctx context.Context) (bool, error) {
	return read(t.b, "IncrementCertificates", func() (bool, error) { return t.tx.IncrementCertificates(ctx) })
}

func (t *faultyTx) InsertCertificate(ctx context.Context, c learning.Certificate) error {
	return t.write("InsertCertificate", func() error { return t.tx.InsertCertificate(ctx, c) })
}

func (t *faultyTx) ClearCertificatePDF(ctx context.Context, id string) (bool, error) {
	return read(t.b, "ClearCertificatePDF", func() (bool, error) { return t.tx.ClearCertificatePDF(ctx, id) })
}

func (t *faultyTx) SetPDFStored(ctx context.Context, id string, at time.Time) (bool, error) {
	return read(t.b, "SetPDFStored", func() (bool, error) { return t.tx.SetPDFStored(ctx, id, at) })
}

func (t *faultyTx) RevokeCertificate(ctx context.Context, id, reason string, at time.Time) (bool, error) {
	return read(t.b, "RevokeCertificate", func() (bool, error) { return t.tx.RevokeCertificate(ctx, id, reason, at) })
}
