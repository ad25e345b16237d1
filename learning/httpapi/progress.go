package httpapi

type completeLectureRequest struct {
	CourseID  string `json:"courseId" jsonschema:"minLength=1,maxLength=200"`
	LectureID string `json:"lectureId" jsonschema:"minLength=1,maxLength=100"`
	Completed *bool  `json:"completed,omitempty" doc:"Whether the lecture is completed; true without it. With false the mark is removed."`
}

type completeLectureAnswer struct {
	Message   string `json:"message"`
	Completed bool   `json:"isCourseCompleted" doc:"Whether every lecture is completed now."`
}

// completeLecture marks a lecture as completed by the caller, or removes the mark. The message is
// answered if there is no error.
func (a *api) completeLecture(c *call, in completeLectureRequest) (completeLectureAnswer, error) {
	change := a.platform.Study.CompleteLecture
	if in.Completed != nil && !*in.Completed {
		change = a.platform.Study.UncompleteLecture
	}
	completed, err := change(c.Context(), c.actor, in.CourseID, in.LectureID)
	return completeLectureAnswer{"Progress Updated", completed}, err
}

type progressRequest struct {
	CourseID string `json:"courseId" jsonschema:"minLength=1,maxLength=200"`
}

type progressJSON struct {
	ID        string   `json:"_id"`
	UserID    string   `json:"userId"`
	CourseID  string   `json:"courseId"`
	Completed bool     `json:"completed" doc:"Whether every present lecture is completed."`
	Lectures  []string `json:"lectureCompleted" doc:"The ids of the completed lectures."`
	CreatedAt instant  `json:"createdAt"`
	UpdatedAt instant  `json:"updatedAt"`
}

type progressAnswer struct {
	// null when there is none
	Progress *progressJSON `json:"progressData" jsonschema:"nullable" doc:"The progress. Null if the caller has completed no lecture of the course."`
}

// courseProgress answers the caller's progress, or null if there is none.
func (a *api) courseProgress(c *call, in progressRequest) (progressAnswer, error) {
	p, err := a.platform.Study.Progress(c.Context(), c.actor, in.CourseID)
	if err != nil || p == nil {
		return progressAnswer{}, err
	}
	return progressAnswer{&progressJSON{
		ID:        p.ID,
		UserID:    p.UserID,
		CourseID:  p.CourseID,
		Completed: p.Completed(),
		Lectures:  p.Lectures,
		CreatedAt: instant(p.CreatedAt),
		UpdatedAt: instant(p.UpdatedAt),
	}}, nil
}
