package community

import (
	"context"
	"time"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/study"
)

// The notifications of the room.
const (
	// NotifyQuestionCreated tells the educator of a course of a post at it.
	NotifyQuestionCreated core.NotificationKind = "question.created"
	// NotifyReplyCreated tells the author of a post of a reply.
	NotifyReplyCreated core.NotificationKind = "reply.created"
	// NotifyReplyAccepted tells the author of a reply that it was accepted.
	NotifyReplyAccepted core.NotificationKind = "reply.accepted"
	// NotifyReviewCreated tells the educator of a course of a review.
	NotifyReviewCreated core.NotificationKind = "review.created"
	// NotifyReviewAnswered tells the author of a review of the answer.
	NotifyReviewAnswered core.NotificationKind = "review.answered"
	// NotifyReportDecided tells who has reported something of the decision, and not of what.
	NotifyReportDecided core.NotificationKind = "report.decided"
)

// notifyQuestion tells the educator of its course of a new post.
func notifyQuestion(changes *core.Changes, p Post, course catalog.Course) {
	changes.Notify(p.Author.ID, core.Notification{
		Kind:     NotifyQuestionCreated,
		ReaderID: course.Educator.ID,
		ActorID:  p.Author.ID,
		Thing:    p.ID,
		NotificationIDs: core.NotificationIDs{CourseID: p.CourseID, LectureID: p.LectureID,
			PostID: p.ID},
	})
}

// notifyOfReply tells a reader, who is the author of the post or of the reply, of what the actor
// has done with a reply, if the reader may read the post now.
func notifyOfReply(
	ctx context.Context, tx Tx, changes *core.Changes, kind core.NotificationKind,
	readerID string, actor core.Actor, post Post, replyID string,
) error {
	mayRead, err := mayReadPost(ctx, tx, readerID, post, changes.Now())
	if err != nil || !mayRead {
		return err
	}
	changes.Notify(actor.UserID, core.Notification{
		Kind:     kind,
		ReaderID: readerID,
		ActorID:  actor.UserID,
		Thing:    replyID,
		NotificationIDs: core.NotificationIDs{CourseID: post.CourseID,
			LectureID: post.LectureID, PostID: post.ID, ReplyID: replyID},
	})
	return nil
}

// mayReadPost reports whether a user who is not signed in now may read a post, by the role that is
// stored: see mayDiscuss. Without a stored role the educator of a course is taken as one.
func mayReadPost(
	ctx context.Context, tx Tx, userID string, post Post, now time.Time,
) (bool, error) {
	if post.CourseID == "" {
		return true, nil
	}
	state, err := tx.AccountState(ctx, userID)
	if err != nil {
		return false, err
	}
	user := core.Actor{UserID: userID, Role: state.RoleAssignment.Role}
	if user.Role == "" {
		user.Role = core.Educator
	}
	access, err := study.AccessOf(ctx, tx, user, post.CourseID, now)
	return mayDiscuss(access, post.LectureID), err
}

// notifyReview tells the educator of a course of a new review.
func notifyReview(changes *core.Changes, of Rating, reviewID string, course catalog.Course) {
	changes.Notify(of.UserID, core.Notification{
		Kind:            NotifyReviewCreated,
		ReaderID:        course.Educator.ID,
		ActorID:         of.UserID,
		Thing:           reviewID,
		NotificationIDs: core.NotificationIDs{CourseID: of.CourseID, ReviewID: reviewID},
	})
}

// notifyAnswer tells the author of a review of the answer to it, if the author may read it now:
// everyone may read the reviews of a published course.
func notifyAnswer(changes *core.Changes, actor core.Actor, r Review, course catalog.Course) {
	if r.Answer == "" || !course.Published {
		return
	}
	changes.Notify(actor.UserID, core.Notification{
		Kind:            NotifyReviewAnswered,
		ReaderID:        r.Author.ID,
		ActorID:         actor.UserID,
		Thing:           r.ID,
		NotificationIDs: core.NotificationIDs{CourseID: r.CourseID, ReviewID: r.ID},
	})
}

// notifyReporters tells the users who have made complaints of an admin's decision on them.
func notifyReporters(changes *core.Changes, d ComplaintDecision, complaints []Complaint) {
	for _, c := range complaints {
		changes.Notify(d.By, core.Notification{
			Kind:     NotifyReportDecided,
			ReaderID: c.ReporterID,
			Thing:    c.ID,
			Decision: string(d.Status),
		})
	}
}
