package learning

import (
	"context"
	"fmt"
	"time"
)

// Stats are the totals of the whole platform. Deleted users are not counted. Their
// payments are.
type Stats struct {
	Students            int // all users
	Courses             int // including drafts
	Educators           int
	PendingApplications int
	Revenue             Money // of completed purchases less refunds, in the platform's currency
	Enrollments         int
}

// CourseReport is a course as administrators see it.
type CourseReport struct {
	Course
	EducatorEmail string
	Revenue       Money // as in [Stats]
	Purchases     int   // completed
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
	IsEducator     bool // by an approved application or a stored role
	Role           Role // as stored by the platform; Student if none is stored
	// ListedAt is the time by which the list is ordered: CreatedAt, or a later one if the
	// list is that of a role which was stored before the record.
	ListedAt time.Time
}

// DayRevenue is the revenue of the purchases that were completed on one UTC day. A refund
// reduces the revenue of the day of its purchase.
type DayRevenue struct {
	Day     time.Time
	Revenue Money
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

// Stats returns the totals of the platform. Errors: [ErrUnauthenticated], [ErrForbidden].
func (p *Platform) Stats(ctx context.Context, actor Actor) (Stats, error) {
	if err := actor.RequireRole(Admin); err != nil {
		return Stats{}, err
	}
	s, err := p.store.Stats(ctx, p.currency)
	if err != nil {
		return Stats{}, fmt.Errorf("count the platform: %w", err)
	}
	return s, nil
}

// Charts returns the revenue of the last week and the courses with the most students.
// Errors: [ErrUnauthenticated], [ErrForbidden].
func (p *Platform) Charts(ctx context.Context, actor Actor) (Charts, error) {
	if err := actor.RequireRole(Admin); err != nil {
		return Charts{}, err
	}
	top, err := p.store.TopCourses(ctx, topCourses)
	if err != nil {
		return Charts{}, fmt.Errorf("find the top courses: %w", err)
	}
	today := p.now().Truncate(24 * time.Hour)
	earned, err := p.store.DailyRevenue(ctx, p.currency, today.AddDate(0, 0, 1-weekDays))
	if err != nil {
		return Charts{}, fmt.Errorf("sum up the week: %w", err)
	}
	return Charts{top, week(today, earned)}, nil
}

// week returns the last seven days, including days without revenue.
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

// CourseReports lists all courses, the newest first. Errors:
// [ErrUnauthenticated], [ErrForbidden].
func (p *Platform) CourseReports(actor Actor) (*List[CourseReport], error) {
	if err := actor.RequireRole(Admin); err != nil {
		return nil, err
	}
	return pagedList("report on the courses", inPages(p.courseReports),
		func(r *CourseReport) Position { return Position{At: r.CreatedAt, ID: r.ID} }), nil
}

// CourseReportsPage returns a page of [Platform.CourseReports], and the position after which
// the next one begins, zero at the end. Errors: [ErrUnauthenticated], [ErrForbidden],
// [ErrInvalidRequest].
func (p *Platform) CourseReportsPage(ctx context.Context, actor Actor, page Page) ([]CourseReport, Position, error) {
	if err := actor.RequireRole(Admin); err != nil {
		return nil, Position{}, err
	}
	return readPage(ctx, "report on the courses", page, p.courseReports,
		func(r CourseReport) Position { return Position{At: r.CreatedAt, ID: r.ID} })
}

func (p *Platform) courseReports(ctx context.Context, page Page) ([]CourseReport, error) {
	return p.store.CourseReports(ctx, p.currency, page)
}

// Purchases lists the purchases with a status, or all if it is "", the newest first.
// It leaves out purchases without an order. Errors: [ErrUnauthenticated],
// [ErrForbidden].
func (p *Platform) Purchases(actor Actor, status PurchaseStatus) (*List[PurchaseReport], error) {
	if err := actor.RequireRole(Admin); err != nil {
		return nil, err
	}
	return pagedList("report on the purchases", p.eachPurchase(status), func(r *PurchaseReport) Position { return Position{At: r.CreatedAt, ID: r.ID} }), nil
}

// PurchasesPage returns a page of [Platform.Purchases], and the position after which the next
// one begins, zero at the end. Errors: [ErrUnauthenticated], [ErrForbidden],
// [ErrInvalidRequest].
func (p *Platform) PurchasesPage(ctx context.Context, actor Actor, status PurchaseStatus, page Page) ([]PurchaseReport, Position, error) {
	if err := actor.RequireRole(Admin); err != nil {
		return nil, Position{}, err
	}
	return readPage(ctx, "report on the purchases", page, collected(p.eachPurchase(status)),
		func(r PurchaseReport) Position { return Position{At: r.CreatedAt, ID: r.ID} })
}

func (p *Platform) eachPurchase(status PurchaseStatus) func(context.Context, Page, func(PurchaseReport) error) error {
	return func(ctx context.Context, page Page, fn func(PurchaseReport) error) error {
		return p.store.EachPurchase(ctx, status, page, fn)
	}
}

// Users lists the users without the deleted ones, the newest first. Errors:
// [ErrUnauthenticated], [ErrForbidden].
func (p *Platform) Users(actor Actor) (*List[UserReport], error) {
	if err := actor.RequireRole(Admin); err != nil {
		return nil, err
	}
	position := func(r *UserReport) Position { return Position{At: r.ListedAt, ID: r.ID} }
	return pagedList("report on the users", p.eachUser(WordSearch{}, ""), position), nil
}

// UserQuery selects users.
type UserQuery struct {
	Search string // words, each of which is the beginning of a word of the name or the e-mail address; "" for all users
	Role   Role   // the role in the report; "" for all users
}

// UsersPage returns a page of those of [Platform.Users] that q selects, and the position after which the
// next one begins, zero at the end. A search is without regard to case and accents. It reads a
// bounded number of users for a page, which may therefore have fewer than page.Limit, or none,
// before the end.
// Errors: [ErrUnauthenticated], [ErrForbidden], [ErrInvalidRequest], also for an unknown role.
func (p *Platform) UsersPage(ctx context.Context, actor Actor, q UserQuery, page Page) ([]UserReport, Position, error) {
	if err := actor.RequireRole(Admin); err != nil {
		return nil, Position{}, err
	}
	const action = "report on the users"
	if !page.hasValidLimit() || q.Role != "" && q.Role != ParseRole(string(q.Role)) {
		return nil, Position{}, ErrInvalidRequest
	}
	s, found, err := p.search(ctx, UserWords, q.Search)
	if err != nil || !found {
		return nil, Position{}, wrap(action, err)
	}
	read := collected(p.eachUser(s, q.Role))
	position := func(r UserReport) Position { return Position{At: r.ListedAt, ID: r.ID} }
	if len(s.Also) == 0 || s.Rare != "" {
		return readPage(ctx, action, page, read, position)
	}
	end := func(ctx context.Context, after Position) (Position, error) {
		return p.store.UsersEnd(ctx, q.Role, after, s.rows())
	}
	return readScan(ctx, action, page, end, read, position)
}

func (p *Platform) eachUser(
	s WordSearch, role Role,
) func(context.Context, Page, func(UserReport) error) error {
	return func(ctx context.Context, page Page, fn func(UserReport) error) error {
		return p.store.EachUser(ctx, s, role, page, fn)
	}
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
	// CourseReports lists all courses, the newest first: a page, or all for the zero page.
	CourseReports(ctx context.Context, currency string, page Page) ([]CourseReport, error)
	// EachPurchase reads a page row by row, the newest first, without the purchases that
	// have no order. It stops at the first error of fn and returns it.
	EachPurchase(ctx context.Context, status PurchaseStatus, page Page, fn func(PurchaseReport) error) error
	// EachUser reads a page of the users that s selects and who have a role, or any if it is "",
	// row by row, the newest first. It stops at the first error of fn and returns it.
	EachUser(ctx context.Context, s WordSearch, role Role, page Page, fn func(UserReport) error) error
	// UsersEnd returns the position of the last of so many users who follow a position in the order
	// of EachUser, or zero if there are fewer. The users are those with a role, if it is that of
	// educators or administrators, or else all.
	UsersEnd(ctx context.Context, role Role, after Position, rows int) (Position, error)
}
