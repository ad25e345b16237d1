package httpapi

import (
	"net/http"

	"github.com/openlectern/openlectern/learning"
)

type enrolledCourseJSON struct {
	ID         string  `json:"_id"`
	Title      string  `json:"title"`
	Thumbnail  string  `json:"thumbnail"`
	Price      decimal `json:"price"`
	EducatorID string  `json:"educator"`
	Lectures   int     `json:"totalLectures"`
	Minutes    int     `json:"totalDurationMinutes"`
	UserRating *int    `json:"userRating" jsonschema:"nullable"` // null when there is none
}

type enrolledCoursesAnswer struct {
	Courses []enrolledCourseJSON `json:"enrolledCourses"`
	Next    nextCursor           `json:"nextCursor,omitzero"`
}

func (a *api) enrolledCourses(w http.ResponseWriter, c *call) error {
	return listing[learning.EnrolledCourse, enrolledCourseJSON]{
		field: "enrolledCourses",
		all: func() (*learning.List[learning.EnrolledCourse], error) {
			return a.platform.EnrolledCourses(c.actor)
		},
		page: func(page learning.Page) ([]learning.EnrolledCourse, learning.Position, error) {
			return a.platform.EnrolledCoursesPage(c.Context(), c.actor, page)
		},
		shape: func(course learning.EnrolledCourse) enrolledCourseJSON {
			return enrolledCourseJSON{
				course.ID, course.Title, a.platform.MediaURL(course.Thumbnail), decimal(course.Price),
				course.Educator.ID, course.Lectures, course.Minutes, userRating(course)}
		},
		answer: func(rows []enrolledCourseJSON, next nextCursor) any {
			return enrolledCoursesAnswer{rows, next}
		},
	}.write(w, c)
}

type enrolledCourseAnswer struct {
	Course     courseDetailJSON `json:"courseData"`
	UserRating *int             `json:"userRating" jsonschema:"nullable"`
}

func (a *api) enrolledCourse(c *call, _ none) (enrolledCourseAnswer, error) {
	course, content, err := a.platform.EnrolledCourse(c.Context(), c.actor, c.param("courseId"))
	if err != nil {
		return enrolledCourseAnswer{}, err
	}
	return enrolledCourseAnswer{courseDetailJSON{a.course(course.Course), chapters(content)}, userRating(course)}, nil
}

func userRating(c learning.EnrolledCourse) *int {
	if c.Stars == 0 {
		return nil
	}
	return &c.Stars
}
