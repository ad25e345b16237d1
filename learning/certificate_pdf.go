package learning

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
)

// filed returns a certificate whose PDF is in the media store. The PDF is drawn if it
// was never stored, or if it is gone. In this process one call draws it and the
// others wait; another process may draw it too, and stores the same page under the
// same name. A revoked certificate is [ErrCertificateRevoked].
func (p *Platform) filed(ctx context.Context, c Certificate) (Certificate, error) {
	if c.Revoked() {
		p.mendRevoked(ctx, c)
		return Certificate{}, ErrCertificateRevoked
	}
	switch stored, err := p.hasPDF(ctx, c); {
	case err != nil:
		return Certificate{}, fmt.Errorf("look for the PDF of a certificate: %w", err)
	case stored:
		return c, nil
	}
	drawn, err := p.drawings.Do(ctx, c.ID, func(ctx context.Context) (Certificate, error) { return p.draw(ctx, c.ID) })
	if err != nil {
		return Certificate{}, wrap("make the PDF of a certificate", err)
	}
	return drawn, nil
}

// hasPDF reports whether the PDF of a certificate is in the media store. A store that
// cannot tell (see [MediaChecker]) is believed to have what was stored once.
func (p *Platform) hasPDF(ctx context.Context, c Certificate) (bool, error) {
	checker, ok := p.media.(MediaChecker)
	if c.PDFStoredAt.IsZero() || !ok {
		return !c.PDFStoredAt.IsZero(), nil
	}
	ctx, cancel := p.provider(ctx)
	defer cancel()
	return checker.Exists(ctx, c.File())
}

// draw makes the PDF of a certificate, stores it, and records that it is stored. A
// crash after any step is mended by the next call, which begins again; a file that
// is there already has the same content.
func (p *Platform) draw(ctx context.Context, id string) (Certificate, error) {
	ctx, cancel := p.provider(ctx)
	defer cancel()
	c, err := p.store.Certificate(ctx, id)
	if err != nil {
		return Certificate{}, err
	}
	if c.Revoked() {
		return Certificate{}, ErrCertificateRevoked
	}
	if stored, err := p.hasPDF(ctx, c); err != nil || stored { // or another call was faster
		return c, err
	}
	page, err := p.renderer.RenderCertificate(ctx, c, p.verifyURL+c.ID)
	if err != nil {
		return Certificate{}, fmt.Errorf("draw it: %w", err)
	}
	err = p.media.Put(ctx, c.File(), "application/pdf", page)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return Certificate{}, err
	}
	return p.recordPDF(ctx, id)
}

// recordPDF records that the PDF of a certificate is stored, and returns the
// certificate. If it was revoked in the meantime, the PDF is removed again.
func (p *Platform) recordPDF(ctx context.Context, id string) (c Certificate, err error) {
	at := p.now()
	err = p.store.InTx(ctx, func(tx Tx) error {
		if _, err := tx.SetPDFStored(ctx, id, at); err != nil {
			return err
		}
		c, err = tx.Certificate(ctx, id)
		return err
	})
	if err != nil {
		return Certificate{}, err
	}
	if c.Revoked() {
		p.mendRevoked(ctx, c)
		return Certificate{}, ErrCertificateRevoked
	}
	return c, nil
}

// mendRevoked removes the PDF of a revoked certificate if an earlier attempt failed
// or did not come that far. The caller's request does not depend on it.
func (p *Platform) mendRevoked(ctx context.Context, c Certificate) {
	if err := p.removePDF(ctx, c); err != nil {
		p.log.WarnContext(ctx, "remove the PDF of a revoked certificate", "certificate", c.ID, "error", err)
	}
}

// removePDF removes the PDF of a revoked certificate, and records that it is removed.
// Until that is recorded, each use of the certificate tries again. Without a media
// store it does nothing.
func (p *Platform) removePDF(ctx context.Context, c Certificate) error {
	if p.media == nil {
		return nil
	}
	_, err := p.removals.Do(ctx, c.ID, func(ctx context.Context) (none struct{}, err error) {
		ctx, cancel := p.provider(ctx)
		defer cancel()
		if err := p.media.Delete(ctx, c.File()); err != nil || c.PDFStoredAt.IsZero() {
			return none, err
		}
		return none, p.store.InTx(ctx, func(tx Tx) error {
			_, err := tx.ClearCertificatePDF(ctx, c.ID)
			return err
		})
	})
	return err
}
