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
// whose place in the order changes meanwhile may be skipped or repeated. A search is
// without regard to case and accents. It needs no actor. Error: [ErrInvalidRequest].
func (p *Platform) CataloguePage(ctx context.Context, q CourseQuery, page Page) ([]Course, Position, error) {
	if _, known := ParseCourseSort(string(q.Sort)); !known {
		return nil, Position{}, ErrInvalidRequest
	}
	return readPage(ctx, "list the courses", page, func(ctx context.Context, page Page) ([]Course, error) {
		s, found, err := p.search(ctx, CourseWords, q.Search)
		if err != nil || !found {
			return nil, err
		}
		return p.store.CataloguePage(ctx, q, s, page)
	}, q.Sort.position)
}

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
