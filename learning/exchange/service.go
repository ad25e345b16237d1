package exchange

import (
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/certify"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/file"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/sale"
	"github.com/openlectern/openlectern/learning/study"
)

// Service has the operations that export courses and quizzes to files and import them from
// files: course packages, Common Cartridges, QTI and catalogues, and that import people with their
// history. It is safe for concurrent use.
type Service struct {
	base     core.Base[Tx]
	store    Reader
	currency string

	people    *people.Service
	files     *file.Service
	catalog   *catalog.Service
	study     *study.ForRooms
	assess    *assess.Service
	certify   *certify.ForRooms
	sales     *sale.ForRooms
	community *community.ForRooms
}

// Rooms are the rooms whose rows are exported and imported.
type Rooms struct {
	People    *people.Service
	Files     *file.Service
	Catalog   *catalog.Service
	Study     *study.ForRooms
	Assess    *assess.Service
	Certify   *certify.ForRooms
	Sales     *sale.ForRooms
	Community *community.ForRooms
}

// New returns the service. currency is that of the prices of the platform, in ISO 4217.
func New(base core.Base[Tx], store Reader, rooms Rooms, currency string) *Service {
	return &Service{
		base:     base,
		store:    store,
		currency: currency,

		people:    rooms.People,
		files:     rooms.Files,
		catalog:   rooms.Catalog,
		study:     rooms.Study,
		assess:    rooms.Assess,
		certify:   rooms.Certify,
		sales:     rooms.Sales,
		community: rooms.Community,
	}
}

// Reader is what the room reads outside a transaction. A method that reads a single row
// returns [core.ErrNoRecord] if the row does not exist.
type Reader interface {
	catalog.ContentReader
	catalog.CourseReader
	people.UserReader
	study.EnrolledReader
	certify.Reader
}

// Tx is a transaction of the room.
type Tx interface {
	catalog.InsertTx
	people.Tx
	study.Tx
	assess.Tx
	certify.Tx
	sale.Tx
	community.Tx
}

// System has the operations of the host itself on course packages, catalogues and people. They take
// no actor and check no permission, so nothing that a user sends may reach them unchecked.
type System struct{ service *Service }

// System returns the operations that take no actor.
func (s *Service) System() System { return System{s} }

// ForRooms is what package learning asks of this room. It checks no permission, so nothing that a
// user sends may reach it unchecked.
type ForRooms Service

// ForRooms returns what package learning asks of this room.
func (s *Service) ForRooms() *ForRooms { return (*ForRooms)(s) }
