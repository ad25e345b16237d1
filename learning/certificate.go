package learning

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Certificate says that somebody completed a course. What is printed on it is of
// the day of issue and stays so, whatever person, course and educator are called
// later (docs/api.md §8). It is never forgotten, also when it was revoked or the
// person was deleted: who holds it on paper can always have it verified.
type Certificate struct {
	ID       string // a random UUID: who has it can verify it
	UserID   string
	CourseID string
	// Number counts the certificates of the platform from 0. It is reserved with the
	// certificate and places it in the status lists of credentials.
	Number int64

	StudentName  string
	CourseTitle  string
	EducatorName string
	IssuerName   string    // who certifies; see [WithName]
	CompletedAt  time.Time // of the last lecture
	IssuedAt     time.Time
	PDFStoredAt  time.Time // when the PDF was kept; zero until then

	RevokedAt        time.Time // zero unless it was revoked
	RevocationReason string
}

// File is the name of the PDF in the media store; see [Platform.MediaURL]. Whoever
// can guess it knows the id, and so may see all that is printed.
func (c Certificate) File() string { return "certificate-" + c.ID + ".pdf" }

// Revoked tells whether the certificate holds no more.
func (c Certificate) Revoked() bool { return !c.RevokedAt.IsZero() }

// CertificateState says where a student stands with the certificate of a course.
type CertificateState struct {
	Earned  bool // every lecture that the course has now is completed
	Exists  bool // it was issued, now earned or once
	Revoked bool // it was issued and revoked
}

// CheckCertificate returns the state of the actor's certificate for a course.
// Errors: [ErrCourseNotFound], [ErrNotPurchased].
func (p *Platform) CheckCertificate(ctx context.Context, actor Actor, courseID string) (CertificateState, error) {
	if _, err := p.enrolledIn(ctx, actor, courseID); err != nil {
		return CertificateState{}, err
	}
	progress, err := p.progress(ctx, p.store, actor.UserID, courseID)
	if err != nil {
		return CertificateState{}, err
	}
	c, err := p.store.CertificateOf(ctx, actor.UserID, courseID)
	if err != nil && !errors.Is(err, ErrNoRecord) {
		return CertificateState{}, fmt.Errorf("look for a certificate: %w", err)
	}
	if c.Revoked() {
		p.mendRevoked(ctx, c)
	}
	return CertificateState{Earned: progress.Completed(), Exists: err == nil, Revoked: c.Revoked()}, nil
}

// Certificate is the actor's certificate for a course, with its PDF: one that is
// not in the media store is made now. Errors: [ErrCertificatesNotConfigured],
// [ErrMediaNotConfigured], [ErrCourseNotFound], [ErrNotPurchased],
// [ErrCertificateNotGenerated], [ErrCertificateRevoked].
func (p *Platform) Certificate(ctx context.Context, actor Actor, courseID string) (Certificate, error) {
	if _, err := p.certifiable(ctx, actor, courseID); err != nil {
		return Certificate{}, err
	}
	c, err := p.store.CertificateOf(ctx, actor.UserID, courseID)
	if errors.Is(err, ErrNoRecord) {
		return Certificate{}, ErrCertificateNotGenerated
	}
	if err != nil {
		return Certificate{}, fmt.Errorf("read a certificate: %w", err)
	}
	return p.filed(ctx, c)
}

// certifiable reads a course that the actor is enrolled in, where certificates can
// be drawn and kept.
func (p *Platform) certifiable(ctx context.Context, actor Actor, courseID string) (EnrolledCourse, error) {
	switch err := actor.Require(); {
	case err != nil:
		return EnrolledCourse{}, err
	case p.renderer == nil:
		return EnrolledCourse{}, ErrCertificatesNotConfigured
	case p.media == nil:
		return EnrolledCourse{}, ErrMediaNotConfigured
	}
	return p.enrolledIn(ctx, actor, courseID)
}

// VerifyCertificate is the certificate with an id, for anyone: whether it holds is
// what [Certificate.Revoked] says. [ErrCertificateNotFound] for an id of no
// certificate, whatever it looks like.
func (p *Platform) VerifyCertificate(ctx context.Context, id string) (Certificate, error) {
	c, err := p.certificate(ctx, id)
	if err == nil && c.Revoked() && !c.PDFStoredAt.IsZero() {
		p.mendRevoked(ctx, c)
	}
	return c, err
}

// certificate reads a certificate. Error: [ErrCertificateNotFound].
func (p *Platform) certificate(ctx context.Context, id string) (Certificate, error) {
	c, err := p.store.Certificate(ctx, id)
	if errors.Is(err, ErrNoRecord) {
		return Certificate{}, ErrCertificateNotFound
	}
	if err != nil {
		return Certificate{}, fmt.Errorf("read a certificate: %w", err)
	}
	return c, nil
}

// CertificateReader reads certificates.
type CertificateReader interface {
	Certificate(ctx context.Context, id string) (Certificate, error)
	CertificateOf(ctx context.Context, userID, courseID string) (Certificate, error)
	// RevokedNumbers lists the numbers in [from, to) of certificates that were
	// revoked, in order.
	RevokedNumbers(ctx context.Context, from, to int64) ([]int64, error)
	// CertificatesIssued is how many numbers were given out; [ErrNoRecord] before
	// StartCertificates.
	CertificatesIssued(ctx context.Context) (int64, error)
}

// CertificateWriter writes certificates. Their numbers are given out by a counter:
// who has counted holds its row, so that all others wait for the end of the
// transaction, and a number that comes to nothing is given out again.
type CertificateWriter interface {
	// StartCertificates stores that no number was given out; [ErrDuplicate] when it
	// is stored already.
	StartCertificates(ctx context.Context) error
	// CountCertificate gives out one more number; false before StartCertificates.
	CountCertificate(ctx context.Context) (bool, error)
	// InsertCertificate adds one that is not revoked; [ErrDuplicate] when the person
	// has one for the course.
	InsertCertificate(ctx context.Context, c Certificate) error
	// SetPDFStored notes that the PDF is kept, the first time; it tells whether
	// this was it.
	SetPDFStored(ctx context.Context, id string, at time.Time) (bool, error)
	// ClearCertificatePDF records that the PDF of a revoked certificate is not stored
	// any more; it tells whether it was recorded as stored.
	ClearCertificatePDF(ctx context.Context, id string) (bool, error)
	// RevokeCertificate revokes one that is not revoked yet; it tells whether it did.
	RevokeCertificate(ctx context.Context, id, reason string, at time.Time) (bool, error)
}
