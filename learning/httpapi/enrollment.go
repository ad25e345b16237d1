package httpapi

import "github.com/openlectern/openlectern/learning"

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

func (a *api) enrolledCourses(c *call, _ none) (enrolledCoursesAnswer, error) {
	list, next, err := listed(c, func() ([]learning.EnrolledCourse, error) {
		return a.platform.EnrolledCourses(c.Context(), c.actor)
	}, func(page learning.Page) ([]learning.EnrolledCourse, learning.Position, error) {
		return a.platform.EnrolledCoursesPage(c.Context(), c.actor, page)
	})
	if err != nil {
		return enrolledCoursesAnswer{}, err
	}
	answer := enrolledCoursesAnswer{make([]enrolledCourseJSON, 0, len(list)), next}
	for _, course := range list {
		answer.Courses = append(answer.Courses, enrolledCourseJSON{
			course.ID, course.Title, a.platform.MediaURL(course.Thumbnail), decimal(course.Price),
			course.Educator.ID, course.Lectures, course.Minutes, userRating(course)})
	}
	return answer, nil
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
