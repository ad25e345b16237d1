package learning

import (
	"context"

	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
)

// exchangeService has the operations that export courses and quizzes to files and import them from
// files: course packages, Common Cartridges and QTI. It is safe for concurrent use.
type exchangeService struct {
	base     core.Base[exchangeTx]
	store    exchangeReader
	catalog  *catalog.Service
	assess   *assess.Service
	currency string
}

// newExchange returns the service. currency is that of the prices of the platform, in ISO 4217.
func newExchange(
	base core.Base[exchangeTx], store exchangeReader, courses *catalog.Service,
	quizzes *assess.Service, currency string,
) *exchangeService {
	return &exchangeService{
		base:     base,
		store:    store,
		catalog:  courses,
		assess:   quizzes,
		currency: currency,
	}
}

// exchangeReader is what the room reads outside a transaction. A method that reads a single row
// returns [core.ErrNoRecord] if the row does not exist.
type exchangeReader interface {
	catalog.ContentReader
	// Course reads one course, published or not.
	Course(ctx context.Context, id string) (catalog.Course, error)
}

// exchangeTx is a transaction of the room, which a store implements.
type exchangeTx interface {
	core.Tx
	catalog.InsertTx
	catalog.FileTx
	// InsertQuiz adds a quiz. It returns [core.ErrDuplicate] if the chapter has one.
	InsertQuiz(ctx context.Context, q assess.Quiz) error
}

// exchangeSystem has the operations of the host itself on course packages. They take no actor and
// check no permission, so nothing that a user sends may reach them unchecked.
type exchangeSystem struct{ service *exchangeService }

// System returns the operations that take no actor.
func (s *exchangeService) System() exchangeSystem { return exchangeSystem{s} }
