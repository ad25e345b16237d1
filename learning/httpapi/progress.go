package httpapi

type completeLectureRequest struct {
	CourseID  string `json:"courseId" jsonschema:"minLength=1,maxLength=200"`
	LectureID string `json:"lectureId" jsonschema:"minLength=1,maxLength=100"`
}

type completeLectureAnswer struct {
	Message   string `json:"message"`
	Completed bool   `json:"isCourseCompleted" doc:"Whether the caller has now completed every lecture of the course."`
}

func (a *api) completeLecture(c *call, in completeLectureRequest) (completeLectureAnswer, error) {
	completed, err := a.platform.CompleteLecture(c.Context(), c.actor, in.CourseID, in.LectureID)
	return completeLectureAnswer{"Progress Updated", completed}, err
}

type progressRequest struct {
	CourseID string `json:"courseId" jsonschema:"minLength=1,maxLength=200"`
}

type progressJSON struct {
	ID        string   `json:"_id"`
	UserID    string   `json:"userId"`
	CourseID  string   `json:"courseId"`
	Completed bool     `json:"completed" doc:"Whether the user has completed every lecture that the course has now."`
	Lectures  []string `json:"lectureCompleted" doc:"The ids of the completed lectures."`
	CreatedAt instant  `json:"createdAt"`
	UpdatedAt instant  `json:"updatedAt"`
}

type progressAnswer struct {
	Progress *progressJSON `json:"progressData" jsonschema:"nullable" doc:"The progress. Null if the caller has completed no lecture of the course."` // null when there is none
}

func (a *api) courseProgress(c *call, in progressRequest) (progressAnswer, error) {
	p, err := a.platform.Progress(c.Context(), c.actor, in.CourseID)
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
