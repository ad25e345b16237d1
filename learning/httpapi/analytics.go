package httpapi

import (
	"time"

	"github.com/openlectern/openlectern/learning"
)

type analyticsAnswer struct {
	Analytics analyticsJSON `json:"analytics"`
}

// analyticsJSON has durations in whole seconds. Each sum is rounded on its own.
type analyticsJSON struct {
	Duration int64            `json:"totalDuration"`
	Sessions int              `json:"totalSessions"`
	Pages    []pageTimeJSON   `json:"pageStats"`
	Days     []dayTimeJSON    `json:"dailyStats"`
	Courses  []courseTimeJSON `json:"courseBreakdown"`
}

type pageTimeJSON struct {
	Page     string `json:"page"`
	Path     string `json:"path"`
	Duration int64  `json:"totalDuration"`
	Visits   int    `json:"visits"`
}

type dayTimeJSON struct {
	Date     string `json:"date" jsonschema:"format=date"`
	Duration int64  `json:"duration"`
}

type courseTimeJSON struct {
	CourseID         string            `json:"courseId"`
	Title            string            `json:"courseTitle"`
	Thumbnail        string            `json:"courseThumbnail"`
	LearningDuration int64             `json:"learningDuration"`
	LearningSessions int               `json:"learningSessions"`
	QuizDuration     int64             `json:"totalQuizDuration"`
	Chapters         []chapterTimeJSON `json:"chapters"`
}

type chapterTimeJSON struct {
	ChapterID string `json:"chapterId"`
	Title     string `json:"chapterTitle"`
	Duration  int64  `json:"quizDuration"`
	Sessions  int    `json:"quizSessions"`
}

func (a *api) analytics(c *call, _ none) (analyticsAnswer, error) {
	found, err := a.platform.Analytics(c.Context(), c.actor)
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
		answer.Pages[i] = pageTimeJSON{page.Page, page.Path, page.Time.Seconds(), page.Visits}
	}
	for i, day := range found.Week {
		answer.Days[i] = dayTimeJSON{day.Day.Format(time.DateOnly), day.Time.Seconds()}
	}
	for i, t := range found.Courses {
		answer.Courses[i] = a.courseTime(t)
	}
	return analyticsAnswer{answer}, nil
}

func (a *api) courseTime(t learning.CourseTime) courseTimeJSON {
	answer := courseTimeJSON{
		CourseID: t.ID, Title: t.Title, Thumbnail: a.platform.MediaURL(t.Thumbnail),
		LearningDuration: t.Learning.Time.Seconds(), LearningSessions: t.Learning.Visits,
		QuizDuration: t.Quizzes.Time.Seconds(), Chapters: make([]chapterTimeJSON, len(t.Chapters)),
	}
	for i, ch := range t.Chapters {
		answer.Chapters[i] = chapterTimeJSON{ch.ID, ch.Title, ch.Time.Seconds(), ch.Visits}
	}
	return answer
}
