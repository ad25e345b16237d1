package storetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/staff"
	"github.com/openlectern/openlectern/learning/study"
)

var adminTests = []test{
	{"totals of the platform leave out deleted users", adminStats},
	{"top courses have the most students, by id on a tie", adminTop},
	{"figures by day use UTC days with their first and last microsecond", adminDays},
	{"courses are listed with their completed purchases, the newest first", adminCourses},
	{"purchases with an order are listed, of one status or all, the newest first", adminPurchases},
	{"users are listed with their figures, the newest first", adminUsers},
	{"users of a role are listed, the newest first", usersOfRole},
}

func adminStats(t *testing.T, f *fixture) {
	check := func(want staff.Stats) {
		t.Helper()
		f.recount()
		got, err := f.Stats(t.Context(), "INR")
		equal(t, got, err, want)
	}
	check(staff.Stats{})
	// Educators have the role, an approved application, or both. Users without a record, deleted
	// users, admins and users with a rejected application do not count.
	f.add(user("role"), user("applied"), user("both"), user("admin"), user("rejected"),
		user("student"),
		people.User{ID: "gone", CreatedAt: noon, ChangedAt: noon, DeletedAt: noon})
	for _, id := range []string{"role", "both", "gone", "unknown"} {
		f.add(role{id, core.Educator})
	}
	f.add(role{"admin", core.Admin}, role{"rejected", core.Student})
	for id, status := range map[string]people.ApplicationStatus{
		"applied": people.ApplicationApproved, "both": people.ApplicationApproved,
		"rejected": people.ApplicationRejected, "student": people.ApplicationPending,
		"admin": people.ApplicationPending} {
		a := application(id, status)
		a.UserID = id
		f.add(a)
	}
	draft := course("draft")
	draft.Published = false
	f.add(course("a"), draft)
	const large = core.Money(1<<53 + 1)
	foreign := sold("foreign", "a", purchase.Completed, 5)
	foreign.Currency = "EUR"
	f.add(foreign)
	for _, status := range statuses {
		f.add(sold(string(status), "a", status, large))
	}
	f.add(sold("small", "nowhere", purchase.Completed, 1))
	want := staff.Stats{Students: 6, Courses: 2, Educators: 3, PendingApplications: 2,
		Revenue: large + 1, Enrollments: 14} // 7 of each course
	check(want)
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.AddToStudentCount(ctx,
			"a", 1)
	})
	want.Enrollments++
	check(want)
	f.reports(true,
		func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.ScrubUser(ctx, "both",
				noon)
		})
	want.Students, want.Educators = 5, 2
	check(want)
}

func adminTop(t *testing.T, f *fixture) {
	top, err := f.TopCourses(t.Context(), 3)
	equal(t, top, err, nil)
	for i, students := range []int{1, 9, 5, 5, 5, 0} {
		c := course(fmt.Sprint(i))
		c.Students, c.CreatedAt = students, noon.Add(-time.Duration(i)*time.Second)
		c.Published = i != 1
		f.add(c)
	}
	top, err = f.TopCourses(t.Context(), 3)
	equal(t, top, err, []staff.TopCourse{{Title: "Course 1", Students: 9},
		{Title: "Course 4", Students: 5}, {Title: "Course 3", Students: 5}})
	top, err = f.TopCourses(t.Context(), 100)
	if err != nil || len(top) != 6 {
		t.Errorf("%d courses: %v", len(top), err)
	}
}

func adminDays(t *testing.T, f *fixture) {
	day := time.Date(2026, 2, 28, 0, 0, 0, 0, time.UTC)
	next := day.AddDate(0, 0, 1) // the first of March
	complete := func(at time.Time, amount core.Money) {
		p := sold(fmt.Sprintf("%d-%d", at.UnixMicro(), amount), "c", purchase.Completed,
			amount)
		// the time of creation does not count
		p.CompletedAt, p.CreatedAt = at, noon.Add(-1000*time.Hour)
		f.add(p)
	}
	complete(day.Add(-time.Microsecond), 1_000_000) // before the first day
	complete(day, 1)
	complete(next.Add(-time.Microsecond), 20)
	complete(next, 300)
	complete(next.Add(5*time.Hour).In(time.FixedZone("IST", 19_800)), 4_000)
	complete(day.AddDate(0, 0, 5), 0)
	foreign := sold("foreign", "c", purchase.Completed, 7)
	foreign.Currency, foreign.CompletedAt = "EUR", day
	refunded := sold("refunded", "c", purchase.Refunded, 7)
	refunded.CompletedAt = day
	f.add(foreign, refunded, sold("pending", "c", purchase.Pending, 7))
	f.recount()
	check := func(currency string, from time.Time, want map[time.Time]core.Money) {
		t.Helper()
		list, err := f.DailyRevenue(t.Context(), currency, from)
		got := map[time.Time]core.Money{}
		for _, d := range list {
			got[d.Day] += d.Revenue
		}
		equal(t, got, err, want)
		if len(list) != len(want) {
			t.Errorf("%d days, want %d", len(list), len(want))
		}
	}
	check("INR", day, map[time.Time]core.Money{day: 21, next: 4_300, day.AddDate(0, 0, 5): 0})
	check("INR", next, map[time.Time]core.Money{next: 4_300, day.AddDate(0, 0, 5): 0})
	check("EUR", day, map[time.Time]core.Money{day: 7})
	check("USD", day, nil)
	check("INR", day.AddDate(0, 0, 6), nil)

	parts := []string{purchase.DailySalesPart("EUR", day), purchase.DailySalesPart("INR", next),
		purchase.DailySalesPart("USD", day)}
	list, err := f.RevenueOfDays(t.Context(), parts)
	equal(t, list, err, []staff.PartRevenue{{Part: parts[0], Amount: 7},
		{Part: parts[1], Amount: 4_300}})
	all, err := f.RevenueByCurrency(t.Context())
	equal(t, all, err, []staff.Revenue{{Currency: "EUR", Amount: 7},
		{Currency: "INR", Amount: 1_004_321}})
	ofCourses, err := f.RevenueOfCourses(t.Context(), []string{"c", "unknown"})
	equal(t, ofCourses, err, []staff.PartRevenue{{CourseID: "c", Part: "EUR", Amount: 7},
		{CourseID: "c", Part: "INR", Amount: 1_004_321}})
}

func adminCourses(t *testing.T, f *fixture) {
	list, err := f.CourseReports(t.Context(), "INR", allRows)
	equal(t, list, err, nil)
	f.add(user("known"), user("gone"))
	f.reports(true,
		func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.ScrubUser(ctx, "gone",
				noon)
		})
	draft := taught("draft", "gone", noon.Add(time.Microsecond))
	a := taught("a", "known", noon)
	b := taught("b", "nobody", noon)
	draft.Published = false
	f.add(a, draft, b)
	foreign := sold("foreign", "a", purchase.Completed, 5)
	foreign.Currency = "EUR"
	f.add(foreign, sold("1", "a", purchase.Completed, 1<<53+1),
		sold("2", "a", purchase.Completed, 2),
		sold("3", "draft", purchase.Completed, 4))
	for _, status := range []purchase.Status{purchase.Created,
		purchase.Pending, purchase.Failed, purchase.Refunded} {
		f.add(sold("a "+string(status), "a", status, 100),
			sold("b "+string(status), "b", status, 100))
	}
	f.recount() // the totals of sales, which the reports show and f.add leaves out
	report := func(c catalog.Course, educator core.Person, email string, purchases int,
		revenue core.Money) staff.CourseReport {
		return staff.CourseReport{Course: catalog.Course{ID: c.ID, Title: c.Title,
			Price: c.Price, Discount: c.Discount, Published: c.Published,
			Students: c.Students, CreatedAt: c.CreatedAt, Educator: educator,
			Metadata: c.Metadata}, EducatorEmail: email, Purchases: purchases, Revenue: revenue}
	}
	list, err = f.CourseReports(t.Context(), "INR", allRows)
	equal(t, list, err, []staff.CourseReport{
		report(draft, core.Person{ID: "gone", Name: core.DeletedUser}, "", 1, 4),
		report(b, core.Person{ID: "nobody", Name: core.UnknownUser}, "", 0, 0),
		report(a, core.Person{ID: "known", Name: "Name of known"}, "known@example.com", 3,
			1<<53+3),
	})
	pages := paged(t,
		func(ctx context.Context, page core.PageRequest) ([]staff.CourseReport, error) {
			return f.CourseReports(ctx, "INR", page)
		}, func(r staff.CourseReport) core.Position {
			return core.Position{At: r.CreatedAt,
				ID: r.ID}
		})
	equal(t, pages, nil, list)
}

// purchaseReports lists the purchases with a status, or all if it is "", in pages of every size.
func purchaseReports(
	t *testing.T, r learning.Reader, status purchase.Status,
) []staff.PurchaseReport {
	t.Helper()
	return paged(t,
		func(ctx context.Context, page core.PageRequest) ([]staff.PurchaseReport, error) {
			return r.PurchaseReports(ctx,
				staff.PurchaseSelection{Query: staff.PurchaseQuery{Status: status}}, page)
		}, func(p staff.PurchaseReport) core.Position {
			return core.Position{At: p.CreatedAt,
				ID: p.ID}
		})
}

func adminPurchases(t *testing.T, f *fixture) {
	equal(t, purchaseReports(t, f, ""), nil, nil)
	f.add(course("known"))
	made := map[purchase.Status][]staff.PurchaseReport{}
	for i, status := range statuses {
		for _, id := range []string{"a", "b"} { // the second of each pair comes first
			p := sold(id+string(status), []string{"known", "nowhere"}[i%2], status,
				100+core.Money(i))
			p.CreatedAt, p.Currency = noon.Add(time.Duration(i)*time.Microsecond),
				[]string{"INR", "EUR"}[i%2]
			f.add(p)
			report := staff.PurchaseReport{CourseTitle: []string{"Course known", ""}[i%2],
				Purchase: purchase.Purchase{ID: p.ID, UserID: p.UserID,
					CourseID: p.CourseID, Amount: p.Amount, RefundedAmount: p.RefundedAmount,
					Currency: p.Currency, Status: status, CreatedAt: p.CreatedAt,
					CompletedAt: p.CompletedAt, Provider: p.Provider, OrderID: p.OrderID,
					PaymentID: p.PaymentID, Metadata: p.Metadata}}
			if status != purchase.Created {
				made[status] = append([]staff.PurchaseReport{report}, made[status]...)
				made[""] = append([]staff.PurchaseReport{report}, made[""]...)
			}
		}
	}
	for _, status := range append(statuses, "", "Completed", "lost") {
		equal(t, purchaseReports(t, f, status), nil, made[status])
		f.do(func(_ context.Context, tx learning.Tx) error {
			equal(t, purchaseReports(t, tx, status), nil, made[status])
			return nil
		})
	}
}

// userReports lists the users of a role, or all if it is "".
func userReports(t *testing.T, r learning.Reader, role core.Role) []people.UserReport {
	t.Helper()
	return paged(t,
		func(ctx context.Context, page core.PageRequest) ([]people.UserReport, error) {
			return r.UserReports(ctx, core.WordSearch{}, role, page)
		}, listedAt)
}

// listedAt is the position of a user in their list.
func listedAt(u people.UserReport) core.Position {
	return core.Position{At: u.ListedAt, ID: u.ID}
}

func adminUsers(t *testing.T, f *fixture) {
	equal(t, userReports(t, f, ""), nil, nil)
	f.add(role{"educator", core.Educator}, role{"admin", core.Admin},
		role{"approved", core.Admin}, role{"nobody", core.Educator})
	for id, status := range map[string]people.ApplicationStatus{
		"approved": people.ApplicationApproved, "admin": people.ApplicationPending,
		"plain": people.ApplicationRejected} {
		a := application(id, status)
		a.UserID = id
		f.add(a)
	}
	f.add(taught("1", "educator", noon), taught("2", "educator", noon),
		taught("3", "approved", noon), taught("4", "nobody", noon))
	for _, courseID := range []string{"1", "2", "nowhere"} {
		f.add(study.Enrollment{UserID: "plain", CourseID: courseID, PurchaseID: "p",
			CreatedAt: noon})
	}
	f.add(people.User{ID: "gone", CreatedAt: noon, ChangedAt: noon, DeletedAt: noon})
	var want []people.UserReport
	for _, r := range []people.UserReport{ // the newest last, by id on a tie
		{Role: core.Admin, IsEducator: true, CoursesCreated: 1,
			User: people.User{ID: "approved"}},
		{Role: core.Educator, IsEducator: true, CoursesCreated: 2,
			User: people.User{ID: "educator"}},
		{Role: core.Admin, User: people.User{ID: "admin"}},
		{Role: core.Student, Enrollments: 3, User: people.User{ID: "plain"}},
	} {
		u := user(r.ID)
		u.CreatedAt = noon.Add(time.Duration(len(want)/2) * time.Microsecond)
		f.add(u)
		r.User = people.User{ID: u.ID, Name: u.Name, Email: u.Email, ImageURL: u.ImageURL,
			CreatedAt: u.CreatedAt}
		r.ListedAt = u.CreatedAt
		want = append([]people.UserReport{r}, want...)
	}
	equal(t, userReports(t, f, ""), nil, want)
}

// usersOfRole lists users by role. The records of some are stored before their role, others after
// it.
func usersOfRole(t *testing.T, f *fixture) {
	later := func(id string, n int) people.User {
		u := user(id)
		u.CreatedAt = noon.Add(time.Duration(n) * time.Microsecond)
		return u
	}
	f.add(role{"early", core.Educator}, role{"nobody", core.Educator}, later("early", 0),
		later("plain", 1),
		later("first", 2), role{"first", core.Educator}, later("twin", 2),
		role{"twin", core.Educator},
		later("third", 3), role{"third", core.Student}, later("gone", 4),
		role{"gone", core.Educator})
	f.do(func(ctx context.Context, tx learning.Tx) error {
		_, err := tx.ScrubUser(ctx, "gone", noon.Add(time.Hour))
		return err
	})
	ids := func(role core.Role) (list []string) {
		for _, u := range userReports(t, f, role) {
			list = append(list, u.ID)
		}
		return list
	}
	equal(t, ids(core.Student), nil, []string{"third", "plain"})
	equal(t, ids(core.Educator), nil, []string{"early", "twin", "first"})
	equal(t, ids(core.Admin), nil, nil)

	// The next decision gives the role the place of its record.
	for id, role := range map[string]core.Role{"early": core.Educator,
		"first": core.Admin} {
		f.reports(true, func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.UpdateRole(ctx, id,
				core.RoleAssignment{Role: role, At: noon.Add(time.Minute)})
		})
	}
	equal(t, ids(core.Educator), nil, []string{"twin", "early"})
	equal(t, ids(core.Admin), nil, []string{"first"})
}
