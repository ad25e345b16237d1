package httpapi

import "github.com/openlectern/openlectern/learning/assess"

type extraAttemptsRequest struct {
	StudentID string `json:"studentId" jsonschema:"minLength=1"`
	Attempts  int    `json:"attempts" jsonschema:"minimum=0,maximum=10" doc:"How many attempts the student has beyond those of the quiz."`
}

// setExtraAttempts sets how many attempts a student has beyond those of a quiz.
func (a *api) setExtraAttempts(c *call, in extraAttemptsRequest) (none, error) {
	return none{}, a.platform.Assess.SetExtraAttempts(c.Context(), c.actor, assess.ExtraAttempts{
		UserID:    in.StudentID,
		CourseID:  c.Param("courseId"),
		ChapterID: c.Param("chapterId"),
		Attempts:  in.Attempts,
	})
}
