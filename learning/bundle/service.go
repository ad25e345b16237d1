package bundle

import (
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/file"
)

// Service has the operations on bundles. It is safe for concurrent use.
type Service struct {
	base    core.Base[Tx]
	store   Reader
	files   *file.ForRooms
	catalog *catalog.ForRooms
}

// New returns the service.
func New(
	base core.Base[Tx], store Reader, files *file.ForRooms, courses *catalog.ForRooms,
) *Service {
	return &Service{base: base, store: store, files: files, catalog: courses}
}

// Reader is what the room reads, inside or outside a transaction. A method that reads a single row
// returns [core.ErrNoRecord] if the row does not exist.
type Reader interface {
	bundleReader
}

// Tx is a transaction of the room. A store implements it.
type Tx interface {
	core.Tx
	Reader
	catalog.CourseReader
	catalog.LockTx
	file.ThumbnailTx
	bundleWriter
}

// ForRooms is what later rooms and package learning ask of this room. It checks no permission, so
// nothing that a user sends may reach it unchecked.
type ForRooms Service

// ForRooms returns what later rooms and package learning ask of this room.
func (s *Service) ForRooms() *ForRooms { return (*ForRooms)(s) }
