package httpapi

import "github.com/openlectern/openlectern/learning"

type taughtCourseJSON struct {
	ID        string  `json:"_id"`
	Title     string  `json:"courseTitle"`
	Thumbnail string  `json:"courseThumbnail"`
	Price     decimal `json:"coursePrice"`
	Discount  decimal `json:"discount"`
	Published bool    `json:"isPublished"`
	CreatedAt instant `json:"createdAt"`
	Students  int     `json:"enrolledStudentsCount"`
}

type taughtCoursesAnswer struct {
	Courses []taughtCourseJSON `json:"courses"`
	Next    nextCursor         `json:"nextCursor,omitzero"`
}

func (a *api) taughtCourses(c *call, _ none) (taughtCoursesAnswer, error) {
	list, next, err := listed(c, func() ([]learning.Course, error) {
		return a.platform.TaughtCourses(c.Context(), c.actor)
	}, func(page learning.Page) ([]learning.Course, learning.Position, error) {
		return a.platform.TaughtCoursesPage(c.Context(), c.actor, page)
	})
	if err != nil {
		return taughtCoursesAnswer{}, err
	}
	answer := taughtCoursesAnswer{make([]taughtCourseJSON, 0, len(list)), next}
	for _, course := range list {
		answer.Courses = append(answer.Courses, taughtCourseJSON{
			course.ID, course.Title, a.platform.MediaURL(course.Thumbnail), decimal(course.Price), decimal(course.Discount),
			course.Published, instant(course.CreatedAt), course.Students})
	}
	return answer, nil
}

type dashboardAnswer struct {
	Data dashboardJSON `json:"dashboardData"`
}

type dashboardJSON struct {
	Earnings decimal                `json:"totalEarnings"`
	Courses  int                    `json:"totalCourses"`
	Students []dashboardStudentJSON `json:"enrolledStudentsData"`
}

type dashboardStudentJSON struct {
	CourseTitle string     `json:"courseTitle"`
	Student     personJSON `json:"student"`
}

func (a *api) dashboard(c *call, _ none) (dashboardAnswer, error) {
	d, err := a.platform.Dashboard(c.Context(), c.actor)
	if err != nil {
		return dashboardAnswer{}, err
	}
	data := dashboardJSON{decimal(d.Earnings), d.Courses, make([]dashboardStudentJSON, 0, len(d.Students))}
	for _, s := range d.Students {
		data.Students = append(data.Students, dashboardStudentJSON{s.CourseTitle, person(s.Student)})
	}
	return dashboardAnswer{data}, nil
}

type taughtStudentJSON struct {
	Student      personJSON `json:"student"`
	CourseTitle  string     `json:"courseTitle"`
	PurchaseDate instant    `json:"purchaseDate"`
}

type taughtStudentsAnswer struct {
	Students []taughtStudentJSON `json:"enrolledStudents"`
	Next     nextCursor          `json:"nextCursor,omitzero"`
}

func (a *api) taughtStudents(c *call, _ none) (taughtStudentsAnswer, error) {
	list, next, err := listed(c, func() ([]learning.TaughtStudent, error) {
		return a.platform.TaughtStudents(c.Context(), c.actor)
	}, func(page learning.Page) ([]learning.TaughtStudent, learning.Position, error) {
		return a.platform.TaughtStudentsPage(c.Context(), c.actor, page)
	})
	if err != nil {
		return taughtStudentsAnswer{}, err
	}
	answer := taughtStudentsAnswer{make([]taughtStudentJSON, 0, len(list)), next}
	for _, s := range list {
		answer.Students = append(answer.Students, taughtStudentJSON{person(s.Student), s.CourseTitle, instant(s.EnrolledAt)})
	}
	return answer, nil
}
