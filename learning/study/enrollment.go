package study

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/openlectern/openlectern/internal/paging"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
)

// The public failures of enrolments.
var (
	ErrNotPurchased = &core.Error{Kind: core.Forbidden, Code: "course_not_purchased",
		Message: "Course not purchased"}
	ErrAlreadyEnrolled = &core.Error{Kind: core.Conflict, Code: "already_enrolled",
		Message: "You are already enrolled in this course"}
	ErrEnrollmentNotFound = &core.Error{Kind: core.NotFound, Code: "enrollment_not_found",
		Message: "Enrollment not found"}
)

// TotalEnrollments counts enrolments.
const TotalEnrollments core.TotalKind = "enrollments"

// The events of enrolments.
const (
	EventEnrollmentCreated core.EventType = "enrollment.created"
	EventEnrollmentEnded   core.EventType = "enrollment.ended"
)

// Enrollment is the access of a user to a course. There is at most one for a user and
// a course. One that ends becomes a [PastEnrollment].
type Enrollment struct {
	UserID     string
	CourseID   string
	PurchaseID string // the purchase that pays the enrolment; "" if there is only a grant
	GrantedBy  string // the admin who granted the enrolment, also to a buyer; "" without a grant
	GrantedAt  time.Time
	Reason     string // of the admin
	CreatedAt  time.Time
	FirstAt    time.Time     // of the first enrolment in the course; zero if it has not ended yet
	Metadata   core.Metadata // of the host, for admins only; see [Service.SetMetadata]

	// ExpiresAt is when access ends: the end of the override, or else the latest of the causes of
	// the enrolment. Zero is no end.
	ExpiresAt time.Time
	// StepAt is when something is to be told about that end: see FirstStep. Zero is never.
	StepAt time.Time
	// GrantExpiresAt is the end of what the grant gives; zero for no end.
	GrantExpiresAt time.Time
	Override
}

// Override is what an admin has decided about the access of an enrolment. It counts whatever paid
// the enrolment, until the enrolment ends.
type Override struct {
	HasOverride bool // whether ExpiresAt is the decision of an admin
	OpenAll     bool // whether all lectures are open
	DecidedBy   string
	DecidedAt   time.Time
	WhyDecided  string
}

// HasExpired reports whether the access has ended at a time.
func (e Enrollment) HasExpired(now time.Time) bool {
	return !e.ExpiresAt.IsZero() && !now.Before(e.ExpiresAt)
}

// CountsFrom returns when the user was enrolled in the course first, from which the days are
// counted until lectures open. An enrolment that came from another system may be older than those
// before.
func (e Enrollment) CountsFrom() time.Time {
	if e.FirstAt.IsZero() || e.CreatedAt.Before(e.FirstAt) {
		return e.CreatedAt
	}
	return e.FirstAt
}

// Exists reports whether e is an enrolment, and not the zero value.
func (e Enrollment) Exists() bool { return e.UserID != "" }

// IsGranted reports whether an admin has granted e, beside a purchase or without one.
func (e Enrollment) IsGranted() bool { return e.GrantedBy != "" }

// PastEnrollment is an enrolment that ended. The progress, quiz results, ratings and
// certificates of the user in the course stay.
type PastEnrollment struct {
	ID string
	Enrollment
	EndedAt   time.Time
	EndedBy   string // the user who ended it; "" if the platform did
	EndReason string
}

// EnrolledContent is a course in which a user is enrolled, with its content.
type EnrolledContent struct {
	EnrolledCourse
	Content []catalog.Chapter
}

// EnrolledCourse is a course together with the rating of an enrolled user.
type EnrolledCourse struct {
	catalog.Course
	Stars int // the rating of the user, from 1 to 5; 0 for none
	// Review is what the user wrote to the rating; "" for nothing, and in lists.
	Review     string
	EnrolledAt time.Time
	ExpiresAt  time.Time // when access ends; zero for no end
	IsExpired  bool      // whether it has ended
	OpenAll    bool      // whether an admin has opened all lectures
	FirstAt    time.Time // of the first enrolment in the course; zero if it has not ended yet
	// CompletedLectures is how many lectures that the course has now the user has completed, in
	// lists; else 0.
	CompletedLectures int
	// LastLectureID is the lecture in which the user has saved a position last during this
	// enrolment; "" for none, and if the course does not have it any more.
	LastLectureID string
	// LastActiveAt is when the user has saved a position or completed a lecture last during this
	// enrolment; zero for never.
	LastActiveAt time.Time
}

// CountsFrom returns when the user was enrolled in the course first, from which the days are
// counted until lectures open.
func (c EnrolledCourse) CountsFrom() time.Time {
	return Enrollment{CreatedAt: c.EnrolledAt, FirstAt: c.FirstAt}.CountsFrom()
}

// recentAt returns when the user has used the course last, or was enrolled.
func (c EnrolledCourse) recentAt() time.Time {
	if c.LastActiveAt.IsZero() {
		return c.EnrolledAt
	}
	return c.LastActiveAt
}

// EnrolledCourseWithContent is a course of an enrolled user with its chapters.
type EnrolledCourseWithContent struct {
	EnrolledCourse
	Content []catalog.Chapter
	// Positions are the positions of the user in lectures, by the id of the lecture. Some may be
	// in lectures that the course has no more.
	Positions map[string]core.Milliseconds
	// Locks are the lectures that are not open to the user yet, by their ids.
	Locks map[string]catalog.Lock
	// Requires are the courses that the course asks for, as far as they are published.
	Requires []RequiredCourse
}

// EnrolledCourses returns a page of the courses that the actor is enrolled in, including drafts,
// the oldest enrolment first. Errors: [core.ErrUnauthenticated], [core.ErrInvalidRequest] if page
// has no valid limit.
func (s *Service) EnrolledCourses(
	ctx context.Context, actor core.Actor, page core.PageRequest,
) (core.Page[EnrolledCourse], error) {
	if err := actor.Require(); err != nil {
		return core.Page[EnrolledCourse]{}, err
	}
	// The next page begins after the position of the last row.
	return paging.ReadPage(ctx, "list the courses of a student", page,
		s.withProgress(actor, s.store.EnrolledCourses),
		func(c EnrolledCourse) core.Position { return core.Position{At: c.EnrolledAt, ID: c.ID} })
}

// RecentCourses is EnrolledCourses in another order: the course that the actor has used last, or in
// which the actor was enrolled last, is first. A course that is used while the pages are read may
// be skipped or repeated.
func (s *Service) RecentCourses(
	ctx context.Context, actor core.Actor, page core.PageRequest,
) (core.Page[EnrolledCourse], error) {
	if err := actor.Require(); err != nil {
		return core.Page[EnrolledCourse]{}, err
	}
	return paging.ReadPage(ctx, "list the recent courses of a student", page,
		s.withProgress(actor, s.store.RecentCourses),
		func(c EnrolledCourse) core.Position { return core.Position{At: c.recentAt(), ID: c.ID} })
}

// withProgress returns a function that reads a page of the courses of the actor by list, with the
// progress in each.
func (s *Service) withProgress(
	actor core.Actor,
	list func(ctx context.Context, userID string, page core.PageRequest) ([]EnrolledCourse, error),
) func(context.Context, core.PageRequest) ([]EnrolledCourse, error) {
	return func(ctx context.Context, page core.PageRequest) ([]EnrolledCourse, error) {
		rows, err := list(ctx, actor.UserID, page)
		if err != nil {
			return nil, err
		}
		for i := range rows {
			e := Enrollment{ExpiresAt: rows[i].ExpiresAt}
			rows[i].IsExpired = e.HasExpired(s.base.Now())
		}
		return rows, s.addProgress(ctx, actor.UserID, rows)
	}
}

// EnrolledCourse returns a course that the actor is enrolled in, with the URLs and the material of
// all its lectures. The URLs of files are signed, and work for six hours. Errors:
// [core.ErrUnauthenticated], [ErrAccessEnded], and [catalog.ErrCourseDenied] if the actor is not
// enrolled, also if there is no such course.
func (s *Service) EnrolledCourse(
	ctx context.Context, actor core.Actor, courseID string,
) (EnrolledCourseWithContent, error) {
	none := EnrolledCourseWithContent{}
	c, err := s.ForRooms().EnrolledIn(ctx, actor, courseID)
	if errors.Is(err, catalog.ErrCourseNotFound) || errors.Is(err, ErrNotPurchased) {
		return none, catalog.ErrCourseDenied
	}
	if err != nil {
		return none, err
	}
	// The course cannot have been deleted meanwhile, because the actor is or was enrolled in it.
	content, err := s.store.CourseContent(ctx, courseID)
	if err != nil {
		return none, fmt.Errorf("read the content of a course: %w", err)
	}
	if content, err = catalog.WithQuizzes(ctx, s.store, courseID, content); err != nil {
		return none, err
	}
	access := catalog.Access{Caller: catalog.EnrolledStudent}
	var positions map[string]core.Milliseconds
	if c.Course.IsGated() && !c.OpenAll {
		studied, err := s.store.Studied(ctx, StudiedQuery{UserID: actor.UserID,
			CourseID: courseID, Submitted: c.Terms.InOrder && HasAssignment(content),
			Positions: true})
		if err != nil {
			return none, fmt.Errorf("read what a student has done: %w", err)
		}
		positions = studied.Positions
		access.Locks = LockedLectures(c.Course, content, c.CountsFrom(), studied, s.base.Now())
	} else if positions, err = s.store.Positions(ctx, actor.UserID, courseID); err != nil {
		return none, fmt.Errorf("read the positions in a course: %w", err)
	}
	if content, err = s.catalog.Shown(ctx, access, courseID, content); err != nil {
		return none, err
	}
	requires, err := s.ForRooms().Required(ctx, actor.UserID, c.Course)
	if err != nil {
		return none, err
	}
	if !hasLecture(content, c.LastLectureID) { // it was removed from the course
		c.LastLectureID = ""
	}
	return EnrolledCourseWithContent{EnrolledCourse: c, Content: content,
		Positions: positions, Locks: access.Locks, Requires: requires}, nil
}

// hasLecture reports whether one of the chapters has a lecture.
func hasLecture(content []catalog.Chapter, lectureID string) bool {
	return slices.ContainsFunc(content, func(ch catalog.Chapter) bool {
		return slices.ContainsFunc(ch.Lectures,
			func(l catalog.Lecture) bool { return l.ID == lectureID })
	})
}

// EnrolledIn returns a course that the actor is enrolled in. Errors: [core.ErrUnauthenticated],
// [ErrAccessEnded], and if the actor is not enrolled, [ErrNotPurchased] or
// [catalog.ErrCourseNotFound]: see
// [ForRooms.Denied].
func (s *ForRooms) EnrolledIn(
	ctx context.Context, actor core.Actor, courseID string,
) (EnrolledCourse, error) {
	c, err := s.EnrolledEver(ctx, actor, courseID)
	if err == nil && (Enrollment{ExpiresAt: c.ExpiresAt}).HasExpired(s.base.Now()) {
		return EnrolledCourse{}, ErrAccessEnded
	}
	return c, err
}

// EnrolledEver is EnrolledIn for what stays readable when the access has ended.
func (s *ForRooms) EnrolledEver(
	ctx context.Context, actor core.Actor, courseID string,
) (EnrolledCourse, error) {
	if err := actor.Require(); err != nil {
		return EnrolledCourse{}, err
	}
	c, err := s.store.EnrolledCourse(ctx, actor.UserID, courseID)
	if errors.Is(err, core.ErrNoRecord) {
		return EnrolledCourse{}, s.Denied(ctx, courseID)
	}
	if err != nil {
		return EnrolledCourse{}, fmt.Errorf("read a course of a student: %w", err)
	}
	return c, nil
}

// RequireEnrolled returns nil if the actor is enrolled in a course, and else the error that
// EnrolledIn returns. Unlike that it does not read the course of an enrolled actor.
func (s *ForRooms) RequireEnrolled(ctx context.Context, actor core.Actor, courseID string) error {
	if err := actor.Require(); err != nil {
		return err
	}
	err := RequireAccess(ctx, s.store, actor.UserID, courseID, s.base.Now())
	if errors.Is(err, ErrNotPurchased) {
		return s.Denied(ctx, courseID)
	}
	return err
}

// EnrollmentOf returns the enrolment of the actor in a course, also if the access has ended.
// Errors:
// [core.ErrUnauthenticated], and if the actor is not enrolled, those of [ForRooms.Denied].
func (s *ForRooms) EnrollmentOf(
	ctx context.Context, actor core.Actor, courseID string,
) (Enrollment, error) {
	if err := actor.Require(); err != nil {
		return Enrollment{}, err
	}
	e, err := s.store.Enrollment(ctx, actor.UserID, courseID)
	if errors.Is(err, core.ErrNoRecord) {
		return Enrollment{}, s.Denied(ctx, courseID)
	}
	return e, core.Wrap("read an enrolment", err)
}

// Denied returns the error for a user who is not enrolled: [ErrNotPurchased], or
// [catalog.ErrCourseNotFound] if there is no such course or it is a draft.
func (s *ForRooms) Denied(ctx context.Context, courseID string) error {
	if _, err := s.catalog.Published(ctx, courseID); err != nil {
		return err
	}
	return ErrNotPurchased
}

// Enroll stores an enrolment and increments the number of students, in a transaction that has
// locked the user. title is that of the course, for the event. The events that changes has
// collected are stored first, because the increment locks the row of the course until the end of
// the transaction, and other transactions wait for it. It returns [core.ErrNoRecord] if the course
// was deleted, and [core.ErrDuplicate] if the user is enrolled; the transaction must then be rolled
// back.
func (s *ForRooms) Enroll(
	ctx context.Context, tx EnrollmentTx, changes *core.Changes, e Enrollment, title string,
) error {
	addEnrollmentEvent(changes, EventEnrollmentCreated, e, title)
	if err := changes.Write(ctx, tx); err != nil {
		return err
	}
	first, err := tx.FirstEnrollment(ctx, e.UserID, e.CourseID)
	if err != nil {
		return err
	}
	e.FirstAt = first
	if err := tx.AddToStudentCount(ctx, e.CourseID, 1); err != nil {
		return err
	}
	changes.Count(e.UserID, core.Total{Kind: TotalEnrollments, Number: 1})
	e.StepAt = time.Time{}
	if now := s.base.Now(); !e.HasExpired(now) { // else it comes from another system
		e.StepAt = e.FirstStep(now)
	}
	return tx.InsertEnrollment(ctx, e)
}

// ChangeEnrollment replaces before, which the transaction has read after locking the user, by
// after. A new end is told of once more.
func (s *ForRooms) ChangeEnrollment(
	ctx context.Context, tx PaidEnrollmentTx, before, after Enrollment,
) error {
	if err := tx.UpdateEnrollment(ctx, after); err != nil || after.ExpiresAt.Equal(before.ExpiresAt) {
		return err
	}
	after.StepAt = after.FirstStep(s.base.Now())
	return tx.SetExpiry(ctx, after)
}

// An Ending is the end of an enrolment.
type Ending struct {
	Enrollment
	By          string // the user who ends it; "" if the platform does
	Reason      string // "" for none
	CourseTitle string // for the event
}

// EndEnrollment ends an enrolment in a transaction that has locked the user and read the enrolment
// after that: it moves the row to the past enrolments, adds the event to changes, and decrements
// the number of students. It returns [core.ErrDuplicate] if the enrolment was ended meanwhile; the
// transaction must then run again.
func (s *ForRooms) EndEnrollment(
	ctx context.Context, tx EnrollmentTx, changes *core.Changes, end Ending,
) error {
	// Move the row to the past enrolments.
	e := end.Enrollment
	past := PastEnrollment{ID: s.base.NewID(), Enrollment: e, EndedAt: s.base.Now(),
		EndedBy:   end.By,
		EndReason: end.Reason}
	if err := tx.InsertPastEnrollment(ctx, past); err != nil {
		return err
	}
	deleted, err := tx.DeleteEnrollment(ctx, e.UserID, e.CourseID)
	if err == nil && !deleted {
		// A program that does not lock users has ended it. The callers run the transaction again
		// after ErrDuplicate.
		err = fmt.Errorf("end an enrolment: %w", core.ErrDuplicate)
	}
	if err != nil {
		return err
	}

	// What belongs to the enrolment in later rooms ends with it.
	if err := tx.EnrollmentEnded(ctx, past); err != nil {
		return err
	}

	// Store the event, and then change the counter of the course, because that locks the row of the
	// course until the end of the transaction.
	addEnrollmentEvent(changes, EventEnrollmentEnded, e, end.CourseTitle)
	if err := changes.Write(ctx, tx); err != nil {
		return err
	}
	changes.Count(e.UserID, core.Total{Kind: TotalEnrollments, Number: -1})
	return tx.AddToStudentCount(ctx, e.CourseID, -1)
}

// EnrolledReader reads who is a student.
type EnrolledReader interface {
	// Enrolled reports whether a user is enrolled in a course.
	Enrolled(ctx context.Context, userID, courseID string) (bool, error)
	// Enrollment reads an enrolment that has not ended.
	Enrollment(ctx context.Context, userID, courseID string) (Enrollment, error)
	// EnrollmentsIn reads the enrolments of a user in courses that have not ended, by course.
	EnrollmentsIn(ctx context.Context, userID string, courseIDs []string) (map[string]Enrollment,
		error)
}

// enrollmentReader reads enrolments.
type enrollmentReader interface {
	EnrolledReader
	// EnrollmentEndedAfter reports whether an enrolment of a user has ended after a time.
	EnrollmentEndedAfter(ctx context.Context, userID, courseID string, at time.Time) (bool, error)
	// EnrolledCourses lists a page of the courses that a user is enrolled in, including drafts,
	// by the time of the enrolment and the id of the course. The zero page is the whole list.
	EnrolledCourses(ctx context.Context, userID string, page core.PageRequest) ([]EnrolledCourse,
		error)
	// RecentCourses lists a page of the courses of a user by the time of their last use, or of
	// the enrolment if there was none, the latest first, by the id on a tie.
	RecentCourses(ctx context.Context, userID string, page core.PageRequest) ([]EnrolledCourse,
		error)
	expiryReader
	gateReader
	// EnrolledCourse reads a course that a user is enrolled in.
	EnrolledCourse(ctx context.Context, userID, courseID string) (EnrolledCourse, error)
	EnrollmentReportReader
}

// EnrollmentTx is what a transaction needs that enrols a user or ends an enrolment.
type EnrollmentTx interface {
	core.Tx
	Hooks
	enrollmentRows
}

// enrollmentRows writes the rows of an enrolment, and of its end.
type enrollmentRows interface {
	catalog.StudentCountTx
	// FirstEnrollment reads when the first past enrolment of a user in a course began; zero if
	// there is none.
	FirstEnrollment(ctx context.Context, userID, courseID string) (time.Time, error)
	// InsertEnrollment adds an enrolment. It returns [core.ErrDuplicate] if the user is
	// enrolled.
	InsertEnrollment(ctx context.Context, e Enrollment) error
	InsertPastEnrollment(ctx context.Context, e PastEnrollment) error
	// DeleteEnrollment deletes an enrolment, and reports whether there was one.
	DeleteEnrollment(ctx context.Context, userID, courseID string) (bool, error)
}

// PaidEnrollmentTx changes what gives an enrolment: a purchase or a grant.
type PaidEnrollmentTx interface {
	// UpdateEnrollment stores the purchase, the grant and the override of an enrolment, not its
	// metadata and its end. It returns [core.ErrNoRecord] if the user is not enrolled.
	UpdateEnrollment(ctx context.Context, e Enrollment) error
	// SetExpiry stores ExpiresAt and StepAt of an enrolment. It returns [core.ErrNoRecord] if the
	// user is not enrolled.
	SetExpiry(ctx context.Context, e Enrollment) error
	// EndedMetadata reads the metadata of the past enrolment of a purchase, nil if there is none or
	// it was given back.
	EndedMetadata(ctx context.Context, userID, courseID, purchaseID string) (core.Metadata, error)
	// RestorePastEnrollment records that the past enrolment of a purchase is given back, so
	// that it no longer counts as the end of what the purchase gave. The row stays.
	RestorePastEnrollment(ctx context.Context, userID, courseID, purchaseID string,
		at time.Time) error
}

// enrollmentWriter writes enrolments.
type enrollmentWriter interface {
	enrollmentRows
	PaidEnrollmentTx
	// SetEnrollmentMetadata replaces the metadata of an enrolment, and reports whether there is
	// one.
	SetEnrollmentMetadata(ctx context.Context, userID, courseID string, m core.Metadata) (bool, error)
	// ForgetEnrollmentReasons removes the texts of admins and the metadata from the enrolments of a
	// user.
	ForgetEnrollmentReasons(ctx context.Context, userID string) error
	// ForgetPastEnrollmentReasons removes the texts of admins and the metadata from the past
	// enrolments of a user.
	ForgetPastEnrollmentReasons(ctx context.Context, userID string) error
}

// addEnrollmentEvent adds an event of an enrolment. title is that of its course.
func addEnrollmentEvent(changes *core.Changes, t core.EventType, e Enrollment, title string) {
	changes.Add(t, "user", e.UserID,
		core.EventData{UserID: e.UserID, CourseID: e.CourseID, CourseTitle: title,
			PurchaseID: PurchaseOf(e.PurchaseID)})
}
