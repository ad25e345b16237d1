package assess

import (
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/file"
	"github.com/openlectern/openlectern/learning/study"
)

// Service has the operations on quizzes with their attempts and results, and on the work that
// students hand in for assignments. It is safe for concurrent use.
type Service struct {
	base        core.Base[Tx]
	store       Reader
	files       *file.ForRooms
	catalog     *catalog.ForRooms
	study       *study.ForRooms
	recommender Recommender // nil for none
}

// New returns the service. recommender may be nil.
func New(
	base core.Base[Tx], store Reader, files *file.ForRooms, courses *catalog.ForRooms,
	students *study.ForRooms, recommender Recommender,
) *Service {
	return &Service{
		base:        base,
		store:       store,
		files:       files,
		catalog:     courses,
		study:       students,
		recommender: recommender,
	}
}

// Reader is what the room reads, inside or outside a transaction. A method that reads a
// single row returns [core.ErrNoRecord] if the row does not exist.
type Reader interface {
	courseReader
	studentReader
	quizReader
	attemptReader
	extraAttemptReader
	quizResultReader
	questionTotalReader
	remarkReader
	submissionReader
}

// courseReader is what the room reads of courses.
type courseReader interface {
	catalog.ContentReader
	catalog.CourseReader
	catalog.LectureKindReader
	catalog.TitleReader
}

// studentReader is what the room reads of students in courses.
type studentReader interface {
	study.ProgressReader
	study.AccessReader
}

// Tx is a transaction of the room, which a store implements.
type Tx interface {
	core.Tx
	Reader
	catalog.LockTx
	file.UseTx
	study.CompletionTx
	quizWriter
	attemptWriter
	extraAttemptWriter
	quizResultWriter
	questionTotalWriter
	remarkWriter
	submissionWriter
}

// ForRooms is what later rooms and package learning ask of this one. It checks no permission,
// so nothing that a user sends may reach it unchecked.
type ForRooms Service

// ForRooms returns what later rooms and package learning ask of this one.
func (s *Service) ForRooms() *ForRooms { return (*ForRooms)(s) }
