package learning

import "context"

// CourseSort is an order of the published courses. On a tie the courses are in the order of
// their ids.
type CourseSort string

// The orders of the published courses.
const (
	OldestCourses  CourseSort = ""
	NewestCourses  CourseSort = "newest"
	PopularCourses CourseSort = "popular" // the most students first
	RatedCourses   CourseSort = "rating"  // the highest average first, to one decimal
	CheapCourses   CourseSort = "price"   // the lowest price after the discount first
)

// ParseCourseSort returns the order with the text s. It returns false if there is no such
// order.
func ParseCourseSort(s string) (CourseSort, bool) {
	sort := CourseSort(s)
	switch sort {
	case OldestCourses, NewestCourses, PopularCourses, RatedCourses, CheapCourses:
		return sort, true
	}
	return "", false
}

// CourseQuery selects and orders published courses.
type CourseQuery struct {
	EducatorID string // "" for those of all educators
	Sort       CourseSort
	Search     string // words, each of which is the beginning of a word of the course; "" for all courses
}

// CataloguePage returns a page of the published courses, and the position after which the next
// one begins, zero at the end. A position belongs to the order in which it was read. A course
// whose place in the order changes meanwhile may be skipped or repeated. A search is without
// regard to case and accents. It needs no actor. Error: [ErrInvalidRequest].
//
// A page reads a bounded number of courses. One that searches, or is of one educator, may
// therefore have fewer than page.Limit courses, or none, before the end. Which courses it reads
// depends on the query:
//
//	words     educator           order        the page reads
//	one rare  any                any          the courses with the rare word, and sorts them
//	none      none               any          the courses in their order until the page is full
//	frequent  none               any          so many courses in their order
//	none rare any                by time      so many courses of the educator in their order
//	none rare with few courses   by a number  the courses of the educator, and sorts them
//	none rare with many courses  by a number  so many courses in their order
func (p *Platform) CataloguePage(ctx context.Context, q CourseQuery, page Page) ([]Course, Position, error) {
	const action = "list the courses"
	if _, known := ParseCourseSort(string(q.Sort)); !known || !page.hasValidLimit() {
		return nil, Position{}, ErrInvalidRequest
	}
	s, found, err := p.search(ctx, CourseWords, q.Search)
	if err != nil || !found {
		return nil, Position{}, wrap(action, err)
	}
	if s.Rare == "" && q.EducatorID != "" && q.Sort.byNumber() {
		// Whether there are many courses of the educator, they tell in the order by time.
		byTime := CourseQuery{EducatorID: q.EducatorID}
		many, err := p.store.CatalogueEnd(ctx, byTime, Position{}, s.rows()+1)
		if err != nil {
			return nil, Position{}, wrap(action, err)
		}
		s.FewOfEducator = many.IsZero()
	}
	read := func(ctx context.Context, page Page) ([]Course, error) {
		return p.store.CataloguePage(ctx, q, s, page)
	}
	if s.Rare != "" || s.FewOfEducator || len(s.Also) == 0 && q.EducatorID == "" {
		return readPage(ctx, action, page, read, q.Sort.position)
	}
	end := func(ctx context.Context, after Position) (Position, error) {
		return p.store.CatalogueEnd(ctx, q, after, s.rows())
	}
	return readScan(ctx, action, page, end, read, q.Sort.position)
}

// byNumber reports whether the order is by a number and not by a time.
func (s CourseSort) byNumber() bool { return s != OldestCourses && s != NewestCourses }

// position returns the position of a course in the order.
func (s CourseSort) position(c Course) Position {
	switch s {
	case PopularCourses:
		return Position{Value: int64(c.Students), ID: c.ID}
	case RatedCourses:
		return Position{Value: int64(c.Ratings.tenths()), ID: c.ID}
	case CheapCourses:
		const whole = 100_00
		return Position{Value: int64(c.Price) * (whole - int64(c.Discount)), ID: c.ID}
	default:
		return Position{At: c.CreatedAt, ID: c.ID}
	}
}
