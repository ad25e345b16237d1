package community

import (
	"context"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/study"
)

// Service has the operations on groups, on posts with their replies and votes, on the
// ratings and reviews of courses, and on complaints. It is safe for concurrent use.
type Service struct {
	base  core.Base[Tx]
	store Reader

	catalog *catalog.ForRooms
	study   *study.ForRooms
}

// New returns the service.
func New(
	base core.Base[Tx], store Reader, courses *catalog.ForRooms,
	enrollments *study.ForRooms,
) *Service {
	return &Service{base: base, store: store, catalog: courses, study: enrollments}
}

// Reader is what the room reads, inside or outside a transaction. A method that reads a
// single row returns [core.ErrNoRecord] if the row does not exist.
type Reader interface {
	catalog.LectureIDReader
	catalog.TitleReader
	study.AccessReader
	groupReader
	postReader
	replyReader
	ratingReader
	reviewReader
	complaintReader
}

// Tx is a transaction of the room. A store implements it.
type Tx interface {
	core.Tx
	Reader
	catalog.LockTx
	catalog.RatingsTx
	groupWriter
	postWriter
	replyWriter
	voteWriter
	ratingWriter
	reviewWriter
	complaintWriter
	notificationWriter
}

// notificationWriter deletes the notifications of what is deleted.
type notificationWriter interface {
	// DeletePostNotifications deletes those that name a post.
	DeletePostNotifications(ctx context.Context, postID string) error
	// DeleteReplyNotifications deletes those that name a reply to a post.
	DeleteReplyNotifications(ctx context.Context, postID, replyID string) error
	// DeleteReviewNotifications deletes those that name a review.
	DeleteReviewNotifications(ctx context.Context, reviewID string) error
}

// ForRooms is what package learning asks of this room. It checks no permission, so nothing that a
// user sends may reach it unchecked.
type ForRooms Service

// ForRooms returns what package learning asks of this room.
func (s *Service) ForRooms() *ForRooms { return (*ForRooms)(s) }
