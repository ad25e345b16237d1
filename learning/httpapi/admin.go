package httpapi

import (
	"net/http"
	"strings"
	"time"

	"github.com/openlectern/openlectern/learning"
)

type statsAnswer struct {
	Stats statsJSON `json:"stats"`
}

type statsJSON struct {
	Students            int     `json:"totalStudents"`
	Courses             int     `json:"totalCourses"`
	Educators           int     `json:"totalEducators"`
	PendingApplications int     `json:"pendingApplications"`
	Revenue             decimal `json:"totalRevenue"`
	Enrollments         int     `json:"totalEnrollments"`
}

func (a *api) stats(c *call, _ none) (statsAnswer, error) {
	s, err := a.platform.Stats(c.Context(), c.actor)
	return statsAnswer{statsJSON{s.Students, s.Courses, s.Educators, s.PendingApplications, decimal(s.Revenue), s.Enrollments}}, err
}

type chartsAnswer struct {
	TopCourses []topCourseJSON  `json:"topCourseData"`
	Week       []dayRevenueJSON `json:"weeklyRevenue"`
}

type topCourseJSON struct {
	Name        string `json:"name"`
	Enrollments int    `json:"enrollments"`
}

type dayRevenueJSON struct {
	Date    string  `json:"date" jsonschema:"format=date"`
	Revenue decimal `json:"revenue"`
}

func (a *api) charts(c *call, _ none) (chartsAnswer, error) {
	charts, err := a.platform.Charts(c.Context(), c.actor)
	if err != nil {
		return chartsAnswer{}, err
	}
	answer := chartsAnswer{make([]topCourseJSON, 0, len(charts.TopCourses)), make([]dayRevenueJSON, 0, len(charts.Week))}
	for _, course := range charts.TopCourses {
		answer.TopCourses = append(answer.TopCourses, topCourseJSON{chartName(course.Title), course.Students})
	}
	for _, day := range charts.Week {
		answer.Week = append(answer.Week, dayRevenueJSON{day.Day.Format(time.DateOnly), decimal(day.Revenue)})
	}
	return answer, nil
}

// chartName cuts a title to 22 characters and an ellipsis, so that it fits below a bar.
func chartName(title string) string {
	const room = 22
	if r := []rune(title); len(r) > room {
		return string(r[:room]) + "…"
	}
	return title
}

type courseReportJSON struct {
	ID        string             `json:"_id"`
	Title     string             `json:"courseTitle"`
	Educator  reportEducatorJSON `json:"educatorId"`
	Students  int                `json:"enrolledCount"`
	Published bool               `json:"isPublished"`
	Price     decimal            `json:"coursePrice"`
	Discount  decimal            `json:"discount"`
	CreatedAt instant            `json:"createdAt"`
	Revenue   decimal            `json:"revenue"`
	Purchases int                `json:"purchases"`
}

type reportEducatorJSON struct {
	ID    string `json:"_id"`
	Name  string `json:"name"`
	Email string `json:"email"`
}

type courseReportsAnswer struct {
	Courses []courseReportJSON `json:"courses"`
	Next    nextCursor         `json:"nextCursor,omitzero"`
}

func (a *api) courseReports(w http.ResponseWriter, c *call) error {
	return listing[learning.CourseReport, courseReportJSON]{
		field: "courses",
		all: func() (*learning.List[learning.CourseReport], error) {
			return a.platform.CourseReports(c.actor)
		},
		page: func(page learning.Page) ([]learning.CourseReport, learning.Position, error) {
			return a.platform.CourseReportsPage(c.Context(), c.actor, page)
		},
		shape: courseReportOf,
		answer: func(rows []courseReportJSON, next nextCursor) any {
			return courseReportsAnswer{rows, next}
		},
	}.write(w, c)
}

func courseReportOf(r learning.CourseReport) courseReportJSON {
	return courseReportJSON{
		r.ID, r.Title, reportEducatorJSON{r.Educator.ID, r.Educator.Name, r.EducatorEmail},
		r.Students, r.Published, decimal(r.Price), decimal(r.Discount), instant(r.CreatedAt),
		decimal(r.Revenue), r.Purchases}
}

type purchaseReportJSON struct {
	ID        string              `json:"_id"`
	UserID    string              `json:"userId"`
	Course    purchasedCourseJSON `json:"courseId"`
	Amount    decimal             `json:"amount"`
	Refunded  decimal             `json:"refundedAmount"`
	Currency  string              `json:"currency"`
	Status    string              `json:"status" jsonschema:"enum=created,enum=pending,enum=completed,enum=failed,enum=refunded"`
	CreatedAt instant             `json:"createdAt"`
}

type purchasedCourseJSON struct {
	ID    string `json:"_id"`
	Title string `json:"courseTitle"`
}

// purchaseStatuses maps the values of the status filter; "" and "all" do not filter.
var purchaseStatuses = map[string]learning.PurchaseStatus{
	"": "", "all": "",
	"created": learning.PurchaseCreated, "pending": learning.PurchasePending, "completed": learning.PurchaseCompleted,
	"failed": learning.PurchaseFailed, "refunded": learning.PurchaseRefunded,
}

func (a *api) purchaseReports(w http.ResponseWriter, c *call) error {
	status, known := purchaseStatuses[c.URL.Query().Get("status")]
	if !known {
		return learning.ErrInvalidRequest
	}
	return listing[learning.PurchaseReport, purchaseReportJSON]{
		field: "purchases",
		all: func() (*learning.List[learning.PurchaseReport], error) {
			return a.platform.Purchases(c.actor, status)
		},
		page: func(page learning.Page) ([]learning.PurchaseReport, learning.Position, error) {
			return a.platform.PurchasesPage(c.Context(), c.actor, status, page)
		},
		shape: purchaseReportOf,
		answer: func(rows []purchaseReportJSON, next nextCursor) any {
			return purchaseReportsAnswer{rows, next}
		},
	}.write(w, c)
}

func purchaseReportOf(p learning.PurchaseReport) purchaseReportJSON {
	return purchaseReportJSON{p.ID, p.UserID, purchasedCourseJSON{p.CourseID, p.CourseTitle},
		decimal(p.Amount), decimal(p.RefundedAmount), p.Currency, string(p.Status), instant(p.CreatedAt)}
}

type userReportJSON struct {
	ID             string  `json:"_id"`
	Name           string  `json:"name"`
	Email          string  `json:"email"`
	ImageURL       string  `json:"imageUrl"`
	Enrollments    int     `json:"enrolledCount"`
	CoursesCreated int     `json:"coursesCreated"`
	IsEducator     bool    `json:"isEducator"`
	Role           string  `json:"role" jsonschema:"enum=student,enum=educator,enum=admin"`
	CreatedAt      instant `json:"createdAt"`
}

func (a *api) userReports(w http.ResponseWriter, c *call) error {
	values := c.URL.Query()
	q := learning.UserQuery{
		Search: strings.TrimSpace(values.Get("q")),
		Role:   learning.Role(values.Get("role")),
	}
	read := func(page learning.Page) ([]learning.UserReport, learning.Position, error) {
		return a.platform.UsersPage(c.Context(), c.actor, q, page)
	}
	answer := func(rows []learning.UserReport, next nextCursor) any {
		return userReportsAnswer{shaped(rows, userReportOf), next}
	}
	switch {
	case q.Search != "":
		body, err := c.makeSearch(func() (any, error) {
			rows, next, err := pageRows(c, read)
			return answer(rows, next), err
		})
		if err != nil {
			return err
		}
		return c.writeBody(w, body)
	case asksForPage(c) || q.Role != "":
		return writePage(w, c, read, answer)
	}
	list, err := a.platform.Users(c.actor)
	if err != nil {
		return err
	}
	return writeList(w, c, "users", list, shapeInPlace(userReportOf), nil)
}

func userReportOf(u learning.UserReport) userReportJSON {
	return userReportJSON{u.ID, u.Name, u.Email, u.ImageURL, u.Enrollments, u.CoursesCreated, u.IsEducator, string(u.Role), instant(u.CreatedAt)}
}

type (
	purchaseReportsAnswer struct {
		Purchases []purchaseReportJSON `json:"purchases"`
		Next      nextCursor           `json:"nextCursor,omitzero"`
	}
	userReportsAnswer struct {
		Users []userReportJSON `json:"users"`
		Next  nextCursor       `json:"nextCursor,omitzero"`
	}
)
