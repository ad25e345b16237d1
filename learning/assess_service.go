package learning

import (
	"context"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/study"
)

// assessService has the operations on quizzes with their attempts and results, and on the work that
// students hand in for assignments. It is safe for concurrent use.
type assessService struct {
	base        core.Base[assessTx]
	store       assessReader
	catalog     *catalog.ForRooms
	study       *study.ForRooms
	recommender Recommender // nil for none
}

// newAssess returns the service. recommender may be nil.
func newAssess(
	base core.Base[assessTx], store assessReader, courses *catalog.ForRooms,
	students *study.ForRooms, recommender Recommender,
) *assessService {
	return &assessService{
		base:        base,
		store:       store,
		catalog:     courses,
		study:       students,
		recommender: recommender,
	}
}

// assessReader is what the room reads, inside or outside a transaction. A method that reads a
// single row returns [core.ErrNoRecord] if the row does not exist.
type assessReader interface {
	assessCourseReader
	assessStudentReader
	quizReader
	attemptReader
	quizResultReader
	questionTotalReader
	submissionReader
}

// assessCourseReader is what the room reads of courses.
type assessCourseReader interface {
	catalog.ContentReader
	// Course reads one course, published or not.
	Course(ctx context.Context, id string) (catalog.Course, error)
	// LectureKinds reads the ids and the kinds of the lectures of one course, in order.
	LectureKinds(ctx context.Context, courseID string) (
		ids []string, kinds []catalog.LectureKind, err error)
}

// assessStudentReader is what the room reads of students in courses.
type assessStudentReader interface {
	study.ProgressReader
	Enrolled(ctx context.Context, userID, courseID string) (bool, error)
	Enrollment(ctx context.Context, userID, courseID string) (study.Enrollment, error)
}

// assessTx is a transaction of the room, which a store implements.
type assessTx interface {
	core.Tx
	assessReader
	catalog.LockTx
	catalog.FileUseTx
	assessCompletionWriter
	quizWriter
	attemptWriter
	quizResultWriter
	questionTotalWriter
	submissionWriter
}

// assessCompletionWriter writes that lectures are completed, which assignments are by their grade.
type assessCompletionWriter interface {
	// InsertCompletedLecture adds a completed lecture. It returns [core.ErrDuplicate] if it is
	// completed already.
	InsertCompletedLecture(ctx context.Context, userID, courseID string, l study.CompletedLecture) error
	// DeleteCompletedLecture deletes a completed lecture, if there is one.
	DeleteCompletedLecture(ctx context.Context, userID, courseID, lectureID string) error
}

// assessForRooms is what later rooms and package learning ask of this one. It checks no permission,
// so nothing that a user sends may reach it unchecked.
type assessForRooms assessService

// ForRooms returns what later rooms and package learning ask of this one.
func (s *assessService) ForRooms() *assessForRooms { return (*assessForRooms)(s) }
