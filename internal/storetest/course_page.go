package storetest

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
)

var coursePageTests = []test{
	{"published courses are read in pages in each order, by id on a tie", coursePageOrders},
	{"a page of courses is of one educator", coursePageEducator},
}

// catalogued returns the ids of the courses that q selects, read in pages of every size.
func (f *fixture) catalogued(q learning.CourseQuery, place func(learning.Course) learning.Position) (ids []string) {
	list := paged(f.t, func(ctx context.Context, page learning.Page) ([]learning.Course, error) {
		return f.CataloguePage(ctx, q, learning.WordSearch{}, page)
	}, place)
	for _, c := range list {
		ids = append(ids, c.ID)
	}
	return ids
}

// atTime is the position of a course in the orders by time.
func atTime(c learning.Course) learning.Position { return learning.Position{At: c.CreatedAt, ID: c.ID} }

func coursePageOrders(t *testing.T, f *fixture) {
	equal(t, f.catalogued(learning.CourseQuery{}, atTime), nil, nil)
	for i, id := range []string{"b", "a", "d", "c", "draft"} {
		c := course(id)
		c.CreatedAt, c.Students, c.Published = noon.Add(time.Duration(i/2)*time.Second), []int{5, 5, 9, 0, 7}[i], id != "draft"
		c.Ratings = []learning.Ratings{{Sum: 9, Count: 2}, {Sum: 45, Count: 10}, {}, {Sum: 5, Count: 1}, {Sum: 5, Count: 1}}[i] // 4.5, 4.5, 0 and 5
		c.Price, c.Discount = []learning.Money{100_00, 90_00, 80_00, 90_00, 1_00}[i], []learning.Percent{50_00, 0, 0, 0, 0}[i]  // 50, 90, 80 and 90
		f.add(c)
	}
	const whole = 100_00
	for sort, want := range map[learning.CourseSort]struct {
		ids   []string
		value func(c learning.Course) int64
	}{
		learning.PopularCourses: {[]string{"d", "b", "a", "c"}, func(c learning.Course) int64 { return int64(c.Students) }},
		learning.RatedCourses:   {[]string{"c", "b", "a", "d"}, func(c learning.Course) int64 { return int64(10 * c.Ratings.Average()) }},
		learning.CheapCourses:   {[]string{"b", "d", "a", "c"}, func(c learning.Course) int64 { return int64(c.Price) * (whole - int64(c.Discount)) }},
	} {
		got := f.catalogued(learning.CourseQuery{Sort: sort}, func(c learning.Course) learning.Position {
			return learning.Position{Value: want.value(c), ID: c.ID}
		})
		equal(t, got, nil, want.ids)
	}
	oldest := []string{"a", "b", "c", "d"}
	equal(t, f.catalogued(learning.CourseQuery{}, atTime), nil, oldest)
	slices.Reverse(oldest)
	equal(t, f.catalogued(learning.CourseQuery{Sort: learning.NewestCourses}, atTime), nil, oldest)
}

func coursePageEducator(t *testing.T, f *fixture) {
	f.add(taught("b", "ada", noon), taught("a", "ada", noon), taught("c", "eve", noon), taught("d", "Ada", noon))
	equal(t, f.catalogued(learning.CourseQuery{EducatorID: "ada"}, atTime), nil, []string{"a", "b"})
	equal(t, f.catalogued(learning.CourseQuery{EducatorID: "none"}, atTime), nil, nil)
}
