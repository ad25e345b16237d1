package httpapi

import (
	"context"
	"net/http"
	"strings"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
)

// courseList is the id of the route that lists the published courses.
const courseList = "course.list"

// asksForCoursePage reports whether the query asks for a page, or selects or orders the
// courses, which only pages do.
func asksForCoursePage(c *call) bool {
	values := c.URL.Query()
	for name := range values {
		if strings.HasPrefix(name, metadataPrefix) {
			return true
		}
	}
	return asksForPage(c) || values.Get("q") != "" || values.Get("educatorId") != "" ||
		values.Get("sort") != ""
}

// courses returns a function that reads pages of the published courses that q selects.
func (a *api) courses(ctx context.Context, q catalog.CourseQuery) readPage[catalog.Course] {
	return func(page core.PageRequest) (core.Page[catalog.Course], error) {
		return a.platform.Catalog.Catalogue(ctx, q, page)
	}
}

// coursePage answers a page of the published courses, from the database. Only a few are made at
// the same time, and fewer that are searches, because a search reads more courses than it answers.
// It refuses an unknown order, and metadata that no course can have.
func (a *api) coursePage(w http.ResponseWriter, c *call) error {
	values := c.URL.Query()
	// Without the parameter the oldest course is first, as in the whole list.
	sort, known := catalog.ParseCourseSort(values.Get("sort"))
	if !known {
		return core.InvalidField("sort", unknownWord)
	}
	pairs, err := metadataFilter(values)
	if err != nil {
		return err
	}
	q := catalog.CourseQuery{EducatorID: values.Get("educatorId"), Sort: sort,
		Search: strings.TrimSpace(values.Get("q")), Metadata: pairs}
	w.Header().Set("Cache-Control", revalidate)
	answer := func() (any, error) {
		rows, next, err := pageRows(c, a.courses(c.Context(), q))
		return coursesAnswer{shaped(rows, a.course), next}, err
	}
	makeAnswer := c.MakeLarge
	isSearch := q.Search != "" || q.EducatorID != "" || len(q.Metadata) > 0 // it selects some of the courses
	if isSearch {
		makeAnswer = c.MakeSearch
	}
	body, err := makeAnswer(answer)
	if err != nil {
		return err
	}
	return c.WriteBody(w, body)
}
