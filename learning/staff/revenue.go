package staff

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/purchase"
)

// Revenue is what completed purchases earned less refunds, in one currency. Sums of several
// currencies are never added.
type Revenue struct {
	Currency string // ISO 4217
	Amount   core.Money
}

// PartRevenue is the revenue of a part of the totals of sales: a course and a currency, or a
// currency and a day.
type PartRevenue struct {
	CourseID string // "" for a day
	Part     string
	Amount   core.Money
}

// ofAll returns a list with the currency of the platform, which may have earned nothing, in the
// order of the currencies.
func (s *Service) ofAll(list []Revenue) []Revenue {
	if !slices.ContainsFunc(list, func(r Revenue) bool { return r.Currency == s.currency }) {
		list = append(slices.Clone(list), Revenue{Currency: s.currency})
	}
	slices.SortFunc(list, func(a, b Revenue) int { return strings.Compare(a.Currency, b.Currency) })
	return list
}

// addDays sets the revenue by currency of each day.
func (s *Service) addDays(ctx context.Context, days []DayRevenue) error {
	sold, err := s.store.RevenueByCurrency(ctx)
	if err != nil {
		return err
	}
	sold = s.ofAll(sold)
	var parts []string
	for _, r := range sold {
		for _, d := range days {
			parts = append(parts, purchase.DailySalesPart(r.Currency, d.Day))
		}
	}
	earned, err := s.store.RevenueOfDays(ctx, parts)
	if err != nil {
		return err
	}
	byPart := map[string]core.Money{}
	for _, e := range earned {
		byPart[e.Part] = e.Amount
	}
	for i := range days {
		for _, r := range sold {
			part := purchase.DailySalesPart(r.Currency, days[i].Day)
			amount, isSold := byPart[part]
			if isSold || r.Currency == s.currency {
				days[i].ByCurrency = append(days[i].ByCurrency,
					Revenue{Currency: r.Currency, Amount: amount})
			}
		}
	}
	return nil
}

// addCourses sets the revenue by currency of each course.
func (s *Service) addCourses(ctx context.Context, list []CourseReport) error {
	if len(list) == 0 {
		return nil
	}
	ids := make([]string, len(list))
	for i, r := range list {
		ids[i] = r.ID
	}
	earned, err := s.store.RevenueOfCourses(ctx, ids)
	if err != nil {
		return fmt.Errorf("sum up the courses: %w", err)
	}
	byCourse := map[string][]Revenue{}
	for _, e := range earned {
		byCourse[e.CourseID] = append(byCourse[e.CourseID],
			Revenue{Currency: e.Part, Amount: e.Amount})
	}
	for i := range list {
		list[i].ByCurrency = s.ofAll(byCourse[list[i].ID])
	}
	return nil
}

// revenueReader reads sums by currency, in the order of the currencies.
type revenueReader interface {
	RevenueByCurrency(ctx context.Context) ([]Revenue, error)
	// RevenueOfEducator sums up the courses of an educator.
	RevenueOfEducator(ctx context.Context, educatorID string) ([]Revenue, error)
	// RevenueOfCourses lists the sums of courses, of which there must be one; the part is a
	// currency.
	RevenueOfCourses(ctx context.Context, courseIDs []string) ([]PartRevenue, error)
	// RevenueOfDays lists the sums of parts of [purchase.TotalDailySales].
	RevenueOfDays(ctx context.Context, parts []string) ([]PartRevenue, error)
}
