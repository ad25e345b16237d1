package learning

import (
	"context"
	"fmt"
)

// CourseStats is how far somebody is in a course that they are enrolled in, as the
// course is now; see [Progress].
type CourseStats struct {
	Title       string
	Description string
	Lectures    int // how many
	Done        int // of these, completed
}

// CompletionPercent is the share of the lectures that is completed, rounded half away
// from zero; 0 of none.
func (c CourseStats) CompletionPercent() int { return ratio(100*c.Done, c.Lectures) }

// courseStats reads how far somebody is in each of their courses, the oldest enrolment
// first: with three queries, however many courses there are. The contents are read of
// those courses alone in which anything is completed.
func (p *Platform) courseStats(ctx context.Context, userID string) ([]CourseStats, error) {
	courses, err := p.store.EnrolledCourses(ctx, userID)
	if err != nil {
		return nil, fmt.Errorf("list the courses of a student: %w", err)
	}
	done, err := p.store.CompletedByCourse(ctx, userID)
	if err != nil {
		return nil, fmt.Errorf("list what a student has completed: %w", err)
	}
	lectures, err := p.store.BegunLectureIDs(ctx, userID)
	if err != nil {
		return nil, fmt.Errorf("read the lectures of a student's courses: %w", err)
	}
	list := make([]CourseStats, len(courses))
	for i, c := range courses {
		list[i] = CourseStats{Title: c.Title, Description: c.Description, Lectures: c.Lectures}
		if ids, begun := lectures[c.ID]; begun {
			// Those that are counted against, in case they have just been changed.
			list[i].Lectures, list[i].Done = len(ids), len(progressIn(ids, userID, c.ID, done[c.ID]).Lectures)
		}
	}
	return list, nil
}
