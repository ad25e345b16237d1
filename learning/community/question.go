package community

import (
	"context"
	"slices"

	"github.com/openlectern/openlectern/internal/paging"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
)

// Question is a post in a course that somebody else than its educator has written. It waits for the
// educator until it has a reply of staff, which are the educator of the course and admins, or is
// resolved. A post of a deleted user is no question any more.
type Question struct {
	Post
	CourseTitle  string
	ChapterTitle string // of the chapter of its lecture; "" without one
	LectureTitle string // "" without a lecture, and if the course does not have it any more
}

// ToAnswer selects what an educator may answer: questions or reviews.
type ToAnswer struct {
	CourseID string // "" for all courses of which the actor is the educator
	Answered *bool  // nil for all
}

// Questions returns a page of the questions in a course, for its educator and admins, or in all
// courses of the actor, the newest first. Errors: [core.ErrUnauthenticated], [core.ErrForbidden],
// [catalog.ErrCourseNotFound], [core.ErrInvalidRequest] if page has no valid limit.
func (s *Service) Questions(
	ctx context.Context, actor core.Actor, q ToAnswer, page core.PageRequest,
) (found core.Page[Question], err error) {
	const action = "list questions"
	educatorID, err := s.answeredBy(ctx, actor, q)
	if err != nil {
		return found, err
	}
	read := func(ctx context.Context, page core.PageRequest) ([]core.Position, error) {
		return s.store.QuestionPositions(ctx, educatorID, q, page)
	}
	positions, err := paging.ReadPage(ctx, action, page, read,
		func(p core.Position) core.Position { return p })
	if err != nil {
		return found, err
	}
	posts, err := s.postsAt(ctx, actor, positions.Rows)
	if err != nil {
		return found, err
	}
	var courseIDs []string
	for _, p := range posts {
		courseIDs = append(courseIDs, p.CourseID)
	}
	titles, err := s.titles(ctx, courseIDs)
	found.Next, found.Rows = positions.Next, make([]Question, len(posts))
	for i, p := range posts {
		lecture := titles[p.CourseID].Lectures[p.LectureID]
		found.Rows[i] = Question{
			Post:         p,
			CourseTitle:  titles[p.CourseID].Course,
			ChapterTitle: lecture.Chapter,
			LectureTitle: lecture.Title,
		}
	}
	return found, core.Wrap(action, err)
}

// answeredBy returns the educator of what q selects, which the actor may answer. Errors: those of
// [Service.Questions].
func (s *Service) answeredBy(
	ctx context.Context, actor core.Actor, q ToAnswer,
) (string, error) {
	if err := actor.RequireRole(core.Educator, core.Admin); err != nil {
		return "", err
	}
	if q.CourseID == "" {
		return actor.UserID, nil
	}
	course, err := s.catalog.Editable(ctx, actor, q.CourseID)
	return course.Educator.ID, err
}

// titles reads the titles of courses, whose ids may repeat.
func (s *Service) titles(
	ctx context.Context, courseIDs []string,
) (map[string]catalog.Titles, error) {
	slices.Sort(courseIDs)
	return s.store.Titles(ctx, slices.Compact(courseIDs))
}

// IsAnswered reports whether the post is resolved, or has a reply of staff.
func (p Post) IsAnswered() bool { return p.Resolved || p.StaffReplies > 0 }

// waits reports whether the post is a question that waits for the educator of its course.
func (p Post) waits() bool { return p.EducatorID != "" && !p.IsAnswered() }

// askedBy returns the educator whom a new post of the actor asks: that of its course, or "" for a
// post in no course and for one of the educator.
func askedBy(actor core.Actor, course catalog.Course) string {
	if course.Educator.ID == actor.UserID {
		return ""
	}
	return course.Educator.ID
}

// endQuestions makes no question of the posts of a user who is deleted. The user must be locked, so
// that no new one is added.
func endQuestions(ctx context.Context, tx Tx, changes *core.Changes, userID string) error {
	// Lock all, because their authors do not lock the user when they resolve one, nor do those who
	// reply. What waits is counted by the rows that are changed after that, because the transaction
	// may have read them before the lock.
	if err := tx.LockQuestions(ctx, userID); err != nil {
		return err
	}
	courses, err := tx.QuestionCourses(ctx, userID)
	if err != nil {
		return err
	}
	for _, courseID := range courses {
		const isAnswered = true
		waited, err := tx.EndQuestions(ctx, userID, courseID, !isAnswered)
		if err != nil {
			return err
		}
		if _, err := tx.EndQuestions(ctx, userID, courseID, isAnswered); err != nil {
			return err
		}
		changes.Count(userID,
			core.Total{Kind: TotalWaitingQuestions, CourseID: courseID, Number: -waited})
	}
	return nil
}

// questionReader reads questions.
type questionReader interface {
	// QuestionPositions lists the positions of a page of the questions that q selects of those to
	// an educator, the newest first.
	QuestionPositions(ctx context.Context, educatorID string, q ToAnswer,
		page core.PageRequest) ([]core.Position, error)
	// QuestionCourses lists the ids of the courses in which a user has asked questions.
	QuestionCourses(ctx context.Context, authorID string) ([]string, error)
}

// questionWriter changes questions.
type questionWriter interface {
	// LockQuestions locks the questions of a user until the transaction ends.
	LockQuestions(ctx context.Context, authorID string) error
	// EndQuestions makes posts of the questions of a user in a course that are answered, or of
	// those that are not. It returns how many there were.
	EndQuestions(ctx context.Context, authorID, courseID string, isAnswered bool) (int, error)
}
