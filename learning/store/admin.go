package store

import (
	"context"
	"strings"
	"time"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/staff"
	"github.com/openlectern/openlectern/learning/study"
)

// Stats reads the totals of the platform in one statement. The revenue is that in currency, which
// is the part of the total of sales; the other totals have the part "". Each total is the sum of
// several rows: see totalSlots.
func (r reader) Stats(ctx context.Context, currency string) (staff.Stats, error) {
	var rows []struct {
		Kind   core.TotalKind `db:"kind"`
		Number int            `db:"number"`
		Amount core.Money     `db:"amount"`
	}
	err := r.q.List(ctx, "read the totals of the platform", &rows, `
		SELECT kind, SUM(number) AS number, SUM(amount) AS amount FROM {totals}
		WHERE course_id = ''
			AND kind IN ('users', 'courses', 'educators', 'applications', 'enrollments', 'sales',
				'open reports')
			AND part IN ('', ?)
		GROUP BY kind`,
		currency)
	if err != nil {
		return staff.Stats{}, err
	}

	// A kind without rows has the total 0.
	number, amount := map[core.TotalKind]int{}, map[core.TotalKind]core.Money{}
	for _, row := range rows {
		number[row.Kind], amount[row.Kind] = row.Number, row.Amount
	}
	return staff.Stats{
		Students:            number[people.TotalUsers],
		Courses:             number[catalog.TotalCourses],
		Educators:           number[people.TotalEducators],
		PendingApplications: number[people.TotalApplications],
		Revenue:             amount[purchase.TotalSales],
		Enrollments:         number[study.TotalEnrollments],
		OpenComplaints:      number[community.TotalOpenComplaints],
	}, nil
}

// TopCourses lists the courses with most students, drafts too. Its index begins with is_published,
// so it reads the first courses of either part of the index, and sorts these.
func (r reader) TopCourses(ctx context.Context, limit int) ([]staff.TopCourse, error) {
	var rows []struct {
		Title    string `db:"title"`
		Students int    `db:"students"`
		ID       string `db:"id"` // unused: the outer ORDER BY needs it
	}

	// Both parts and their union have the same order and limit.
	fromIndex := ` FROM {courses}` + r.engine().ForceIndex("courses_by_students")
	const first = ` ORDER BY students DESC, id DESC LIMIT ?`
	err := r.q.List(ctx, "find the top courses", &rows, `
		SELECT t.title, t.students, t.id FROM (
			SELECT p.title, p.students, p.id FROM (SELECT title, students, id`+fromIndex+
		` WHERE is_published = 1`+first+`) p
			UNION ALL
			SELECT d.title, d.students, d.id FROM (SELECT title, students, id`+fromIndex+
		` WHERE is_published = 0`+first+`) d
		) t`+first, limit, limit, limit)
	if err != nil {
		return nil, err
	}
	list := make([]staff.TopCourse, len(rows))
	for i, row := range rows {
		list[i] = staff.TopCourse{Title: row.Title, Students: row.Students}
	}
	return list, nil
}

// DailyRevenue reads totals whose part is a currency and a day, such as "INR 2006-01-02".
func (r reader) DailyRevenue(
	ctx context.Context, currency string, from time.Time,
) ([]staff.DayRevenue, error) {
	var rows []struct {
		Part    string     `db:"part"`
		Revenue core.Money `db:"revenue"`
	}

	// The parts of a currency sort by day, so that the days are a range of the key. It ends with
	// the last day that a part can have.
	lastPart := purchase.DailySalesPart(currency, time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC))
	err := r.q.List(ctx, "read the revenue of days", &rows, `
		SELECT part, SUM(amount) AS revenue FROM {totals}
		WHERE course_id = '' AND kind = 'daily sales' AND part >= ? AND part <= ?
		GROUP BY part HAVING SUM(number) > 0`,
		purchase.DailySalesPart(currency, from), lastPart)
	if err != nil {
		return nil, err
	}
	list := make([]staff.DayRevenue, len(rows))
	for i, row := range rows {
		day, err := time.Parse(time.DateOnly, strings.TrimPrefix(row.Part, currency+" "))
		if err != nil {
			return nil, err
		}
		list[i] = staff.DayRevenue{Day: day, Revenue: row.Revenue}
	}
	return list, nil
}

// educatorOfCourse joins the record of a course's educator, who may have none, as u. The table of
// the courses is c.
const educatorOfCourse = ` LEFT JOIN {users} u ON u.id = c.educator_id`

// CourseReports lists the newest courses first. Purchases are those in any currency, and the
// revenue is that in currency.
func (r reader) CourseReports(
	ctx context.Context, currency string, page core.PageRequest,
) ([]staff.CourseReport, error) {
	var rows []struct {
		ID         string       `db:"id"`
		Title      string       `db:"title"`
		Price      core.Money   `db:"price"`
		Discount   core.Percent `db:"discount"`
		Published  bool         `db:"is_published"`
		Students   int          `db:"students"`
		CreatedAt  timestamp    `db:"created_at"`
		EducatorID string       `db:"educator_id"`
		Name       *string      `db:"name"`
		Email      *string      `db:"email"`
		DeletedAt  timestamp    `db:"deleted_at"`
		Purchases  int          `db:"purchases"`
		Revenue    core.Money   `db:"revenue"`
		Metadata   metadata     `db:"metadata"`
	}
	noCondition := filter{} // all courses
	byCreation := order{columns: []string{"c.created_at", "c.id"}, descending: true}
	clauses, args := r.engine().pageClauses(noCondition, byCreation, page)
	const sales = ` FROM {totals} t WHERE t.course_id = c.id AND t.kind = 'course sales'`
	err := r.q.List(ctx, "report on the courses", &rows, `
		SELECT c.id, c.title, c.price, c.discount, c.is_published, c.students, c.created_at,
			c.educator_id, c.metadata,
			u.name, u.email, u.deleted_at, COALESCE((SELECT SUM(t.number)`+sales+
		`), 0) AS purchases,
			COALESCE((SELECT SUM(t.amount)`+sales+` AND t.part = ?), 0) AS revenue
		FROM {courses} c`+r.engine().pageHint("courses_by_creation", page)+educatorOfCourse+clauses,
		append([]any{currency}, args...)...)
	if err != nil {
		return nil, err
	}
	list := make([]staff.CourseReport, len(rows))
	for i, row := range rows {
		noImage := "" // a report shows no image of the educator
		list[i] = staff.CourseReport{
			Course: catalog.Course{
				ID:        row.ID,
				Title:     row.Title,
				Price:     row.Price,
				Discount:  row.Discount,
				Published: row.Published,
				Students:  row.Students,
				CreatedAt: row.CreatedAt.Time(),
				Educator:  person(row.EducatorID, row.Name, &noImage, row.DeletedAt),
				Metadata:  core.Metadata(row.Metadata),
			},
			Purchases: row.Purchases,
			Revenue:   row.Revenue,
		}
		if row.Email != nil {
			list[i].EducatorEmail = *row.Email
		}
	}
	return list, nil
}

// UsersEnd returns the position at which a page of UserReports ends that reads a number of rows
// after the position after, or zero if there are fewer. It is for a search without a rare word,
// which reads rows in the order of an index. UsersEnd counts all rows there, not only those that a
// page shows: users of every role for students, and deleted users for the other roles.
func (r reader) UsersEnd(
	ctx context.Context, role core.Role, after core.Position, rows int,
) (core.Position, error) {
	var f filter
	by, from := usersByCreation, ` FROM {users} u`+r.engine().ForceIndex("users_by_creation")
	if role == "" || role == core.Student {
		f.add(`u.deleted_at IS NULL`)
	} else {
		by, from = usersByRole, ` FROM {roles} r`+r.engine().ForceIndex("roles_by_role")
		f.add(`r.role = ?`, string(role))
	}
	return r.endOf(ctx, "find the end of a page of the users", from, f, by, after, rows)
}

// UserReports lists the users who have a role, or any if it is "", and whom s selects, the newest
// first.
func (r reader) UserReports(
	ctx context.Context, s core.WordSearch, role core.Role, page core.PageRequest,
) (list []people.UserReport, err error) {
	var f filter
	f.add(`u.deleted_at IS NULL`)
	tables, tableArgs, newestFirst := usersOf(r.engine(), role, s, &f)
	tail, limit := r.engine().addPage(&f, newestFirst.of(s), page)

	// ListedAt is the time in the order of the list, by which the caller asks for the next page.
	// Among the tables are the users as u, and as r their roles, which students do not have.
	listedAt := newestFirst.columns[0]
	err = r.eachUser(ctx, listedAt, tables+f.where()+tail,
		append(append(tableArgs, f.args...), limit),
		func(u people.UserReport) { list = append(list, u) })
	return list, err
}

// UserReport reads a user as UserReports does, and a deleted one too.
func (r reader) UserReport(ctx context.Context, id string) (u people.UserReport, err error) {
	found := false
	err = r.eachUser(ctx, "u.created_at", ` FROM {users} u LEFT JOIN {roles} r ON r.user_id = u.id
		WHERE u.id = ?`, []any{key(id)},
		func(report people.UserReport) { u, found = report, true })
	if err == nil && !found {
		err = core.ErrNoRecord
	}
	return u, err
}

// eachUser calls each with the reports of the users u, with their roles r, that a FROM clause, with
// what follows it, selects. listedAt is the column of ListedAt.
func (r reader) eachUser(
	ctx context.Context, listedAt, from string, args []any, each func(people.UserReport),
) error {
	var u people.UserReport // each row is scanned into it, and then copied
	var created, listed, deleted timestamp
	dest := []any{
		&u.ID, &u.Name, &u.Email, &u.ImageURL, &created, &listed, &deleted,
		&u.Enrollments, &u.CoursesCreated, &u.Role, &u.IsEducator, (*metadata)(&u.Metadata),
	}
	return r.q.Each(ctx, "report on the users", dest, func() error {
		u.CreatedAt, u.ListedAt = created.Time(), listed.Time()
		u.Name = person(u.ID, &u.Name, &u.ImageURL, deleted).Name
		each(u)
		return nil
	}, `SELECT u.id, u.name, u.email, u.image_url, u.created_at, `+listedAt+`, u.deleted_at,
			(SELECT COUNT(*) FROM {enrollments} e WHERE e.user_id = u.id),
			(SELECT COUNT(*) FROM {courses} c WHERE c.educator_id = u.id),
			COALESCE(r.role, 'student'),
			COALESCE(r.role, '') = 'educator'
				OR EXISTS (SELECT 1 FROM {applications} a
					WHERE a.user_id = u.id AND a.status = 'approved'),
			u.metadata`+from, args...)
}

// The orders of users. The columns are of one table, so that its index has the order.
var (
	usersByCreation = order{columns: []string{"u.created_at", "u.id"}, descending: true}
	usersByRole     = order{columns: []string{"r.listed_at", "r.user_id"}, descending: true}
)

// usersOf returns the tables of a statement that reads the users who have a role and whom s
// selects, with the arguments of these tables, and the order of these users, the newest first. It
// adds its conditions to f.
//
//	role              s              what is read
//	any, student      nothing rare   users_by_creation in its order, because most users are students
//	educator, admin   nothing rare   roles_by_role in its order, because few users have such a role
//	any of these      a rare word    the rows with the word, which are sorted
func usersOf(
	d dialect, role core.Role, s core.WordSearch, f *filter,
) (tables string, args []any, by order) {
	by = usersByCreation
	users, hint := searchedUsers, d.ForceIndex("users_by_creation")
	roles := ` LEFT JOIN {roles} r ON r.user_id = u.id`
	switch {
	case role == "": // users of any role
	case role == core.Student: // most students have no row in roles
		f.add(`COALESCE(r.role, 'student') = 'student'`)
	default:
		f.add(`r.role = ?`, string(role))
		by = usersByRole
		roles = ` JOIN {roles} r ON r.user_id = u.id`
		// Read the roles in front of the users, from the index that has the order.
		if s.Rare == "" {
			users.table = `{roles} r` + d.ForceIndex("roles_by_role") + ` CROSS JOIN {users} u`
			f.add(`u.id = r.user_id`)
			hint, roles = d.ForceIndex("PRIMARY"), ""
		}
	}
	tables, args = users.from(d, s, hint, f)
	return tables + roles, args, by
}
