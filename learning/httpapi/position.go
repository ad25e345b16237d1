package httpapi

type positionRequest struct {
	CourseID  string  `json:"courseId" jsonschema:"minLength=1,maxLength=200"`
	LectureID string  `json:"lectureId" jsonschema:"minLength=1,maxLength=100"`
	Seconds   float64 `json:"seconds" jsonschema:"minimum=0,maximum=1000000" doc:"From the beginning of the lecture. It may have a fraction."`
}

// savePosition stores where the caller is in a lecture. The answer has no fields.
func (a *api) savePosition(c *call, in positionRequest) (struct{}, error) {
	return struct{}{}, a.platform.Study.SavePosition(c.Context(), c.actor, in.CourseID,
		in.LectureID,
		in.Seconds)
}
