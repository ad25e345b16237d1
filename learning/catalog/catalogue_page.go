package catalog

import (
	"cmp"
	"context"
	"fmt"

	"github.com/openlectern/openlectern/internal/paging"
	"github.com/openlectern/openlectern/learning/core"
)

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
	// words, each of which is the beginning of a word of the course; "" for all courses
	Search string
	// Metadata has the values that courses must have for some keys; at most [MaxMetadataFilters].
	Metadata core.Metadata
}

// MaxMetadataFilters is how many pairs of metadata a [CourseQuery] may have.
const MaxMetadataFilters = 3

// Catalogue returns a page of the published courses that q selects, in its order. The position of
// the next page belongs to that order. A course whose place in the order changes meanwhile may be
// skipped or repeated. A search is without regard to case and accents. It needs no actor. Error:
// [core.ErrInvalidRequest], for an unknown order, a limit that is not valid, a search that is
// too long, too many pairs of metadata, or one that no course can have.
//
// A page reads at most N courses: a fixed number, which is smaller for more than two words. A page
// of a search, or of one educator, may therefore have fewer than page.Limit courses, or none,
// before the end. Which courses it reads depends on the query. A word is rare, and an educator has
// few courses, if there are at most N of them. A pair of metadata counts as a word:
//
//	words     educator           order        the page reads
//	one rare  any                any          the courses with the rare word, and sorts them
//	none      none               any          the courses in their order until the page is full
//	frequent  none               any          N courses in their order
//	none rare any                by time      N courses of the educator in their order
//	none rare with few courses   by a number  the courses of the educator, and sorts them
//	none rare with many courses  by a number  N courses in their order
func (s *Service) Catalogue(
	ctx context.Context, q CourseQuery, page core.PageRequest,
) (core.Page[Course], error) {
	const action = "list the courses"
	_, isKnownSort := ParseCourseSort(string(q.Sort))
	err := cmp.Or(core.Require(isKnownSort, "sort", "must be a known order"), page.Check(),
		core.Require(len(q.Metadata) <= MaxMetadataFilters, "metadata",
			fmt.Sprintf("must have at most %d keys", MaxMetadataFilters)), q.Metadata.Check())
	if err != nil {
		return core.Page[Course]{}, err
	}

	// Look up the words of the search, and the pairs of metadata: search.Rare is a rare one, or "",
	// and search.Also and search.Pairs are the others. If there is one that no course has, or if a
	// search that is not "" has no word, such as "?", the page is empty.
	search, found, err := core.FindWordsAndPairs(ctx, s.store, CourseWords, q.Search, CoursePairs,
		q.Metadata)
	if err != nil || !found {
		return core.Page[Course]{}, core.Wrap(action, err)
	}

	// An educator with few courses has no more than a page may read: search.Rows(), the N of the
	// table. The order by time, which is that of the zero Sort, tells whether there is one more,
	// because a scan in that order reads no courses of others.
	if search.Rare == "" && q.EducatorID != "" && q.Sort.byNumber() {
		byTime := CourseQuery{EducatorID: q.EducatorID}
		oneMore, err := s.store.CatalogueEnd(ctx, byTime, core.Position{}, search.Rows()+1)
		if err != nil {
			return core.Page[Course]{}, core.Wrap(action, err)
		}
		search.FewOfEducator = oneMore.IsZero()
	}

	// Read the page with one query, or scan search.Rows() courses for it: see the table. search
	// tells the store which of them to read.
	read := func(ctx context.Context, page core.PageRequest) ([]Course, error) {
		return s.store.Courses(ctx, q, search, page)
	}
	selectsAll := search.Lookups() == 0 && q.EducatorID == ""
	if search.Rare != "" || search.FewOfEducator || selectsAll {
		return paging.ReadPage(ctx, action, page, read, q.Sort.position)
	}
	end := func(ctx context.Context, after core.Position) (core.Position, error) {
		return s.store.CatalogueEnd(ctx, q, after, search.Rows())
	}
	return paging.ReadScan(ctx, action, page, end, read, q.Sort.position)
}

// byNumber reports whether the order is by a number and not by a time.
func (s CourseSort) byNumber() bool { return s != OldestCourses && s != NewestCourses }

// position returns the position of a course in the order, by the same value as the store.
func (s CourseSort) position(c Course) core.Position {
	switch s {
	case PopularCourses:
		return core.Position{Value: int64(c.Students), ID: c.ID}
	case RatedCourses:
		return core.Position{Value: int64(c.Ratings.tenths()), ID: c.ID}
	case CheapCourses:
		// The price after the discount, not divided and so not rounded.
		const whole = 100_00 // 100 % as a Percent
		return core.Position{Value: int64(c.Price) * (whole - int64(c.Discount)), ID: c.ID}
	default:
		return core.Position{At: c.CreatedAt, ID: c.ID}
	}
}
