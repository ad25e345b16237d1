package store

import (
	"context"
	"time"

	"github.com/openlectern/openlectern/learning"
)

// Stats counts the platform in one statement. The number of enrolments is the sum of the
// students of all courses, which each enrolment increments in its transaction.
func (r reader) Stats(ctx context.Context, currency string) (learning.Stats, error) {
	var row struct {
		Students            int            `db:"students"`
		Courses             int            `db:"courses"`
		Educators           int            `db:"educators"`
		PendingApplications int            `db:"pending"`
		Revenue             learning.Money `db:"revenue"`
		Enrollments         int            `db:"enrollments"`
	}
	err := r.q.get(ctx, "count the platform", &row, `
		SELECT (SELECT COUNT(*) FROM users WHERE deleted_at IS NULL) AS students,
			(SELECT COUNT(*) FROM courses) AS courses,
			(SELECT COUNT(*) FROM roles r JOIN users u ON u.id = r.user_id WHERE r.role = 'educator' AND u.deleted_at IS NULL)
				+ (SELECT COUNT(*) FROM applications a JOIN users u ON u.id = a.user_id LEFT JOIN roles r ON r.user_id = a.user_id
					WHERE a.status = 'approved' AND u.deleted_at IS NULL AND COALESCE(r.role, '') <> 'educator') AS educators,
			(SELECT COUNT(*) FROM applications WHERE status = 'pending') AS pending,
			(SELECT COALESCE(SUM(amount - refunded_amount), 0) FROM purchases WHERE status = 'completed' AND currency = ?) AS revenue,
			(SELECT COALESCE(SUM(students), 0) FROM courses) AS enrollments`, currency)
	return learning.Stats(row), err
}

// TopCourses lists the courses with the most students.
func (r reader) TopCourses(ctx context.Context, limit int) ([]learning.TopCourse, error) {
	var rows []struct {
		Title    string `db:"title"`
		Students int    `db:"students"`
	}
	err := r.q.list(ctx, "find the top courses", &rows, `
		SELECT title, students FROM courses ORDER BY students DESC, created_at, id LIMIT ?`, limit)
	if err != nil {
		return nil, err
	}
	list := make([]learning.TopCourse, len(rows))
	for i, row := range rows {
		list[i] = learning.TopCourse(row)
	}
	return list, nil
}

// DailyRevenue sums completed purchases, less what was refunded of them, by the UTC day of
// completion.
func (r reader) DailyRevenue(ctx context.Context, currency string, from time.Time) ([]learning.DayRevenue, error) {
	var rows []struct {
		Day     string         `db:"day"`
		Revenue learning.Money `db:"revenue"`
	}
	err := r.q.list(ctx, "sum up days", &rows, `
		SELECT SUBSTR(completed_at, 1, 10) AS day, SUM(amount - refunded_amount) AS revenue FROM purchases
		WHERE status = 'completed' AND completed_at >= ? AND currency = ? GROUP BY SUBSTR(completed_at, 1, 10)`, timestamp(from), currency)
	if err != nil {
		return nil, err
	}
	list := make([]learning.DayRevenue, len(rows))
	for i, row := range rows {
		day, err := time.Parse(time.DateOnly, row.Day)
		if err != nil {
			return nil, err
		}
		list[i] = learning.DayRevenue{Day: day, Revenue: row.Revenue}
	}
	return list, nil
}

// Totals of completed purchases. Their argument is the currency of the revenue.
const (
	soldCount   = `COUNT(*) AS purchases`
	soldRevenue = `SUM(CASE WHEN currency = ? THEN amount - refunded_amount ELSE 0 END) AS revenue`
)

// CourseReports lists all courses with their completed purchases, the newest first.
func (r reader) CourseReports(ctx context.Context, currency string) ([]learning.CourseReport, error) {
	return r.courseReports(ctx, `COALESCE(s.purchases, 0) AS purchases, COALESCE(s.revenue, 0) AS revenue`, educatorOfCourse+`
			LEFT JOIN (
				SELECT course_id, `+soldCount+`, `+soldRevenue+`
				FROM purchases WHERE status = 'completed' GROUP BY course_id
			) s ON s.course_id = c.id
		ORDER BY c.created_at DESC, c.id DESC`, currency)
}

// CourseReportsPage lists a page of all courses with their completed purchases, the newest
// first. It reads the purchases of these courses only.
func (r reader) CourseReportsPage(ctx context.Context, currency string, page learning.Page) ([]learning.CourseReport, error) {
	clauses, args := r.q.engine().rows(filter{}, order{columns: []string{"c.created_at", "c.id"}, descending: true}, page)
	const ofCourse = ` FROM purchases WHERE status = 'completed' AND course_id = c.id)`
	return r.courseReports(ctx, `(SELECT `+soldCount+ofCourse+` AS purchases, COALESCE((SELECT `+soldRevenue+ofCourse+`, 0) AS revenue`,
		r.q.engine().forceIndex("courses_by_creation")+educatorOfCourse+clauses, append([]any{currency}, args...)...)
}

const educatorOfCourse = ` LEFT JOIN users u ON u.id = c.educator_id`

// courseReports lists courses. totals are the columns of their purchases, and clauses follow
// the table of the courses.
func (r reader) courseReports(ctx context.Context, totals, clauses string, args ...any) ([]learning.CourseReport, error) {
	var rows []struct {
		ID         string           `db:"id"`
		Title      string           `db:"title"`
		Price      learning.Money   `db:"price"`
		Discount   learning.Percent `db:"discount"`
		Published  bool             `db:"is_published"`
		Students   int              `db:"students"`
		CreatedAt  timestamp        `db:"created_at"`
		EducatorID string           `db:"educator_id"`
		Name       *string          `db:"name"`
		Email      *string          `db:"email"`
		DeletedAt  timestamp        `db:"deleted_at"`
		Purchases  int              `db:"purchases"`
		Revenue    learning.Money   `db:"revenue"`
	}
	err := r.q.list(ctx, "report on the courses", &rows, `
		SELECT c.id, c.title, c.price, c.discount, c.is_published, c.students, c.created_at, c.educator_id,
			u.name, u.email, u.deleted_at, `+totals+`
		FROM courses c`+clauses, args...)
	if err != nil {
		return nil, err
	}
	list := make([]learning.CourseReport, len(rows))
	for i, row := range rows {
		none := ""
		list[i] = learning.CourseReport{
			Course: learning.Course{ID: row.ID, Title: row.Title, Price: row.Price, Discount: row.Discount, Published: row.Published,
				Students: row.Students, CreatedAt: row.CreatedAt.time(), Educator: person(row.EducatorID, row.Name, &none, row.DeletedAt)},
			Purchases: row.Purchases, Revenue: row.Revenue,
		}
		if row.Email != nil {
			list[i].EducatorEmail = *row.Email
		}
	}
	return list, nil
}

// EachPurchase calls fn with the purchases of a page, the newest first. It leaves out purchases without
// an order.
func (r reader) EachPurchase(ctx context.Context, status learning.PurchaseStatus, page learning.Page, fn func(learning.PurchaseReport) error) error {
	var p learning.PurchaseReport
	var created timestamp
	var title *string
	var f filter
	index := "purchases_by_creation"
	f.add(`p.status <> 'created'`)
	if status != "" {
		index = "purchases_of_status"
		f.add(`p.status = ?`, key(status))
	}
	tail, limit := r.q.engine().page(&f, order{columns: []string{"p.created_at", "p.id"}, descending: true}, page)
	dest := []any{&p.ID, &p.UserID, &p.CourseID, &p.Amount, &p.RefundedAmount, &p.Currency, &p.Status, &created, &title}
	return r.q.each(ctx, "report on the purchases", dest, func() error {
		p.CreatedAt, p.CourseTitle = created.time(), ""
		if title != nil {
			p.CourseTitle = *title
		}
		return fn(p)
	}, `SELECT p.id, p.user_id, p.course_id, p.amount, p.refunded_amount, p.currency, p.status, p.created_at,
			COALESCE((SELECT c.title FROM courses c WHERE c.id = p.course_id),
				(SELECT d.title FROM deleted_courses d WHERE d.id = (SELECT MAX(e.id) FROM deleted_courses e WHERE e.course_id = p.course_id)))
		FROM purchases p`+r.q.engine().forceIndex(index)+f.where()+tail, append(f.args, limit)...)
}

// UsersEnd returns the position of the last of so many users who follow a position. It reads the
// users in the order and from the index that usersOf has for a role and nothing rare.
func (r reader) UsersEnd(
	ctx context.Context, role learning.Role, after learning.Position, rows int,
) (learning.Position, error) {
	var f filter
	by, from := usersByCreation, ` FROM users u`+r.q.engine().forceIndex("users_by_creation")
	if role == "" || role == learning.Student {
		f.add(`u.deleted_at IS NULL`)
	} else {
		by, from = usersByRole, ` FROM roles r`+r.q.engine().forceIndex("roles_by_role")
		f.add(`r.role = ?`, string(role))
	}
	return r.endOf(ctx, "find the end of a page of the users", from, f, by, after, rows)
}

// EachUser calls fn with the users of a page that s selects, who have a role, if it is not "", and
// who were not deleted, the newest first.
func (r reader) EachUser(
	ctx context.Context, s learning.WordSearch, role learning.Role, page learning.Page,
	fn func(learning.UserReport) error,
) error {
	var f filter
	f.add(`u.deleted_at IS NULL`)
	from, words, by := usersOf(r.q.engine(), role, s, &f)
	tail, limit := r.q.engine().page(&f, by, page)

	var u learning.UserReport
	var created, listed timestamp
	dest := []any{
		&u.ID, &u.Name, &u.Email, &u.ImageURL, &created, &listed,
		&u.Enrollments, &u.CoursesCreated, &u.Role, &u.IsEducator,
	}
	return r.q.each(ctx, "report on the users", dest, func() error {
		u.CreatedAt, u.ListedAt = created.time(), listed.time()
		return fn(u)
	}, `SELECT u.id, u.name, u.email, u.image_url, u.created_at, `+by.columns[0]+`,
			(SELECT COUNT(*) FROM enrollments e WHERE e.user_id = u.id),
			(SELECT COUNT(*) FROM courses c WHERE c.educator_id = u.id),
			COALESCE(r.role, 'student'),
			COALESCE(r.role, '') = 'educator' OR EXISTS (SELECT 1 FROM applications a WHERE a.user_id = u.id AND a.status = 'approved')`+
		from+f.where()+tail, append(append(words, f.args...), limit)...)
}

// The orders of users. The columns are of one table, so that its index has the order.
var (
	usersByCreation = order{columns: []string{"u.created_at", "u.id"}, descending: true}
	usersByRole     = order{columns: []string{"r.listed_at", "r.user_id"}, descending: true}
)

// usersOf returns the tables of a statement that reads the users who have a role and whom s
// selects, with their arguments, and the order of these users, the newest first. It adds its
// conditions to f.
//
//	role              s              what is read
//	any, student      nothing rare   users_by_creation in its order, because most users are students
//	educator, admin   nothing rare   roles_by_role in its order, because few users have such a role
//	any of these      a rare word    the rows with the word, which are sorted
func usersOf(
	d *dialect, role learning.Role, s learning.WordSearch, f *filter,
) (from string, args []any, by order) {
	by = usersByCreation
	users, hint := searchedUsers, d.forceIndex("users_by_creation")
	roles := ` LEFT JOIN roles r ON r.user_id = u.id`
	switch {
	case role == "":
	case role == learning.Student:
		f.add(`COALESCE(r.role, 'student') = 'student'`)
	default:
		f.add(`r.role = ?`, string(role))
		by = usersByRole
		roles = ` JOIN roles r ON r.user_id = u.id`
		if s.Rare == "" {
			users.table = `roles r` + d.forceIndex("roles_by_role") + ` CROSS JOIN users u`
			hint, roles = d.forceIndex("PRIMARY")+` ON u.id = r.user_id`, ""
		}
	}
	from, args = users.from(d, s, hint, f)
	return from + roles, args, by
}
