package storetest

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
)

var coursePageTests = []test{
	{"published courses are read in pages in each order, by id on a tie", coursePageOrders},
	{"a page of courses is of one educator", coursePageEducator},
	{"a scan of courses ends at the n-th one, and has those up to there", coursePageEnd},
}

// catalogued returns the ids of the courses that q selects, read in pages of every size.
func (f *fixture) catalogued(
	q catalog.CourseQuery, place func(catalog.Course) core.Position,
) (ids []string) {
	list := paged(f.t,
		func(ctx context.Context, page core.PageRequest) ([]catalog.Course, error) {
			return f.Courses(ctx, q, core.WordSearch{}, page)
		}, place)
	for _, c := range list {
		ids = append(ids, c.ID)
	}
	return ids
}

// atTime is the position of a course in the orders by time.
func atTime(c catalog.Course) core.Position {
	return core.Position{At: c.CreatedAt,
		ID: c.ID}
}

func coursePageOrders(t *testing.T, f *fixture) {
	equal(t, f.catalogued(catalog.CourseQuery{}, atTime), nil, nil)
	for i, id := range []string{"b", "a", "d", "c", "draft"} {
		c := course(id)
		c.CreatedAt = noon.Add(time.Duration(i/2) * time.Second)
		c.Students = []int{5, 5, 9, 0, 7}[i]
		c.Published = id != "draft"
		// 4.5, 4.5, 0 and 5
		c.Ratings = []catalog.Ratings{{Sum: 9, Count: 2}, {Sum: 45, Count: 10}, {},
			{Sum: 5, Count: 1}, {Sum: 5, Count: 1}}[i]
		// 50, 90, 80 and 90
		c.Price, c.Discount = []core.Money{100_00, 90_00, 80_00, 90_00, 1_00}[i],
			[]core.Percent{50_00, 0, 0, 0, 0}[i]
		f.add(c)
	}
	const whole = 100_00
	for sort, want := range map[catalog.CourseSort]struct {
		ids   []string
		value func(c catalog.Course) int64
	}{
		catalog.PopularCourses: {[]string{"d", "b", "a", "c"},
			func(c catalog.Course) int64 { return int64(c.Students) }},
		catalog.RatedCourses: {[]string{"c", "b", "a", "d"},
			func(c catalog.Course) int64 { return int64(10 * c.Ratings.Average()) }},
		catalog.CheapCourses: {[]string{"b", "d", "a", "c"},
			func(c catalog.Course) int64 { return int64(c.Price) * (whole - int64(c.Discount)) }},
	} {
		got := f.catalogued(catalog.CourseQuery{Sort: sort},
			func(c catalog.Course) core.Position {
				return core.Position{Value: want.value(c), ID: c.ID}
			})
		equal(t, got, nil, want.ids)
	}
	oldest := []string{"a", "b", "c", "d"}
	equal(t, f.catalogued(catalog.CourseQuery{}, atTime), nil, oldest)
	slices.Reverse(oldest)
	equal(t, f.catalogued(catalog.CourseQuery{Sort: catalog.NewestCourses}, atTime), nil, oldest)
}

func coursePageEducator(t *testing.T, f *fixture) {
	f.add(taught("b", "ada", noon), taught("a", "ada", noon), taught("c", "eve", noon),
		taught("d", "Ada", noon))
	equal(t, f.catalogued(catalog.CourseQuery{EducatorID: "ada"}, atTime), nil, []string{"a", "b"})
	equal(t, f.catalogued(catalog.CourseQuery{EducatorID: "none"}, atTime), nil, nil)
}

// scanned returns the ids of the courses that q and s select, read by scans of so many rows each.
func (f *fixture) scanned(q catalog.CourseQuery, s core.WordSearch, rows int) (ids []string) {
	f.t.Helper()
	page := core.PageRequest{Limit: allRows.Limit}
	for scans := 0; ; scans++ {
		var err error
		if page.Through, err = f.CatalogueEnd(f.t.Context(), q, page.After, rows); err != nil ||
			scans > 100 {
			f.t.Fatal(scans, err)
		}
		list, err := f.Courses(f.t.Context(), q, s, page)
		if err != nil {
			f.t.Fatal(err)
		}
		for _, c := range list {
			ids = append(ids, c.ID)
		}
		if page.Through.IsZero() {
			return ids
		}
		page.After = page.Through
	}
}

func coursePageEnd(t *testing.T, f *fixture) {
	for i, id := range []string{"d", "a", "c", "b", "e", "draft"} {
		c := taught(id, []string{"ada", "eve"}[i%2], noon.Add(time.Duration(i/2)*time.Second))
		c.Students, c.Published = []int{5, 5, 9, 0, 5, 7}[i], id != "draft"
		f.add(c)
	}
	for _, test := range []struct {
		q    catalog.CourseQuery
		want []string
	}{
		{catalog.CourseQuery{}, []string{"a", "d", "b", "c", "e"}},
		{catalog.CourseQuery{Sort: catalog.NewestCourses}, []string{"e", "c", "b", "d", "a"}},
		{catalog.CourseQuery{Sort: catalog.PopularCourses}, []string{"c", "e", "d", "a", "b"}},
		{catalog.CourseQuery{EducatorID: "eve"}, []string{"a", "b"}},
		{catalog.CourseQuery{EducatorID: "eve", Sort: catalog.NewestCourses}, []string{"b", "a"}},
		{catalog.CourseQuery{EducatorID: "eve", Sort: catalog.PopularCourses},
			[]string{"a", "b"}},
		{catalog.CourseQuery{EducatorID: "none"}, nil},
	} {
		for rows := 1; rows < 7; rows++ {
			equal(t, f.scanned(test.q, core.WordSearch{}, rows), nil, test.want)
		}
	}
	few := core.WordSearch{FewOfEducator: true}
	list, err := f.Courses(t.Context(),
		catalog.CourseQuery{EducatorID: "eve", Sort: catalog.PopularCourses}, few,
		core.PageRequest{Limit: 5})
	if err != nil || len(list) != 2 || list[0].ID != "a" {
		t.Errorf("the popular courses of an educator are %v (%v)", list, err)
	}
	end, err := f.CatalogueEnd(t.Context(), catalog.CourseQuery{Sort: catalog.PopularCourses},
		core.Position{}, 3)
	equal(t, end, err, core.Position{Value: 5, ID: "d"})
	// the draft
	end, err = f.CatalogueEnd(t.Context(), catalog.CourseQuery{EducatorID: "eve"},
		core.Position{}, 3)
	equal(t, end, err, core.Position{At: noon.Add(2 * time.Second), ID: "draft"})
}
