package httpapi

import (
	"time"

	"github.com/openlectern/openlectern/learning/study"
)

type analyticsAnswer struct {
	Analytics analyticsJSON `json:"analytics"`
}

// analyticsJSON has durations in whole seconds. Each sum is rounded on its own.
type analyticsJSON struct {
	_ struct{} `doc:"The time of a user by page, day and course, in whole seconds."`

	Duration int64            `json:"totalDuration" doc:"The time on all pages, in seconds."`
	Sessions int              `json:"totalSessions" doc:"The number of visits to all pages."`
	Pages    []pageTimeJSON   `json:"pageStats" doc:"The time by page, the longest first."`
	Days     []dayTimeJSON    `json:"dailyStats" doc:"The last seven UTC days, today last."`
	Courses  []courseTimeJSON `json:"courseBreakdown" doc:"The time by course, the longest first."`
}

type pageTimeJSON struct {
	Page     string `json:"page" doc:"The name of the page, as the front end sent it."`
	Path     string `json:"path" doc:"The path of the latest visit."`
	Duration int64  `json:"totalDuration" doc:"The time in seconds."`
	Visits   int    `json:"visits"`
}

type dayTimeJSON struct {
	Date     string `json:"date" jsonschema:"format=date" doc:"The day in UTC, such as 2026-01-31."`
	Duration int64  `json:"duration" doc:"The time in seconds."`
}

type courseTimeJSON struct {
	CourseID         string            `json:"courseId"`
	Title            string            `json:"courseTitle"`
	Thumbnail        string            `json:"courseThumbnail"`
	LearningDuration int64             `json:"learningDuration" doc:"On the lectures, in seconds."`
	LearningSessions int               `json:"learningSessions" doc:"Visits to the lectures."`
	QuizDuration     int64             `json:"totalQuizDuration" doc:"On all quizzes, in seconds."`
	Chapters         []chapterTimeJSON `json:"chapters" doc:"The longest quiz time first."`
}

type chapterTimeJSON struct {
	ChapterID string `json:"chapterId"`
	Title     string `json:"chapterTitle"`
	Duration  int64  `json:"quizDuration" doc:"The time in seconds."`
	Sessions  int    `json:"quizSessions" doc:"The number of visits to the quiz."`
}

// analytics answers the caller's time. Its lists are never null.
func (a *api) analytics(c *call, _ none) (analyticsAnswer, error) {
	found, err := a.platform.Study.Analytics(c.Context(), c.actor)
	if err != nil {
		return analyticsAnswer{}, err
	}
	answer := analyticsJSON{
		Duration: found.Time.Seconds(), Sessions: found.Visits,
		Pages:   make([]pageTimeJSON, len(found.Pages)),
		Days:    make([]dayTimeJSON, len(found.Week)),
		Courses: make([]courseTimeJSON, len(found.Courses)),
	}
	for i, page := range found.Pages {
		answer.Pages[i] = pageTimeJSON{
			Page:     page.Page,
			Path:     page.Path,
			Duration: page.Time.Seconds(),
			Visits:   page.Visits,
		}
	}
	for i, day := range found.Week {
		answer.Days[i] = dayTimeJSON{day.Day.Format(time.DateOnly), day.Time.Seconds()}
	}
	for i, t := range found.Courses {
		answer.Courses[i] = a.courseTime(t)
	}
	return analyticsAnswer{answer}, nil
}

// courseTime returns the wire shape of the time of a course.
func (a *api) courseTime(t study.CourseTime) courseTimeJSON {
	answer := courseTimeJSON{
		CourseID: t.ID, Title: t.Title, Thumbnail: a.platform.Files.MediaURL(t.Thumbnail),
		LearningDuration: t.Learning.Time.Seconds(), LearningSessions: t.Learning.Visits,
		QuizDuration: t.Quizzes.Time.Seconds(), Chapters: make([]chapterTimeJSON, len(t.Chapters)),
	}
	for i, ch := range t.Chapters {
		answer.Chapters[i] = chapterTimeJSON{
			ChapterID: ch.ID,
			Title:     ch.Title,
			Duration:  ch.Time.Seconds(),
			Sessions:  ch.Visits,
		}
	}
	return answer
}
