package httpapi

import (
	"strconv"

	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
)

// questionJSON is a post at a course as its educator sees it (docs/api.md §21).
type questionJSON struct {
	postJSON
	CourseTitle  string `json:"courseTitle"`
	ChapterTitle string `json:"chapterTitle" doc:"Empty for a post at no lecture."`
	LectureTitle string `json:"lectureTitle" doc:"Empty for a post at no lecture, and if the course does not have the lecture any more."`
	StudentID    string `json:"studentId,omitempty" doc:"The author, where it is a student of the course. No other route shows the id of an author."`
	IsAnswered   bool   `json:"isAnswered" doc:"Whether it is resolved, or has a reply of the educator or an admin."`
}

type questionsAnswer struct {
	Questions []questionJSON `json:"questions" doc:"The posts of others in the caller's courses, the newest first."`
	Next      *string        `json:"nextCursor" jsonschema:"nullable"`
}

// questions answers a page of the questions that the query selects.
func (a *api) questions(c *call, _ none) (questionsAnswer, error) {
	q, page, err := toAnswer(c)
	if err != nil {
		return questionsAnswer{}, err
	}
	list, err := a.platform.Community.Questions(c.Context(), c.actor, q, page)
	shape := func(q community.Question) questionJSON {
		studentID := ""
		if q.AuthorRole == core.Student {
			studentID = q.Author.ID
		}
		return questionJSON{
			postJSON:     postOf(q.Post, c.actor),
			StudentID:    studentID,
			CourseTitle:  q.CourseTitle,
			ChapterTitle: q.ChapterTitle,
			LectureTitle: q.LectureTitle,
			IsAnswered:   q.IsAnswered(),
		}
	}
	return questionsAnswer{shaped(list.Rows, shape), cursorOf(c, list.Next)}, err
}

// toAnswer returns what the query selects of that which an educator may answer, and the page of it.
func toAnswer(c *call) (q community.ToAnswer, page core.PageRequest, err error) {
	values := c.URL.Query()
	q.CourseID = values.Get("courseId")
	if text := values.Get("answered"); text != "" {
		answered, err := strconv.ParseBool(text)
		if err != nil || text != strconv.FormatBool(answered) {
			return q, page, core.InvalidField("answered", "must be true or false")
		}
		q.Answered = &answered
	}
	page, err = pageOf(c, maxPageRows)
	return q, page, err
}

// taughtReviewJSON is a review as the educator of its course sees it (docs/api.md §21).
type taughtReviewJSON struct {
	reviewJSON
	CourseID    string `json:"courseId"`
	CourseTitle string `json:"courseTitle"`
	StudentID   string `json:"studentId" doc:"The author. No other route shows the id of an author."`
	IsAnswered  bool   `json:"isAnswered" doc:"Whether it has an answer."`
}

type taughtReviewsAnswer struct {
	Reviews []taughtReviewJSON `json:"reviews" doc:"The reviews of the caller's courses, the newest first."`
	Next    *string            `json:"nextCursor" jsonschema:"nullable"`
}

// taughtReviews answers a page of the reviews that the query selects.
func (a *api) taughtReviews(c *call, _ none) (taughtReviewsAnswer, error) {
	q, page, err := toAnswer(c)
	if err != nil {
		return taughtReviewsAnswer{}, err
	}
	list, err := a.platform.Community.TaughtReviews(c.Context(), c.actor, q, page)
	shape := func(r community.TaughtReview) taughtReviewJSON {
		return taughtReviewJSON{
			reviewJSON:  reviewOf(r.Review),
			CourseID:    r.CourseID,
			CourseTitle: r.CourseTitle,
			StudentID:   r.Author.ID,
			IsAnswered:  r.Answer != "",
		}
	}
	return taughtReviewsAnswer{shaped(list.Rows, shape), cursorOf(c, list.Next)}, err
}
