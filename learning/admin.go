package learning

import (
	"context"
	"fmt"
	"time"

	"github.com/openlectern/openlectern/internal/paging"
	"github.com/openlectern/openlectern/learning/core"
)

// Stats are the totals of the whole platform. Deleted users are not counted. Their
// payments are.
type Stats struct {
	Students            int // all users
	Courses             int // including drafts
	Educators           int
	PendingApplications int
	Revenue             core.Money // of completed purchases less refunds, in the platform's currency
	Enrollments         int
}

// CourseReport is a course as administrators see it.
type CourseReport struct {
	Course
	EducatorEmail string
	Revenue       core.Money // as in [Stats]
	Purchases     int        // completed
}

// PurchaseReport is a purchase as administrators see it.
type PurchaseReport struct {
	Purchase
	CourseTitle string
}

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

// DayRevenue is the revenue of the purchases that were completed on one UTC day. A refund
// reduces the revenue of the day of its purchase.
type DayRevenue struct {
	Day     time.Time
	Revenue core.Money
}

// TopCourse is one of the courses with the most students.
type TopCourse struct {
	Title    string
	Students int
}

// Charts is the data of the charts in the administration.
type Charts struct {
	TopCourses []TopCourse  // at most six
	Week       []DayRevenue // the last seven UTC days, today last
}

const (
	topCourses = 6
	weekDays   = 7
)

// Stats returns the totals of the platform. Errors: [core.ErrUnauthenticated], [core.ErrForbidden].
func (p *Platform) Stats(ctx context.Context, actor core.Actor) (Stats, error) {
	if err := actor.RequireRole(core.Admin); err != nil {
		return Stats{}, err
	}
	s, err := p.store.Stats(ctx, p.currency)
	if err != nil {
		return Stats{}, fmt.Errorf("count the platform: %w", err)
	}
	return s, nil
}

// Charts returns the revenue of the last week and the courses with the most students.
// Errors: [core.ErrUnauthenticated], [core.ErrForbidden].
func (p *Platform) Charts(ctx context.Context, actor core.Actor) (Charts, error) {
	if err := actor.RequireRole(core.Admin); err != nil {
		return Charts{}, err
	}
	top, err := p.store.TopCourses(ctx, topCourses)
	if err != nil {
		return Charts{}, fmt.Errorf("find the top courses: %w", err)
	}

	// The days are those of UTC, as p.base.Now is. The week begins six days before today, because it
	// includes today.
	today := p.base.Now().Truncate(24 * time.Hour)
	earned, err := p.store.DailyRevenue(ctx, p.currency, today.AddDate(0, 0, 1-weekDays))
	if err != nil {
		return Charts{}, fmt.Errorf("sum up the week: %w", err)
	}
	return Charts{top, week(today, earned)}, nil
}

// week returns the seven days up to today, the oldest first, with revenue 0 for the days that
// earned does not have. today and the days of earned are midnights of UTC. earned has a day at most
// once.
func week(today time.Time, earned []DayRevenue) []DayRevenue {
	days := make([]DayRevenue, weekDays)
	for i := range days {
		days[i].Day = today.AddDate(0, 0, i+1-weekDays)
		for _, e := range earned {
			if e.Day.Equal(days[i].Day) {
				days[i].Revenue = e.Revenue
			}
		}
	}
	return days
}

// CourseReports returns a page of all courses, drafts too, the newest first. Errors:
// [core.ErrUnauthenticated], [core.ErrForbidden], [core.ErrInvalidRequest] if page has no valid
// limit.
func (p *Platform) CourseReports(
	ctx context.Context, actor core.Actor, page core.PageRequest,
) (core.Page[CourseReport], error) {
	if err := actor.RequireRole(core.Admin); err != nil {
		return core.Page[CourseReport]{}, err
	}
	read := func(ctx context.Context, page core.PageRequest) ([]CourseReport, error) {
		return p.store.CourseReports(ctx, p.currency, page)
	}
	// The next page begins after the position of the last row.
	return paging.ReadPage(ctx, "report on the courses", page, read,
		func(r CourseReport) core.Position { return core.Position{At: r.CreatedAt, ID: r.ID} })
}

// Purchases returns a page of the purchases with a status, or of all if it is "", the newest
// first. It leaves out those with the status [PurchaseCreated], also if that is asked for: their
// order is not open at the gateway yet, so nothing can be paid. Errors: [core.ErrUnauthenticated],
// [core.ErrForbidden], [core.ErrInvalidRequest] if page has no valid limit.
func (p *Platform) Purchases(
	ctx context.Context, actor core.Actor, status PurchaseStatus, page core.PageRequest,
) (core.Page[PurchaseReport], error) {
	if err := actor.RequireRole(core.Admin); err != nil {
		return core.Page[PurchaseReport]{}, err
	}
	read := func(ctx context.Context, page core.PageRequest) ([]PurchaseReport, error) {
		return p.store.PurchaseReports(ctx, status, page)
	}
	// The next page begins after the position of the last row.
	return paging.ReadPage(ctx, "report on the purchases", page, read,
		func(r PurchaseReport) core.Position { return core.Position{At: r.CreatedAt, ID: r.ID} })
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
func (p *Platform) Users(
	ctx context.Context, actor core.Actor, q UserQuery, page core.PageRequest,
) (core.Page[UserReport], error) {
	if err := actor.RequireRole(core.Admin); err != nil {
		return core.Page[UserReport]{}, err
	}
	const action = "report on the users"
	// ParseRole returns another role for an unknown one.
	isKnownRole := q.Role == "" || q.Role == core.ParseRole(string(q.Role))
	if !page.HasValidLimit() || !isKnownRole {
		return core.Page[UserReport]{}, core.ErrInvalidRequest
	}

	// Look up the words of the search. If there is one that no user has, or if a search that is not
	// "" has no word, such as "?", the page is empty.
	s, found, err := core.FindWords(ctx, p.store, UserWords, q.Search)
	if err != nil || !found {
		return core.Page[UserReport]{}, core.Wrap(action, err)
	}
	read := func(ctx context.Context, page core.PageRequest) ([]UserReport, error) {
		return p.store.UserReports(ctx, s, q.Role, page)
	}

	// Without a search, or with a word that few users have (s.Rare), one query reads the page. The
	// words in s.Also are the others: the query looks them up in each user that it reads.
	position := func(r UserReport) core.Position { return core.Position{At: r.ListedAt, ID: r.ID} }
	readsFew := len(s.Also) == 0 || s.Rare != ""
	if readsFew {
		return paging.ReadPage(ctx, action, page, read, position)
	}

	// Many users have each of the words, and few may have all. So a page reads at most s.Rows()
	// users in the order of the list, and ends after them even if it is not full.
	end := func(ctx context.Context, after core.Position) (core.Position, error) {
		return p.store.UsersEnd(ctx, q.Role, after, s.Rows())
	}
	return paging.ReadScan(ctx, action, page, end, read, position)
}

// adminReader reads the totals and lists of the administration. Each method runs a
// fixed number of statements.
type adminReader interface {
	Stats(ctx context.Context, currency string) (Stats, error)
	// TopCourses lists the courses with the most students.
	TopCourses(ctx context.Context, limit int) ([]TopCourse, error)
	// DailyRevenue sums the completed purchases of each UTC day of completion, less what was
	// refunded of them. It leaves out days without a purchase.
	DailyRevenue(ctx context.Context, currency string, from time.Time) ([]DayRevenue, error)
	// CourseReports lists a page of all courses, the newest first.
	CourseReports(ctx context.Context, currency string, page core.PageRequest) ([]CourseReport, error)
	// PurchaseReports lists a page of the purchases with a status, or of all if it is "", the
	// newest first, without those that have no order.
	PurchaseReports(ctx context.Context, status PurchaseStatus,
		page core.PageRequest) ([]PurchaseReport, error)
	// UserReports lists a page of the users that s selects and who have a role, or any if it is
	// "", the newest first.
	UserReports(ctx context.Context, s core.WordSearch, role core.Role,
		page core.PageRequest) ([]UserReport, error)
	// UsersEnd returns the position of the last of so many users who follow a position in the order
	// of UserReports, or zero if there are fewer. The users are those with a role, if it is that of
	// educators or administrators, or else all.
	UsersEnd(ctx context.Context, role core.Role, after core.Position, rows int) (core.Position, error)
}
