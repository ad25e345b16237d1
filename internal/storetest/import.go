package storetest

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/study"
)

// importTests are of what only an import of people reads.
var importTests = []test{
	{"the addresses of users are listed, without deleted ones", importEmails},
	{"an enrolment has ended after each time before its end", importEnrollmentEnded},
	{"a course is completed once its completion is stored", importCourseCompleted},
}

func importEmails(t *testing.T, f *fixture) {
	f.add(user("a"), user("b"), user("gone"))
	f.reports(true, func(ctx context.Context, tx learning.Tx) (bool, error) {
		return tx.ScrubUser(ctx, "gone", later)
	})
	var got []string
	err := f.UserEmails(t.Context(), func(id, email string) error {
		got = append(got, id+" "+email)
		return nil
	})
	slices.Sort(got)
	equal(t, got, err, []string{"a a@example.com", "b b@example.com"})
}

func importEnrollmentEnded(t *testing.T, f *fixture) {
	e := study.Enrollment{UserID: "u", CourseID: "c", GrantedBy: "admin", CreatedAt: noon}
	f.add(study.PastEnrollment{ID: "1", Enrollment: e, EndedAt: later})
	for _, c := range []struct {
		user, course string
		at           time.Time
		want         bool
	}{
		{"u", "c", noon.Add(-time.Hour), true}, {"u", "c", later.Add(-time.Microsecond), true},
		{"u", "c", later, false}, {"u", "other", noon, false}, {"other", "c", noon, false},
	} {
		got, err := f.EnrollmentEndedAfter(t.Context(), c.user, c.course, c.at)
		equal(t, got, err, c.want)
	}
}

func importCourseCompleted(t *testing.T, f *fixture) {
	completed := func(user, course string, want bool) {
		t.Helper()
		got, err := f.CourseCompleted(t.Context(), user, course)
		equal(t, got, err, want)
	}
	completed("u", "c", false)
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.InsertCourseCompletion(ctx, "u", "c", noon)
	})
	completed("u", "c", true)
	completed("u", "other", false)
	completed("other", "c", false)
}
