package httpapi

type completeLectureRequest struct {
	CourseID  string `json:"courseId" jsonschema:"minLength=1,maxLength=200"`
	LectureID string `json:"lectureId" jsonschema:"minLength=1,maxLength=100"`
}

type completeLectureAnswer struct {
	Message   string `json:"message"`
	Completed bool   `json:"isCourseCompleted"`
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
	Completed bool     `json:"completed"`
	Lectures  []string `json:"lectureCompleted"`
	CreatedAt instant  `json:"createdAt"`
	UpdatedAt instant  `json:"updatedAt"`
}

type progressAnswer struct {
	Progress *progressJSON `json:"progressData" jsonschema:"nullable"` // null when there is none
}

func (a *api) courseProgress(c *call, in progressRequest) (progressAnswer, error) {
	p, err := a.platform.Progress(c.Context(), c.actor, in.CourseID)
	if err != nil || p == nil {
		return progressAnswer{}, err
	}
	return progressAnswer{&progressJSON{p.ID, p.UserID, p.CourseID, p.Completed(), p.Lectures, instant(p.CreatedAt), instant(p.UpdatedAt)}}, nil
}
