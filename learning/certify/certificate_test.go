package certify_test

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/certify"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/study"
)

var uuid4 = regexp.MustCompile(
	`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

func TestGenerateCertificate_OnceAfterEveryLecture(t *testing.T) {
	roomtest.WithCertificatesOnEngines(t, func(t *testing.T, w *roomtest.World,
		p *roomtest.Renderer) {
		course := w.Course(t, "go", 0)
		ada := w.Enrolls(t, "ada", course)
		w.WantChecked(t, ada, course, false, false)
		_, err := w.Platform.Certify.GenerateCertificate(ctx(), ada, course)
		roomtest.WantError(t, err, certify.ErrCertificateNotEarned, "Certificate not available yet")
		w.Clock.Advance(time.Hour)
		w.Completes(t, ada, course)
		w.WantChecked(t, ada, course, true, false)
		_, err = w.Platform.Certify.Certificate(ctx(), ada, course)
		roomtest.WantError(t, err, certify.ErrCertificateNotGenerated,
			"Certificate not generated yet")

		w.Clock.Advance(time.Hour)
		got := w.Generated(t, ada, course)
		now := w.Clock.Now()
		want := certify.Certificate{ID: got.ID, UserID: "ada", CourseID: course,
			StudentName: "ada", CourseTitle: "Course go", EducatorName: "educator",
			IssuerName:  "Open Lectern",
			CompletedAt: now.Add(-time.Hour), IssuedAt: now, PDFStoredAt: now}
		if diff := cmp.Diff(want, got); diff != "" || !uuid4.MatchString(got.ID) {
			t.Errorf("the certificate %s: %s", got.ID, diff)
		}
		p.WantPrinted(t, got)
		w.WantChecked(t, ada, course, true, true)

		w.Clock.Advance(time.Hour)
		again, err := w.Platform.Certify.GenerateCertificate(ctx(), ada, course)
		if diff := cmp.Diff(want, again.Certificate); diff != "" || again.IsNew || err != nil {
			t.Errorf("generated again: new %v, %v %s", again.IsNew, err, diff)
		}
		fetched, err := w.Platform.Certify.Certificate(ctx(), ada, course)
		if diff := cmp.Diff(want, fetched); diff != "" || err != nil {
			t.Errorf("fetched: %v %s", err, diff)
		}
		verified, err := w.Platform.Certify.VerifyCertificate(ctx(), got.ID)
		if diff := cmp.Diff(want, verified); diff != "" || err != nil {
			t.Errorf("verified: %v %s", err, diff)
		}
		if p.Drawn.Load() != 1 || p.Certificates() != 1 {
			t.Errorf("drawn %d times, kept as %d files", p.Drawn.Load(), p.Certificates())
		}
	})
}

func TestCertificate_NamesDoNotChange(t *testing.T) {
	roomtest.WithCertificatesOnEngines(t, func(t *testing.T, w *roomtest.World,
		p *roomtest.Renderer) {
		course := w.Course(t, "go", 0)
		ada := w.Graduates(t, "ada", course)
		want := w.Generated(t, ada, course)
		renamed := roomtest.Event(people.UserUpdated, 1)
		w.Apply(t, renamed)
		w.Exec(t, "UPDATE courses SET title = 'Another' WHERE id = ?", course)
		w.Exec(t, "UPDATE users SET name = 'Somebody else' WHERE id = 'educator'")
		// as if a lecture was added
		w.Exec(t, "DELETE FROM completed_lectures WHERE user_id = 'ada'")
		w.WantChecked(t, ada, course, false, true)
		for range 2 {
			got, err := w.Platform.Certify.GenerateCertificate(ctx(), ada, course)
			if diff := cmp.Diff(want, got.Certificate); diff != "" || got.IsNew || err != nil {
				t.Errorf("new %v, %v %s", got.IsNew, err, diff)
			}
			gone := roomtest.Event(people.UserDeleted, 2)
			w.Apply(t, gone)
		}
		verified, err := w.Platform.Certify.VerifyCertificate(ctx(), want.ID)
		if diff := cmp.Diff(want, verified); diff != "" || err != nil {
			t.Errorf("verified: %v %s", err, diff)
		}
		p.WantPrinted(t, want)
	})
}

// Two users have completed a course, and one of them has a certificate, when a lecture is
// added. The first keeps the certificate. The second must complete the new lecture, and its day
// becomes the day of completion.
func TestCertificate_LectureAddedLater(t *testing.T) {
	roomtest.WithCertificatesOnEngines(t, func(t *testing.T, w *roomtest.World,
		_ *roomtest.Renderer) {
		course := w.Publish(t, "course", roomtest.Chapter("1", "a"))
		ada, bob := w.Enrolls(t, "ada", course), w.Enrolls(t, "bob", course)
		w.Learns(t, ada, course, true, "a")
		w.Learns(t, bob, course, true, "a")
		want := w.Generated(t, ada, course)

		w.Revise(t, course, roomtest.Chapter("1", "a", "b"))
		w.WantChecked(t, ada, course, false, true)
		w.WantChecked(t, bob, course, false, false)
		fetched, err := w.Platform.Certify.Certificate(ctx(), ada, course)
		if diff := cmp.Diff(want, fetched); diff != "" || err != nil {
			t.Errorf("fetched: %v %s", err, diff)
		}
		again, err := w.Platform.Certify.GenerateCertificate(ctx(), ada, course)
		if diff := cmp.Diff(want, again.Certificate); diff != "" || again.IsNew || err != nil {
			t.Errorf("generated again: new %v, %v %s", again.IsNew, err, diff)
		}
		_, err = w.Platform.Certify.GenerateCertificate(ctx(), bob, course)
		roomtest.WantError(t, err, certify.ErrCertificateNotEarned, "Certificate not available yet")

		w.Learns(t, bob, course, true, "b")
		if c := w.Generated(t, bob, course); !c.CompletedAt.Equal(w.Clock.Now()) {
			t.Errorf("completed at %v, want %v", c.CompletedAt, w.Clock.Now())
		}
	})
}

func TestGenerateCertificate_StudentName(t *testing.T) {
	roomtest.WithCertificatesOnEngines(t, func(t *testing.T, w *roomtest.World,
		p *roomtest.Renderer) {
		course := w.Course(t, "go", 0)
		ada := w.Graduates(t, "ada", course)
		w.Exec(t, "UPDATE users SET name = 'Renamed since' WHERE id = 'ada'")
		if c := w.Generated(t, ada, course); c.StudentName != "Renamed since" {
			t.Errorf("issued to %q", c.StudentName)
		}
		eve := w.Graduates(t, "eve", course)
		w.Exec(t, "DELETE FROM users WHERE id = 'eve'")
		if c := w.Generated(t, eve, course); c.StudentName != "User" || c.Number != 1 {
			t.Errorf("issued to %q with the number %d", c.StudentName, c.Number)
		}
		bob := w.Graduates(t, "bob", course)
		w.Exec(t, "UPDATE users SET deleted_at = changed_at WHERE id = 'bob'")
		_, err := w.Platform.Certify.GenerateCertificate(ctx(), bob, course)
		roomtest.WantError(t, err, core.ErrUnauthenticated, "Unauthorized Access")
		w.Exec(t, "UPDATE users SET deleted_at = changed_at WHERE id = 'educator'")
		zoe := w.Graduates(t, "zoe", course)
		if c := w.Generated(t, zoe, course); c.EducatorName != core.DeletedUser ||
			c.Number != 2 {
			t.Errorf("issued by %q with the number %d", c.EducatorName, c.Number)
		}
	})
}

func TestCertificate_RequiresEnrolment(t *testing.T) {
	roomtest.WithCertificatesOnEngines(t, func(t *testing.T, w *roomtest.World,
		_ *roomtest.Renderer) {
		course := w.Course(t, "go", 0)
		w.Generated(t, w.Graduates(t, "ada", course), course)
		eve := w.Person(t, "eve", core.Student)
		for _, c := range []struct {
			who     learning.Actor
			course  string
			want    *learning.Error
			message string
		}{
			{learning.Actor{}, course, core.ErrUnauthenticated, "Unauthorized Access"},
			{eve, course, study.ErrNotPurchased, "Course not purchased"},
			{learning.Actor{UserID: "educator", Role: core.Educator}, course,
				study.ErrNotPurchased, "Course not purchased"},
			{eve, "none", catalog.ErrCourseNotFound, "Course not found"},
			{eve, "\xff ", catalog.ErrCourseNotFound, "Course not found"},
		} {
			_, checked := w.Platform.Certify.CheckCertificate(ctx(), c.who, c.course)
			_, generated := w.Platform.Certify.GenerateCertificate(ctx(), c.who, c.course)
			_, fetched := w.Platform.Certify.Certificate(ctx(), c.who, c.course)
			for _, err := range []error{checked, generated, fetched} {
				roomtest.WantError(t, err, c.want, c.message)
			}
		}
	})
}

func TestNew_InvalidCertificateURL(t *testing.T) {
	w := learningtest.New(t)
	for _, address := range []string{"", "learn.example.org", "/", "ftp://learn.example.org",
		"https://"} {
		if _, err := learning.New(w.Store,
			learning.WithCertificates(&roomtest.Renderer{}, address)); err == nil {
			t.Errorf("%q: no error", address)
		}
	}
}

func TestVerifyCertificate_UnknownID(t *testing.T) {
	roomtest.WithCertificatesOnEngines(t, func(t *testing.T, w *roomtest.World,
		_ *roomtest.Renderer) {
		course := w.Course(t, "go", 0)
		c := w.Generated(t, w.Graduates(t, "ada", course), course)
		for _, id := range []string{"", " ", "\x00", "\xff", "a ", c.ID + " ",
			strings.ToUpper(c.ID), "{" + c.ID + "}", c.ID[:35], "%s", "' OR 1=1 --",
			"🎓", strings.Repeat("x", 1<<20), "../" + c.ID} {
			_, err := w.Platform.Certify.VerifyCertificate(ctx(), id)
			roomtest.WantError(t, err, certify.ErrCertificateNotFound, "Certificate not found")
			_, err = w.Platform.System().RevokeCertificate(ctx(), id, "reason")
			roomtest.WantError(t, err, certify.ErrCertificateNotFound, "Certificate not found")
		}
	})
}

func TestRevokeCertificate_IsKeptAndNotReplaced(t *testing.T) {
	roomtest.WithCertificatesOnEngines(t, func(t *testing.T, w *roomtest.World,
		p *roomtest.Renderer) {
		course := w.Course(t, "go", 0)
		ada := w.Graduates(t, "ada", course)
		want := w.Generated(t, ada, course)
		for _, reason := range []string{"", " \n", strings.Repeat("ä", 1001), "\xff"} {
			_, err := w.Platform.System().RevokeCertificate(ctx(), want.ID, reason)
			roomtest.WantError(t, err, core.ErrInvalidRequest, "Invalid request data")
		}
		w.Clock.Advance(time.Hour)
		want.RevokedAt = w.Clock.Now()
		want.RevocationReason = strings.Repeat("ä", 1000)
		want.PDFStoredAt = time.Time{}
		r, err := w.Platform.System().RevokeCertificate(ctx(), want.ID,
			" "+want.RevocationReason+"\n")
		if diff := cmp.Diff(want, r.Certificate); diff != "" || !r.IsNew || err != nil {
			t.Errorf("revoked %v, %v %s", r.IsNew, err, diff)
		}
		w.Clock.Advance(time.Hour)
		r, err = w.Platform.System().RevokeCertificate(ctx(), want.ID, "Another reason")
		if diff := cmp.Diff(want, r.Certificate); diff != "" || r.IsNew || err != nil {
			t.Errorf("again: revoked %v, %v %s", r.IsNew, err, diff)
		}
		got, err := w.Platform.Certify.VerifyCertificate(ctx(), want.ID)
		if diff := cmp.Diff(want, got); diff != "" || err != nil || !got.Revoked() {
			t.Errorf("verified: %v %s", err, diff)
		}
		_, err = w.Platform.Certify.GenerateCertificate(ctx(), ada, course)
		roomtest.WantError(t, err, certify.ErrCertificateRevoked, "Certificate has been revoked")
		_, err = w.Platform.Certify.Certificate(ctx(), ada, course)
		roomtest.WantError(t, err, certify.ErrCertificateRevoked, "Certificate has been revoked")
		if n := w.Count(t, "certificates"); n != 1 || p.Drawn.Load() != 1 {
			t.Errorf("%d certificates, drawn %d times", n, p.Drawn.Load())
		}
		w.WantLogged(t, "certificate revoked", 1)
	})
}

// crowd is the number of concurrent callers.
const crowd = 16

// askAll generates a certificate with crowd concurrent calls, on two platforms in turn. It
// returns the certificate, and how many calls report that they have created it.
func askAll(t *testing.T, two [2]*roomtest.World, who learning.Actor,
	courseID string) (c certify.Certificate, created int) {
	t.Helper()
	var mu sync.Mutex
	for _, err := range roomtest.Concurrently(crowd, func(i int) error {
		got, err := two[i%2].Platform.Certify.GenerateCertificate(ctx(), who, courseID)
		mu.Lock()
		defer mu.Unlock()
		if c.ID != "" && (got.ID != c.ID || got.Number != c.Number) {
			return fmt.Errorf("%s (%d) and %s (%d)", got.ID, got.Number, c.ID, c.Number)
		}
		if c = got.Certificate; got.IsNew {
			created++
		}
		return err
	}) {
		if err != nil {
			t.Error(err)
		}
	}
	return c, created
}

func TestGenerateCertificate_Concurrent(t *testing.T) {
	roomtest.WithCertificatesOnEngines(t, func(t *testing.T, w *roomtest.World,
		p *roomtest.Renderer) {
		course := w.Course(t, "go", 0)
		for i := range 20 {
			ada := w.Graduates(t, fmt.Sprint("ada-", i), course)
			c, created := askAll(t, [2]*roomtest.World{w, w}, ada, course)
			if created != 1 || c.Number != int64(i) {
				t.Errorf("round %d: %d made it, with the number %d", i, created, c.Number)
			}
			if p.Drawn.Load() != int64(i+1) {
				t.Errorf("round %d: %d pages were drawn", i, p.Drawn.Load())
			}
			p.WantPrinted(t, c)
		}
	})
}

func TestGenerateCertificate_ConcurrentInTwoInstances(t *testing.T) {
	roomtest.WithCertificatesOnEngines(t, func(t *testing.T, w *roomtest.World,
		p *roomtest.Renderer) {
		course := w.Course(t, "go", 0)
		two := [2]*roomtest.World{w, w.OtherInstance(t, p.Option())}
		for i := range 20 {
			ada := w.Graduates(t, fmt.Sprint("ada-", i), course)
			before := p.Drawn.Load()
			c, created := askAll(t, two, ada, course)
			if n := w.Count(t, "certificates"); created != 1 || c.Number != int64(i) || n != i+1 ||
				p.Certificates() != i+1 {
				t.Errorf("round %d: %d made it, with the number %d; %d certificates, %d files", i,
					created, c.Number, n, p.Certificates())
			}
			if n := p.Drawn.Load() - before; n < 1 || n > 2 { // once a process
				t.Errorf("round %d: %d pages were drawn", i, n)
			}
			p.WantPrinted(t, c)
		}
	})
}

// Certificates of different users share only the counter: each user gets a certificate, and
// the numbers have no gap.
func TestGenerateCertificate_NumbersHaveNoGap(t *testing.T) {
	roomtest.WithCertificatesOnEngines(t, func(t *testing.T, w *roomtest.World,
		p *roomtest.Renderer) {
		course := w.Course(t, "go", 0)
		two := [2]*roomtest.World{w, w.OtherInstance(t, p.Option())}
		people := make([]learning.Actor, 2*crowd)
		for i := range people {
			people[i] = w.Graduates(t, fmt.Sprint("ada-", i), course)
		}
		for _, err := range roomtest.Concurrently(len(people), func(i int) error {
			_, err := two[i%2].Platform.Certify.GenerateCertificate(ctx(), people[i], course)
			return err
		}) {
			if err != nil {
				t.Error(err)
			}
		}
		if n := w.Count(t, "certificates WHERE number >= 0 AND number < ?", len(people)); n !=
			len(people) {
			t.Errorf("%d of %d numbers are there", n, len(people))
		}
	})
}

// A call may return the certificate just before it is revoked. Afterwards no call returns it,
// and there is no other one.
func TestRevokeCertificate_ConcurrentGeneration(t *testing.T) {
	roomtest.WithCertificatesOnEngines(t, func(t *testing.T, w *roomtest.World,
		p *roomtest.Renderer) {
		course := w.Course(t, "go", 0)
		for i := range 10 {
			ada := w.Graduates(t, fmt.Sprint("ada-", i), course)
			var revoked atomic.Int64
			answers := roomtest.CountErrors(roomtest.Concurrently(crowd, func(j int) error {
				if j%4 > 0 {
					_, err := w.Platform.Certify.GenerateCertificate(ctx(), ada, course)
					return err
				}
				for {
					c, err := w.Store.CertificateOf(ctx(), ada.UserID, course)
					if errors.Is(err, core.ErrNoRecord) {
						continue
					}
					r, err := w.Platform.System().RevokeCertificate(ctx(), c.ID,
						fmt.Sprint(j))
					if r.IsNew {
						revoked.Add(1)
					}
					return err
				}
			}))
			if answers[""]+answers["Certificate has been revoked"] != crowd || revoked.Load() != 1 {
				t.Errorf("round %d: %v; %d revoked it", i, answers, revoked.Load())
			}
			_, err := w.Platform.Certify.GenerateCertificate(ctx(), ada, course)
			roomtest.WantError(t, err, certify.ErrCertificateRevoked,
				"Certificate has been revoked")
			if n := w.Count(t, "certificates WHERE user_id = ?", ada.UserID); n != 1 {
				t.Errorf("%d certificates", n)
			}
		}
	})
}
