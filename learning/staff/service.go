package staff

import (
	"github.com/openlectern/openlectern/internal/lease"
	"github.com/openlectern/openlectern/internal/wordindex"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/certify"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/papers"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/study"
)

// Service has the operations on the applications of educators and their review, and the
// figures, lists and dashboards of educators and admins. It is safe for concurrent use.
type Service struct {
	base    core.Base[Tx]
	store   Reader
	people  *people.ForRooms
	catalog *catalog.ForRooms
	assess  *assess.ForRooms
	papers  *papers.ForRooms

	currency string // ISO 4217, of the figures
}

// New returns the service. currency is the ISO 4217 code of the currency of the figures.
func New(
	base core.Base[Tx], store Reader, users *people.ForRooms,
	courses *catalog.ForRooms, work *assess.ForRooms, receipts *papers.ForRooms, currency string,
) *Service {
	return &Service{
		base:     base,
		store:    store,
		people:   users,
		catalog:  courses,
		assess:   work,
		papers:   receipts,
		currency: currency,
	}
}

// Reader is what the room reads, inside or outside a transaction. A method that reads a single
// row returns [core.ErrNoRecord] if the row does not exist.
type Reader interface {
	lease.NameReader
	applicationReader
	educatorReader
	revenueReader
	adminReader
	purchaseReader
	purchaseDetailReader
	decisionReader
	userDetailReader
	bookingReader
	wordindex.Reader
	studentWorkReader
}

// studentWorkReader reads the content of courses, and what students have done in them.
type studentWorkReader interface {
	catalog.ContentReader
	catalog.ChapterQuizReader
	catalog.LectureIDReader
	study.CompletionsReader
	study.ProgressReader
	study.PlaceReader
	certify.HolderReader
}

// Tx is a transaction of the room, which a store implements. It decides on applications and
// assigns the roles that follow.
type Tx interface {
	people.AccountTx
	people.RoleWriter
	Reader
	applicationWriter
	decisionWriter
}

// ForRooms is what package learning asks of this room. It checks no permission, so nothing that a
// user sends may reach it unchecked.
type ForRooms Service

// ForRooms returns what package learning asks of this room.
func (s *Service) ForRooms() *ForRooms { return (*ForRooms)(s) }
