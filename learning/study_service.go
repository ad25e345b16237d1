package learning

import (
	"context"

	"github.com/openlectern/openlectern/internal/batch"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
)

// studyService has the operations of students on the courses that they are enrolled in, and those of
// admins on enrolments. It is safe for concurrent use.
type studyService struct {
	base    core.Base[studyTx]
	store   studyReader
	catalog *catalog.ForRooms

	positions *batch.Group[LecturePosition]
}

// newStudy returns the service.
func newStudy(
	base core.Base[studyTx], store studyReader, courses *catalog.ForRooms,
) *studyService {
	s := &studyService{base: base, store: store, catalog: courses}
	s.positions = batch.New(maxPositionBatch, s.savePositions, base.LogPanic)
	return s
}

// studyReader is what the room reads, inside or outside a transaction. A method that reads a
// single row returns [core.ErrNoRecord] if the row does not exist.
type studyReader interface {
	courseReader
	// AccountState returns the state of a user id, or the zero AccountState if it is unknown.
	AccountState(ctx context.Context, userID string) (core.AccountState, error)
	enrollmentReader
	progressReader
	positionReader
	noteReader
	timeEntryReader
}

// courseReader is what the room reads of courses.
type courseReader interface {
	catalog.ContentReader
	catalog.LectureIDReader
	catalog.ChapterQuizReader
	// Course reads one course, published or not.
	Course(ctx context.Context, id string) (catalog.Course, error)
	// LectureKinds reads the ids and the kinds of the lectures of one course, in order.
	LectureKinds(ctx context.Context, courseID string) (
		ids []string, kinds []catalog.LectureKind, err error)
}

// studyStoreTx is what a store implements for the transactions of the room.
type studyStoreTx interface {
	core.Tx
	studyReader
	enrollmentWriter
	progressWriter
	positionWriter
	noteWriter
	timeEntryWriter
}

// studyTx is a transaction of the room.
type studyTx interface {
	studyStoreTx
	studyHooks
}

// studyHooks is what the room causes in later ones, in the same transaction.
type studyHooks interface {
	// EnrollmentEnded is called after an enrolment was moved to the past ones, so that what is open
	// in it ends too. The user is locked.
	EnrollmentEnded(ctx context.Context, past PastEnrollment) error
}

// studyForRooms is what later rooms and package learning ask of this one. It checks no permission
// unless it says so, so nothing that a user sends may reach it unchecked.
type studyForRooms studyService

// ForRooms returns what later rooms ask of this one.
func (s *studyService) ForRooms() *studyForRooms { return (*studyForRooms)(s) }
