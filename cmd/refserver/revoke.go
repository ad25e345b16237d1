package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/certify"
	"github.com/openlectern/openlectern/learning/core"
)

type revokeCommand struct {
	ID     string `arg:"" name:"id" help:"Id of the certificate, as printed on it."`
	Reason string `required:"" help:"Reason, which everyone who verifies it reads."`
}

// Run revokes a certificate permanently and removes its PDF from the media folder
// or bucket. Servers on the same database see the revocation at once. If the folder cannot be
// opened here, a server removes the PDF within minutes.
func (c revokeCommand) Run(ctx context.Context, p *program) error {
	if err := p.check((*Settings).checkDatabase, (*Settings).checkEvents); err != nil {
		return err
	}
	st, err := p.openStore(ctx)
	if err != nil {
		return err
	}
	defer st.Close()
	// The revocation matters more than the file: it does not fail without the folder.
	files, cause := p.existingMedia(ctx)
	if cause != nil {
		if err := c.revoke(ctx, p, st); err != nil {
			return err
		}
		p.log.Warn("the PDF stays until a server removes it", "error", cause)
		return nil
	}
	defer files.Close()
	return c.revoke(ctx, p, st, learning.WithMedia(files))
}

// revoke revokes the certificate, with more options of the platform, and says so.
func (c revokeCommand) revoke(ctx context.Context, p *program, st learning.Store,
	options ...learning.Option) error {
	platform, err := p.newPlatform(st, options...)
	if err != nil {
		return err
	}
	revocation, err := platform.System().RevokeCertificate(ctx, c.ID, c.Reason)
	switch {
	case errors.Is(err, core.ErrInvalidRequest):
		return fmt.Errorf("the reason must have between 1 and %d characters",
			certify.MaxRevocationReason)
	case errors.Is(err, certify.ErrCertificateNotFound):
		return fmt.Errorf("there is no certificate %q in this database: give the complete id "+
			"that is printed on it", c.ID)
	case err != nil:
		return fmt.Errorf("revoke %q (running it again is safe): %w", c.ID, err)
	}
	return p.printRevoked(revocation)
}

// printRevoked says when the certificate was revoked: now or before.
func (p *program) printRevoked(r certify.Revocation) (err error) {
	c := r.Certificate
	of := fmt.Sprintf("The certificate of %q for %q", c.StudentName, c.CourseTitle)
	if r.IsNew {
		_, err = fmt.Fprintf(p.stdout,
			"%s is revoked now.\nWhoever verifies it is told so, with the reason: %s\n", of,
			c.RevocationReason)
	} else {
		_, err = fmt.Fprintf(p.stdout,
			"%s was revoked before, on %s, which stays as it is. The reason given then: %s\n",
			of, c.RevokedAt.UTC().Format(time.DateOnly), c.RevocationReason)
	}
	return err
}
