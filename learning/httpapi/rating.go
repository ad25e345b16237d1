package httpapi

import (
	"github.com/openlectern/openlectern/learning/community"
)

type ratingRequest struct {
	CourseID string  `json:"courseId" jsonschema:"minLength=1,maxLength=200"`
	Rating   int     `json:"rating" jsonschema:"minimum=1,maximum=5" doc:"The number of stars."`
	Review   *string `json:"review,omitempty" jsonschema:"maxLength=2000" doc:"A text that everyone can read. Without it the text of before stays; an empty one removes it."`
}

// addRating stores the caller's rating of a course, which replaces an earlier one. The message is
// answered if there is no error.
func (a *api) addRating(c *call, in ratingRequest) (messageAnswer, error) {
	answer := messageAnswer{"Rating Added"}
	if in.Review == nil {
		return answer, a.platform.Community.Rate(c.Context(), c.actor, in.CourseID, in.Rating)
	}
	return answer, a.platform.Community.Review(c.Context(), c.actor,
		community.NewReview{CourseID: in.CourseID, Stars: in.Rating, Text: *in.Review})
}
