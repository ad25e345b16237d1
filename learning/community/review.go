package community

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/openlectern/openlectern/internal/paging"
	"github.com/openlectern/openlectern/internal/record"
	"github.com/openlectern/openlectern/internal/text"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/study"
)

// ErrReviewNotFound is the public failure of reviews.
var ErrReviewNotFound = &core.Error{Kind: core.NotFound, Code: "review_not_found",
	Message: "Review not found"}

// EventReviewCreated is the event of a new review.
const EventReviewCreated core.EventType = "review.created"

// Review is a rating with a text. A rating without one is not shown to others.
type Review struct {
	ID         string // new when a text is written after the last one was removed
	CourseID   string
	EducatorID string      // of the course
	Author     core.Person // the ID is shown to who teaches the course only
	Stars      int
	Text       string // unchanged, with any markup; a front end must escape it
	CreatedAt  time.Time
	Answer     string // of the course's educator; "" for none
	AnsweredAt time.Time
}

// NewReview is the input of [Service.Review].
type NewReview struct {
	CourseID string
	Stars    int
	Text     string // "" removes the text that the rating has
}

// MaxReview is the maximum length of a review and of its answer, in code points.
const MaxReview = 2_000

// ReviewOrder is an order of reviews.
type ReviewOrder string

// The orders of reviews.
const (
	NewestReviews ReviewOrder = "newest"
	BestReviews   ReviewOrder = "best"  // the most stars first, then the newest
	WorstReviews  ReviewOrder = "worst" // the reverse of best
)

// ParseReviewOrder returns the order with a name, and whether there is one.
func ParseReviewOrder(s string) (ReviewOrder, bool) {
	o := ReviewOrder(s)
	return o, o == NewestReviews || o == BestReviews || o == WorstReviews
}

// Reviews returns a page of the reviews of a published course, and how many ratings with 1 to 5
// stars it has, with a text or without. It needs no actor. Errors: [core.ErrInvalidRequest] if page
// has no valid limit, [catalog.ErrCourseNotFound].
func (s *Service) Reviews(
	ctx context.Context, courseID string, order ReviewOrder, page core.PageRequest,
) (list core.Page[Review], distribution [MaxStars]int, err error) {
	if _, err := s.catalog.Published(ctx, courseID); err != nil {
		return list, distribution, err
	}
	read := func(ctx context.Context, page core.PageRequest) ([]Review, error) {
		return s.store.Reviews(ctx, courseID, order, page)
	}
	list, err = paging.ReadPage(ctx, "list reviews", page, read, func(r Review) core.Position {
		if order == NewestReviews {
			return core.Position{At: r.CreatedAt, ID: r.ID}
		}
		return core.Position{Value: int64(r.Stars), ID: r.ID}
	})
	if err != nil {
		return list, distribution, err
	}
	distribution, err = s.store.RatingCounts(ctx, courseID)
	return list, distribution, core.Wrap("read the numbers of ratings", err)
}

// Review rates a course as [Service.Rate] does, and stores, replaces or removes the text of the
// rating. When the access to the course has ended, the actor can still remove the text, which
// leaves the stars as they are. Errors: those of Rate.
func (s *Service) Review(ctx context.Context, actor core.Actor, n NewReview) error {
	course, err := s.study.EnrolledIn(ctx, actor, n.CourseID)
	n.Text = strings.TrimSpace(n.Text)
	isDenied := errors.Is(err, study.ErrNotPurchased) || errors.Is(err, study.ErrAccessEnded) ||
		errors.Is(err, catalog.ErrCourseNotFound)
	if isDenied && n.Text == "" {
		return s.removeOwnReview(ctx, actor, n.CourseID, err)
	}
	if err != nil {
		return err
	}
	if err := cmp.Or(checkStars(n.Stars),
		core.RequireText("review", n.Text, 0, MaxReview)); err != nil {
		return err
	}
	now := s.base.Now()
	want := Rating{UserID: actor.UserID, CourseID: n.CourseID, Stars: n.Stars, CreatedAt: now,
		UpdatedAt: now}
	err = record.RetryDuplicate(ctx, func() error {
		// The user is locked, so that the deletion of the user comes before or after.
		return s.base.ChangeOfUndeleted(ctx, actor.UserID, func(tx Tx, changes *core.Changes) error {
			if err := rate(ctx, tx, changes, want); err != nil { // locks the course
				return err
			}
			return s.setReview(ctx, tx, changes, actor, want, n.Text, course.Course)
		})
	})
	return core.Wrap("review a course", err)
}

// setReview stores the text of a rating, whose course is locked:
//
//	text before  text now  change
//	none         none      nothing
//	none         one       a new review, with its event
//	one          none      the review is removed
//	one          one       the text is replaced
//
// It returns [core.ErrDuplicate] if a concurrent transaction has removed the review.
func (s *Service) setReview(ctx context.Context, tx Tx, changes *core.Changes, actor core.Actor,
	of Rating, text string, course catalog.Course) error {
	old, err := tx.Rating(ctx, of.UserID, of.CourseID)
	switch {
	case err != nil || old.ReviewID == "" && text == "":
		return err
	case text == "":
		return s.removeReview(ctx, tx, changes, actor, old.ReviewID)
	case old.ReviewID != "":
		return setReview(ctx, tx, old, Review{ID: old.ReviewID, EducatorID: course.Educator.ID,
			Text: text, CreatedAt: old.ReviewedAt})
	}
	id := s.base.NewID()
	changes.Count(id, waitingReview(of.CourseID, 1))
	changes.Add(EventReviewCreated, "user", of.UserID, core.EventData{ReviewID: id,
		UserID:   of.UserID,
		CourseID: of.CourseID, CourseTitle: course.Title})
	notifyReview(changes, of, id, course)
	return setReview(ctx, tx, old, Review{ID: id, EducatorID: course.Educator.ID, Text: text,
		CreatedAt: of.UpdatedAt})
}

// setReview stores the text of a rating that has the review which the transaction has read, or none
// as then. Otherwise it returns [core.ErrDuplicate].
func setReview(ctx context.Context, tx Tx, of Rating, r Review) error {
	isSet, err := tx.SetReview(ctx, of, r)
	if err == nil && !isSet {
		err = fmt.Errorf("set a review: %w", core.ErrDuplicate)
	}
	return err
}

// removeOwnReview removes the text of a rating of the actor, who is not enrolled any more. It
// returns denied if there is none.
func (s *Service) removeOwnReview(
	ctx context.Context, actor core.Actor, courseID string, denied error,
) error {
	rating, err := s.store.Rating(ctx, actor.UserID, courseID)
	if errors.Is(err, core.ErrNoRecord) || err == nil && rating.ReviewID == "" {
		return denied
	}
	if err != nil {
		return fmt.Errorf("read a rating: %w", err)
	}
	err = s.base.Change(ctx, func(tx Tx, changes *core.Changes) error {
		return s.removeReview(ctx, tx, changes, actor, rating.ReviewID)
	})
	return core.Wrap("remove a review", err)
}

// removeReview removes a review with its answer, and closes the complaints about it in the name of
// actor, if there is one. The rating keeps its stars.
func (s *Service) removeReview(
	ctx context.Context, tx Tx, changes *core.Changes, actor core.Actor, id string,
) error {
	// Lock it before it is read, so that it is counted as what it is.
	if err := tx.LockReview(ctx, id); err != nil {
		return err
	}
	review, err := tx.Review(ctx, id)
	if errors.Is(err, core.ErrNoRecord) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := removeText(ctx, tx, changes, review); err != nil {
		return err
	}
	if err := tx.DeleteReviewNotifications(ctx, id); err != nil {
		return err
	}
	const postID = "" // it is not about a post
	return s.closeComplaints(ctx, tx, changes, actor, postID, id)
}

// removeText removes the text and the answer of a review, which must be locked. It asks the rows
// that it changes whether the review waits, because the transaction may have read them before the
// lock.
func removeText(ctx context.Context, tx Tx, changes *core.Changes, r Review) error {
	const isAnswered = true
	waited, err := tx.RemoveReview(ctx, r.ID, !isAnswered)
	if err != nil {
		return err
	}
	if waited {
		changes.Count(r.ID, waitingReview(r.CourseID, -1))
		return nil
	}
	_, err = tx.RemoveReview(ctx, r.ID, isAnswered)
	return err
}

// waitingReview returns what a number of reviews without an answer adds to their total.
func waitingReview(courseID string, number int) core.Total {
	return core.Total{Kind: TotalWaitingReviews, CourseID: courseID, Number: number}
}

// AnswerReview stores the answer of the course's educator, or of an admin, to a review, or removes
// it if answer is "". It returns the review. Errors: [core.ErrUnauthenticated],
// [core.ErrForbidden], [core.ErrInvalidRequest], [ErrReviewNotFound].
func (s *Service) AnswerReview(
	ctx context.Context, actor core.Actor, id, answer string,
) (answered Review, err error) {
	if err := actor.RequireRole(core.Educator, core.Admin); err != nil {
		return Review{}, err
	}
	answer = strings.TrimSpace(answer)
	if err := core.RequireText("text", answer, 0, MaxReview); err != nil {
		return Review{}, err
	}
	review, err := findReview(ctx, s.store, id)
	if err != nil {
		return Review{}, core.Wrap("read a review", err)
	}
	course, err := s.catalog.Editable(ctx, actor, review.CourseID)
	if err != nil {
		return Review{}, err
	}
	err = s.base.Change(ctx, func(tx Tx, changes *core.Changes) error {
		if err := tx.LockReview(ctx, id); err != nil {
			return err
		}
		if review, err = findReview(ctx, tx, id); err != nil { // it may have been removed meanwhile
			return err
		}
		hadAnswer := review.Answer != ""
		review.Answer, review.AnsweredAt = answer, time.Time{}
		if answer != "" {
			review.AnsweredAt = s.base.Now()
		}
		switch hasAnswer := answer != ""; {
		case hasAnswer && !hadAnswer:
			changes.Count(id, waitingReview(review.CourseID, -1))
		case hadAnswer && !hasAnswer:
			changes.Count(id, waitingReview(review.CourseID, 1))
		}
		if _, err := tx.AnswerReview(ctx, review); err != nil {
			return err
		}
		notifyAnswer(changes, actor, review, course)
		return nil
	})
	return review, core.Wrap("answer a review", err)
}

// ComplainAboutReview reports a review of a course to the admins. A repeated complaint changes
// nothing. Errors: [core.ErrUnauthenticated], [core.ErrInvalidRequest], [ErrReviewNotFound].
func (s *Service) ComplainAboutReview(ctx context.Context, actor core.Actor,
	courseID, reviewID, reason string) error {
	if err := actor.Require(); err != nil {
		return err
	}
	reason = strings.TrimSpace(reason)
	if err := core.RequireText("reason", reason, 1, MaxComplaintReason); err != nil {
		return err
	}
	err := s.base.Change(ctx, func(tx Tx, changes *core.Changes) error {
		// Lock it, so that a concurrent removal, which closes the complaints, comes before or
		// after.
		if err := tx.LockReview(ctx, reviewID); err != nil {
			return err
		}
		review, err := findReview(ctx, tx, reviewID)
		if err == nil && review.CourseID != courseID {
			err = ErrReviewNotFound
		}
		if err != nil {
			return err
		}
		c := Complaint{ID: s.base.NewID(), ReviewID: reviewID, CourseID: courseID,
			AuthorID: review.Author.ID, ReporterID: actor.UserID, Reason: reason,
			Excerpt: text.Truncate(review.Text, maxExcerpt),
			Status:  ComplaintOpen, CreatedAt: s.base.Now()}
		changes.Count(c.ID, openComplaints(1))
		return tx.InsertComplaint(ctx, c)
	})
	if errors.Is(err, core.ErrDuplicate) { // the user has reported it before
		return nil
	}
	return core.Wrap("report a review", err)
}

// findReview reads a review. Error: [ErrReviewNotFound].
func findReview(ctx context.Context, r reviewReader, id string) (Review, error) {
	review, err := r.Review(ctx, id)
	if errors.Is(err, core.ErrNoRecord) {
		err = ErrReviewNotFound
	}
	return review, err
}

// ratingTotal returns what a number of ratings with some stars adds to the total.
func ratingTotal(r Rating, number int) core.Total {
	return core.Total{Kind: TotalRatings, CourseID: r.CourseID, Part: fmt.Sprint(r.Stars),
		Number: number}
}

// reviewReader reads reviews.
type reviewReader interface {
	Review(ctx context.Context, id string) (Review, error)
	// Reviews lists a page of the reviews of a course.
	Reviews(ctx context.Context, courseID string, order ReviewOrder,
		page core.PageRequest) ([]Review, error)
	// TaughtReviews lists a page of the reviews that q selects of those of the courses of an
	// educator, the newest first.
	TaughtReviews(ctx context.Context, educatorID string, q ToAnswer,
		page core.PageRequest) ([]Review, error)
	// ReviewsBy lists the reviews of a user, by the ids of their courses.
	ReviewsBy(ctx context.Context, userID string) ([]Review, error)
	// RatingCounts reads how many ratings with 1 to 5 stars a course has, from the totals.
	RatingCounts(ctx context.Context, courseID string) ([MaxStars]int, error)
}

// reviewWriter writes reviews.
type reviewWriter interface {
	// SetReview stores the id, the educator, the text and the time of creation of a review in a
	// rating that has the ReviewID of of. It reports whether it did.
	SetReview(ctx context.Context, of Rating, r Review) (bool, error)
	// LockReview locks the rating of a review until the transaction ends, if there is one.
	LockReview(ctx context.Context, id string) error
	// AnswerReview stores the answer to a review, and reports whether there is one.
	AnswerReview(ctx context.Context, r Review) (bool, error)
	// RemoveReview removes the text and the answer of a review that has an answer, or of one that
	// has none. It reports whether it did.
	RemoveReview(ctx context.Context, id string, isAnswered bool) (bool, error)
}
