package certify

import (
	"context"
	"time"

	"github.com/openlectern/openlectern/learning/core"
)

// ForgetUser deletes nothing: certificates are proofs for others and stay.
func (s *ForRooms) ForgetUser(
	context.Context, Tx, *core.Changes, string, time.Time,
) error {
	return nil
}

// ForgetCourse deletes nothing: a course that had students is not deleted.
func (s *ForRooms) ForgetCourse(context.Context, Tx, *core.Changes, string) error { return nil }

// TotalKinds lists none.
func (s *ForRooms) TotalKinds() []core.TotalKind { return nil }

// TidyingSteps lists what becomes of the PDFs of revoked certificates.
func (s *ForRooms) TidyingSteps() []core.TidyingStep {
	if s.media == nil {
		return nil
	}
	return []core.TidyingStep{{Name: "give up PDFs of revoked certificates",
		Do: s.giveUpRevokedPDFs}}
}

// Works lists none.
func (s *ForRooms) Works() []core.Work { return nil }
