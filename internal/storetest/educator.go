package storetest

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/staff"
	"github.com/openlectern/openlectern/learning/study"
)

var educatorTests = []test{
	{"an educator's courses are listed, drafts included, the newest first, by id on a tie",
		educatorCourses},
	{"students are listed with their names, or with what stands for them", educatorStudents},
	{"students of one course of an educator are listed in both orders, by user on a tie",
		educatorStudentsIn},
	{"students of a course are found by the words of their names only, in pages and in scans",
		educatorStudentsSearch},
	{"the ids of an educator's courses with students are listed in their order",
		educatorCoursesWithStudents},
	{"a student of a course is read, with the results and the time in it", educatorStudent},
	{"what waits in the courses of an educator is read from the totals", educatorWaiting},
	{"completed purchases of an educator's courses are summed, in one currency", educatorEarnings},
}

func educatorWaiting(t *testing.T, f *fixture) {
	f.add(taught("a", "ada", noon), taught("b", "ada", noon), taught("c", "eve", noon))
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.AddToTotals(ctx, "row", []core.Total{
			{Kind: community.TotalPosts, CourseID: "a", Number: 100},
			{Kind: community.TotalWaitingQuestions, CourseID: "a", Number: 1},
			{Kind: community.TotalWaitingReviews, CourseID: "a", Number: 2},
			{Kind: community.TotalWaitingQuestions, CourseID: "b", Number: 4},
			{Kind: assess.TotalWaitingSubmissions, CourseID: "b", Number: 8},
			{Kind: community.TotalWaitingReviews, CourseID: "c", Number: 16},
		})
	})
	got, err := f.Waiting(t.Context(), "ada")
	equal(t, got, err, staff.Waiting{Submissions: 8, Questions: 5, Reviews: 2})
	got, err = f.Waiting(t.Context(), "none")
	equal(t, got, err, staff.Waiting{})
}

// taught returns a course of an educator with a time of creation.
func taught(id, educatorID string, at time.Time) catalog.Course {
	c := course(id)
	c.Educator, c.CreatedAt = core.Person{ID: educatorID, Name: core.UnknownUser}, at
	return c
}

func educatorCourses(t *testing.T, f *fixture) {
	list, err := f.CoursesOf(t.Context(), "ada", allRows)
	equal(t, list, err, nil)
	oldest := taught("z", "ada", noon.Add(-time.Microsecond))
	a := taught("a", "ada", noon)
	b := taught("b", "ada", noon)
	draft := taught("0", "ada", noon.Add(time.Second))
	draft.Published = false
	f.add(a, oldest, draft, b, taught("c", "Ada", noon), taught("d", "eve", noon))
	list, err = f.CoursesOf(t.Context(), "ada", allRows)
	equal(t, list, err, []catalog.Course{draft, b, a, oldest})
	pages := paged(t,
		func(ctx context.Context, page core.PageRequest) ([]catalog.Course, error) {
			return f.CoursesOf(ctx, "ada", page)
		},
		func(c catalog.Course) core.Position {
			return core.Position{At: c.CreatedAt,
				ID: c.ID}
		})
	equal(t, pages, nil, list)
	for _, id := range []string{"", "ada ", "\xff", "%"} {
		list, err = f.CoursesOf(t.Context(), id, allRows)
		equal(t, list, err, nil)
	}
}

func educatorStudents(t *testing.T, f *fixture) {
	inGo := taught("go", "ada", noon)
	inGo.Lectures = 3
	f.add(inGo, user("known"), user("gone"))
	f.reports(true, func(ctx context.Context, tx learning.Tx) (bool, error) {
		return tx.ScrubUser(ctx, "gone", noon)
	})
	known := core.Person{
		ID: "known", Name: "Name of known", ImageURL: "https://img.example.com/known",
	}
	want := []staff.TaughtStudent{
		{Student: core.Person{ID: "unknown", Name: core.UnknownUser}},
		{Student: known},
		{Student: core.Person{ID: "gone", Name: core.DeletedUser}},
	}
	for i := range want {
		s := &want[i]
		s.CourseID, s.CourseTitle = "go", "Course go"
		s.Version, s.Lectures = catalog.CourseVersion{Number: inGo.Version,
			UpdatedAt: inGo.UpdatedAt}, inGo.Lectures
		s.ExpiresAt = noon.Add(time.Duration(i) * time.Hour)
		s.EnrolledAt = noon.Add(time.Duration(i) * time.Microsecond)
		f.add(study.Enrollment{
			UserID: s.Student.ID, CourseID: "go", PurchaseID: "p", CreatedAt: s.EnrolledAt,
			ExpiresAt: s.ExpiresAt,
		})
	}
	want[1].LastActiveAt = noon.Add(time.Minute)
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.SetLastLectures(ctx, []study.LecturePosition{{UserID: "known", CourseID: "go",
			LectureID: "l", SavedAt: want[1].LastActiveAt}})
	})
	page := core.PageRequest{Limit: 9}
	list, err := f.StudentsIn(t.Context(),
		staff.StudentSelection{EducatorID: "ada", CourseID: "go"}, page)
	equal(t, list, err, want)
}

func educatorStudent(t *testing.T, f *fixture) {
	f.add(user("student"), study.Enrollment{UserID: "student", CourseID: "course",
		PurchaseID: "p", CreatedAt: noon})
	failed, best := attempt("1", "one", time.Hour), attempt("2", "one", 0)
	failed.Passed, failed.Percentage, best.Percentage = false, 30, 100
	others := []assess.QuizResult{attempt("3", "one", 0), attempt("4", "one", 0)}
	others[0].UserID, others[1].CourseID = "Student", "Course"
	two := attempt("5", "two", 0)
	two.Passed = false
	f.add(failed, best, two, others[0], others[1])
	later, elsewhere := timeEntry("Player", "/player/course"), timeEntry("Player", "/player/other")
	later.ChapterID, later.Day, elsewhere.CourseID = "", today.AddDate(0, 0, 1), "other"
	f.add(timeEntry("Quiz", "/quiz/course/chapter"), later, elsewhere)

	got, err := f.StudentIn(t.Context(), "student", "course")
	equal(t, got, err, staff.StudentProgress{EnrolledAt: noon, Student: core.Person{
		ID: "student", Name: "Name of student", ImageURL: "https://img.example.com/student"}})
	quizzes, err := f.QuizProgress(t.Context(), "student", "course")
	equal(t, quizzes, err, []assess.QuizProgress{
		{ChapterID: "one", Attempts: 2, Best: 100, Passed: true, LastAt: noon.Add(time.Hour)},
		{ChapterID: "two", Attempts: 1, Best: 67, LastAt: noon},
	})
	spent, err := f.TimeInCourse(t.Context(), "student", "course")
	equal(t, spent, err, core.Milliseconds(3_000))
	for _, id := range []string{"", "Student", "student "} {
		got, err := f.StudentIn(t.Context(), id, "course")
		missing(t, got, err)
	}
	spent, err = f.TimeInCourse(t.Context(), "student", "Course")
	equal(t, spent, err, 0)
}

func educatorStudentsIn(t *testing.T, f *fixture) {
	inOrder := func(sort staff.StudentSort, educatorID, courseID string) (ids []string) {
		selected := staff.StudentSelection{EducatorID: educatorID, CourseID: courseID, Sort: sort}
		for _, s := range paged(t,
			func(ctx context.Context, page core.PageRequest) ([]staff.TaughtStudent, error) {
				return f.StudentsIn(ctx, selected, page)
			}, func(s staff.TaughtStudent) core.Position {
				at := s.EnrolledAt
				if sort == staff.StudentsActive && !s.LastActiveAt.IsZero() {
					at = s.LastActiveAt
				}
				return core.Position{At: at, ID: s.Student.ID}
			}) {
			ids = append(ids, s.CourseID+" "+s.Student.ID)
		}
		return ids
	}
	list := func(educatorID, courseID string) []string {
		return inOrder(staff.StudentsByEnrollment, educatorID, courseID)
	}
	f.add(taught("go", "ada", noon), taught("sql", "ada", noon), taught("other", "eve", noon))
	for i, id := range []string{"d", "b", "c", "a"} {
		f.add(study.Enrollment{UserID: id, CourseID: "go", PurchaseID: "p",
			CreatedAt: noon.Add(-time.Duration(i/2) * time.Microsecond)})
	}
	f.add(study.Enrollment{UserID: "a", CourseID: "other", PurchaseID: "p", CreatedAt: noon})
	equal(t, list("ada", "go"), nil, []string{"go a", "go c", "go b", "go d"})
	equal(t, inOrder(staff.StudentsRecent, "ada", "go"), nil,
		[]string{"go d", "go b", "go c", "go a"})
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.SetLastLectures(ctx, []study.LecturePosition{{UserID: "c", CourseID: "go",
			LectureID: "l", SavedAt: noon.Add(time.Second)}})
	})
	equal(t, inOrder(staff.StudentsActive, "ada", "go"), nil,
		[]string{"go c", "go d", "go b", "go a"})
	equal(t, inOrder(staff.StudentsActive, "eve", "go"), nil, nil)
	equal(t, list("eve", "other"), nil, []string{"other a"})
	equal(t, list("ada", "sql"), nil, nil)
	equal(t, list("eve", "go"), nil, nil)
	equal(t, list("ada", "Go"), nil, nil)
}

func educatorStudentsSearch(t *testing.T, f *fixture) {
	f.add(taught("go", "ada", noon), taught("sql", "ada", noon))
	for i, name := range []string{"Ada Lovelace", "Ada King", "Grace Ada", "Alan"} {
		u := user(fmt.Sprint(i))
		u.Name, u.Email = name, "hidden@example.org"
		f.add(u, study.Enrollment{UserID: u.ID, CourseID: "go", PurchaseID: "p",
			CreatedAt: noon.Add(time.Duration(i) * time.Second)})
	}
	f.add(study.Enrollment{UserID: "0", CourseID: "sql", PurchaseID: "p", CreatedAt: noon})
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.SetLastLectures(ctx, []study.LecturePosition{{UserID: "1", CourseID: "go",
			LectureID: "l", SavedAt: noon.Add(time.Hour)}})
	})
	search := func(sort staff.StudentSort, words core.WordSearch) (ids string) {
		t.Helper()
		selected := staff.StudentSelection{EducatorID: "ada", CourseID: "go", Sort: sort,
			Words: words}
		page := core.PageRequest{Limit: 9}
		for {
			var err error
			if selected.IsScan() { // of one enrolment at a time
				page.Through, err = f.StudentsEnd(t.Context(), selected, page.After, 1)
				if err != nil {
					t.Fatal(err)
				}
			}
			list, err := f.StudentsIn(t.Context(), selected, page)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range list {
				ids += s.Student.ID
			}
			if page.After = page.Through; page.After.IsZero() {
				return ids
			}
		}
	}
	also := func(words ...string) core.WordSearch { return core.WordSearch{Also: words} }
	for _, c := range []struct {
		sort  staff.StudentSort
		words core.WordSearch
		want  string
	}{
		{staff.StudentsByEnrollment, also("ada"), "012"},
		{staff.StudentsRecent, also("ad"), "210"},
		{staff.StudentsActive, also("ada"), "120"},
		{staff.StudentsByEnrollment, also("ada", "lo"), "0"},
		{staff.StudentsByEnrollment, also("hidden"), ""},
		{staff.StudentsByEnrollment, core.WordSearch{Rare: "ada"}, "012"},
		{staff.StudentsActive, core.WordSearch{Rare: "ada", Also: []string{"k"}}, "1"},
		{staff.StudentsByEnrollment, core.WordSearch{Rare: "hidden"}, ""},
	} {
		if got := search(c.sort, c.words); got != c.want {
			t.Errorf("%v in order %q: %q, want %q", c.words, c.sort, got, c.want)
		}
	}
}

func educatorCoursesWithStudents(t *testing.T, f *fixture) {
	check := func(after string, limit int, want ...string) {
		t.Helper()
		ids, err := f.CoursesWithStudents(t.Context(), "ada", after, limit)
		equal(t, ids, err, want)
	}
	check("", 9)
	empty := taught("b", "ada", noon)
	empty.Students = 0
	f.add(taught("c", "ada", noon), taught("a", "ada", noon), empty, taught("d", "eve", noon),
		taught("e", "ada", noon))
	check("", 9, "a", "c", "e")
	check("", 2, "a", "c")
	check("a", 9, "c", "e")
	check("b", 1, "c")
	check("e", 9)
}

// sold returns a purchase of a course in a state, with an amount, of which a part was refunded in
// addition.
func sold(
	id, courseID string, status purchase.Status, amount core.Money,
) purchase.Purchase {
	p := purchaseIn(id, status)
	p.UserID = "buyer of " + id
	p.CourseID = courseID
	p.Amount = amount + 3
	p.RefundedAmount = 3
	return p
}

func educatorEarnings(t *testing.T, f *fixture) {
	check := func(educatorID, currency string, courses int, earned core.Money) {
		t.Helper()
		f.recount()
		got, err := f.TaughtTotals(t.Context(), educatorID, currency)
		equal(t, got, err, staff.TaughtTotals{Courses: courses, Earnings: earned})
		list, err := f.RevenueOfEducator(t.Context(), educatorID)
		i := slices.IndexFunc(list, func(r staff.Revenue) bool { return r.Currency == currency })
		var inCurrency core.Money
		if i >= 0 {
			inCurrency = list[i].Amount
		}
		equal(t, inCurrency, err, earned)
	}
	check("ada", "INR", 0, 0)
	f.add(taught("go", "ada", noon), taught("sql", "ada", noon), taught("other", "eve", noon))
	check("ada", "INR", 2, 0)
	const large = core.Money(1<<53 + 1) // a float64 cannot represent it
	foreign := sold("foreign", "go", purchase.Completed, 7_00)
	foreign.Currency = "EUR"
	f.add(foreign, sold("1", "go", purchase.Completed, large),
		sold("2", "go", purchase.Completed, 1),
		sold("3", "sql", purchase.Completed, large),
		sold("4", "other", purchase.Completed, 99),
		sold("5", "nowhere", purchase.Completed, 99))
	for _, status := range []purchase.Status{purchase.Created,
		purchase.Pending, purchase.Failed, purchase.Refunded} {
		f.add(sold(string(status), "go", status, 1_00))
	}
	check("ada", "INR", 2, 2*large+1)
	check("ada", "EUR", 2, 7_00)
	check("ada", "USD", 2, 0)
	check("eve", "INR", 1, 99)
	check("nobody", "INR", 0, 0)
}
