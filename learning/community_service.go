package learning

import (
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/study"
)

// communityService has the operations on groups, on posts with their replies and votes, on the
// ratings and reviews of courses, and on complaints. It is safe for concurrent use.
type communityService struct {
	base  core.Base[communityTx]
	store communityReader

	catalog *catalog.ForRooms
	study   *study.ForRooms
}

// newCommunity returns the service.
func newCommunity(
	base core.Base[communityTx], store communityReader, courses *catalog.ForRooms,
	enrollments *study.ForRooms,
) *communityService {
	return &communityService{base: base, store: store, catalog: courses, study: enrollments}
}

// communityReader is what the room reads, inside or outside a transaction. A method that reads a
// single row returns [core.ErrNoRecord] if the row does not exist.
type communityReader interface {
	catalog.LectureIDReader
	study.CallerReader
	groupReader
	postReader
	replyReader
	ratingReader
	reviewReader
	complaintReader
}

// communityTx is a transaction of the room. A store implements it.
type communityTx interface {
	core.Tx
	communityReader
	catalog.LockTx
	catalog.RatingsTx
	groupWriter
	postWriter
	replyWriter
	voteWriter
	ratingWriter
	reviewWriter
	complaintWriter
}
