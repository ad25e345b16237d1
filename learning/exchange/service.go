package exchange

import (
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
)

// Service has the operations that export courses and quizzes to files and import them from
// files: course packages, Common Cartridges, QTI and catalogues. It is safe for concurrent use.
type Service struct {
	base     core.Base[Tx]
	store    Reader
	people   *people.Service
	catalog  *catalog.Service
	assess   *assess.Service
	currency string
}

// New returns the service. currency is that of the prices of the platform, in ISO 4217.
func New(
	base core.Base[Tx], store Reader, users *people.Service, courses *catalog.Service,
	quizzes *assess.Service, currency string,
) *Service {
	return &Service{
		base:     base,
		store:    store,
		people:   users,
		catalog:  courses,
		assess:   quizzes,
		currency: currency,
	}
}

// Reader is what the room reads outside a transaction. A method that reads a single row
// returns [core.ErrNoRecord] if the row does not exist.
type Reader interface {
	catalog.ContentReader
	catalog.CourseReader
}

// Tx is a transaction of the room, which a store implements.
type Tx interface {
	catalog.InsertTx
	assess.InsertTx
}

// System has the operations of the host itself on course packages and catalogues. They take no
// actor and check no permission, so nothing that a user sends may reach them unchecked.
type System struct{ service *Service }

// System returns the operations that take no actor.
func (s *Service) System() System { return System{s} }

// ForRooms is what package learning asks of this room. It checks no permission, so nothing that a
// user sends may reach it unchecked.
type ForRooms Service

// ForRooms returns what package learning asks of this room.
func (s *Service) ForRooms() *ForRooms { return (*ForRooms)(s) }
