package staff

import (
	"context"

	"github.com/openlectern/openlectern/internal/paging"
	"github.com/openlectern/openlectern/learning/core"
)

// Decision is a decision of staff as administrators see it.
type Decision struct {
	core.Decision        // with the reason of the report, if it has decided on one
	ActorName     string // "" if the host itself has decided
	UserName      string // "" if nobody is concerned
	CourseTitle   string // "" without a course; of a deleted one, that of then
}

// DecisionQuery selects decisions. An empty field selects those of all.
type DecisionQuery struct {
	UserID   string // whom the decision concerns
	CourseID string
}

// Decisions returns a page of what staff has decided, the newest first. Errors:
// [core.ErrUnauthenticated], [core.ErrForbidden], [core.ErrInvalidRequest] if page has no valid
// limit.
func (s *Service) Decisions(
	ctx context.Context, actor core.Actor, q DecisionQuery, page core.PageRequest,
) (core.Page[Decision], error) {
	if err := actor.RequireRole(core.Admin); err != nil {
		return core.Page[Decision]{}, err
	}
	read := func(ctx context.Context, page core.PageRequest) ([]Decision, error) {
		return s.store.Decisions(ctx, q, page)
	}
	// The next page begins after the position of the last row.
	return paging.ReadPage(ctx, "list the decisions", page, read,
		func(d Decision) core.Position { return core.Position{At: d.CreatedAt, ID: d.ID} })
}

// decisionReader reads decisions. The envelope of the transactions writes them: see
// [core.Decision].
type decisionReader interface {
	// Decisions lists a page of the decisions that a query selects, the newest first.
	Decisions(ctx context.Context, q DecisionQuery, page core.PageRequest) ([]Decision, error)
}

// decisionWriter removes the reasons of decisions.
type decisionWriter interface {
	// RemoveUserReasons removes the reasons of the decisions that concern a user.
	RemoveUserReasons(ctx context.Context, userID string) error
	// RemoveCourseReasons removes the reasons of the decisions about a course.
	RemoveCourseReasons(ctx context.Context, courseID string) error
}
