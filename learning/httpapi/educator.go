package httpapi

import (
	"net/http"

	"github.com/openlectern/openlectern/learning"
)

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

func (a *api) taughtCourses(w http.ResponseWriter, c *call) error {
	return listing[learning.Course, taughtCourseJSON]{
		field: "courses",
		all:   func() (*learning.List[learning.Course], error) { return a.platform.TaughtCourses(c.actor) },
		page: func(page learning.Page) ([]learning.Course, learning.Position, error) {
			return a.platform.TaughtCoursesPage(c.Context(), c.actor, page)
		},
		shape: a.taughtCourse,
		answer: func(rows []taughtCourseJSON, next nextCursor) any {
			return taughtCoursesAnswer{rows, next}
		},
	}.write(w, c)
}

func (a *api) taughtCourse(c learning.Course) taughtCourseJSON {
	return taughtCourseJSON{
		c.ID, c.Title, a.platform.MediaURL(c.Thumbnail), decimal(c.Price), decimal(c.Discount),
		c.Published, instant(c.CreatedAt), c.Students}
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

// dashboardTotals are the fields that follow the students of the dashboard.
type dashboardTotals struct {
	Earnings decimal `json:"totalEarnings"`
	Courses  int     `json:"totalCourses"`
}

func (a *api) dashboard(w http.ResponseWriter, c *call) error {
	d, err := a.platform.Dashboard(c.Context(), c.actor)
	if err != nil {
		return err
	}
	shape := func(s learning.TaughtStudent) dashboardStudentJSON {
		return dashboardStudentJSON{s.CourseTitle, person(s.Student)}
	}
	return writeList(w, c, "dashboardData.enrolledStudentsData", d.Students, shapeInPlace(shape),
		func(int) any { return dashboardTotals{decimal(d.Earnings), d.Courses} })
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

func (a *api) taughtStudents(w http.ResponseWriter, c *call) error {
	return listing[learning.TaughtStudent, taughtStudentJSON]{
		field: "enrolledStudents",
		all: func() (*learning.List[learning.TaughtStudent], error) {
			return a.platform.TaughtStudents(c.Context(), c.actor)
		},
		page: func(page learning.Page) ([]learning.TaughtStudent, learning.Position, error) {
			return a.platform.TaughtStudentsPage(c.Context(), c.actor, page)
		},
		shape: func(s learning.TaughtStudent) taughtStudentJSON {
			return taughtStudentJSON{person(s.Student), s.CourseTitle, instant(s.EnrolledAt)}
		},
		answer: func(rows []taughtStudentJSON, next nextCursor) any {
			return taughtStudentsAnswer{rows, next}
		},
	}.write(w, c)
}
