package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
)

var educatorTests = []test{
	{"an educator's courses are listed, drafts included, the newest first, by id on a tie", educatorCourses},
	{"students of an educator are listed, the oldest enrolment first", educatorStudents},
	{"completed purchases of an educator's courses are summed, in one currency", educatorEarnings},
}

// taught returns a course of an educator with a time of creation.
func taught(id, educatorID string, at time.Time) learning.Course {
	c := course(id)
	c.Educator, c.CreatedAt = learning.Person{ID: educatorID, Name: learning.UnknownUser}, at
	return c
}

func educatorCourses(t *testing.T, f *fixture) {
	list, err := f.CoursesOf(t.Context(), "ada")
	equal(t, list, err, nil)
	oldest, a, b, draft := taught("z", "ada", noon.Add(-time.Microsecond)), taught("a", "ada", noon), taught("b", "ada", noon), taught("0", "ada", noon.Add(time.Second))
	draft.Published = false
	f.add(a, oldest, draft, b, taught("c", "Ada", noon), taught("d", "eve", noon))
	list, err = f.CoursesOf(t.Context(), "ada")
	equal(t, list, err, []learning.Course{draft, b, a, oldest})
	for _, id := range []string{"", "ada ", "\xff", "%"} {
		list, err = f.CoursesOf(t.Context(), id)
		equal(t, list, err, nil)
	}
}

func educatorStudents(t *testing.T, f *fixture) {
	list, err := f.StudentsOf(t.Context(), "ada")
	equal(t, list, err, nil)
	f.add(taught("go", "ada", noon), taught("sql", "ada", noon), taught("other", "eve", noon))
	f.add(user("known"), user("gone"))
	f.moves(true, func(ctx context.Context, tx learning.Tx) (bool, error) { return tx.ScrubUser(ctx, "gone", noon) })
	enroll := func(userID, courseID string, at time.Time) {
		f.add(learning.Enrollment{UserID: userID, CourseID: courseID, PurchaseID: "p", CreatedAt: at})
	}
	enroll("known", "go", noon)
	enroll("known", "other", noon.Add(time.Hour))
	enroll("known", "sql", noon.Add(time.Microsecond))
	enroll("gone", "go", noon.Add(2*time.Microsecond))
	enroll("unknown", "sql", noon.Add(-time.Hour))
	known := learning.Person{ID: "known", Name: "Name of known", ImageURL: "https://img.example.com/known"}
	list, err = f.StudentsOf(t.Context(), "ada")
	equal(t, list, err, []learning.TaughtStudent{
		{CourseTitle: "Course sql", Student: learning.Person{ID: "unknown", Name: learning.UnknownUser}, EnrolledAt: noon.Add(-time.Hour)},
		{CourseTitle: "Course go", Student: known, EnrolledAt: noon},
		{CourseTitle: "Course sql", Student: known, EnrolledAt: noon.Add(time.Microsecond)},
		{CourseTitle: "Course go", Student: learning.Person{ID: "gone", Name: learning.DeletedUser}, EnrolledAt: noon.Add(2 * time.Microsecond)},
	})
	list, err = f.StudentsOf(t.Context(), "eve")
	equal(t, list, err, []learning.TaughtStudent{{CourseTitle: "Course other", Student: known, EnrolledAt: noon.Add(time.Hour)}})
}

// sold returns a purchase of a course in a state, with an amount.
func sold(id, courseID string, status learning.PurchaseStatus, amount learning.Money) learning.Purchase {
	p := purchase(id, status)
	p.UserID, p.CourseID, p.Amount = "buyer of "+id, courseID, amount
	return p
}

func educatorEarnings(t *testing.T, f *fixture) {
	check := func(educatorID, currency string, courses int, earned learning.Money) {
		t.Helper()
		n, sum, err := f.EarningsOf(t.Context(), educatorID, currency)
		equal(t, n, err, courses)
		equal(t, sum, err, earned)
	}
	check("ada", "INR", 0, 0)
	f.add(taught("go", "ada", noon), taught("sql", "ada", noon), taught("other", "eve", noon))
	check("ada", "INR", 2, 0)
	const large = learning.Money(1<<53 + 1) // a float64 cannot represent it
	foreign := sold("foreign", "go", learning.PurchaseCompleted, 7_00)
	foreign.Currency = "EUR"
	f.add(foreign, sold("1", "go", learning.PurchaseCompleted, large), sold("2", "go", learning.PurchaseCompleted, 1), sold("3", "sql", learning.PurchaseCompleted, large),
		sold("4", "other", learning.PurchaseCompleted, 99), sold("5", "nowhere", learning.PurchaseCompleted, 99))
	for _, status := range []learning.PurchaseStatus{learning.PurchaseCreated, learning.PurchasePending, learning.PurchaseFailed, learning.PurchaseRefunded} {
		f.add(sold(string(status), "go", status, 1_00))
	}
	check("ada", "INR", 2, 2*large+1)
	check("ada", "EUR", 2, 7_00)
	check("ada", "USD", 2, 0)
	check("eve", "INR", 1, 99)
	check("nobody", "INR", 0, 0)
}
