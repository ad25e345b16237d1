package httpapi

import (
	"net/http"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/staff"
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

	Metadata metadataJSON `json:"metadata,omitempty" doc:"What the host keeps with the course. Left out if it is empty."`
}

type taughtCoursesAnswer struct {
	Courses []taughtCourseJSON `json:"courses" doc:"Drafts included, the newest first."`
	Next    nextCursor         `json:"nextCursor,omitzero"`
}

// taughtCourses answers all courses of the caller, or one page of them if the query has a limit or
// a cursor.
func (a *api) taughtCourses(w http.ResponseWriter, c *call) error {
	return listing[catalog.Course, taughtCourseJSON]{
		field: "courses",
		page: func(page core.PageRequest) (core.Page[catalog.Course], error) {
			return a.platform.Staff.TaughtCourses(c.Context(), c.actor, page)
		},
		shape: a.taughtCourse,
		answer: func(rows []taughtCourseJSON, next nextCursor) any {
			return taughtCoursesAnswer{rows, next}
		},
	}.write(w, c)
}

// taughtCourse returns the wire shape of a course in its educator's list.
func (a *api) taughtCourse(c catalog.Course) taughtCourseJSON {
	return taughtCourseJSON{
		ID:        c.ID,
		Title:     c.Title,
		Thumbnail: a.platform.Files.MediaURL(c.Thumbnail),
		Price:     decimal(c.Price),
		Discount:  decimal(c.Discount),
		Published: c.Published,
		CreatedAt: instant(c.CreatedAt),
		Students:  c.Students,
		Metadata:  metadataJSON(c.Metadata),
	}
}

type dashboardAnswer struct {
	Data dashboardJSON `json:"dashboardData"`
}

type dashboardJSON struct {
	Earnings decimal                `json:"totalEarnings" doc:"What completed purchases earned less refunds."`
	Courses  int                    `json:"totalCourses" doc:"Drafts included."`
	Students []dashboardStudentJSON `json:"enrolledStudentsData" doc:"One for each enrolment."`

	ByCurrency []revenueJSON `json:"revenueByCurrency" doc:"The earnings in each currency, that of 'totalEarnings' included."`
	Waiting    waitingJSON   `json:"waiting"`
}

// waitingJSON is what waits for an educator (docs/api.md §21).
type waitingJSON struct {
	_ struct{} `doc:"What waits in the caller's own courses."`

	Submissions int `json:"submissions" doc:"How many submissions of assignments wait for a grade."`
	Questions   int `json:"questions" doc:"How many posts of others are not resolved and have no reply of the educator or an admin. Posts of deleted users are not counted."`
	Reviews     int `json:"reviews" doc:"How many reviews with a text have no answer."`
}

type dashboardStudentJSON struct {
	CourseTitle string     `json:"courseTitle"`
	Student     personJSON `json:"student"`
}

// dashboardTotals are the fields that follow the students of the dashboard.
type dashboardTotals struct {
	Earnings decimal `json:"totalEarnings"`
	Courses  int     `json:"totalCourses"`

	ByCurrency []revenueJSON `json:"revenueByCurrency"`
	Waiting    waitingJSON   `json:"waiting"`
}

// dashboard sends the students in parts, and the totals after them.
func (a *api) dashboard(w http.ResponseWriter, c *call) error {
	d, err := a.platform.Staff.Dashboard(c.Context(), c.actor)
	if err != nil {
		return err
	}
	shape := func(s staff.TaughtStudent) dashboardStudentJSON {
		return dashboardStudentJSON{s.CourseTitle, person(s.Student)}
	}
	return writeList(w, c, "dashboardData.enrolledStudentsData", d.Students.All, d.Students.Held,
		shapeInPlace(shape),
		func(int) any {
			return dashboardTotals{
				Earnings:   decimal(d.Earnings),
				Courses:    d.Courses,
				ByCurrency: revenuesOf(d.ByCurrency),
				Waiting: waitingJSON{
					Submissions: d.Waiting.Submissions,
					Questions:   d.Waiting.Questions,
					Reviews:     d.Waiting.Reviews,
				},
			}
		})
}
