package certify

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/study"
)

// IssuedCertificate is the result of [Service.GenerateCertificate].
type IssuedCertificate struct {
	Certificate
	IsNew bool // whether the call has issued it
}

// GenerateCertificate issues the actor's certificate for a course of which nothing is missing, by
// the present [catalog.CertificateTerms], and creates its PDF. There is one certificate for each
// user and course: concurrent and later calls return the existing one, even if the course has new
// lectures or other terms. A revoked certificate is not replaced. Errors:
// [core.ErrUnauthenticated], [ErrCertificatesNotConfigured], [file.ErrMediaNotConfigured],
// [catalog.ErrCourseNotFound], [study.ErrNotPurchased], [ErrCertificateNotEarned],
// [ErrCertificateRevoked].
func (s *Service) GenerateCertificate(
	ctx context.Context, actor core.Actor, courseID string,
) (IssuedCertificate, error) {
	// Find the certificate, or issue it.
	course, err := s.certificateCourse(ctx, actor, courseID)
	if err != nil {
		return IssuedCertificate{}, err
	}
	var issued IssuedCertificate
	issued.Certificate, err = s.store.CertificateOf(ctx, actor.UserID, courseID)
	if errors.Is(err, core.ErrNoRecord) {
		issued, err = s.issue(ctx, actor, course.Course)
	}
	if err != nil {
		return IssuedCertificate{}, core.Wrap("issue a certificate", err)
	}

	// Create its PDF, unless it is stored. If that fails, the certificate stays issued, and the
	// next call creates the PDF. A revoked certificate is an error here.
	issued.Certificate, err = s.ensurePDF(ctx, issued.Certificate)
	issued.IsNew = issued.IsNew && err == nil // the result is zero on an error
	return issued, err
}

// issue stores the record of an earned certificate, or returns the one that a concurrent call has
// stored. The PDF is created afterwards, because it can be made from the record at any time.
// Errors: [ErrCertificateNotEarned], [study.ErrNotPurchased], [core.ErrUnauthenticated] if the user
// was deleted meanwhile.
func (s *Service) issue(
	ctx context.Context, actor core.Actor, course catalog.Course,
) (IssuedCertificate, error) {
	// Look whether the lectures are completed. The transaction looks for all that the certificate
	// asks.
	progress, err := study.ProgressOf(ctx, s.store, actor.UserID, course.ID)
	if err != nil {
		return IssuedCertificate{}, err
	}
	if !progress.Completed() {
		return IssuedCertificate{}, ErrCertificateNotEarned
	}
	// Store the completion with its event, unless CompleteLecture has done so. CompleteLecture has
	// not if some lectures were left when it was last called, and were removed from the course
	// since.
	if err := s.study.StoreCompletion(ctx, actor.UserID, course.ID); err != nil {
		return IssuedCertificate{}, err
	}

	// Store what the certificate shows, as it is today.
	name, err := s.studentName(ctx, actor)
	if err != nil {
		return IssuedCertificate{}, err
	}
	return s.storeCertificate(ctx, Certificate{
		ID:     uuid.NewString(), // random, because whoever has it can read the certificate
		UserID: actor.UserID, CourseID: course.ID,
		StudentName: name, CourseTitle: course.Title, EducatorName: course.Educator.Name,
		IssuerName:  s.issuerName,
		CompletedAt: progress.CompletedAt, IssuedAt: s.base.Now(),
	})
}

// studentName returns the present name of the actor, or UnknownUser if there is no record of the
// actor: only a precaution, because users without a record cannot be enrolled. Error:
// [core.ErrUnauthenticated] if the user was deleted.
func (s *Service) studentName(ctx context.Context, actor core.Actor) (string, error) {
	account, err := s.store.AccountState(ctx, actor.UserID)
	switch {
	case err != nil:
		return "", fmt.Errorf("read the name of a student: %w", err)
	case account.Deleted:
		return "", core.ErrUnauthenticated
	case !account.Known:
		return core.UnknownUser, nil
	default:
		return account.Name, nil
	}
}

// storeCertificate stores a certificate with the next number, or returns the one that a concurrent
// call has stored; then IsNew is false. Errors: [ErrCertificateNotEarned], and
// [study.ErrNotPurchased] if the enrolment has ended.
func (s *Service) storeCertificate(
	ctx context.Context, c Certificate,
) (issued IssuedCertificate, err error) {
	err = s.base.Change(ctx, func(tx Tx, changes *core.Changes) (err error) {
		issued, err = s.insertCertificate(ctx, tx, changes, c)
		return err
	})
	return issued, err
}

// insertCertificate is the transaction of storeCertificate. It adds the event to changes. It locks
// the user, as a refund does that ends the enrolment and revokes the certificate. So such a refund
// comes either before, and there is no enrolment any more, or after, and finds the certificate.
// Attempts at quizzes are marked under the same lock.
func (s *Service) insertCertificate(
	ctx context.Context, tx Tx, changes *core.Changes, c Certificate,
) (IssuedCertificate, error) {
	// Lock the user and read the state.
	if err := core.LockUser(ctx, tx, c.UserID); err != nil {
		return IssuedCertificate{}, err
	}
	denial := study.RequireAccess(ctx, tx, c.UserID, c.CourseID, s.base.Now())
	if denial != nil && !errors.Is(denial, study.ErrAccessEnded) {
		return IssuedCertificate{}, denial
	}
	stored, err := tx.CertificateOf(ctx, c.UserID, c.CourseID)
	if errors.Is(err, core.ErrNoRecord) && denial != nil { // only one that exists can be read now
		return IssuedCertificate{}, denial
	}
	if !errors.Is(err, core.ErrNoRecord) { // a concurrent call was first, or the read has failed
		return IssuedCertificate{Certificate: stored}, err
	}

	// Nothing must be missing by the terms of now.
	course, err := tx.Course(ctx, c.CourseID)
	if err != nil {
		return IssuedCertificate{}, err
	}
	progress, missing, err := s.certificateProgress(ctx, tx, c.UserID, c.CourseID,
		course.Terms.Certificate)
	if err == nil && (!progress.Completed() || len(missing) > 0) {
		err = ErrCertificateNotEarned
	}
	if err != nil {
		return IssuedCertificate{}, err
	}
	c.CompletedAt = progress.CompletedAt

	if c, err = insertNumbered(ctx, tx, changes, c); err != nil {
		return IssuedCertificate{}, err
	}
	return IssuedCertificate{Certificate: c, IsNew: true}, nil
}

// insertNumbered stores a certificate with the next number, and adds its event.
func insertNumbered(
	ctx context.Context, tx Tx, changes *core.Changes, c Certificate,
) (Certificate, error) {
	// Increment the counter before it is read: the lock on its row makes concurrent calls wait, so
	// that the number belongs to this transaction.
	if err := tx.IncrementCertificates(ctx); err != nil {
		return Certificate{}, err
	}
	count, err := tx.CertificatesIssued(ctx)
	if err != nil {
		return Certificate{}, err
	}
	c.Number = count - 1 // the first number is 0
	addCertificateEvent(changes, EventCertificateIssued, c)
	notifyHolder(changes, NotifyCertificateIssued, c)
	return c, tx.InsertCertificate(ctx, c)
}
