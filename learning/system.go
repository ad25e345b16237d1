package learning

import (
	"context"

	"github.com/openlectern/openlectern/learning/people"
)

// System has the operations of the host itself: commands, scheduled work, imports. They take
// no [core.Actor] and check no permission, so nothing that a user sends may reach them unchecked.
// [Platform.System] returns it. It is safe for concurrent use.
type System struct{ platform *Platform }

// System returns the operations that take no [core.Actor].
func (p *Platform) System() System { return System{p} }

// ApplyIdentityEvent applies an event of the identity provider to the records, as a webhook of the
// provider does: see [people.System.ApplyIdentityEvent].
func (s System) ApplyIdentityEvent(ctx context.Context, e people.IdentityEvent) error {
	return s.platform.People.System().ApplyIdentityEvent(ctx, e)
}

// MakeAdmin grants a user the role admin: see [people.System.MakeAdmin].
func (s System) MakeAdmin(ctx context.Context, userID string) error {
	return s.platform.People.System().MakeAdmin(ctx, userID)
}

// RevokeCertificate revokes a certificate: see [certifySystem.RevokeCertificate].
func (s System) RevokeCertificate(ctx context.Context, id, reason string) (Revocation, error) {
	return s.platform.Certify.System().RevokeCertificate(ctx, id, reason)
}
