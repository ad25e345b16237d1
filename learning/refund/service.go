package refund

import (
	"context"

	"github.com/openlectern/openlectern/internal/lease"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/certify"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/study"
)

// Service has the operations on refunds. It is safe for concurrent use.
type Service struct {
	base    core.Base[Tx]
	store   Reader
	catalog *catalog.ForRooms
	study   *study.ForRooms
	certify *certify.ForRooms

	desk     payment.Desk
	policy   Policy
	disputes DisputePolicy
}

// New returns the service.
func New(
	base core.Base[Tx], store Reader, courses *catalog.ForRooms, students *study.ForRooms,
	certificates *certify.ForRooms, settings Settings,
) *Service {
	return &Service{
		base:     base,
		store:    store,
		catalog:  courses,
		study:    students,
		certify:  certificates,
		desk:     payment.Desk{Providers: settings.Providers, Timeout: base.Timeout},
		policy:   settings.Policy,
		disputes: settings.DisputePolicy,
	}
}

// Settings are the payment providers and the rules of the service.
type Settings struct {
	Providers     payment.Providers // those of room sale
	Policy        Policy
	DisputePolicy DisputePolicy
}

// Reader is what the room reads, inside or outside a transaction. A method that reads a single
// row returns [core.ErrNoRecord] if the row does not exist.
type Reader interface {
	lease.NameReader
	core.SweepReader
	purchase.Reader
	rowReader
	DisputeReader
}

// StoreTx is what a store implements for the transactions of the room.
type StoreTx interface {
	core.Tx
	Reader
	certify.RevokeTx
	core.SweepWriter
	study.PaidEnrollmentTx
	purchase.Writer
	rowWriter
	DisputeWriter
}

// Tx is a transaction of the room. Its refunds end enrolments, so it has the hooks of room study.
type Tx interface {
	StoreTx
	study.EnrollmentTx
	Hooks
}

// Hooks is what the room causes in later ones, in the same transaction. The buyer is locked.
type Hooks interface {
	// RefundCounted is called after a part of a purchase was refunded. p is the purchase after it,
	// and counted what was added to its refunds. A returned payment has completed nothing, so its
	// refund is not among them.
	RefundCounted(ctx context.Context, p purchase.Purchase, r Refund, counted core.Money) error
	// RefundFailed is called after a refund that was counted has failed, and its amount was
	// subtracted again.
	RefundFailed(ctx context.Context, p purchase.Purchase, r Refund) error
}

// System has the operations of the host itself on refunds. They take no actor and check no
// permission, so nothing that a user sends may reach them unchecked.
type System struct{ service *Service }

// System returns the operations that take no actor.
func (s *Service) System() System { return System{s} }

// ForRooms is what room sale and package learning ask of this room. It checks no permission, so
// nothing that a user sends may reach it unchecked.
type ForRooms Service

// ForRooms returns what room sale and package learning ask of this room.
func (s *Service) ForRooms() *ForRooms { return (*ForRooms)(s) }
