package httpapi

type ratingRequest struct {
	CourseID string `json:"courseId" jsonschema:"minLength=1,maxLength=200"`
	Rating   int    `json:"rating" jsonschema:"minimum=1,maximum=5" doc:"The number of stars."`
}

// addRating stores the caller's rating of a course, which replaces an earlier one. The message is
// answered if there is no error.
func (a *api) addRating(c *call, in ratingRequest) (messageAnswer, error) {
	return messageAnswer{"Rating Added"},
		a.platform.Rate(c.Context(), c.actor, in.CourseID, in.Rating)
}
