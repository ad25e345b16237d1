package staff

import (
	"context"
	"errors"
	"time"

	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/certify"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/study"
)

// StudentProgress is how far a student has come in a course.
type StudentProgress struct {
	Student      core.Person
	EnrolledAt   time.Time
	LastActiveAt time.Time                      // as in [TaughtStudent]
	Content      []catalog.Chapter              // without URLs and texts
	Completed    map[string]bool                // whether a lecture is completed, by its id
	Positions    map[string]core.Milliseconds   // by the id of the lecture
	Quizzes      map[string]assess.QuizProgress // by the id of the chapter; none without a result
	// ExtraAttempts are how many attempts at a quiz the student has beyond its limit, by the id of
	// the chapter.
	ExtraAttempts map[string]int
	// Submissions are the latest ones by the id of the lecture, without drafts, texts and files.
	Submissions map[string]assess.AssignmentSubmission
	Spent       core.Milliseconds    // learning time and quiz time: see [study.CourseTime]
	Certificate *certify.Certificate // nil if there is none, or if it was revoked
}

// CompletedLectures returns how many lectures of the course are completed, and how many it has.
func (p StudentProgress) CompletedLectures() (completed, all int) {
	for _, ch := range p.Content {
		for _, l := range ch.Lectures {
			all++
			if p.Completed[l.ID] {
				completed++
			}
		}
	}
	return completed, all
}

// StudentProgress returns how far a student has come in a course, for its educator and admins, by
// as many queries for a large course as for a small one. Errors: [core.ErrUnauthenticated],
// [core.ErrForbidden], [catalog.ErrCourseNotFound], [study.ErrEnrollmentNotFound] if the user is
// not enrolled.
func (s *Service) StudentProgress(
	ctx context.Context, actor core.Actor, courseID, userID string,
) (StudentProgress, error) {
	if _, err := s.catalog.Editable(ctx, actor, courseID); err != nil {
		return StudentProgress{}, err
	}
	student, err := s.store.StudentIn(ctx, userID, courseID)
	if errors.Is(err, core.ErrNoRecord) {
		return StudentProgress{}, study.ErrEnrollmentNotFound
	}
	if err == nil {
		err = s.addStudentWork(ctx, courseID, &student)
	}
	return student, core.Wrap("read the progress of a student", err)
}

// addStudentWork adds the content of a course to p, and what the student has done in it.
func (s *Service) addStudentWork(
	ctx context.Context, courseID string, p *StudentProgress,
) error {
	userID := p.Student.ID

	// The content without what only readers of a lecture get, and what is completed of it.
	content, err := catalog.ContentOf(ctx, s.store, courseID)
	if err != nil {
		return err
	}
	if content, err = catalog.WithQuizzes(ctx, s.store, courseID, content); err != nil {
		return err
	}
	p.Content = outline(content)
	done, err := s.store.CompletedLectures(ctx, userID, courseID)
	if err != nil {
		return err
	}
	p.Completed = map[string]bool{}
	for _, l := range done {
		p.Completed[l.LectureID] = true
	}
	if p.Positions, err = s.store.Positions(ctx, userID, courseID); err != nil {
		return err
	}

	// Submissions, quizzes, time and certificate.
	submissions, err := s.assess.LatestSubmissions(ctx, userID, courseID)
	if err != nil {
		return err
	}
	p.Submissions = map[string]assess.AssignmentSubmission{}
	for _, submission := range submissions {
		p.Submissions[submission.LectureID] = submission
	}
	quizzes, err := s.assess.QuizProgress(ctx, userID, courseID)
	if err != nil {
		return err
	}
	p.Quizzes = map[string]assess.QuizProgress{}
	for _, q := range quizzes {
		p.Quizzes[q.ChapterID] = q
	}
	if p.ExtraAttempts, err = s.assess.ExtraAttempts(ctx, userID, courseID); err != nil {
		return err
	}
	if p.Spent, err = s.store.TimeInCourse(ctx, userID, courseID); err != nil {
		return err
	}
	c, err := s.store.CertificateOf(ctx, userID, courseID)
	if err == nil && !c.Revoked() {
		p.Certificate = &c
	}
	if errors.Is(err, core.ErrNoRecord) {
		err = nil
	}
	return err
}

// outline returns a content without what only readers of a lecture get, except its assignment, of
// which the rubric is shown.
func outline(content []catalog.Chapter) []catalog.Chapter {
	chapters := make([]catalog.Chapter, len(content))
	for i, ch := range content {
		chapters[i] = catalog.Chapter{ID: ch.ID, Title: ch.Title, Order: ch.Order,
			HasQuiz: ch.HasQuiz}
		for _, l := range ch.Lectures {
			chapters[i].Lectures = append(chapters[i].Lectures, catalog.Lecture{ID: l.ID,
				Title: l.Title,
				Kind:  l.Kind, Order: l.Order, Assignment: l.Assignment})
		}
	}
	return chapters
}
