package learning

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"
)

// MaxRevocationReason is how long the reason of a revocation may be, in code points.
const MaxRevocationReason = 1_000

// RevokeCertificate takes a certificate back, for a reason that everybody is told
// who verifies it. It tells whether this call did: one that was revoked before is
// returned as it is, with the first reason and date. It is for whoever runs the
// platform, so it asks for no actor. Errors: [ErrInvalidRequest] for a reason that
// is missing or too long, [ErrCertificateNotFound].
func (p *Platform) RevokeCertificate(ctx context.Context, id, reason string) (c Certificate, revoked bool, err error) {
	reason = strings.TrimSpace(reason)
	if !isText(reason, 1, MaxRevocationReason) || !utf8.ValidString(reason) {
		return Certificate{}, false, ErrInvalidRequest
	}
	if c, err = p.VerifyCertificate(ctx, id); err != nil || c.Revoked() {
		return c, false, err
	}
	at := p.now()
	err = p.store.InTx(ctx, func(tx Tx) (err error) {
		revoked, err = tx.RevokeCertificate(ctx, id, reason, at)
		return err
	})
	p.certificateRevoked() // also when only the answer to COMMIT was lost
	if err != nil {
		return Certificate{}, false, fmt.Errorf("revoke a certificate: %w", err)
	}
	if revoked {
		p.log.InfoContext(ctx, "certificate revoked", "certificate", id)
	}
	c, err = p.VerifyCertificate(ctx, id)
	return c, revoked, err
}
