package roomtest

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/certify"
	"github.com/openlectern/openlectern/learning/core"
)

// AsksQuizzes lets the certificate of a course ask its quizzes, or not.
func (w *World) AsksQuizzes(t *testing.T, courseID string, asks bool) {
	t.Helper()
	w.Edit(t, courseID, catalog.CourseEdit{Terms: &catalog.Terms{
		Certificate: catalog.CertificateTerms{Quizzes: asks}}})
}

// Attempts submits an attempt of a user at the quiz of theChapter, and returns the result.
func (w *World) Attempts(
	t *testing.T, who core.Actor, courseID string, answers map[string]learning.Answer,
) learning.QuizResult {
	t.Helper()
	r, err := w.Platform.SubmitAttempt(ctx(), who, w.Starts(t, who, courseID).ID, answers)
	Must(t, err)
	return r
}

// WantMissing checks what a user misses for the certificate of a course.
func (w *World) WantMissing(
	t *testing.T, who core.Actor, courseID string, want ...certify.MissingPart,
) {
	t.Helper()
	got, err := w.Platform.Certify.CheckCertificate(ctx(), who, courseID)
	if diff := cmp.Diff(append([]certify.MissingPart{}, want...), got.Missing); diff != "" ||
		err != nil || got.Earned != (len(want) == 0) {
		t.Errorf("check: %+v (%v); missing: -want +got\n%s", got, err, diff)
	}
	_, err = w.Platform.Certify.GenerateCertificate(ctx(), who, courseID)
	if len(want) > 0 && !got.Exists {
		WantFailure(t, err, certify.ErrCertificateNotEarned, "generate")
	} else {
		Must(t, err)
	}
}

// Graduates creates a user who has completed a course.
func (w *World) Graduates(t *testing.T, userID, courseID string) core.Actor {
	t.Helper()
	who := w.Enrolls(t, userID, courseID)
	w.Completes(t, who, courseID)
	return who
}

// Completes makes a user complete all lectures of a course.
func (w *World) Completes(t *testing.T, who core.Actor, courseID string) {
	t.Helper()
	content, err := w.Store.CourseContent(ctx(), courseID)
	if err != nil {
		t.Fatal(err)
	}
	for _, ch := range content {
		for _, l := range ch.Lectures {
			if _, err := w.Platform.Study.CompleteLecture(ctx(), who, courseID, l.ID); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Generated returns the certificate that this call must create.
func (w *World) Generated(t *testing.T, who core.Actor,
	courseID string) certify.Certificate {
	t.Helper()
	c, err := w.Platform.Certify.GenerateCertificate(ctx(), who, courseID)
	if err != nil || !c.IsNew {
		t.Fatalf("generate: new %v, %v", c.IsNew, err)
	}
	return c.Certificate
}

// WantChecked compares whether a user has earned a certificate and has it.
func (w *World) WantChecked(t *testing.T, who core.Actor, courseID string,
	earned, exists bool) {
	t.Helper()
	got, err := w.Platform.Certify.CheckCertificate(ctx(), who, courseID)
	if err != nil || got.Earned != earned || got.Exists != exists || got.Revoked ||
		earned != (len(got.Missing) == 0) {
		t.Errorf("check: %+v (%v); want earned %v, exists %v", got, err, earned, exists)
	}
}
