package study

import (
	"context"
	"time"

	"github.com/openlectern/openlectern/internal/batch"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
)

// Service has the operations of students on the courses that they are enrolled in, and those of
// admins on enrolments. It is safe for concurrent use.
type Service struct {
	base    core.Base[Tx]
	store   Reader
	catalog *catalog.ForRooms

	positions *batch.Group[LecturePosition]
}

// New returns the service.
func New(
	base core.Base[Tx], store Reader, courses *catalog.ForRooms,
) *Service {
	s := &Service{base: base, store: store, catalog: courses}
	s.positions = batch.New(maxPositionBatch, s.savePositions, base.LogPanic)
	return s
}

// Reader is what the room reads, inside or outside a transaction. A method that reads a
// single row returns [core.ErrNoRecord] if the row does not exist.
type Reader interface {
	courseReader
	core.AccountReader
	enrollmentReader
	progressReader
	positionReader
	PlaceReader
	noteReader
	timeEntryReader
}

// courseReader is what the room reads of courses.
type courseReader interface {
	catalog.ContentReader
	catalog.LectureIDReader
	catalog.ChapterQuizReader
	catalog.CourseReader
	catalog.LectureKindReader
}

// StoreTx is what a store implements for the transactions of the room.
type StoreTx interface {
	core.Tx
	Reader
	enrollmentWriter
	progressWriter
	positionWriter
	noteWriter
	timeEntryWriter
}

// Tx is a transaction of the room.
type Tx interface {
	StoreTx
	Hooks
}

// Hooks is what the room causes in later ones, in the same transaction.
type Hooks interface {
	// EnrollmentEnded is called after an enrolment was moved to the past ones, so that what is open
	// in it ends too. The user is locked.
	EnrollmentEnded(ctx context.Context, past PastEnrollment) error
	// AccessEnded is called after the access of an enrolment that stays has ended at a time, so
	// that what is open in it ends too. The user is locked.
	AccessEnded(ctx context.Context, e Enrollment, at time.Time) error
}

// ForRooms is what later rooms and package learning ask of this one. It checks no permission
// unless it says so, so nothing that a user sends may reach it unchecked.
type ForRooms Service

// ForRooms returns what later rooms ask of this one.
func (s *Service) ForRooms() *ForRooms { return (*ForRooms)(s) }
