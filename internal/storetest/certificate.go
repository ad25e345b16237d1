package storetest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/certify"
	"github.com/openlectern/openlectern/learning/core"
)

var certificateTests = []test{
	{"a certificate is read as it was stored", certificateRoundTrip},
	{"the longest texts fit", certificateLimits},
	{"a certificate that does not exist is ErrNoRecord", certificateMissing},
	{"there is one certificate for a user and course, and one for each number", certificateUnique},
	{"a PDF is recorded once, a certificate revoked once, and its PDF cleared once",
		certificateTransitions},
	{"the PDF of a revoked certificate is given up once, and again after it was stored",
		certificateGiveUp},
	{"the certificates of a user are listed, the newest first", certificateList},
	{"the revoked numbers of a range are listed in order", certificateRevoked},
	{"certificates are counted from 0, after the counter was inserted", certificateCount},
	{"the number of a transaction that is rolled back is used again", certificateRollback},
}

// certificate returns a certificate of "user of <id>" for "course", with a value in every
// field except those of a revocation.
func certificate(id string, number int64) certify.Certificate {
	return certify.Certificate{ID: id, UserID: "user of " + id, CourseID: "course", Number: number,
		StudentName: "Zoë 学生 🎓 of " + id, CourseTitle: "<b>Title</b> of " + id,
		EducatorName: "Educator of " + id, IssuerName: "Issuer of " + id,
		CompletedAt: noon.Add(-time.Hour), IssuedAt: noon, PDFStoredAt: noon.Add(time.Microsecond)}
}

// keptCertificate checks a stored certificate, read by its id and by its user.
func (f *fixture) keptCertificate(want certify.Certificate) {
	f.t.Helper()
	got, err := f.Certificate(f.t.Context(), want.ID)
	equal(f.t, got, err, want)
	got, err = f.CertificateOf(f.t.Context(), want.UserID, want.CourseID)
	equal(f.t, got, err, want)
}

func certificateRoundTrip(t *testing.T, f *fixture) {
	full := certificate("full", 7)
	bare := certify.Certificate{ID: "bare", UserID: "u", CourseID: "c", CompletedAt: noon,
		IssuedAt: noon}
	for _, c := range []certify.Certificate{full, bare} {
		f.add(c)
		f.keptCertificate(c)
	}
	f.do(func(ctx context.Context, tx learning.Tx) error {
		got, err := tx.CertificateOf(ctx, full.UserID, full.CourseID)
		equal(t, got, err, full)
		return nil
	})
}

func certificateLimits(t *testing.T, f *fixture) {
	c := certificate("a", 1<<62)
	c.ID = long(10)
	c.UserID = long(47) + "abc"
	c.CourseID = strings.Repeat("c", 64)
	c.StudentName = long(200)
	c.CourseTitle = long(catalog.MaxCourseTitle)
	c.EducatorName = long(200)
	c.IssuerName = long(learning.MaxName)
	f.add(c)
	reason := long(certify.MaxRevocationReason)
	f.reports(true, func(ctx context.Context, tx learning.Tx) (bool, error) {
		return tx.RevokeCertificate(ctx, c.ID, reason, later)
	})
	c.RevokedAt, c.RevocationReason = later, reason
	f.keptCertificate(c)
}

func certificateMissing(t *testing.T, f *fixture) {
	f.add(certificate("a", 0))
	for _, id := range []string{"", "A", "a ", "b", "\xff", "' OR 1 = 1 --",
		strings.Repeat("a", 100_000)} {
		got, err := f.Certificate(t.Context(), id)
		missing(t, got, err)
		got, err = f.CertificateOf(t.Context(), "user of a", id)
		missing(t, got, err)
		got, err = f.CertificateOf(t.Context(), id, "course")
		missing(t, got, err)
	}
}

func certificateUnique(t *testing.T, f *fixture) {
	first := certificate("first", 0)
	f.add(first)
	sameID := certificate("first", 1)
	sameNumber := certificate("second", 0)
	sameUser := certificate("second", 1)
	sameID.UserID = "another user"
	sameUser.UserID = first.UserID
	for _, c := range []certify.Certificate{sameID, sameNumber, sameUser} {
		f.fails(core.ErrDuplicate,
			func(ctx context.Context, tx learning.Tx) error { return tx.InsertCertificate(ctx, c) })
	}
	otherCase, otherCourse := certificate("First", 1), certificate("other", 2)
	otherCourse.UserID, otherCourse.CourseID = first.UserID, "another"
	f.add(otherCase, otherCourse)
	for _, c := range []certify.Certificate{first, otherCase, otherCourse} {
		f.keptCertificate(c)
	}
}

func certificateTransitions(t *testing.T, f *fixture) {
	c := certificate("c", 0)
	c.PDFStoredAt = time.Time{}
	other := certificate("other", 1)
	f.add(c, other)
	file := func(id string, at time.Time) func(ctx context.Context, tx learning.Tx) (bool, error) {
		return func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.SetPDFStored(ctx,
				id, at)
		}
	}
	revoke := func(id, reason string,
		at time.Time) func(ctx context.Context, tx learning.Tx) (bool, error) {
		return func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.RevokeCertificate(ctx, id, reason, at)
		}
	}
	f.reports(false, file("nothing", noon))
	f.reports(false, revoke("nothing", "reason", noon))
	f.reports(true, file("c", later))
	c.PDFStoredAt = later
	f.keptCertificate(c)
	f.reports(false, file("c", later.Add(time.Hour)))
	f.keptCertificate(c)
	clearPDF := func(id string) func(ctx context.Context, tx learning.Tx) (bool, error) {
		return func(ctx context.Context,
			tx learning.Tx) (bool, error) {
			return tx.ClearCertificatePDF(ctx, id)
		}
	}
	f.reports(false, clearPDF("nothing"))
	f.reports(false, clearPDF("c")) // it is not revoked
	f.reports(true, revoke("c", "first", later))
	c.RevokedAt, c.RevocationReason = later, "first"
	f.keptCertificate(c)
	f.reports(false, revoke("c", "second", later.Add(time.Hour)))
	f.keptCertificate(c)
	f.reports(true, clearPDF("c"))
	c.PDFStoredAt = time.Time{}
	f.keptCertificate(c)
	f.reports(false, clearPDF("c"))
	f.keptCertificate(other)
}

func certificateGiveUp(t *testing.T, f *fixture) {
	for i, id := range []string{"b", "a", "c", "kept"} {
		f.add(certificate(id, int64(i)))
	}
	revoke := func(id string, at time.Time) {
		f.reports(true,
			func(ctx context.Context,
				tx learning.Tx) (bool, error) {
				return tx.RevokeCertificate(ctx, id, "", at)
			})
	}
	giveUp := func(id string, want bool) {
		t.Helper()
		f.reports(want,
			func(ctx context.Context, tx learning.Tx) (bool, error) {
				return tx.GiveUpPDF(ctx,
					id)
			})
	}
	listed := func(before time.Time, limit int, want ...string) {
		t.Helper()
		ids, err := f.RevokedPDFs(t.Context(), before, limit)
		equal(t, ids, err, want)
	}
	revoke("a", noon)
	revoke("b", noon)
	revoke("c", noon.Add(-time.Second))
	listed(noon, 9, "c")
	listed(later, 9, "c", "a", "b")
	listed(later, 2, "c", "a")
	giveUp("kept", false)
	giveUp("nothing", false)
	giveUp("a", true)
	giveUp("a", false)
	listed(later, 9, "c", "b")
	c, err := f.Certificate(t.Context(), "a")
	equal(t, c.PDFStoredAt, err, time.Time{})
	f.reports(true,
		func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.SetPDFStored(ctx, "a",
				later)
		})
	listed(later, 9, "c", "a", "b")
}

func certificateRevoked(t *testing.T, f *fixture) {
	for _, n := range []int64{9, 0, 5, 3, 4, 7} {
		id := fmt.Sprint(n)
		f.add(certificate(id, n))
		if n == 4 {
			continue
		}
		f.reports(true, func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.RevokeCertificate(ctx, id, "", noon)
		})
	}
	for _, c := range []struct {
		from, to int64
		want     []int64
	}{{from: 0, to: 10, want: []int64{0, 3, 5, 7, 9}}, {from: 3, to: 7, want: []int64{3, 5}},
		{from: 4, to: 5, want: nil}, {from: 9, to: 10, want: []int64{9}},
		{from: 10, to: 1 << 62, want: nil}, {from: 5, to: 5, want: nil}} {
		got, err := f.RevokedNumbers(t.Context(), c.from, c.to)
		equal(t, got, err, c.want)
	}
}

func certificateCount(t *testing.T, f *fixture) {
	n, err := f.CertificatesIssued(t.Context())
	missing(t, n, err)
	for want := int64(1); want <= 3; want++ {
		f.do(func(ctx context.Context, tx learning.Tx) error {
			if err := tx.IncrementCertificates(ctx); err != nil {
				return err
			}
			n, err := tx.CertificatesIssued(ctx) // includes the count of this transaction
			equal(t, n, err, want)
			return err
		})
		n, err = f.CertificatesIssued(t.Context())
		equal(t, n, err, want)
	}
}

func certificateRollback(t *testing.T, f *fixture) {
	f.add(certificate("c", 0))
	f.fails(core.ErrDuplicate, func(ctx context.Context, tx learning.Tx) error {
		if err := tx.IncrementCertificates(ctx); err != nil {
			return err
		}
		return tx.InsertCertificate(ctx, certificate("c", 1))
	})
	n, err := f.CertificatesIssued(t.Context())
	missing(t, n, err) // the increment was rolled back too
}

// raceIssue issues certificates concurrently: every transaction succeeds, and the numbers
// have no gaps.
func raceIssue(t *testing.T, f *fixture) {
	const crowd = 50
	wins := f.race(crowd, func(ctx context.Context, tx learning.Tx, i int) (bool, error) {
		if err := tx.IncrementCertificates(ctx); err != nil {
			return false, err
		}
		n, err := tx.CertificatesIssued(ctx)
		if err != nil {
			return false, err
		}
		return true, tx.InsertCertificate(ctx, certificate(fmt.Sprint(i), n-1))
	})
	numbers := map[int64]bool{}
	for i := range crowd {
		c, err := f.Certificate(t.Context(), fmt.Sprint(i))
		if err != nil || c.Number < 0 || c.Number >= crowd {
			t.Errorf("certificate %d has the number %d (%v)", i, c.Number, err)
		}
		numbers[c.Number] = true
	}
	if wins != crowd || len(numbers) != crowd {
		t.Errorf("%d certificates were stored, with %d numbers", wins, len(numbers))
	}
}

// raceRevoke revokes a certificate in 20 concurrent transactions: one of them reports that it did.
func raceRevoke(t *testing.T, f *fixture) {
	f.add(certificate("c", 0))
	wins := f.race(20, func(ctx context.Context, tx learning.Tx, i int) (bool, error) {
		return tx.RevokeCertificate(ctx, "c", fmt.Sprint(i), noon)
	})
	if wins != 1 {
		t.Errorf("%d revocations succeeded, want 1", wins)
	}
}

func certificateList(t *testing.T, f *fixture) {
	list, err := f.CertificatesOf(t.Context(), "ada")
	equal(t, list, err, nil)
	of := func(id, userID string, number int64, at time.Time) certify.Certificate {
		c := certificate(id, number)
		c.UserID = userID
		c.CourseID = id
		c.IssuedAt = at
		f.add(c)
		return c
	}
	newest := of("a", "ada", 9, noon.Add(time.Microsecond))
	first := of("z", "ada", 1, noon)
	second := of("b", "ada", 2, noon)
	of("c", "Ada", 3, noon)
	list, err = f.CertificatesOf(t.Context(), "ada")
	equal(t, list, err, []certify.Certificate{newest, second, first})
	for _, id := range unknownIDs {
		list, err = f.CertificatesOf(t.Context(), id)
		equal(t, list, err, nil)
	}
}
