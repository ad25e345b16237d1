package study

import (
	"context"
	"fmt"

	"github.com/openlectern/openlectern/learning/core"
)

// CourseStats is the progress of a user in a course, relative to its current content;
// see [Progress].
type CourseStats struct {
	Title       string
	Description string
	Lectures    int // how many
	Done        int // of these, completed
}

// CompletionPercent returns the percentage of completed lectures, rounded half away
// from zero, or 0 if the course has no lectures.
func (c CourseStats) CompletionPercent() int { return core.Ratio(100*c.Done, c.Lectures) }

// CourseStats returns the progress of a user in each of their courses, the oldest
// enrolment first. It runs three queries for any number of courses. It reads the
// lectures only of courses in which the user has completed a lecture.
func (s *ForRooms) CourseStats(ctx context.Context, userID string) ([]CourseStats, error) {
	// The zero page is the whole list.
	courses, err := s.store.EnrolledCourses(ctx, userID, core.PageRequest{})
	if err != nil {
		return nil, fmt.Errorf("list the courses of a student: %w", err)
	}
	done, err := s.store.CompletedByCourse(ctx, userID)
	if err != nil {
		return nil, fmt.Errorf("list what a student has completed: %w", err)
	}
	lectures, err := s.store.BegunLectureIDs(ctx, userID)
	if err != nil {
		return nil, fmt.Errorf("read the lectures of a student's courses: %w", err)
	}
	list := make([]CourseStats, len(courses))
	for i, c := range courses {
		list[i] = CourseStats{Title: c.Title, Description: c.Description, Lectures: c.Lectures}
		if ids, begun := lectures[c.ID]; begun {
			// The number of the ids that were read, because the course may have changed
			// after c was read.
			list[i].Lectures = len(ids)
			// Without completed lectures that were removed from the course.
			completed := ProgressIn(ids, userID, c.ID, done[c.ID]).Lectures
			list[i].Done = len(completed)
		}
	}
	return list, nil
}
