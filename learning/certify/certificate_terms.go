package certify

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/study"
)

// MissingKind says what a [MissingPart] is.
type MissingKind string

// The kinds of missing parts.
const (
	MissingLecture    MissingKind = "lecture"
	MissingQuiz       MissingKind = "quiz"
	MissingAssignment MissingKind = "assignment"
)

// MissingPart is a part of a course that a student has not done yet, and that the certificate asks.
type MissingPart struct {
	Kind      MissingKind
	ChapterID string // of a quiz, else ""
	LectureID string // of a lecture or an assignment, else ""
	Title     string // of the lecture or the chapter
}

// missingParts returns what is missing by the terms of a certificate, in the order of the content
// of the course. completed are the ids of the lectures that the student has completed. unpassed are
// those of the chapters whose quizzes by hand the student has not passed, if the terms ask quizzes.
// graded are those of the assignments whose latest decision is a grade. An assignment that is not
// completed is missing in any case. One that was completed as another lecture is missing if the
// terms ask assignments.
func missingParts(
	t catalog.CertificateTerms, content []catalog.Chapter, completed, unpassed, graded []string,
) []MissingPart {
	isCompleted := map[string]bool{}
	for _, id := range completed {
		isCompleted[id] = true
	}
	missing := []MissingPart{}
	for _, ch := range content {
		for _, l := range ch.Lectures {
			kind, isAssignment := MissingLecture, l.Kind == catalog.KindAssignment
			if isAssignment {
				kind = MissingAssignment
			}
			isUngraded := isAssignment && t.Assignments && !slices.Contains(graded, l.ID)
			if !isCompleted[l.ID] || isUngraded {
				missing = append(missing, MissingPart{Kind: kind, LectureID: l.ID, Title: l.Title})
			}
		}
		if slices.Contains(unpassed, ch.ID) {
			missing = append(missing,
				MissingPart{Kind: MissingQuiz, ChapterID: ch.ID, Title: ch.Title})
		}
	}
	return missing
}

// certificateProgress reads the progress of a user in a course, and what is missing for its
// certificate by the terms. It reads inside or outside a transaction.
func (s *Service) certificateProgress(
	ctx context.Context, r Reader, userID, courseID string, t catalog.CertificateTerms,
) (study.Progress, []MissingPart, error) {
	content, err := r.CourseContent(ctx, courseID)
	if err != nil && !errors.Is(err, core.ErrNoRecord) { // a deleted course has no lectures
		return study.Progress{}, nil, fmt.Errorf("read the content of a course: %w", err)
	}
	completed, err := r.CompletedLectures(ctx, userID, courseID)
	if err != nil {
		return study.Progress{}, nil, fmt.Errorf("read the completed lectures: %w", err)
	}
	var unpassed []string
	if t.Quizzes {
		if unpassed, err = r.UnpassedQuizzes(ctx, userID, courseID); err != nil {
			return study.Progress{}, nil, fmt.Errorf("list the quizzes that are not passed: %w", err)
		}
	}
	var graded []string
	if t.Assignments {
		if graded, err = r.GradedAssignments(ctx, userID, courseID); err != nil {
			return study.Progress{}, nil, fmt.Errorf("list the graded assignments: %w", err)
		}
	}
	var lectures []string
	for _, ch := range content {
		for _, l := range ch.Lectures {
			lectures = append(lectures, l.ID)
		}
	}
	progress := study.ProgressIn(lectures, userID, courseID, completed)
	return progress, missingParts(t, content, progress.Lectures, unpassed, graded), nil
}
