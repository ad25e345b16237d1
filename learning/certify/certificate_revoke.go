package certify

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/openlectern/openlectern/learning/core"
)

// MaxRevocationReason is the maximum length of the reason of a revocation, in code
// points.
const MaxRevocationReason = 1_000

// Revocation is the result of [System.RevokeCertificate].
type Revocation struct {
	Certificate Certificate
	IsNew       bool // whether this call revoked it
}

// RevokeCertificate revokes a certificate and removes its PDF from the media store. The
// reason is public. A certificate that is revoked already is returned with its first reason
// and date. Errors: [core.ErrInvalidRequest] for a reason that is missing or too long,
// [ErrCertificateNotFound]. If it cannot read the certificate after it has revoked it, it
// returns only IsNew with the error. If only the removal of the PDF fails, it returns the whole
// revocation with the error; later calls try again.
func (host System) RevokeCertificate(
	ctx context.Context, id, reason string,
) (r Revocation, err error) {
	s := host.service
	reason = strings.TrimSpace(reason)
	if err := core.RequireText("reason", reason, 1, MaxRevocationReason); err != nil {
		return Revocation{}, err
	}
	if r.Certificate, err = s.certificate(ctx, id); err != nil {
		return Revocation{}, err
	}

	// Revoke it, and read what is stored: a concurrent call may have been first.
	if !r.Certificate.Revoked() {
		if r.IsNew, err = s.revoke(ctx, r.Certificate, reason); err != nil {
			return Revocation{}, err
		}
		if r.Certificate, err = s.certificate(ctx, id); err != nil {
			return Revocation{IsNew: r.IsNew}, err
		}
	}

	// Remove the PDF, also if an earlier call could not.
	if err := s.removePDF(ctx, r.Certificate); err != nil {
		return r, fmt.Errorf("remove the PDF of a revoked certificate: %w", err)
	}
	// removePDF has cleared the record of the PDF too, unless there is no media store.
	if s.media != nil {
		r.Certificate.PDFStoredAt = time.Time{}
	}
	return r, nil
}

// revoke records the revocation, with its event and in the log, and makes the signed status lists
// outdated, so that they are signed again. It reports whether this call did, and no earlier one.
func (s *Service) revoke(ctx context.Context, c Certificate,
	reason string) (revoked bool, err error) {
	at := s.base.Now()
	err = s.base.Change(ctx, func(tx Tx, changes *core.Changes) (err error) {
		revoked, err = s.ForRooms().Revoke(ctx, tx, changes, c, reason, at)
		return err
	})
	// Also on an error, because the transaction may have taken effect: only the answer to COMMIT
	// may be lost.
	s.ForRooms().ExpireStatusLists()
	if err != nil {
		return false, fmt.Errorf("revoke a certificate: %w", err)
	}
	if revoked {
		s.base.Log.InfoContext(ctx, "certificate revoked", "certificate", c.ID)
	}
	return revoked, nil
}

// Revoke revokes a certificate in a transaction, unless it is revoked already, and adds the event.
// It reports whether it did. After the transaction, also if it failed, the caller must call
// [ForRooms.ExpireStatusLists], and then [ForRooms.CleanUpRevoked].
func (s *ForRooms) Revoke(
	ctx context.Context, tx RevokeTx, changes *core.Changes, c Certificate, reason string,
	at time.Time,
) (revoked bool, err error) {
	if revoked, err = tx.RevokeCertificate(ctx, c.ID, reason, at); revoked {
		addCertificateEvent(changes, EventCertificateRevoked, c)
		notifyHolder(changes, NotifyCertificateRevoked, c)
	}
	return revoked, err
}

// RevokeTx is what a transaction needs that revokes a certificate.
type RevokeTx interface {
	HolderReader
	// RevokeCertificate revokes a certificate, unless it is revoked already. It reports
	// whether it did.
	RevokeCertificate(ctx context.Context, id, reason string, at time.Time) (bool, error)
}
