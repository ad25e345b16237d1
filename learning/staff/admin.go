package staff

import (
	"context"
	"fmt"
	"time"

	"github.com/openlectern/openlectern/internal/paging"
	"github.com/openlectern/openlectern/learning/catalog"
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
	OpenComplaints      int       // on which no admin has decided
	ByCurrency          []Revenue // by currency, that of the platform included
}

// CourseReport is a course as administrators see it.
type CourseReport struct {
	catalog.Course
	EducatorEmail string
	Revenue       core.Money // as in [Stats]
	Purchases     int        // completed
	ByCurrency    []Revenue
}

// DayRevenue is the revenue of the purchases that were completed on one UTC day. A refund
// reduces the revenue of the day of its purchase.
type DayRevenue struct {
	Day        time.Time
	Revenue    core.Money // in the platform's currency
	ByCurrency []Revenue
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
func (s *Service) Stats(ctx context.Context, actor core.Actor) (Stats, error) {
	if err := actor.RequireRole(core.Admin); err != nil {
		return Stats{}, err
	}
	totals, err := s.store.Stats(ctx, s.currency)
	if err != nil {
		return Stats{}, fmt.Errorf("count the platform: %w", err)
	}
	earned, err := s.store.RevenueByCurrency(ctx)
	if err != nil {
		return Stats{}, fmt.Errorf("sum up the platform: %w", err)
	}
	totals.ByCurrency = s.ofAll(earned)
	return totals, nil
}

// Charts returns the revenue of the last week and the courses with the most students.
// Errors: [core.ErrUnauthenticated], [core.ErrForbidden].
func (s *Service) Charts(ctx context.Context, actor core.Actor) (Charts, error) {
	if err := actor.RequireRole(core.Admin); err != nil {
		return Charts{}, err
	}
	top, err := s.store.TopCourses(ctx, topCourses)
	if err != nil {
		return Charts{}, fmt.Errorf("find the top courses: %w", err)
	}

	// The days are those of UTC, as s.base.Now is. The week begins six days before today, because
	// it includes today.
	today := s.base.Now().Truncate(24 * time.Hour)
	earned, err := s.store.DailyRevenue(ctx, s.currency, today.AddDate(0, 0, 1-weekDays))
	if err != nil {
		return Charts{}, fmt.Errorf("sum up the week: %w", err)
	}
	days := week(today, earned)
	if err := s.addDays(ctx, days); err != nil {
		return Charts{}, fmt.Errorf("sum up the week by currency: %w", err)
	}
	return Charts{top, days}, nil
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
func (s *Service) CourseReports(
	ctx context.Context, actor core.Actor, page core.PageRequest,
) (core.Page[CourseReport], error) {
	if err := actor.RequireRole(core.Admin); err != nil {
		return core.Page[CourseReport]{}, err
	}
	read := func(ctx context.Context, page core.PageRequest) ([]CourseReport, error) {
		list, err := s.store.CourseReports(ctx, s.currency, page)
		if err == nil {
			err = s.addCourses(ctx, list)
		}
		return list, err
	}
	// The next page begins after the position of the last row.
	return paging.ReadPage(ctx, "report on the courses", page, read,
		func(r CourseReport) core.Position { return core.Position{At: r.CreatedAt, ID: r.ID} })
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
	CourseReports(ctx context.Context, currency string, page core.PageRequest) ([]CourseReport,
		error)
}
