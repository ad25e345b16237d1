package certify

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/file"
	"github.com/openlectern/openlectern/learning/study"
)

// The public failures of certificates.
var (
	ErrCertificateNotFound = &core.Error{Kind: core.NotFound, Code: "certificate_not_found",
		Message: "Certificate not found"}
	ErrCertificateNotEarned = &core.Error{Kind: core.NotFound, Code: "certificate_not_earned",
		Message: "Certificate not available yet"}
	ErrCertificateNotGenerated = &core.Error{Kind: core.NotFound, Code: "certificate_not_generated",
		Message: "Certificate not generated yet"}
	ErrCertificateRevoked = &core.Error{Kind: core.Conflict, Code: "certificate_revoked",
		Message: "Certificate has been revoked"}
	ErrCertificatesNotConfigured = &core.Error{Kind: core.Unavailable,
		Code:    "certificates_not_configured",
		Message: "Certificates are not configured"}
)

// The events of certificates.
const (
	EventCertificateIssued  core.EventType = "certificate.issued"
	EventCertificateRevoked core.EventType = "certificate.revoked"
)

// Certificate states that a student completed a course. Its printed names and titles
// are those of the day of issue, and do not change later (docs/api.md §8). Certificates
// are never deleted, so that a printed one can always be verified.
type Certificate struct {
	ID       string // a random UUID, with which anyone can verify the certificate
	UserID   string
	CourseID string
	// Number counts the certificates of the platform from 0. It is the position of the
	// certificate in the status lists.
	Number int64

	StudentName  string
	CourseTitle  string
	EducatorName string
	IssuerName   string    // of learning.WithName
	CompletedAt  time.Time // of the last lecture
	IssuedAt     time.Time
	PDFStoredAt  time.Time // when the PDF was stored; zero until then

	RevokedAt        time.Time // zero unless it was revoked
	RevocationReason string
}

// File returns the name of the PDF in the media store; see [file.Service.MediaURL]. It
// contains the id, so it is as hard to guess.
func (c Certificate) File() string { return "certificate-" + c.ID + ".pdf" }

// Revoked reports whether the certificate was revoked.
func (c Certificate) Revoked() bool { return !c.RevokedAt.IsZero() }

// CertificateState is the state of a student's certificate for a course.
type CertificateState struct {
	Earned  bool // nothing is missing
	Exists  bool // it was issued
	Revoked bool // it was issued and revoked
	// Missing is what the course asks now and the student has not done, in the order of the course.
	Missing []MissingPart
}

// CheckCertificate returns the state of the actor's certificate for a course. If it is revoked and
// its PDF was not removed, CheckCertificate removes the PDF. Errors: [core.ErrUnauthenticated],
// [catalog.ErrCourseNotFound], [study.ErrNotPurchased].
func (s *Service) CheckCertificate(ctx context.Context, actor core.Actor,
	courseID string) (CertificateState, error) {
	course, err := s.study.EnrolledEver(ctx, actor, courseID)
	if err != nil {
		return CertificateState{}, err
	}
	progress, missing, err := s.certificateProgress(ctx, s.store, actor.UserID, courseID,
		course.Terms.Certificate)
	if err != nil {
		return CertificateState{}, err
	}
	c, err := s.store.CertificateOf(ctx, actor.UserID, courseID)
	if err != nil && !errors.Is(err, core.ErrNoRecord) {
		return CertificateState{}, fmt.Errorf("look for a certificate: %w", err)
	}
	exists := err == nil

	// The call that revoked the certificate may have failed to remove the PDF. Without a
	// certificate c is zero, and so not revoked.
	if c.Revoked() {
		s.ForRooms().CleanUpRevoked(ctx, c)
	}
	return CertificateState{
		Earned:  progress.Completed() && len(missing) == 0,
		Exists:  exists,
		Revoked: c.Revoked(),
		Missing: missing,
	}, nil
}

// Certificate returns the actor's certificate for a course. If its PDF is not in the
// media store, it is created. Errors: [core.ErrUnauthenticated], [ErrCertificatesNotConfigured],
// [file.ErrMediaNotConfigured], [catalog.ErrCourseNotFound], [study.ErrNotPurchased],
// [ErrCertificateNotGenerated], [ErrCertificateRevoked].
func (s *Service) Certificate(ctx context.Context, actor core.Actor,
	courseID string) (Certificate, error) {
	// The actor must be enrolled. The course itself is not needed: the certificate shows it as it
	// was on the day of issue.
	if _, err := s.certificateCourse(ctx, actor, courseID); err != nil {
		return Certificate{}, err
	}
	c, err := s.store.CertificateOf(ctx, actor.UserID, courseID)
	if errors.Is(err, core.ErrNoRecord) {
		return Certificate{}, ErrCertificateNotGenerated
	}
	if err != nil {
		return Certificate{}, fmt.Errorf("read a certificate: %w", err)
	}
	return s.ensurePDF(ctx, c) // creates the PDF if it is not there, and refuses a revoked one
}

// Certificates lists all certificates of the actor, the newest first, revoked ones included.
// Error: [core.ErrUnauthenticated].
func (s *Service) Certificates(ctx context.Context, actor core.Actor) ([]Certificate, error) {
	if err := actor.Require(); err != nil {
		return nil, err
	}
	list, err := s.store.CertificatesOf(ctx, actor.UserID)
	return list, core.Wrap("list the certificates", err)
}

// CertificateURLs are the public URLs of a certificate, "" for what it does not have.
type CertificateURLs struct {
	PDF        string // "" if revoked, or not stored yet: [Service.Certificate] stores it
	Verify     string // a page for readers, JSON for programs
	Credential string // "" without learning.WithCredentials
}

// CertificateURLs returns the public URLs of a certificate.
func (s *Service) CertificateURLs(c Certificate) (urls CertificateURLs) {
	if !c.Revoked() && !c.PDFStoredAt.IsZero() {
		urls.PDF = s.files.MediaURL(c.File())
	}
	if s.renderer == nil {
		return urls // without WithCertificates the public URL of the API is not known
	}
	urls.Verify = s.url + "verify/" + c.ID
	if s.credentials != nil {
		urls.Credential = s.url + c.ID + "/credential"
	}
	return urls
}

// certificateCourse reads a course that the actor is enrolled in. Errors:
// [core.ErrUnauthenticated], [ErrCertificatesNotConfigured], [file.ErrMediaNotConfigured], and
// if the actor is not enrolled, [study.ErrNotPurchased] or [catalog.ErrCourseNotFound].
func (s *Service) certificateCourse(ctx context.Context, actor core.Actor,
	courseID string) (study.EnrolledCourse, error) {
	switch err := actor.Require(); {
	case err != nil:
		return study.EnrolledCourse{}, err
	case s.renderer == nil:
		return study.EnrolledCourse{}, ErrCertificatesNotConfigured
	case s.media == nil:
		return study.EnrolledCourse{}, file.ErrMediaNotConfigured
	}
	return s.study.EnrolledEver(ctx, actor, courseID)
}

// VerifyCertificate returns the certificate with an id, for any caller. It returns
// revoked ones, too; see [Certificate.Revoked]. Error: [ErrCertificateNotFound], for
// malformed ids as well.
func (s *Service) VerifyCertificate(ctx context.Context, id string) (Certificate, error) {
	c, err := s.certificate(ctx, id)
	if err != nil {
		return Certificate{}, err
	}

	// The call that revoked the certificate may have failed to remove the PDF. Then the PDF is
	// still recorded as stored. Without that record the media store is not called, because anyone
	// may verify a certificate: learning.System.RunTidying deletes a PDF that has no record.
	if c.Revoked() && !c.PDFStoredAt.IsZero() {
		s.ForRooms().CleanUpRevoked(ctx, c)
	}
	return c, nil
}

// certificate reads a certificate. Error: [ErrCertificateNotFound].
func (s *Service) certificate(ctx context.Context, id string) (Certificate, error) {
	c, err := s.store.Certificate(ctx, id)
	if errors.Is(err, core.ErrNoRecord) {
		return Certificate{}, ErrCertificateNotFound
	}
	if err != nil {
		return Certificate{}, fmt.Errorf("read a certificate: %w", err)
	}
	return c, nil
}

// HolderReader reads the certificate that a student holds for a course.
type HolderReader interface {
	// CertificateOf reads the certificate of a user for a course.
	CertificateOf(ctx context.Context, userID, courseID string) (Certificate, error)
}

// certificateReader reads certificates.
type certificateReader interface {
	HolderReader
	Certificate(ctx context.Context, id string) (Certificate, error)
	// CertificatesOf lists the certificates of a user, the newest first.
	CertificatesOf(ctx context.Context, userID string) ([]Certificate, error)
	// RevokedNumbers lists the numbers in [from, to) of revoked certificates, in order.
	RevokedNumbers(ctx context.Context, from, to int64) ([]int64, error)
	// RevokedPDFs lists at most limit ids of certificates that were revoked before a time and
	// whose PDF was not given up, those first that were revoked first.
	RevokedPDFs(ctx context.Context, before time.Time, limit int) ([]string, error)
	// CertificatesIssued reads the counter of certificates. It returns [core.ErrNoRecord] before
	// the first certificate.
	CertificatesIssued(ctx context.Context) (int64, error)
}

// certificateWriter writes certificates. Their numbers come from a counter in one row.
// IncrementCertificates locks that row until the end of the transaction, and a rollback
// restores it, so that the numbers have no gaps.
type certificateWriter interface {
	// IncrementCertificates adds one to the counter, which begins at 0.
	IncrementCertificates(ctx context.Context) error
	// InsertCertificate adds a certificate that is not revoked. It returns
	// [core.ErrDuplicate] if the user has one for the course.
	InsertCertificate(ctx context.Context, c Certificate) error
	// SetPDFStored records that the PDF is stored, and thus not given up, unless it is
	// recorded already. It reports whether it did.
	SetPDFStored(ctx context.Context, id string, at time.Time) (bool, error)
	// ClearCertificatePDF records that the PDF of a revoked certificate is not stored
	// any more. It reports whether it was recorded as stored.
	ClearCertificatePDF(ctx context.Context, id string) (bool, error)
	// GiveUpPDF records that the PDF of a revoked certificate is not stored any more, or is
	// in the list of unused files. It reports false if that is recorded already.
	GiveUpPDF(ctx context.Context, id string) (bool, error)
	RevokeTx
}

// The notifications of certificates. The school issues and revokes them, whoever has asked for it.
const (
	NotifyCertificateIssued  core.NotificationKind = "certificate.issued"
	NotifyCertificateRevoked core.NotificationKind = "certificate.revoked"
)

// notifyHolder tells the student of what has become of a certificate.
func notifyHolder(changes *core.Changes, kind core.NotificationKind, c Certificate) {
	const doneBy = "" // the school
	changes.Notify(doneBy, core.Notification{
		Kind:            kind,
		ReaderID:        c.UserID,
		Thing:           c.ID,
		NotificationIDs: core.NotificationIDs{CourseID: c.CourseID, CertificateID: c.ID},
	})
}

// addCertificateEvent adds an event of a certificate.
func addCertificateEvent(changes *core.Changes, t core.EventType, c Certificate) {
	changes.Add(t, "user", c.UserID,
		core.EventData{CertificateID: c.ID, UserID: c.UserID, CourseID: c.CourseID,
			CourseTitle: c.CourseTitle})
}
