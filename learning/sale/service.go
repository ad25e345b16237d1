package sale

import (
	"context"
	"time"

	"github.com/openlectern/openlectern/internal/lease"
	"github.com/openlectern/openlectern/learning/bundle"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/offer"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/refund"
	"github.com/openlectern/openlectern/learning/study"
)

// Service has the operations on orders and payments. It is safe for concurrent use.
type Service struct {
	base    core.Base[Tx]
	store   Reader
	people  *people.ForRooms
	catalog *catalog.ForRooms
	study   *study.ForRooms
	offers  *offer.ForRooms
	bundles *bundle.ForRooms
	refunds *refund.ForRooms

	desk      payment.Desk
	buyPolicy BuyPolicy // nil for none
	currency  string

	reconcileEvery time.Duration // not positive for never
}

// New returns the service.
func New(
	base core.Base[Tx], store Reader, users *people.ForRooms, courses *catalog.ForRooms,
	students *study.ForRooms, offers *offer.ForRooms, bundles *bundle.ForRooms,
	refunds *refund.ForRooms, settings Settings,
) *Service {
	return &Service{
		base:      base,
		store:     store,
		people:    users,
		catalog:   courses,
		study:     students,
		offers:    offers,
		bundles:   bundles,
		refunds:   refunds,
		desk:      payment.Desk{Providers: settings.Providers, Timeout: base.Timeout},
		buyPolicy: settings.BuyPolicy,
		currency:  settings.Currency,

		reconcileEvery: settings.ReconcileEvery,
	}
}

// Settings are the payment providers and the rules of the service.
type Settings struct {
	Providers payment.Providers // without one only free courses can be bought
	BuyPolicy BuyPolicy         // nil: everybody may buy
	Currency  string            // ISO 4217
	// ReconcileEvery is the interval of reconciliations; not positive for never.
	ReconcileEvery time.Duration
}

// Check returns an error if the providers do not fit together.
func (s Settings) Check() error { return s.Providers.Check(s.Currency) }

// Accepts says what can be paid in a currency, by the provider that takes it.
func (s Settings) Accepts(currency string) (core.AmountRule, bool) {
	_, rule, err := s.Providers.For(currency)
	return rule, err == nil
}

// Reader is what the room reads, inside or outside a transaction. A method that reads a single
// row returns [core.ErrNoRecord] if the row does not exist.
type Reader interface {
	study.EnrolledReader
	lease.NameReader
	core.SweepReader
	purchase.Reader
}

// StoreTx is what a store implements for the transactions of the room.
type StoreTx interface {
	core.Tx
	Reader
	catalog.LockTx
	core.SweepWriter
	study.PaidEnrollmentTx
	purchase.Writer
	refund.InsertTx
	offer.RedeemTx
}

// Tx is a transaction of the room. Its payments enrol, so it has the hooks of room study.
type Tx interface {
	StoreTx
	study.EnrollmentTx
	Hooks
}

// Hooks is what the room causes in later ones, in the same transaction. The buyer is locked.
type Hooks interface {
	// PurchaseCompleted is called after a purchase was completed that may get a receipt: by a
	// payment, or as a [SaleElsewhere] with Paper.
	PurchaseCompleted(ctx context.Context, p purchase.Purchase) error
}

// System has the operations of the host itself on orders and payments. They take no actor and
// check no permission, so nothing that a user sends may reach them unchecked.
type System struct{ service *Service }

// System returns the operations that take no actor.
func (s *Service) System() System { return System{s} }

// ForRooms is what package learning asks of this room. It checks no permission, so nothing that
// a user sends may reach it unchecked.
type ForRooms Service

// ForRooms returns what package learning asks of this room.
func (s *Service) ForRooms() *ForRooms { return (*ForRooms)(s) }
