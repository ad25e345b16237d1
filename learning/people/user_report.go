package people

import (
	"cmp"
	"context"
	"time"

	"github.com/openlectern/openlectern/internal/paging"
	"github.com/openlectern/openlectern/learning/core"
)

// UserReport is a user as administrators see them.
type UserReport struct {
	User
	Enrollments    int
	CoursesCreated int
	IsEducator     bool      // by an approved application or a stored role
	Role           core.Role // as stored by the platform; Student if none is stored
	// ListedAt is the time by which the list is ordered: CreatedAt, or a later one if the
	// list is that of a role which was stored before the record.
	ListedAt time.Time
}

// UserQuery selects users.
type UserQuery struct {
	// Search has words, each of which is the beginning of a word of the name or of the e-mail
	// address; "" selects all users.
	Search string
	Role   core.Role // the role in the report; "" for all users
}

// Users returns a page of the users that q selects, without the deleted ones, the newest first. A
// search is without regard to case and accents. It reads a bounded number of users for a page,
// which may therefore have fewer than page.Limit, or none, before the end. Errors:
// [core.ErrUnauthenticated], [core.ErrForbidden], [core.ErrInvalidRequest] for a limit that is not
// valid, a search that is too long, or an unknown role.
func (s *Service) Users(
	ctx context.Context, actor core.Actor, q UserQuery, page core.PageRequest,
) (core.Page[UserReport], error) {
	if err := actor.RequireRole(core.Admin); err != nil {
		return core.Page[UserReport]{}, err
	}
	const action = "report on the users"
	// ParseRole returns another role for an unknown one.
	isKnownRole := q.Role == "" || q.Role == core.ParseRole(string(q.Role))
	if err := cmp.Or(page.Check(), core.Require(isKnownRole, "role",
		"must be student, educator or admin")); err != nil {
		return core.Page[UserReport]{}, err
	}

	// Look up the words of the search. If there is one that no user has, or if a search that is not
	// "" has no word, such as "?", the page is empty.
	search, found, err := core.FindWords(ctx, s.store, UserWords, q.Search)
	if err != nil || !found {
		return core.Page[UserReport]{}, core.Wrap(action, err)
	}
	read := func(ctx context.Context, page core.PageRequest) ([]UserReport, error) {
		return s.store.UserReports(ctx, search, q.Role, page)
	}

	// Without a search, or with a word that few users have (search.Rare), one query reads the page.
	// The words in search.Also are the others: the query looks them up in each user that it reads.
	position := func(r UserReport) core.Position { return core.Position{At: r.ListedAt, ID: r.ID} }
	readsFew := len(search.Also) == 0 || search.Rare != ""
	if readsFew {
		return paging.ReadPage(ctx, action, page, read, position)
	}

	// Many users have each of the words, and few may have all. So a page reads at most
	// search.Rows() users in the order of the list, and ends after them even if it is not full.
	end := func(ctx context.Context, after core.Position) (core.Position, error) {
		return s.store.UsersEnd(ctx, q.Role, after, search.Rows())
	}
	return paging.ReadScan(ctx, action, page, end, read, position)
}

// UserReportReader reads the list of users.
type UserReportReader interface {
	// UserReports lists a page of the users that s selects and who have a role, or any if it is
	// "", the newest first.
	UserReports(ctx context.Context, s core.WordSearch, role core.Role,
		page core.PageRequest) ([]UserReport, error)
	// UsersEnd returns the position of the last of so many users who follow a position in the order
	// of UserReports, or zero if there are fewer. The users are those with a role, if it is that of
	// educators or administrators, or else all.
	UsersEnd(ctx context.Context, role core.Role, after core.Position, rows int) (core.Position,
		error)
}
