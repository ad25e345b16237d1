package inbox

import (
	"time"

	"github.com/openlectern/openlectern/learning/core"
)

// Service has the operations on notifications. It is safe for concurrent use.
type Service struct {
	base  core.Base[Tx]
	store Reader

	streams   streams
	pollEvery time.Duration
}

// New returns the service.
func New(base core.Base[Tx], store Reader) *Service {
	return &Service{base: base, store: store, pollEvery: pollEvery}
}

// Reader is what the room reads, inside or outside a transaction. A method that reads a single row
// returns [core.ErrNoRecord] if the row does not exist.
type Reader interface {
	notificationReader
	streamReader
	core.MuteReader
	core.SweepReader
}

// Tx is a transaction of the room. A store implements it.
type Tx interface {
	core.SweepTx
	Reader
	notificationWriter
}

// ForRooms is what package learning asks of this room. It checks no permission, so nothing that a
// user sends may reach it unchecked.
type ForRooms Service

// ForRooms returns what package learning asks of this room.
func (s *Service) ForRooms() *ForRooms { return (*ForRooms)(s) }
