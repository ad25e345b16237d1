package community

import (
	"context"

	"github.com/openlectern/openlectern/internal/paging"
	"github.com/openlectern/openlectern/learning/core"
)

// TaughtReview is a review as the educator of its course sees it.
type TaughtReview struct {
	Review
	CourseTitle string
}

// TaughtReviews returns a page of the reviews of a course, for its educator and admins, or of all
// courses of the actor, the newest first. Errors: those of [Service.Questions].
func (s *Service) TaughtReviews(
	ctx context.Context, actor core.Actor, q ToAnswer, page core.PageRequest,
) (found core.Page[TaughtReview], err error) {
	const action = "list the reviews of own courses"
	educatorID, err := s.answeredBy(ctx, actor, q)
	if err != nil {
		return found, err
	}
	read := func(ctx context.Context, page core.PageRequest) ([]Review, error) {
		return s.store.TaughtReviews(ctx, educatorID, q, page)
	}
	list, err := paging.ReadPage(ctx, action, page, read,
		func(r Review) core.Position { return core.Position{At: r.CreatedAt, ID: r.ID} })
	if err != nil {
		return found, err
	}
	var courseIDs []string
	for _, r := range list.Rows {
		courseIDs = append(courseIDs, r.CourseID)
	}
	titles, err := s.titles(ctx, courseIDs)
	found.Next, found.Rows = list.Next, make([]TaughtReview, len(list.Rows))
	for i, r := range list.Rows {
		found.Rows[i] = TaughtReview{Review: r, CourseTitle: titles[r.CourseID].Course}
	}
	return found, core.Wrap(action, err)
}
