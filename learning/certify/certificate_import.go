package certify

import (
	"context"
	"errors"
	"fmt"

	"github.com/openlectern/openlectern/learning/core"
)

// ErrCertificateIDTaken means that another user, or the same for another course, has the
// certificate of an id.
var ErrCertificateIDTaken = errors.New("another certificate has this id")

// ImportCertificate stores a certificate of another system with its id and its dates, and the next
// number, in a transaction that has locked the user. It reports whether it did: a certificate of
// the user for the course stays, also a revoked one. The name of the student is that of the
// record, and the issuer that of the platform. Error: [ErrCertificateIDTaken].
func (s *ForRooms) ImportCertificate(
	ctx context.Context, tx Tx, changes *core.Changes, c Certificate,
) (bool, error) {
	// Look for a certificate, and for the id.
	_, err := tx.CertificateOf(ctx, c.UserID, c.CourseID)
	if !errors.Is(err, core.ErrNoRecord) {
		return false, err
	}
	if _, err = tx.Certificate(ctx, c.ID); err == nil {
		err = fmt.Errorf("certificate %s: %w", c.ID, ErrCertificateIDTaken)
	}
	if !errors.Is(err, core.ErrNoRecord) {
		return false, err
	}

	// Store it.
	account, err := tx.AccountState(ctx, c.UserID)
	if err != nil {
		return false, err
	}
	c.StudentName, c.IssuerName = account.Name, s.issuerName
	if !account.Known {
		c.StudentName = core.UnknownUser
	}
	_, err = insertNumbered(ctx, tx, changes, c)
	return err == nil, err
}
