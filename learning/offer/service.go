package offer

import (
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/payment"
)

// Service has the operations on coupons. It is safe for concurrent use.
type Service struct {
	base    core.Base[Tx]
	store   Reader
	catalog *catalog.ForRooms

	providers payment.Providers
	currency  string
}

// New returns the service. currency is that of the platform.
func New(
	base core.Base[Tx], store Reader, courses *catalog.ForRooms, providers payment.Providers,
	currency string,
) *Service {
	return &Service{
		base:      base,
		store:     store,
		catalog:   courses,
		providers: providers,
		currency:  currency,
	}
}

// Reader is what the room reads, inside or outside a transaction. A method that reads a single
// row returns [core.ErrNoRecord] if the row does not exist.
type Reader interface {
	couponReader
}

// Tx is a transaction of the room.
type Tx interface {
	core.Tx
	Reader
	catalog.LockTx
	couponWriter
}

// ForRooms is what later rooms and package learning ask of this room. It checks no permission, so
// nothing that a user sends may reach it unchecked.
type ForRooms Service

// ForRooms returns what later rooms ask of this room.
func (s *Service) ForRooms() *ForRooms { return (*ForRooms)(s) }
