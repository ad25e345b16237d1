package httpapi

import (
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
)

// reviewJSON is a review of a course (docs/api.md §7), without user ids.
type reviewJSON struct {
	_ struct{} `doc:"A rating with a text."`

	ID        string  `json:"_id"`
	UserName  string  `json:"userName" doc:"The name of the writer, plain text. Escape it."`
	UserImage string  `json:"userImage" doc:"The URL of the writer's picture, or empty."`
	Rating    int     `json:"rating" doc:"The number of stars, from 1 to 5."`
	Review    string  `json:"review" doc:"The text as it was written. Escape it."`
	CreatedAt instant `json:"createdAt"`
	// null without an answer
	Answer *reviewAnswerJSON `json:"answer" jsonschema:"nullable" doc:"The answer of the educator. Null if there is none."`
}

// reviewAnswerJSON is the answer to a review.
type reviewAnswerJSON struct {
	Text      string  `json:"text" doc:"The text as it was written. Escape it."`
	CreatedAt instant `json:"createdAt"`
}

func reviewOf(r community.Review) reviewJSON {
	return reviewJSON{ID: r.ID, UserName: r.Author.Name, UserImage: r.Author.ImageURL,
		Rating: r.Stars, Review: r.Text, CreatedAt: instant(r.CreatedAt), Answer: answerOf(r)}
}

// answerOf returns the wire shape of the answer to a review, nil if there is none.
func answerOf(r community.Review) *reviewAnswerJSON {
	if r.Answer == "" {
		return nil
	}
	return &reviewAnswerJSON{Text: r.Answer, CreatedAt: instant(r.AnsweredAt)}
}

// reviewList is the id of the route that lists the reviews of a course.
const reviewList = "review.list"

type reviewsAnswer struct {
	Reviews      []reviewJSON `json:"reviews" doc:"The reviews. A rating without a text is not in the list."`
	Distribution []int        `json:"distribution" doc:"How many ratings have 1, 2, 3, 4 and 5 stars, with a text or without."`
	Next         *string      `json:"nextCursor" jsonschema:"nullable"`
}

// listReviews answers a page of the reviews of a course in the order of the query. It refuses an
// unknown order.
func (a *api) listReviews(c *call, _ none) (reviewsAnswer, error) {
	order := community.NewestReviews
	if name := c.URL.Query().Get("sort"); name != "" {
		known := false
		if order, known = community.ParseReviewOrder(name); !known {
			return reviewsAnswer{}, core.InvalidField("sort", unknownWord)
		}
	}
	page, err := pageOf(c, maxPageRows)
	if err != nil {
		return reviewsAnswer{}, err
	}
	list, counts, err := a.platform.Community.Reviews(c.Context(), c.Param("id"), order, page)
	if err != nil {
		return reviewsAnswer{}, err
	}
	return reviewsAnswer{
		Reviews:      shaped(list.Rows, reviewOf),
		Distribution: counts[:],
		Next:         cursorOf(c, list.Next),
	}, nil
}

type reviewReportRequest struct {
	Reason string `json:"reason" jsonschema:"minLength=1,maxLength=500" doc:"What is wrong with it."`
}

// reportReview reports a review to the admins.
func (a *api) reportReview(c *call, in reviewReportRequest) (none, error) {
	return none{}, a.platform.Community.ComplainAboutReview(c.Context(), c.actor, c.Param("id"),
		c.Param("reviewId"), in.Reason)
}

type answerRequest struct {
	Text string `json:"text" jsonschema:"maxLength=2000" doc:"The answer. An empty text removes it."`
}

type answerAnswer struct {
	Answer *reviewAnswerJSON `json:"answer" jsonschema:"nullable" doc:"Null if it was removed."`
}

// answerReview stores the answer of an educator. If there is an error, the answer is not sent.
func (a *api) answerReview(c *call, in answerRequest) (answerAnswer, error) {
	r, err := a.platform.Community.AnswerReview(c.Context(), c.actor, c.Param("reviewId"), in.Text)
	return answerAnswer{answerOf(r)}, err
}
