package learning

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
)

// GenerateCertificate issues the actor's certificate for a completed course and creates
// its PDF. It reports whether this call issued it. There is one certificate for each
// user and course: concurrent and later calls return the existing one, even if the
// course has new lectures. A revoked certificate is not replaced. Errors:
// [ErrCertificatesNotConfigured], [ErrMediaNotConfigured], [ErrCourseNotFound],
// [ErrNotPurchased], [ErrCertificateNotEarned], [ErrCertificateRevoked].
func (p *Platform) GenerateCertificate(ctx context.Context, actor Actor, courseID string) (c Certificate, created bool, err error) {
	course, err := p.certificateCourse(ctx, actor, courseID)
	if err != nil {
		return Certificate{}, false, err
	}
	c, err = p.store.CertificateOf(ctx, actor.UserID, courseID)
	if errors.Is(err, ErrNoRecord) {
		c, created, err = p.issue(ctx, actor, course.Course)
	}
	if err != nil {
		return Certificate{}, false, wrap("issue a certificate", err)
	}
	c, err = p.ensurePDF(ctx, c)
	return c, created && err == nil, err
}

// issue stores the record of an earned certificate. The PDF is created afterwards,
// because it can be made from the record at any time.
func (p *Platform) issue(ctx context.Context, actor Actor, course Course) (c Certificate, created bool, err error) {
	progress, err := p.progress(ctx, p.store, actor.UserID, course.ID)
	if err != nil {
		return Certificate{}, false, err
	}
	if !progress.Completed() {
		return Certificate{}, false, ErrCertificateNotEarned
	}
	// The lectures that the student had not completed may have been removed from the course.
	if err := p.storeCompletion(ctx, actor.UserID, course.ID); err != nil {
		return Certificate{}, false, err
	}
	name, err := p.studentName(ctx, actor)
	if err != nil {
		return Certificate{}, false, err
	}
	issued := Certificate{ID: uuid.NewString(), UserID: actor.UserID, CourseID: course.ID,
		StudentName: name, CourseTitle: course.Title, EducatorName: course.Educator.Name, IssuerName: p.name,
		CompletedAt: progress.CompletedAt, IssuedAt: p.now()}
	err = p.insertCertificate(ctx, &issued)
	if errors.Is(err, ErrDuplicate) { // a concurrent call was first
		c, err = p.store.CertificateOf(ctx, actor.UserID, course.ID)
		return c, false, err
	}
	return issued, true, err
}

// studentName returns the present name of the actor.
func (p *Platform) studentName(ctx context.Context, actor Actor) (string, error) {
	s, err := p.store.AccountState(ctx, actor.UserID)
	switch {
	case err != nil:
		return "", fmt.Errorf("read the name of a student: %w", err)
	case s.Deleted:
		return "", ErrUnauthenticated
	case !s.Known:
		return UnknownUser, nil
	default:
		return s.Name, nil
	}
}

// errNoCounter means that the counter of certificates was not inserted yet.
var errNoCounter = errors.New("learning: certificates are not counted yet")

// insertCertificate stores a certificate with the next number. The first call inserts
// the counter in a transaction of its own: concurrent transactions that read the
// missing row and then insert it would deadlock.
func (p *Platform) insertCertificate(ctx context.Context, c *Certificate) error {
	insert := func(tx Tx, out *outbox) error {
		out.certificate(EventCertificateIssued, *c)
		return insertNumbered(ctx, tx, c)
	}
	err := p.inTxEvents(ctx, insert)
	if !errors.Is(err, errNoCounter) {
		return err
	}
	err = p.store.InTx(ctx, func(tx Tx) error { return tx.InsertCertificateCounter(ctx) })
	if err != nil && !errors.Is(err, ErrDuplicate) {
		return err
	}
	return p.inTxEvents(ctx, insert)
}

// insertNumbered increments the counter first. The lock on its row makes concurrent
// calls wait, so that the number that is read afterwards belongs to this transaction.
func insertNumbered(ctx context.Context, tx Tx, c *Certificate) error {
	if counted, err := tx.IncrementCertificates(ctx); err != nil {
		return err
	} else if !counted {
		return errNoCounter
	}
	issued, err := tx.CertificatesIssued(ctx)
	if err != nil {
		return err
	}
	c.Number = issued - 1
	return tx.InsertCertificate(ctx, *c)
}
