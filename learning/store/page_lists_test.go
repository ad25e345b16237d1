package store

import (
	"context"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/staff"
	"github.com/openlectern/openlectern/learning/study"
	"github.com/openlectern/openlectern/learning/tutor"
)

// pageReader reads a page of a list, and returns the keys of its rows.
type pageReader func(ctx context.Context, p *learning.Platform,
	page learning.PageRequest) ([]string, core.Position, error)

// pagedRows are rows that one or more lists have.
type pagedRows struct {
	name   string
	tables []pagedTable          // of each row
	keys   string                // query of the keys a and b of all rows
	remove []string              // statements that remove the rows with the keys %[1]s and %[2]s
	keeps  bool                  // whether the lists have removed rows too
	large  bool                  // whether the lists are read with very many rows
	shared bool                  // whether the rows are those of other lists
	lists  map[string]pageReader // by their names
}

// pagedTable is a table with the values of a row at a place of the list.
type pagedTable struct {
	into   string
	values func(id string, place int) string
}

// The users who read the lists.
var (
	listedAdmin    = learning.Actor{UserID: "admin", Role: core.Admin}
	listedReader   = learning.Actor{UserID: "reader", Role: core.Student}
	listedEducator = learning.Actor{UserID: "educator", Role: core.Educator}
	// of the courses with many students
	listedTeacher = learning.Actor{UserID: "teacher", Role: core.Educator}
)

// listsInPages are all lists that are answered in pages. Rows of later lists are referred to by
// earlier ones, so that removing some does not remove rows of these.
var listsInPages = []pagedRows{
	{
		name: "enrolled courses", large: true,
		tables: []pagedTable{courseTable("course", "another"), wordTable("course"),
			enrollmentTable},
		keys: `SELECT course_id AS a, '' AS b FROM enrollments WHERE user_id = 'reader'`,
		remove: []string{
			`DELETE FROM enrollments WHERE user_id = 'reader' AND course_id IN (%[1]s)`},
		lists: map[string]pageReader{"enrolled-courses": pages(listedReader,
			enrolledCourses,
			func(c study.EnrolledCourse) string { return c.ID }),
			"enrolled-courses recent": pages(listedReader,
				recentCourses,
				func(c study.EnrolledCourse) string { return c.ID })},
	}, {
		name: "students", large: true, tables: []pagedTable{studentTable},
		keys:   `SELECT user_id AS a, '' AS b FROM enrollments WHERE user_id <> 'reader'`,
		remove: []string{`DELETE FROM enrollments WHERE user_id IN (%[1]s)`},
		lists: map[string]pageReader{"educator/enrolled-students": pages(listedTeacher,
			taughtStudents,
			func(s staff.TaughtStudent) string { return s.Student.ID })},
	}, {
		name: "enrolments", shared: true, tables: []pagedTable{studentTable},
		keys: `SELECT user_id AS a, course_id AS b FROM enrollments UNION ALL SELECT user_id AS a, course_id AS b FROM past_enrollments`,
		remove: []string{
			`INSERT INTO past_enrollments (id, user_id, course_id, purchase_id, created_at, ended_at)
			SELECT CASE user_id WHEN 'reader' THEN course_id ELSE user_id END, user_id, course_id, purchase_id, created_at, created_at
			FROM enrollments WHERE user_id IN (%[1]s) AND course_id IN (%[2]s)`,
			`DELETE FROM enrollments WHERE user_id IN (%[1]s) AND course_id IN (%[2]s)`},
		keeps: true,
		lists: map[string]pageReader{"admin/enrollments": selected(study.EnrollmentQuery{},
			enrollments,
			func(r study.EnrollmentReport) string { return r.UserID + " " + r.CourseID })},
	}, {
		name: "quiz results", tables: []pagedTable{resultTable},
		keys:   `SELECT id AS a, '' AS b FROM quiz_results`,
		remove: []string{`DELETE FROM quiz_results WHERE id IN (%[1]s)`},
		lists: map[string]pageReader{"my-results": pages(listedReader,
			quizMarks,
			func(m assess.QuizMark) string { return m.ID })},
	}, {
		name: "chats", tables: []pagedTable{chatTable, messageTable},
		keys:   `SELECT id AS a, '' AS b FROM chats`,
		remove: []string{`DELETE FROM chats WHERE user_id = 'reader' AND id IN (%[1]s)`},
		lists: map[string]pageReader{"previous-chats": pages(listedReader,
			chats,
			func(c tutor.Chat) string { return c.ID })},
	}, {
		name: "reports", tables: []pagedTable{complaintTable},
		keys:   `SELECT id AS a, '' AS b FROM complaints`,
		remove: []string{`DELETE FROM complaints WHERE id IN (%[1]s)`},
		lists: map[string]pageReader{
			"admin/reports":      selected("", complaints, complaintID),
			"admin/reports open": selected(community.ComplaintOpen, complaints, complaintID),
		},
	}, {
		name: "decisions", tables: []pagedTable{decisionTable},
		keys:   `SELECT id AS a, '' AS b FROM decisions`,
		remove: []string{`DELETE FROM decisions WHERE id IN (%[1]s)`},
		lists: map[string]pageReader{
			"admin/decisions": selected(staff.DecisionQuery{}, decisions, decisionID),
			"admin/decisions of a user": selected(staff.DecisionQuery{UserID: "reader"},
				decisions, decisionID),
			"admin/decisions of a course": selected(staff.DecisionQuery{CourseID: "course"},
				decisions, decisionID),
		},
	}, {
		name: "applications", tables: []pagedTable{applicationTable},
		keys:   `SELECT id AS a, '' AS b FROM applications`,
		remove: []string{`DELETE FROM applications WHERE id IN (%[1]s)`},
		lists: map[string]pageReader{
			"admin/educator-applications": selected("", applications,
				applicationID),
			"admin/educator-applications pending": selected(people.ApplicationPending,
				applications, applicationID),
		},
	}, {
		name: "purchases", large: true, tables: []pagedTable{purchaseTable},
		keys:   `SELECT id AS a, '' AS b FROM purchases`,
		remove: []string{`DELETE FROM purchases WHERE id IN (%[1]s)`},
		lists: map[string]pageReader{
			"admin/purchases": selected(staff.PurchaseQuery{}, purchases, purchaseID),
			"admin/purchases completed": selected(
				staff.PurchaseQuery{Status: purchase.Completed}, purchases, purchaseID),
			"admin/purchases since a time": selected(
				staff.PurchaseQuery{From: time.Unix(1, 0)}, purchases, purchaseID),
		},
	}, {
		name: "users of a role", large: true, tables: []pagedTable{educatorTable, roleTable},
		keys:   `SELECT user_id AS a, '' AS b FROM roles`,
		remove: []string{`DELETE FROM roles WHERE user_id IN (%[1]s)`},
		lists: map[string]pageReader{
			"admin/users of a role": selected(people.UserQuery{Role: core.Educator},
				users,
				func(u people.UserReport) string { return u.ID })},
	}, {
		name: "users", large: true, tables: []pagedTable{userTable},
		keys:   `SELECT id AS a, '' AS b FROM users WHERE deleted_at IS NULL`,
		remove: []string{`UPDATE users SET deleted_at = created_at WHERE id IN (%[1]s)`},
		lists: map[string]pageReader{"admin/users": selected(people.UserQuery{},
			users,
			func(u people.UserReport) string { return u.ID })},
	}, {
		name:   "courses of an educator",
		tables: []pagedTable{courseTable("own", "educator"), wordTable("own")},
		keys:   `SELECT id AS a, '' AS b FROM courses WHERE educator_id = 'educator'`,
		remove: []string{`DELETE FROM courses WHERE id IN (%[1]s)`},
		lists: map[string]pageReader{
			"educator/courses": pages(listedEducator, coursesTaught,
				courseID),
			"course/all of educatorId": catalogue(catalog.CourseQuery{EducatorID: "educator"}),
		},
	}, {
		name: "courses", shared: true,
		tables: []pagedTable{courseTable("own", "educator"), wordTable("own")},
		keys:   `SELECT id AS a, '' AS b FROM courses`,
		remove: []string{`DELETE FROM courses WHERE id IN (%[1]s)`},
		lists: map[string]pageReader{
			"admin/courses": pages(listedAdmin, courseReports,
				func(r staff.CourseReport) string { return r.ID }),
			"course/all":         catalogue(catalog.CourseQuery{}),
			"course/all newest":  catalogue(catalog.CourseQuery{Sort: catalog.NewestCourses}),
			"course/all popular": catalogue(catalog.CourseQuery{Sort: catalog.PopularCourses}),
			"course/all rating":  catalogue(catalog.CourseQuery{Sort: catalog.RatedCourses}),
			"course/all price":   catalogue(catalog.CourseQuery{Sort: catalog.CheapCourses}),
			"course/all with q":  catalogue(catalog.CourseQuery{Search: "sea"}),
		},
	},
}

func courseID(c catalog.Course) string               { return c.ID }
func decisionID(d staff.Decision) string             { return d.ID }
func complaintID(c community.ComplaintReport) string { return c.ID }
func applicationID(a people.Application) string      { return a.ID }
func purchaseID(p staff.PurchaseReport) string       { return p.ID }

// pages reads the pages of a list of an actor.
func pages[Row any](
	actor learning.Actor,
	read func(
		*learning.Platform, context.Context, learning.Actor, learning.PageRequest,
	) (learning.Page[Row], error),
	key func(Row) string,
) pageReader {
	return func(
		ctx context.Context, p *learning.Platform, page learning.PageRequest,
	) (keys []string, next core.Position, err error) {
		found, err := read(p, ctx, actor, page)
		for _, row := range found.Rows {
			keys = append(keys, key(row))
		}
		return keys, found.Next, err
	}
}

// selected reads the pages of a list of administrators that has a selection.
func selected[Row, Query any](
	q Query,
	read func(
		*learning.Platform, context.Context, learning.Actor, Query, learning.PageRequest,
	) (learning.Page[Row], error),
	key func(Row) string,
) pageReader {
	return pages(listedAdmin, func(
		p *learning.Platform, ctx context.Context, actor learning.Actor, page learning.PageRequest,
	) (learning.Page[Row], error) {
		return read(p, ctx, actor, q, page)
	}, key)
}

// catalogue reads the pages of the published courses.
func catalogue(q catalog.CourseQuery) pageReader {
	return pages(learning.Actor{}, func(
		p *learning.Platform, ctx context.Context, _ learning.Actor, page learning.PageRequest,
	) (learning.Page[catalog.Course], error) {
		return p.Catalog.Catalogue(ctx, q, page)
	}, courseID)
}

// users is the list of users of a platform.
func users(
	p *learning.Platform, ctx context.Context, actor core.Actor, q people.UserQuery,
	page core.PageRequest,
) (core.Page[people.UserReport], error) {
	return p.People.Users(ctx, actor, q, page)
}

// enrollments is the list of enrolments of a platform.
func enrollments(
	p *learning.Platform, ctx context.Context, actor core.Actor, q study.EnrollmentQuery,
	page core.PageRequest,
) (core.Page[study.EnrollmentReport], error) {
	return p.Study.Enrollments(ctx, actor, q, page)
}

// taughtStudents is the list of the students in the courses of an educator of a platform.
func taughtStudents(
	p *learning.Platform, ctx context.Context, actor core.Actor, page core.PageRequest,
) (core.Page[staff.TaughtStudent], error) {
	return p.Staff.TaughtStudents(ctx, actor, staff.StudentQuery{}, page)
}

// applications is the list of the applications of a platform.
func applications(
	p *learning.Platform, ctx context.Context, actor core.Actor,
	status people.ApplicationStatus, page core.PageRequest,
) (core.Page[people.Application], error) {
	return p.Staff.Applications(ctx, actor, status, page)
}

// purchases is the list of the purchases of a platform.
func purchases(
	p *learning.Platform, ctx context.Context, actor core.Actor,
	q staff.PurchaseQuery, page core.PageRequest,
) (core.Page[staff.PurchaseReport], error) {
	return p.Staff.Purchases(ctx, actor, q, page)
}

// coursesTaught is the list of the courses of an educator of a platform.
func coursesTaught(
	p *learning.Platform, ctx context.Context, actor core.Actor, page core.PageRequest,
) (core.Page[catalog.Course], error) {
	return p.Staff.TaughtCourses(ctx, actor, page)
}

// courseReports is the list of the courses for administrators of a platform.
func courseReports(
	p *learning.Platform, ctx context.Context, actor core.Actor, page core.PageRequest,
) (core.Page[staff.CourseReport], error) {
	return p.Staff.CourseReports(ctx, actor, page)
}

// chats is the list of chats of a user of a platform.
func chats(
	p *learning.Platform, ctx context.Context, actor core.Actor, page core.PageRequest,
) (core.Page[tutor.Chat], error) {
	return p.Tutor.Chats(ctx, actor, page)
}

// quizMarks is the list of quiz results of a student of a platform.
func quizMarks(
	p *learning.Platform, ctx context.Context, actor core.Actor, page core.PageRequest,
) (core.Page[assess.QuizMark], error) {
	return p.Assess.QuizMarks(ctx, actor, page)
}

// enrolledCourses is the list of courses of a student of a platform.
func enrolledCourses(
	p *learning.Platform, ctx context.Context, actor core.Actor, page core.PageRequest,
) (core.Page[study.EnrolledCourse], error) {
	return p.Study.EnrolledCourses(ctx, actor, page)
}

// recentCourses is that list in the order of use.
func recentCourses(
	p *learning.Platform, ctx context.Context, actor core.Actor, page core.PageRequest,
) (core.Page[study.EnrolledCourse], error) {
	return p.Study.RecentCourses(ctx, actor, page)
}

// decisions is the list of decisions of a platform.
func decisions(
	p *learning.Platform, ctx context.Context, actor core.Actor, q staff.DecisionQuery,
	page core.PageRequest,
) (core.Page[staff.Decision], error) {
	return p.Staff.Decisions(ctx, actor, q, page)
}

// complaints is the list of complaints of a platform.
func complaints(
	p *learning.Platform, ctx context.Context, actor core.Actor, status community.ComplaintStatus,
	page core.PageRequest,
) (core.Page[community.ComplaintReport], error) {
	return p.Community.Complaints(ctx, actor, status, page)
}
