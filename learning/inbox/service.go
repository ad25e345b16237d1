package inbox

import (
	"time"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/study"
)

// Service has the operations on notifications and announcements. It is safe for concurrent use.
type Service struct {
	base  core.Base[Tx]
	store Reader

	catalog *catalog.ForRooms
	study   *study.ForRooms

	streams   streams
	pollEvery time.Duration
}

// New returns the service.
func New(
	base core.Base[Tx], store Reader, courses *catalog.ForRooms, students *study.ForRooms,
) *Service {
	return &Service{
		base:      base,
		store:     store,
		catalog:   courses,
		study:     students,
		pollEvery: pollEvery,
	}
}

// Reader is what the room reads, inside or outside a transaction. A method that reads a single row
// returns [core.ErrNoRecord] if the row does not exist.
type Reader interface {
	notificationReader
	announcementReader
	streamReader
	catalog.CourseReader
	core.MuteReader
	core.SweepReader
}

// Tx is a transaction of the room. A store implements it.
type Tx interface {
	core.SweepTx
	Reader
	catalog.LockTx
	notificationWriter
	announcementWriter
}

// ForRooms is what package learning asks of this room. It checks no permission, so nothing that a
// user sends may reach it unchecked.
type ForRooms Service

// ForRooms returns what package learning asks of this room.
func (s *Service) ForRooms() *ForRooms { return (*ForRooms)(s) }
