package httpapi

import (
	"net/http"
	"strings"

	"github.com/openlectern/openlectern/learning"
)

// courseList is the id of the route that lists the published courses.
const courseList = "course.list"

// asksForCoursePage reports whether the query asks for a page, or selects or orders the
// courses, which only pages do.
func asksForCoursePage(c *call) bool {
	values := c.URL.Query()
	return asksForPage(c) || values.Get("q") != "" || values.Get("educatorId") != "" || values.Get("sort") != ""
}

// coursePage answers a page of the published courses, from the database. Only a few are made at
// the same time, and fewer that are searches, because a search reads more courses than it answers.
func (a *api) coursePage(w http.ResponseWriter, c *call) error {
	values := c.URL.Query()
	sort, known := learning.ParseCourseSort(values.Get("sort"))
	if !known {
		return learning.ErrInvalidRequest
	}
	q := learning.CourseQuery{EducatorID: values.Get("educatorId"), Sort: sort, Search: strings.TrimSpace(values.Get("q"))}
	w.Header().Set("Cache-Control", revalidate)
	answer := func() (any, error) {
		rows, next, err := pageRows(c, func(page learning.Page) ([]learning.Course, learning.Position, error) {
			return a.platform.CataloguePage(c.Context(), q, page)
		})
		return coursesAnswer{shaped(rows, a.course), next}, err
	}
	pageOf := c.MakeLarge
	if q.Search != "" || q.EducatorID != "" {
		pageOf = c.MakeSearch
	}
	body, err := pageOf(answer)
	if err != nil {
		return err
	}
	return c.WriteBody(w, body)
}
