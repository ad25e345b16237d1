package store

import (
	"context"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
)

// courseOrders are the orders of the published courses, with the indexes that have them.
var courseOrders = map[catalog.CourseSort]struct {
	order
	index string
}{
	catalog.OldestCourses: {order{columns: []string{"c.created_at", "c.id"}},
		"courses_by_publication"},
	catalog.NewestCourses: {order{columns: []string{"c.created_at", "c.id"}, descending: true},
		"courses_by_publication"},
	catalog.PopularCourses: {order{
		columns:    []string{"c.students", "c.id"},
		descending: true,
		byNumber:   true,
	}, "courses_by_students"},
	catalog.RatedCourses: {order{
		columns:    []string{"c.rating", "c.id"},
		descending: true,
		byNumber:   true,
	}, "courses_by_rating"},
	catalog.CheapCourses: {order{columns: []string{"c.net_price", "c.id"}, byNumber: true},
		"courses_by_price"},
}

// Courses lists a page of the published courses that q and s select, in the order of q.
func (r reader) Courses(
	ctx context.Context, q catalog.CourseQuery, s core.WordSearch, page core.PageRequest,
) ([]catalog.Course, error) {
	const allConditions = true
	hint, f := r.catalogueIndex(q, s.FewOfEducator, allConditions)
	from, words := searchedCourses.from(r.engine(), s, hint, &f)
	clauses, args := r.engine().pageClauses(f, courseOrders[q.Sort].of(s), page)
	return r.coursesFrom(ctx, "list a page of the published courses", from, clauses,
		append(words, args...)...)
}

// CatalogueEnd returns the position at which a page of Courses ends that reads a number of rows of
// its index after the position after, or zero if there are fewer.
func (r reader) CatalogueEnd(
	ctx context.Context, q catalog.CourseQuery, after core.Position, rows int,
) (core.Position, error) {
	// A page reads this number of rows of the index, whether or not they satisfy the conditions
	// that are not in it. The caller does not ask for the end of the few courses of an educator.
	const fewOfEducator, allConditions = false, false
	hint, f := r.catalogueIndex(q, fewOfEducator, allConditions)
	const action = "find the end of a page of the published courses"
	return r.endOf(ctx, action, ` FROM {courses} c`+hint, f, courseOrders[q.Sort].order, after,
		rows)
}

// catalogueIndex returns a hint to the index that a page of q is read from, and a filter with the
// condition of that index. It is the index of the educator if q has an educator, and if that index
// has the order of q or the educator has few courses. Otherwise it is the index of the published
// courses in the order of q. With allConditions, the filter has the other condition of q too, in a
// form that no index has, so that no engine chooses another index.
func (r reader) catalogueIndex(
	q catalog.CourseQuery, fewOfEducator, allConditions bool,
) (hint string, f filter) {
	o, educator := courseOrders[q.Sort], key(q.EducatorID)
	byTime := !o.byNumber // which is the order of the index of the educator
	if q.EducatorID != "" && (fewOfEducator || byTime) {
		f.add(`c.educator_id = ?`, educator)
		if allConditions {
			f.add(`COALESCE(c.is_published, 0) = 1`)
		}
		return r.engine().ForceIndex("courses_of_educator"), f
	}
	f.add(`c.is_published = 1`)
	if allConditions && q.EducatorID != "" {
		f.add(`COALESCE(c.educator_id, '') = ?`, educator)
	}
	return r.engine().ForceIndex(o.index), f
}
