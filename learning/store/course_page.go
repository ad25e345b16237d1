package store

import (
	"context"

	"github.com/openlectern/openlectern/learning"
)

// courseOrders are the orders of the published courses, with the indexes that have them.
var courseOrders = map[learning.CourseSort]struct {
	order
	index string
}{
	learning.OldestCourses:  {order{columns: []string{"c.created_at", "c.id"}}, "courses_by_publication"},
	learning.NewestCourses:  {order{columns: []string{"c.created_at", "c.id"}, descending: true}, "courses_by_publication"},
	learning.PopularCourses: {order{[]string{"c.students", "c.id"}, true, true}, "courses_by_students"},
	learning.RatedCourses:   {order{[]string{"c.rating", "c.id"}, true, true}, "courses_by_rating"},
	learning.CheapCourses:   {order{columns: []string{"c.net_price", "c.id"}, byNumber: true}, "courses_by_price"},
}

// CataloguePage lists a page of the published courses that q and s select, in the order of q. It sorts
// the courses of an educator and those of a rare word, because these are few.
func (r reader) CataloguePage(ctx context.Context, q learning.CourseQuery, s learning.WordSearch, page learning.Page) ([]learning.Course, error) {
	o := courseOrders[q.Sort]
	var f filter
	hint := r.q.engine().forceIndex(o.index)
	f.add(`c.is_published = 1`)
	if q.EducatorID != "" {
		f.add(`c.educator_id = ?`, key(q.EducatorID))
		hint = r.q.engine().forceIndex("courses_of_educator")
	}
	from, words := searchedCourses.from(r.q.engine(), s, hint, &f)
	clauses, args := r.q.engine().rows(f, o.order, page)
	return r.coursesFrom(ctx, "list a page of the published courses", from, clauses, append(words, args...)...)
}
