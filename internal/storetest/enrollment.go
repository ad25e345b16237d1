package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/study"
)

var enrollmentTests = []test{
	{"a user is enrolled once in a course", enrollmentOnce},
	{"ids differ by case and by spaces at the end", enrollmentIDs},
	{"the courses of a user are listed, the oldest enrolment first, by course on a tie",
		enrollmentCourses},
	{"an enrolment is read as it was stored, whatever it came from", enrollmentRoundTrip},
	{"the purchase and the grant of an enrolment are updated", enrollmentUpdate},
	{"an enrolment is deleted once, and the user can be enrolled again", enrollmentDelete},
	{"active and past enrolments are listed together, those that began last first",
		enrollmentReports},
	{"the enrolments of a user, of a course, or of both are listed", enrollmentReportsOf},
	{"the metadata of an enrolment is set, stays when others change, and ends with it",
		enrollmentMetadata},
	{"an enrolment is read with the end of its access and what an admin has decided",
		enrollmentAccess},
	{"the enrolments whose end is due are listed, that which is due first", enrollmentExpiries},
	{"the first of several enrolments is found", enrollmentFirst},
	{"the texts of admins about a user are removed", enrollmentForget},
}

// enrolled checks whether a user is enrolled in a course.
func enrolled(t *testing.T, f *fixture, userID, courseID string, want bool) {
	t.Helper()
	got, err := f.Enrolled(t.Context(), userID, courseID)
	equal(t, got, err, want)
}

func enrollmentOnce(t *testing.T, f *fixture) {
	e := study.Enrollment{UserID: "u", CourseID: "c", PurchaseID: "p", CreatedAt: noon}
	enrolled(t, f, "u", "c", false)
	f.add(e)
	enrolled(t, f, "u", "c", true)
	enrolled(t, f, "c", "u", false)
	enrolled(t, f, "u", "d", false)
	e.PurchaseID = "another"
	f.fails(core.ErrDuplicate,
		func(ctx context.Context, tx learning.Tx) error { return tx.InsertEnrollment(ctx, e) })
	e.CourseID = "d"
	f.add(e)
	enrolled(t, f, "u", "d", true)
}

func enrollmentIDs(t *testing.T, f *fixture) {
	f.add(study.Enrollment{UserID: "u", CourseID: "c", PurchaseID: "p", CreatedAt: noon},
		study.Enrollment{UserID: "U", CourseID: "c", PurchaseID: "p", CreatedAt: noon})
	enrolled(t, f, "U", "c", true)
	enrolled(t, f, "U", "C", false)
	enrolled(t, f, "u ", "c", false)
	enrolled(t, f, "u", "c ", false)
}

func enrollmentCourses(t *testing.T, f *fixture) {
	list, err := f.EnrolledCourses(t.Context(), "u", core.PageRequest{})
	equal(t, list, err, nil)

	draft := course("draft")
	draft.Published = false
	f.add(course("b"), course("a"), draft, course("last"), course("not hers"), user("educator"),
		rating("u", "b", 4), rating("v", "a", 1))
	for id, after := range map[string]time.Duration{"draft": 0, "a": time.Second, "b": time.Second,
		"last": 2 * time.Second} {
		f.add(study.Enrollment{UserID: "u", CourseID: id, PurchaseID: "p",
			CreatedAt: noon.Add(after), FirstAt: noon})
	}
	f.add(study.Enrollment{UserID: "v", CourseID: "not hers", PurchaseID: "p", CreatedAt: noon})

	want := []study.EnrolledCourse{{Course: draft, EnrolledAt: noon},
		{Course: course("a"), EnrolledAt: noon.Add(time.Second)},
		{Course: course("b"), Stars: 4, EnrolledAt: noon.Add(time.Second)},
		{Course: course("last"), EnrolledAt: noon.Add(2 * time.Second)}}
	for i := range want {
		want[i].FirstAt = noon
		want[i].Educator = core.Person{ID: "educator", Name: "Name of educator",
			ImageURL: "https://img.example.com/educator"}
	}
	list, err = f.EnrolledCourses(t.Context(), "u", core.PageRequest{})
	equal(t, list, err, want)
	pages := paged(t,
		func(ctx context.Context, page core.PageRequest) ([]study.EnrolledCourse, error) {
			return f.EnrolledCourses(ctx, "u", page)
		},
		func(c study.EnrolledCourse) core.Position {
			return core.Position{At: c.EnrolledAt, ID: c.ID}
		})
	equal(t, pages, nil, want)
	for _, c := range want {
		got, err := f.EnrolledCourse(t.Context(), "u", c.ID)
		equal(t, got, err, c)
	}
	for _, other := range [][2]string{{"u", "not hers"}, {"v", "a"}, {"U", "a"}, {"u", "A"},
		{"u ", "a"}, {"u", "a "}, {"", ""}, {"\xff", "a"}} {
		got, err := f.EnrolledCourse(t.Context(), other[0], other[1])
		missing(t, got, err)
	}
}

// ended returns the end of an enrolment.
func ended(id string, e study.Enrollment) study.PastEnrollment {
	return study.PastEnrollment{ID: id, Enrollment: e, EndedAt: noon.Add(time.Hour),
		EndedBy: "admin", EndReason: long(500)}
}

// granted returns an enrolment by an admin.
func granted(userID, courseID string) study.Enrollment {
	return study.Enrollment{
		UserID: userID, CourseID: courseID, GrantedBy: long(47) + "def", GrantedAt: later,
		Reason: long(500), CreatedAt: noon,
	}
}

func enrollmentRoundTrip(t *testing.T, f *fixture) {
	paid := study.Enrollment{UserID: "u", CourseID: "c", PurchaseID: "p", CreatedAt: noon}
	both := granted("u", "d")
	both.PurchaseID, both.FirstAt = "q", noon.Add(-time.Microsecond)
	for _, e := range []study.Enrollment{paid, granted(long(47)+"abc", long(16)), both} {
		f.add(e)
		got, err := f.Enrollment(t.Context(), e.UserID, e.CourseID)
		equal(t, got, err, e)
	}
	for _, ids := range [][2]string{{"U", "c"}, {"u", "C"}, {"u", "e"}, {"u ", "c"}, {"", ""}} {
		got, err := f.Enrollment(t.Context(), ids[0], ids[1])
		missing(t, got, err)
	}
}

func enrollmentUpdate(t *testing.T, f *fixture) {
	e, other := study.Enrollment{UserID: "u", CourseID: "c", PurchaseID: "p", CreatedAt: noon},
		granted("u", "d")
	f.add(e, other)
	changed := granted("u", "c")
	changed.PurchaseID = "q"
	for _, want := range []study.Enrollment{changed, granted("u", "c"), e} {
		f.do(func(ctx context.Context, tx learning.Tx) error {
			return tx.UpdateEnrollment(ctx,
				want)
		})
		got, err := f.Enrollment(t.Context(), "u", "c")
		equal(t, got, err, want)
	}
	got, err := f.Enrollment(t.Context(), "u", "d")
	equal(t, got, err, other)
	f.fails(core.ErrNoRecord, func(ctx context.Context, tx learning.Tx) error {
		return tx.UpdateEnrollment(ctx,
			study.Enrollment{UserID: "U", CourseID: "c", PurchaseID: "p"})
	})
}

func enrollmentAccess(t *testing.T, f *fixture) {
	e := granted("u", "c")
	e.ExpiresAt, e.StepAt, e.GrantExpiresAt = later.Add(time.Hour), later, later.Add(time.Minute)
	e.Override = study.Override{HasOverride: true, OpenAll: true, DecidedBy: long(47) + "ghi",
		DecidedAt: noon, WhyDecided: long(500)}
	f.add(e)
	got, err := f.Enrollment(t.Context(), "u", "c")
	equal(t, got, err, e)

	// The end is set by itself, and kept when others change.
	e.ExpiresAt, e.StepAt = time.Time{}, time.Time{}
	f.do(func(ctx context.Context, tx learning.Tx) error { return tx.SetExpiry(ctx, e) })
	got, err = f.Enrollment(t.Context(), "u", "c")
	equal(t, got, err, e)
	changed := e
	changed.ExpiresAt, changed.GrantExpiresAt, changed.Override = noon, noon, study.Override{}
	f.do(func(ctx context.Context, tx learning.Tx) error { return tx.UpdateEnrollment(ctx, changed) })
	changed.ExpiresAt = time.Time{}
	got, err = f.Enrollment(t.Context(), "u", "c")
	equal(t, got, err, changed)
	f.fails(core.ErrNoRecord, func(ctx context.Context, tx learning.Tx) error {
		return tx.SetExpiry(ctx, study.Enrollment{UserID: "u", CourseID: "d"})
	})
}

func enrollmentExpiries(t *testing.T, f *fixture) {
	due := func(want ...study.EnrollmentKey) {
		t.Helper()
		got, err := f.DueExpiries(t.Context(), later, 2)
		equal(t, got, err, want)
	}
	due()
	at := func(userID string, step time.Time) study.Enrollment {
		e := granted(userID, "c")
		e.ExpiresAt, e.StepAt = later, step
		return e
	}
	f.add(at("c", noon), at("b", later), at("a", later), at("d", later.Add(time.Microsecond)),
		granted("e", "c"))
	due(study.EnrollmentKey{UserID: "c", CourseID: "c"},
		study.EnrollmentKey{UserID: "a", CourseID: "c"})
}

func enrollmentFirst(t *testing.T, f *fixture) {
	first := func(want time.Time) {
		t.Helper()
		f.do(func(ctx context.Context, tx learning.Tx) error {
			got, err := tx.FirstEnrollment(ctx, "u", "c")
			equal(t, got, err, want)
			return nil
		})
	}
	f.add(granted("u", "c"))
	first(time.Time{}) // the present one is not asked
	for i, past := range []study.Enrollment{granted("u", "d"), granted("v", "c")} {
		past.CreatedAt = noon.Add(-time.Hour)
		f.do(func(ctx context.Context, tx learning.Tx) error {
			return tx.InsertPastEnrollment(ctx, ended(string(rune('x'+i)), past))
		})
	}
	first(time.Time{})
	for i := range 2 {
		past := granted("u", "c")
		past.CreatedAt = noon.Add(-time.Duration(i) * time.Minute)
		f.do(func(ctx context.Context, tx learning.Tx) error {
			return tx.InsertPastEnrollment(ctx, ended(string(rune('a'+i)), past))
		})
	}
	first(noon.Add(-time.Minute))
}

func enrollmentDelete(t *testing.T, f *fixture) {
	f.add(study.Enrollment{UserID: "u", CourseID: "c", PurchaseID: "p", CreatedAt: noon},
		study.Enrollment{UserID: "u", CourseID: "d", PurchaseID: "q", CreatedAt: noon})
	drop := func(want bool, userID, courseID string) {
		f.reports(want, func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.DeleteEnrollment(ctx, userID, courseID)
		})
	}
	drop(false, "U", "c")
	drop(false, "u", "C")
	drop(true, "u", "c")
	drop(false, "u", "c")
	enrolled(t, f, "u", "c", false)
	enrolled(t, f, "u", "d", true)
	f.add(study.Enrollment{UserID: "u", CourseID: "c", PurchaseID: "r", CreatedAt: noon})
	enrolled(t, f, "u", "c", true)
}

// reported returns the enrolments that a query selects, read in pages.
func (f *fixture) reported(q study.EnrollmentQuery) []study.EnrollmentReport {
	return paged(f.t,
		func(ctx context.Context, page core.PageRequest) ([]study.EnrollmentReport, error) {
			return f.EnrollmentReports(ctx, q, page)
		}, func(r study.EnrollmentReport) core.Position {
			return core.Position{At: r.CreatedAt, ID: r.UserID, ID2: r.CourseID}
		})
}

// past moves an enrolment to the past ones, and returns what is listed then.
func (f *fixture) past(id string, r study.EnrollmentReport) study.EnrollmentReport {
	f.t.Helper()
	end := ended(id, r.Enrollment)
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.InsertPastEnrollment(ctx,
			end)
	})
	f.reports(true, func(ctx context.Context, tx learning.Tx) (bool, error) {
		return tx.DeleteEnrollment(ctx, r.UserID, r.CourseID)
	})
	r.EndedAt = end.EndedAt
	r.EndedBy = end.EndedBy
	r.EndReason = end.EndReason
	return r
}

// given stores enrolments of each origin, one of them past, and returns what is listed.
func (f *fixture) given() []study.EnrollmentReport {
	free := purchaseIn("free", purchase.Completed)
	free.Amount = 0
	f.add(course("c"), course("d"), purchaseIn("paid", purchase.Completed), free)
	list := []study.EnrollmentReport{
		{Enrollment: study.Enrollment{UserID: "w", CourseID: "none", GrantedBy: "a",
			CreatedAt: noon.Add(time.Microsecond)}, Origin: study.EnrollmentGranted},
		{Enrollment: study.Enrollment{UserID: "v", CourseID: "c", PurchaseID: "lost",
			CreatedAt: noon}, CourseTitle: "Course c", Origin: study.EnrollmentPurchased},
		{Enrollment: study.Enrollment{UserID: "u", CourseID: "d", PurchaseID: "free",
			CreatedAt: noon}, CourseTitle: "Course d", Origin: study.EnrollmentFree},
		{Enrollment: study.Enrollment{UserID: "u", CourseID: "c", GrantedBy: "a", Reason: "Poor",
			CreatedAt: noon}, CourseTitle: "Course c", Origin: study.EnrollmentGranted},
		{Enrollment: study.Enrollment{UserID: "u", CourseID: "c", PurchaseID: "paid",
			CreatedAt: noon.Add(-time.Hour)}, CourseTitle: "Course c",
			Origin: study.EnrollmentPurchased},
	}
	f.add(list[4].Enrollment)
	list[4] = f.past("1", list[4])
	for _, r := range list[:4] {
		f.add(r.Enrollment)
	}
	list[1] = f.past("0", list[1])
	return list
}

func enrollmentReports(t *testing.T, f *fixture) {
	equal(t, f.reported(study.EnrollmentQuery{}), nil, nil)
	want := f.given()
	equal(t, f.reported(study.EnrollmentQuery{}), nil, want)
	want[2] = f.past("3", want[2]) // keeps its position
	equal(t, f.reported(study.EnrollmentQuery{}), nil, want)
}

func enrollmentReportsOf(t *testing.T, f *fixture) {
	all := f.given()
	for q, want := range map[study.EnrollmentQuery][]study.EnrollmentReport{
		{UserID: "u"}:                all[2:],
		{CourseID: "c"}:              {all[1], all[3], all[4]},
		{UserID: "u", CourseID: "c"}: all[3:],
		{UserID: "u", CourseID: "d"}: all[2:3],
		{UserID: "U"}:                nil,
		{CourseID: "C"}:              nil,
		{UserID: "u "}:               nil,
	} {
		equal(t, f.reported(q), nil, want)
	}
}

func enrollmentForget(t *testing.T, f *fixture) {
	active := study.EnrollmentReport{Origin: study.EnrollmentGranted,
		Enrollment: study.Enrollment{UserID: "u", CourseID: "c", GrantedBy: "a", Reason: "Poor",
			CreatedAt: noon, Metadata: core.Metadata{"cohort": "1"}}}
	gone, other := active, active
	gone.CourseID, other.UserID = "d", "U"
	f.add(active.Enrollment, gone.Enrollment, other.Enrollment)
	gone = f.past("1", gone)
	other = f.past("2", other)
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.ForgetEnrollmentReasons(ctx,
			"u")
	})
	f.do(func(ctx context.Context,
		tx learning.Tx) error {
		return tx.ForgetPastEnrollmentReasons(ctx, "u")
	})
	active.Reason, active.Metadata = "", nil
	gone.Reason, gone.Metadata = "", nil
	gone.EndReason = ""
	equal(t, f.reported(study.EnrollmentQuery{}), nil,
		[]study.EnrollmentReport{gone, active, other})
}

func enrollmentMetadata(t *testing.T, f *fixture) {
	e := study.Enrollment{UserID: "u", CourseID: "c", PurchaseID: "p", CreatedAt: noon}
	other := e
	other.CourseID = "d"
	f.add(e, other)
	set := func(courseID string, m core.Metadata, want bool) {
		t.Helper()
		f.reports(want, func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.SetEnrollmentMetadata(ctx, "u", courseID, m)
		})
	}
	check := func(e study.Enrollment) {
		t.Helper()
		got, err := f.Enrollment(t.Context(), "u", e.CourseID)
		equal(t, got, err, e)
	}
	set("none", core.Metadata{"cohort": "1"}, false)
	set("c", core.Metadata{"cohort": "1"}, true)
	e.Metadata = core.Metadata{"cohort": "2", "text": long(core.MaxMetadataValue)}
	set("c", e.Metadata, true)
	check(e)
	check(other)

	// A change of the purchase leaves it.
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.UpdateEnrollment(ctx, study.Enrollment{UserID: "u", CourseID: "c",
			PurchaseID: "q"})
	})
	e.PurchaseID = "q"
	check(e)

	// The past enrolment of a purchase has it until that is given back.
	f.add(study.PastEnrollment{ID: "1", Enrollment: e, EndedAt: noon})
	ended := func(purchaseID string, want core.Metadata) {
		t.Helper()
		f.do(func(ctx context.Context, tx learning.Tx) error {
			got, err := tx.EndedMetadata(ctx, "u", "c", purchaseID)
			equal(t, got, err, want)
			return nil
		})
	}
	ended("q", e.Metadata)
	ended("p", nil)
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.RestorePastEnrollment(ctx, "u", "c", "q", noon)
	})
	ended("q", nil)
	set("c", core.Metadata{}, true)
	e.Metadata = nil
	check(e)
}
