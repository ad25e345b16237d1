package certify

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/file"
)

// ensurePDF returns a certificate whose PDF is in the media store. It creates the PDF
// if it was never stored, or if it was lost. In this process one call creates it and
// the others wait. Another process may create it at the same time; both store the same
// content under the same name. For a revoked certificate it returns
// [ErrCertificateRevoked], and removes the PDF if an earlier attempt has failed. The renderer and
// the media store must be configured: see certificateCourse.
func (s *Service) ensurePDF(ctx context.Context, c Certificate) (Certificate, error) {
	if c.Revoked() {
		s.ForRooms().CleanUpRevoked(ctx, c)
		return Certificate{}, ErrCertificateRevoked
	}
	switch stored, err := s.hasPDF(ctx, c); {
	case err != nil:
		return Certificate{}, fmt.Errorf("look for the PDF of a certificate: %w", err)
	case stored:
		return c, nil
	}

	// Concurrent callers of this process share one drawing.
	created, err := s.pdfCreations.Do(ctx, c.ID,
		func(ctx context.Context) (Certificate, error) { return s.createPDF(ctx, c.ID) })
	if err != nil {
		return Certificate{}, core.Wrap("make the PDF of a certificate", err)
	}
	return created, nil
}

// hasPDF reports whether the PDF of a certificate is recorded as stored and is in the media
// store, from which it may have been lost. If the store is no [file.MediaChecker], the record is
// enough.
func (s *Service) hasPDF(ctx context.Context, c Certificate) (bool, error) {
	isRecorded := !c.PDFStoredAt.IsZero()
	checker, canCheck := s.media.(file.MediaChecker)
	if !isRecorded || !canCheck {
		return isRecorded, nil
	}
	ctx, cancel := s.base.Provider(ctx)
	defer cancel()
	return checker.Exists(ctx, c.File())
}

// createPDF draws the PDF of a certificate, stores it, and records that it is stored. It returns
// the certificate with that record, or [ErrCertificateRevoked]. After a crash at any step the next
// call begins again.
func (s *Service) createPDF(ctx context.Context, id string) (Certificate, error) {
	ctx, cancel := s.base.Provider(ctx)
	defer cancel()

	// Read the certificate again, because it may have been revoked while this call waited.
	c, err := s.store.Certificate(ctx, id)
	if err != nil {
		return Certificate{}, err
	}
	if c.Revoked() {
		return Certificate{}, ErrCertificateRevoked
	}
	// Another process may have stored the PDF meanwhile.
	if stored, err := s.hasPDF(ctx, c); err != nil || stored {
		return c, err
	}

	// Draw the PDF, which shows the URL to verify it, and store it. A file that exists already was
	// drawn from the same record, so it has the same content. Then record that the PDF is stored.
	page, err := s.renderer.RenderCertificate(ctx, c, s.CertificateURLs(c).Verify)
	if err != nil {
		return Certificate{}, fmt.Errorf("draw it: %w", err)
	}
	err = s.media.Put(ctx, c.File(), "application/pdf", page)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return Certificate{}, err
	}
	return s.recordPDF(ctx, id)
}

// recordTime is the time limit of recording a PDF that is stored.
const recordTime = 10 * time.Second

// recordPDF records that the PDF of a certificate is stored, and returns the certificate. It does
// so also if ctx is done, because the next call would draw the PDF again. If the certificate was
// revoked in the meantime, recordPDF removes the PDF and returns [ErrCertificateRevoked].
func (s *Service) recordPDF(ctx context.Context, id string) (c Certificate, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTime)
	defer cancel()
	at := s.base.Now()
	err = s.base.InTx(ctx, func(tx Tx) error {
		// Nothing changes if another call has recorded it.
		if _, err := tx.SetPDFStored(ctx, id, at); err != nil {
			return err
		}
		c, err = tx.Certificate(ctx, id)
		return err
	})
	if err != nil {
		return Certificate{}, err
	}

	// The call that revoked it may have looked for the PDF before it was stored.
	if c.Revoked() {
		s.ForRooms().CleanUpRevoked(ctx, c)
		return Certificate{}, ErrCertificateRevoked
	}
	return c, nil
}

// CleanUpRevoked removes the PDF of a revoked certificate if an earlier attempt did
// not. It logs errors, because the caller's request does not depend on it.
func (s *ForRooms) CleanUpRevoked(ctx context.Context, c Certificate) {
	if err := (*Service)(s).removePDF(ctx, c); err != nil {
		s.base.Log.WarnContext(ctx, "remove the PDF of a revoked certificate", "certificate", c.ID,
			"error", err)
	}
}

// removePDF removes the PDF of a revoked certificate, and records that it is removed.
// Until that is recorded, each use of the certificate tries again, and so does
// learning.System.RunTidying. Without a media store it does nothing. Concurrent callers of this
// process share one removal.
func (s *Service) removePDF(ctx context.Context, c Certificate) error {
	if s.media == nil {
		return nil
	}
	_, err := s.pdfRemovals.Do(ctx, c.ID, func(ctx context.Context) (none struct{}, err error) {
		ctx, cancel := s.base.Provider(ctx)
		defer cancel()
		// Delete the file first: while the record says that it is stored, others try again. A file
		// may be there without a record, if the call that stored it has not recorded it.
		if err := s.media.Delete(ctx, c.File()); err != nil {
			return none, err
		}
		if c.PDFStoredAt.IsZero() { // there is no record to clear
			return none, nil
		}
		return none, s.base.InTx(ctx, func(tx Tx) error {
			_, err := tx.ClearCertificatePDF(ctx, c.ID) // false if another process has cleared it
			return err
		})
	})
	return err
}

// revokedPDFsPerRead is the number of PDFs of revoked certificates that are read at a time.
const revokedPDFsPerRead = 100

// giveUpRevokedPDFs adds the PDFs of revoked certificates to the list of unused files, from which
// learning.System.RunTidying deletes them. It does so for each of them once, because the process
// that should have removed the PDF may have crashed: after it had revoked the certificate, or after
// it had stored a PDF that it drew meanwhile. It takes only those that were revoked so long ago
// that no process can still be drawing the PDF.
func (s *ForRooms) giveUpRevokedPDFs(ctx context.Context) error {
	for {
		// A process has the time s.base.Timeout to draw and store a PDF, and recordTime to record
		// it and to see the revocation.
		revokedBefore := s.base.Now().Add(-s.base.Timeout - recordTime)
		ids, err := s.store.RevokedPDFs(ctx, revokedBefore, revokedPDFsPerRead)
		if err != nil {
			return err
		}
		for _, id := range ids {
			if err := s.giveUpPDF(ctx, id); err != nil {
				return err
			}
		}
		if len(ids) < revokedPDFsPerRead {
			return nil
		}
	}
}

// giveUpPDF adds the PDF of a revoked certificate to the list of unused files, unless another
// process has done so.
func (s *ForRooms) giveUpPDF(ctx context.Context, id string) error {
	return s.base.InTx(ctx, func(tx Tx) error {
		isNew, err := tx.GiveUpPDF(ctx, id)
		if err != nil || !isNew { // another process has given it up
			return err
		}
		// Add the file to the list. The list has it already if the PDF was given up before, and
		// then stored late: then its time is set to now.
		name, now := Certificate{ID: id}.File(), s.base.Now()
		isListed, err := tx.PostponeUnusedFile(ctx, name, now)
		if err != nil || isListed {
			return err
		}
		return tx.InsertUnusedFile(ctx, name, now)
	})
}

// CertificateRenderer renders certificates (package certificate).
type CertificateRenderer interface {
	// RenderCertificate returns a PDF of one page, with verifyURL as a QR code. The same
	// certificate and URL give the same bytes on every machine with the same fonts.
	RenderCertificate(ctx context.Context, c Certificate, verifyURL string) ([]byte, error)
}
