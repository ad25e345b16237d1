package due

import (
	"context"
	"time"

	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/study"
)

// Service has the operations on what is due. It is safe for concurrent use.
type Service struct {
	base  core.Base[Tx]
	store Reader
}

// New returns the service.
func New(base core.Base[Tx], store Reader) *Service { return &Service{base: base, store: store} }

// Reader is what the room reads, inside or outside a transaction.
type Reader interface {
	ownReader
	dueReader
}

// ownReader reads the assignments of a student.
type ownReader interface {
	study.AccessReader
	study.CompletedInReader
	assess.LatestSubmissionReader
	// AssignmentCourses lists the courses with an assignment in which a user is enrolled and has
	// access at a time, with their contents: all, or the one with an id, by their ids.
	AssignmentCourses(ctx context.Context, userID, courseID string,
		now time.Time) ([]study.EnrolledContent, error)
}

// Tx is a transaction of the room. A store implements it.
type Tx interface {
	core.Tx
	Reader
	dueWriter
}

// ForRooms is what later rooms and package learning ask of this room. It checks no permission, so
// nothing that a user sends may reach it unchecked.
type ForRooms Service

// ForRooms returns what later rooms and package learning ask of this room.
func (s *Service) ForRooms() *ForRooms { return (*ForRooms)(s) }
