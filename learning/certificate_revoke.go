package learning

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// MaxRevocationReason is how long the reason of a revocation may be, in code points.
const MaxRevocationReason = 1_000

// RevokeCertificate takes a certificate back, for a reason that everybody is told
// who verifies it, and removes its PDF from the media store. It tells whether this
// call did: one that was revoked before is returned as it is, with the first reason
// and date. It is for whoever runs the platform, so it asks for no actor. Errors:
// [ErrInvalidRequest] for a reason that is missing or too long,
// [ErrCertificateNotFound]. If only the PDF could not be removed, the certificate is
// returned with the error; another call, and each use of the certificate, tries again.
func (p *Platform) RevokeCertificate(ctx context.Context, id, reason string) (c Certificate, revoked bool, err error) {
	reason = strings.TrimSpace(reason)
	if !isText(reason, 1, MaxRevocationReason) || !utf8.ValidString(reason) {
		return Certificate{}, false, ErrInvalidRequest
	}
	if c, err = p.certificate(ctx, id); err != nil {
		return Certificate{}, false, err
	}
	if !c.Revoked() {
		if revoked, err = p.revoke(ctx, id, reason); err != nil {
			return Certificate{}, false, err
		}
		if c, err = p.certificate(ctx, id); err != nil {
			return Certificate{}, revoked, err
		}
	}
	if err := p.removePDF(ctx, c); err != nil {
		return c, revoked, fmt.Errorf("remove the PDF of a revoked certificate: %w", err)
	}
	if p.media != nil {
		c.PDFStoredAt = time.Time{}
	}
	return c, revoked, nil
}

// revoke records the revocation; it tells whether this call did.
func (p *Platform) revoke(ctx context.Context, id, reason string) (revoked bool, err error) {
	at := p.now()
	err = p.store.InTx(ctx, func(tx Tx) (err error) {
		revoked, err = tx.RevokeCertificate(ctx, id, reason, at)
		return err
	})
	p.certificateRevoked() // also when only the answer to COMMIT was lost
	if err != nil {
		return false, fmt.Errorf("revoke a certificate: %w", err)
	}
	if revoked {
		p.log.InfoContext(ctx, "certificate revoked", "certificate", id)
	}
	return revoked, nil
}
