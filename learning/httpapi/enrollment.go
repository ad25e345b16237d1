package httpapi

import (
	"net/http"

	"github.com/openlectern/openlectern/learning"
)

type enrolledCourseJSON struct {
	ID         string  `json:"_id"`
	Title      string  `json:"title" doc:"The title of the course, plain text."`
	Thumbnail  string  `json:"thumbnail" doc:"The URL of the picture of the course."`
	Price      decimal `json:"price" doc:"The price before the discount."`
	EducatorID string  `json:"educator" doc:"The id of the educator."`
	Lectures   int     `json:"totalLectures"`
	Minutes    int     `json:"totalDurationMinutes" doc:"Of all lectures, rounded."`
	// null when there is none
	UserRating *int `json:"userRating" jsonschema:"nullable" doc:"From 1 to 5. Null if there is none."`
}

type enrolledCoursesAnswer struct {
	Courses []enrolledCourseJSON `json:"enrolledCourses" doc:"The oldest enrolment first."`
	Next    nextCursor           `json:"nextCursor,omitzero"`
}

// enrolledCourses answers all courses in which the caller is enrolled, or one page of them if the
// query has a limit or a cursor.
func (a *api) enrolledCourses(w http.ResponseWriter, c *call) error {
	return listing[learning.EnrolledCourse, enrolledCourseJSON]{
		field: "enrolledCourses",
		page: func(page learning.PageRequest) (learning.Page[learning.EnrolledCourse], error) {
			return a.platform.EnrolledCourses(c.Context(), c.actor, page)
		},
		shape: func(course learning.EnrolledCourse) enrolledCourseJSON {
			return enrolledCourseJSON{
				ID:         course.ID,
				Title:      course.Title,
				Thumbnail:  a.platform.MediaURL(course.Thumbnail),
				Price:      decimal(course.Price),
				EducatorID: course.Educator.ID,
				Lectures:   course.Lectures,
				Minutes:    course.Minutes,
				UserRating: userRating(course),
			}
		},
		answer: func(rows []enrolledCourseJSON, next nextCursor) any {
			return enrolledCoursesAnswer{rows, next}
		},
	}.write(w, c)
}

type enrolledCourseAnswer struct {
	Course     courseDetailJSON `json:"courseData" doc:"The course, with the URL of every lecture."`
	UserRating *int             `json:"userRating" jsonschema:"nullable" doc:"From 1 to 5. Null if there is none."`
}

// enrolledCourse answers a course with the URLs of all lectures, for the caller who is enrolled.
func (a *api) enrolledCourse(c *call, _ none) (enrolledCourseAnswer, error) {
	course, err := a.platform.EnrolledCourse(c.Context(), c.actor, c.Param("courseId"))
	if err != nil {
		return enrolledCourseAnswer{}, err
	}
	return enrolledCourseAnswer{courseDetailJSON{
		courseJSON: a.course(course.Course),
		Content:    chapters(course.Content),
	}, userRating(course.EnrolledCourse)}, nil
}

// userRating returns the stars that the caller has given a course, or nil, which is null in JSON,
// if the caller has not rated it.
func userRating(c learning.EnrolledCourse) *int {
	if c.Stars == 0 {
		return nil
	}
	return &c.Stars
}
