package learning

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// MaxRevocationReason is the maximum length of the reason of a revocation, in code
// points.
const MaxRevocationReason = 1_000

// RevokeCertificate revokes a certificate and removes its PDF from the media store. The
// reason is public. It reports whether this call revoked it: a certificate that is
// revoked already is returned with its first reason and date. Errors:
// [ErrInvalidRequest] for a reason that is missing or too long,
// [ErrCertificateNotFound]. If only the removal of the PDF fails, it returns the
// certificate with the error; later calls try again.
func (s System) RevokeCertificate(ctx context.Context, id, reason string) (c Certificate, revoked bool, err error) {
	p := s.platform
	reason = strings.TrimSpace(reason)
	if !isText(reason, 1, MaxRevocationReason) {
		return Certificate{}, false, ErrInvalidRequest
	}
	if c, err = p.certificate(ctx, id); err != nil {
		return Certificate{}, false, err
	}
	if !c.Revoked() {
		if revoked, err = p.revoke(ctx, c, reason); err != nil {
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

// revoke records the revocation. It reports whether this call did.
func (p *Platform) revoke(ctx context.Context, c Certificate, reason string) (revoked bool, err error) {
	at := p.now()
	err = p.inTxEvents(ctx, func(tx Tx, out *outbox) (err error) {
		if revoked, err = tx.RevokeCertificate(ctx, c.ID, reason, at); revoked {
			out.certificate(EventCertificateRevoked, c)
		}
		return err
	})
	p.expireStatusLists() // also on error, because only the answer to COMMIT may be lost
	if err != nil {
		return false, fmt.Errorf("revoke a certificate: %w", err)
	}
	if revoked {
		p.log.InfoContext(ctx, "certificate revoked", "certificate", c.ID)
	}
	return revoked, nil
}
