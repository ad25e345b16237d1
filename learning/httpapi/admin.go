package httpapi

import (
	"net/http"
	"strings"
	"time"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/staff"
)

type statsAnswer struct {
	Stats statsJSON `json:"stats"`
}

type statsJSON struct {
	Students            int     `json:"totalStudents" doc:"The number of user records."`
	Courses             int     `json:"totalCourses" doc:"The number of courses, drafts included."`
	Educators           int     `json:"totalEducators" doc:"The number of users with an approved application or a recorded role 'educator'."`
	PendingApplications int     `json:"pendingApplications" doc:"How many wait for a decision."`
	Revenue             decimal `json:"totalRevenue" doc:"What completed purchases earned less refunds."`
	Enrollments         int     `json:"totalEnrollments"`
	OpenComplaints      int     `json:"openReports" doc:"How many reports of users wait for a decision."`

	ByCurrency []revenueJSON `json:"revenueByCurrency" doc:"The revenue in each currency, that of 'totalRevenue' included. Sums of several currencies are never added."`
}

// stats answers the totals of the platform. If there is an error, the answer is not sent.
func (a *api) stats(c *call, _ none) (statsAnswer, error) {
	s, err := a.platform.Staff.Stats(c.Context(), c.actor)
	return statsAnswer{statsJSON{
		Students:            s.Students,
		Courses:             s.Courses,
		Educators:           s.Educators,
		PendingApplications: s.PendingApplications,
		Revenue:             decimal(s.Revenue),
		Enrollments:         s.Enrollments,
		OpenComplaints:      s.OpenComplaints,
		ByCurrency:          revenuesOf(s.ByCurrency),
	}}, err
}

type chartsAnswer struct {
	TopCourses []topCourseJSON  `json:"topCourseData" doc:"At most six, the most enrolments first."`
	Week       []dayRevenueJSON `json:"weeklyRevenue" doc:"The last seven UTC days, today last."`
}

type topCourseJSON struct {
	Name        string `json:"name" doc:"The title of the course; a long one is 22 characters and '…'."`
	Enrollments int    `json:"enrollments"`
}

type dayRevenueJSON struct {
	Date    string  `json:"date" jsonschema:"format=date" doc:"The day in UTC, such as 2026-01-31."`
	Revenue decimal `json:"revenue" doc:"What the purchases completed on that day earned less refunds."`

	ByCurrency []revenueJSON `json:"revenueByCurrency" doc:"The same in each currency in which there was a purchase on that day, and in that of 'revenue'."`
}

// revenueJSON is a revenue in one currency.
type revenueJSON struct {
	Currency string `json:"currency"`
	Amount   amount `json:"amount" doc:"In the major unit of the currency."`
}

// revenuesOf returns the wire shape of revenues.
func revenuesOf(list []staff.Revenue) []revenueJSON {
	revenues := make([]revenueJSON, len(list))
	for i, r := range list {
		revenues[i] = revenueJSON{r.Currency, amountOf(r.Amount, r.Currency)}
	}
	return revenues
}

// charts answers the courses with the most students and the revenue of the last week, both as
// lists that are never null.
func (a *api) charts(c *call, _ none) (chartsAnswer, error) {
	charts, err := a.platform.Staff.Charts(c.Context(), c.actor)
	if err != nil {
		return chartsAnswer{}, err
	}
	answer := chartsAnswer{make([]topCourseJSON, 0, len(charts.TopCourses)),
		make([]dayRevenueJSON, 0, len(charts.Week))}
	for _, course := range charts.TopCourses {
		answer.TopCourses = append(answer.TopCourses,
			topCourseJSON{chartName(course.Title), course.Students})
	}
	for _, day := range charts.Week {
		answer.Week = append(answer.Week,
			dayRevenueJSON{day.Day.Format(time.DateOnly), decimal(day.Revenue),
				revenuesOf(day.ByCurrency)})
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
	Educator  reportEducatorJSON `json:"educatorId" doc:"The person, not only the id."`
	Students  int                `json:"enrolledCount"`
	Published bool               `json:"isPublished"`
	Price     decimal            `json:"coursePrice"`
	Discount  decimal            `json:"discount"`
	CreatedAt instant            `json:"createdAt"`
	Revenue   decimal            `json:"revenue" doc:"What completed purchases earned less refunds."`
	Purchases int                `json:"purchases" doc:"The number of completed purchases."`

	ByCurrency []revenueJSON `json:"revenueByCurrency" doc:"The revenue in each currency, that of 'revenue' included."`

	Metadata metadataJSON `json:"metadata,omitempty" doc:"What the host keeps with the course. Left out if it is empty."`
}

type reportEducatorJSON struct {
	ID    string `json:"_id"`
	Name  string `json:"name" doc:"The user's name. 'Deleted user' if the user was deleted."`
	Email string `json:"email"`
}

type courseReportsAnswer struct {
	Courses []courseReportJSON `json:"courses" doc:"Drafts included, the newest first."`
	Next    nextCursor         `json:"nextCursor,omitzero"`
}

// courseReports answers all courses with their revenue, or one page of them if the query has a
// limit or a cursor.
func (a *api) courseReports(w http.ResponseWriter, c *call) error {
	return listing[staff.CourseReport, courseReportJSON]{
		field: "courses",
		page: func(page core.PageRequest) (core.Page[staff.CourseReport], error) {
			return a.platform.Staff.CourseReports(c.Context(), c.actor, page)
		},
		shape: courseReportOf,
		answer: func(rows []courseReportJSON, next nextCursor) any {
			return courseReportsAnswer{rows, next}
		},
	}.write(w, c)
}

// courseReportOf returns the wire shape of a course with its revenue.
func courseReportOf(r staff.CourseReport) courseReportJSON {
	return courseReportJSON{
		ID:    r.ID,
		Title: r.Title,
		Educator: reportEducatorJSON{
			ID:    r.Educator.ID,
			Name:  r.Educator.Name,
			Email: r.EducatorEmail,
		},
		Students:   r.Students,
		Published:  r.Published,
		Price:      decimal(r.Price),
		Discount:   decimal(r.Discount),
		CreatedAt:  instant(r.CreatedAt),
		Revenue:    decimal(r.Revenue),
		Purchases:  r.Purchases,
		ByCurrency: revenuesOf(r.ByCurrency),
		Metadata:   metadataJSON(r.Metadata),
	}
}

type userReportJSON struct {
	ID             string  `json:"_id"`
	Name           string  `json:"name"`
	Email          string  `json:"email"`
	ImageURL       string  `json:"imageUrl"`
	Enrollments    int     `json:"enrolledCount" doc:"How many courses the user is enrolled in."`
	CoursesCreated int     `json:"coursesCreated" doc:"How many the user teaches, with drafts."`
	IsEducator     bool    `json:"isEducator" doc:"Whether the user has an approved application or the recorded role 'educator'."`
	Role           string  `json:"role" jsonschema:"enum=student,enum=educator,enum=admin" doc:"The recorded role, 'student' if there is none. A newer token may say another."`
	CreatedAt      instant `json:"createdAt"`

	Metadata metadataJSON `json:"metadata,omitempty" doc:"What the host keeps with the user. Left out if it is empty."`
}

// userReports answers the users whom the query selects by words and by role, or all of them. The
// platform refuses an unknown role.
func (a *api) userReports(w http.ResponseWriter, c *call) error {
	values := c.URL.Query()
	q := people.UserQuery{
		Search: strings.TrimSpace(values.Get("q")),
		Role:   core.Role(values.Get("role")),
	}
	read := func(page core.PageRequest) (core.Page[people.UserReport], error) {
		return a.platform.People.Users(c.Context(), c.actor, q, page)
	}
	answer := func(rows []people.UserReport, next nextCursor) any {
		return userReportsAnswer{shaped(rows, userReportOf), next}
	}
	// A search is one page and takes a slot, and a filter by role is one page too (docs/api.md
	// §16). Without both, and without a limit or a cursor, all users are sent in parts.
	switch {
	case q.Search != "":
		body, err := c.MakeSearch(func() (any, error) {
			rows, next, err := pageRows(c, read)
			return answer(rows, next), err
		})
		if err != nil {
			return err
		}
		return c.WriteBody(w, body)
	case asksForPage(c) || q.Role != "":
		return writePage(w, c, read, answer)
	}
	return writePages(w, c, "users", read, shapeInPlace(userReportOf))
}

// userReportOf returns the wire shape of a user as admins see one.
func userReportOf(u people.UserReport) userReportJSON {
	return userReportJSON{
		ID:             u.ID,
		Name:           u.Name,
		Email:          u.Email,
		ImageURL:       u.ImageURL,
		Enrollments:    u.Enrollments,
		CoursesCreated: u.CoursesCreated,
		IsEducator:     u.IsEducator,
		Role:           string(u.Role),
		CreatedAt:      instant(u.CreatedAt),
		Metadata:       metadataJSON(u.Metadata),
	}
}

type userReportsAnswer struct {
	Users []userReportJSON `json:"users" doc:"The users, the newest first."`
	Next  nextCursor       `json:"nextCursor,omitzero"`
}
