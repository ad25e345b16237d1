package learning

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
)

// GenerateCertificate makes the actor's certificate for a course that is
// completed, and its PDF; it tells whether this call made it. There is one a
// person and course, however many ask at once: an existing one is answered, earned
// still or not. A revoked one is the only one there will be, and is not handed out
// as if it held. Errors: [ErrCertificatesNotConfigured], [ErrMediaNotConfigured],
// [ErrCourseNotFound], [ErrNotPurchased], [ErrCertificateNotEarned],
// [ErrCertificateRevoked].
func (p *Platform) GenerateCertificate(ctx context.Context, actor Actor, courseID string) (c Certificate, created bool, err error) {
	course, err := p.certifiable(ctx, actor, courseID)
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
	c, err = p.filed(ctx, c)
	return c, created && err == nil, err
}

// issue stores the record of a certificate that was earned. The PDF comes after:
// it can be made from the record at any time.
func (p *Platform) issue(ctx context.Context, actor Actor, course Course) (c Certificate, created bool, err error) {
	progress, err := p.progress(ctx, p.store, actor.UserID, course.ID)
	if err != nil {
		return Certificate{}, false, err
	}
	if !progress.Completed() {
		return Certificate{}, false, ErrCertificateNotEarned
	}
	name, err := p.nameOf(ctx, actor)
	if err != nil {
		return Certificate{}, false, err
	}
	mine := Certificate{ID: uuid.NewString(), UserID: actor.UserID, CourseID: course.ID,
		StudentName: name, CourseTitle: course.Title, EducatorName: course.Educator.Name, IssuerName: p.name,
		CompletedAt: progress.CompletedAt, IssuedAt: p.now()}
	err = p.putCertificate(ctx, &mine)
	if err == nil {
		return mine, true, nil
	}
	// Somebody was faster, or the answer to COMMIT was lost.
	asked, cancel := p.provider(context.WithoutCancel(ctx))
	defer cancel()
	if c, readErr := p.store.CertificateOf(asked, actor.UserID, course.ID); readErr == nil {
		return c, c.ID == mine.ID, nil
	}
	return Certificate{}, false, err
}

// nameOf is what the actor is called now.
func (p *Platform) nameOf(ctx context.Context, actor Actor) (string, error) {
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

// errUncounted: the platform has given out no number yet, and has no row to count
// them in.
var errUncounted = errors.New("learning: certificates are not counted yet")

// putCertificate stores a certificate under the next number. The first one of all
// makes the counter, in a transaction of its own: to insert the row where it was
// just looked for would make those who do so at once wait for each other in circles.
func (p *Platform) putCertificate(ctx context.Context, c *Certificate) error {
	put := func(tx Tx) error { return putNumbered(ctx, tx, c) }
	err := p.store.InTx(ctx, put)
	if !errors.Is(err, errUncounted) {
		return err
	}
	err = p.store.InTx(ctx, func(tx Tx) error { return tx.StartCertificates(ctx) })
	if err != nil && !errors.Is(err, ErrDuplicate) {
		return err
	}
	return p.store.InTx(ctx, put)
}

// putNumbered begins with the counter: its row is the lock that brings everybody
// who gets a certificate into one line, so that the number read behind it is one's
// own, and a number is used up only when its certificate is stored.
func putNumbered(ctx context.Context, tx Tx, c *Certificate) error {
	if counted, err := tx.CountCertificate(ctx); err != nil {
		return err
	} else if !counted {
		return errUncounted
	}
	issued, err := tx.CertificatesIssued(ctx)
	if err != nil {
		return err
	}
	c.Number = issued - 1
	return tx.InsertCertificate(ctx, *c)
}
