package contracttest

import (
	"context"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/study"
)

// fixtureTime holds the time entries of the fixture. collector has entries of every kind, in
// the last seven days and before them. traveller has two old entries. educator has one of a
// draft of her own, and other_student one of the same draft, whose title students must not see.
var fixtureTime = []study.TimeEntry{
	spent("collector", 31, "Course Player", "/player/course_go", 500, 1, "course_go"),
	spent("collector", 25, "Course Player", "/player/course_go", 1_200_400, 3, "course_go"),
	spent("collector", 24, "Course Player", "/player/course_go", 600_200, 1, "course_go"),
	spent("collector", 30, "Quiz", "/quiz/course_go/chapter_1", 300_250, 2, "course_go",
		"chapter_1"),
	spent("collector", 30, "Quiz", "/quiz/course_go/chapter_2", 300_150, 1, "course_go",
		"chapter_2"),
	spent("collector", 29, "Quiz", "/quiz/course_go/chapter_2/?again=1", 100, 1, "course_go",
		"chapter_2"),
	// a removed chapter
	spent("collector", 30, "Quiz", "/quiz/course_go/chapter_9", 50_000, 1, "course_go",
		"chapter_9"),
	spent("collector", 10, "Course Player", "/player/course_older", 3_600_000, 1, "course_older"),
	// another educator's draft
	spent("collector", 29, "Course Player", "/player/course_draft", 20_000, 1, "course_draft"),
	// never existed
	spent("collector", 29, "Course Player", "/player/course_lost", 20_000, 1, "course_lost"),
	// not bought
	spent("collector", 29, "Course Player", "/player/course_odd", 20_000, 1, "course_odd"),
	spent("collector", 28, "My Enrollments", "/my-enrollments", 60_499, 2),
	spent("collector", 31, "Home", "/", 1_000_000, 1),
	spent("collector", 31, "Browse Courses", "/course-list", 1_000_000, 1),
	spent("collector", 31, "Course Details", "/course/course_go", 1_000_000, 1),
	spent("collector", 31, "Analytics", "/analytics", 1_000_000, 1),
	spent("collector", 31, "Other", "/player/course_go", 1_000, 1, "course_go"),
	spent("traveller", 2, "Course Player", "/player/course_old", 90_000, 2, "course_old"),
	spent("traveller", 3, "Course Player", "/player/course_old", 500, 1, "course_old"),
	spent("educator", 2, "Quiz", "/quiz/course_draft/chapter_1", 1_000, 1, "course_draft",
		"chapter_1"),
	spent("other_student", 2, "Quiz", "/quiz/course_draft/chapter_1", 1_000, 1, "course_draft",
		"chapter_1"),
}

// spent returns an entry of a day of January. ms is the time in milliseconds. about is the course
// and the chapter of its path; one or both may be left out.
func spent(userID string, date int, page, path string, ms core.Milliseconds, visits int,
	about ...string) study.TimeEntry {
	about = append(about, "", "")
	return study.TimeEntry{UserID: userID, Day: day(date).Truncate(24 * time.Hour), Page: page,
		Path:     path,
		CourseID: about[0], ChapterID: about[1], Spent: study.Spent{Time: ms, Visits: visits}}
}

// insertTime stores fixtureTime.
func insertTime(ctx context.Context, tx learning.Tx) error {
	for _, e := range fixtureTime {
		if err := tx.InsertTimeEntry(ctx, e); err != nil {
			return err
		}
	}
	return nil
}
