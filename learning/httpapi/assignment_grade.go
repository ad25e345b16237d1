package httpapi

import (
	"net/http"

	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/core"
)

// submissionOriginJSON says whose a submission is, and on what.
type submissionOriginJSON struct {
	CourseID  string     `json:"courseId"`
	LectureID string     `json:"lectureId" doc:"The course may not have the lecture any more."`
	Title     string     `json:"lectureTitle" doc:"Empty if the course does not have the lecture any more."`
	Student   personJSON `json:"student"`
}

type listedSubmissionJSON struct {
	_ struct{} `doc:"A submission in a list."`

	submissionStateJSON
	submissionOriginJSON
}

type gradedSubmissionJSON struct {
	_ struct{} `doc:"A submission as the educator of the course and admins see it."`

	submissionStateJSON
	submissionOriginJSON
	submissionContentJSON
	Earlier []earlierSubmissionJSON `json:"earlier" doc:"The earlier submissions of the student in the lecture, the oldest first."`
	NextID  *string                 `json:"nextId" jsonschema:"nullable" doc:"The submission in the course that waits after this one. Null if there is none."`
}

// earlierSubmissionJSON is an earlier submission of the same student.
type earlierSubmissionJSON struct {
	_ struct{} `doc:"An earlier submission of the student in the lecture."`

	ID          string                  `json:"_id"`
	Number      int                     `json:"number" doc:"1 for the first submission of the student in the lecture."`
	SubmittedAt instant                 `json:"submittedAt" doc:"When it was submitted."`
	Status      assess.SubmissionStatus `json:"status" jsonschema:"enum=submitted,enum=graded,enum=returned" doc:"'returned' means to be done again."`
	Points      []int                   `json:"points" doc:"For each line of the rubric. Empty until it is graded."`
	Feedback    string                  `json:"feedback" doc:"What the grader has written. Escape it."`
}

func earlierOf(s assess.AssignmentSubmission) earlierSubmissionJSON {
	return earlierSubmissionJSON{
		ID:          s.ID,
		Number:      s.Number,
		SubmittedAt: instant(s.SubmittedAt),
		Status:      s.Status,
		Points:      append([]int{}, s.Points...), // [] and not null
		Feedback:    s.Feedback,
	}
}

func submissionOriginOf(s assess.AssignmentSubmission) submissionOriginJSON {
	return submissionOriginJSON{CourseID: s.CourseID, LectureID: s.LectureID,
		Title: s.LectureTitle, Student: person(s.Student)}
}

type submissionsAnswer struct {
	Submissions []listedSubmissionJSON `json:"submissions" doc:"The oldest first."`
	Next        nextCursor             `json:"nextCursor,omitzero"`
}

// listSubmissions answers the submissions that the query selects.
func (a *api) listSubmissions(w http.ResponseWriter, c *call) error {
	q := assess.SubmissionQuery{CourseID: c.URL.Query().Get("courseId"),
		Status: assess.SubmissionStatus(c.URL.Query().Get("status"))}
	return listing[assess.AssignmentSubmission, listedSubmissionJSON]{
		field: "submissions",
		page: func(page core.PageRequest) (core.Page[assess.AssignmentSubmission],
			error) {
			return a.platform.Assess.Submissions(c.Context(), c.actor, q, page)
		},
		shape: func(s assess.AssignmentSubmission) listedSubmissionJSON {
			return listedSubmissionJSON{submissionStateJSON: submissionStateOf(s),
				submissionOriginJSON: submissionOriginOf(s)}
		},
		answer: func(rows []listedSubmissionJSON, next nextCursor) any {
			return submissionsAnswer{rows, next}
		},
	}.write(w, c)
}

type submissionAnswer struct {
	Submission gradedSubmissionJSON `json:"submission"`
}

func submissionOf(w assess.GradedWork, err error) (submissionAnswer, error) {
	s := w.AssignmentSubmission
	return submissionAnswer{gradedSubmissionJSON{
		submissionStateJSON:   submissionStateOf(s),
		submissionOriginJSON:  submissionOriginOf(s),
		submissionContentJSON: submissionContentOf(s),
		Earlier:               shaped(w.Earlier, earlierOf),
		NextID:                nullable(w.NextID),
	}}, err
}

// getSubmission answers a submission for its graders.
func (a *api) getSubmission(c *call, _ none) (submissionAnswer, error) {
	return submissionOf(a.platform.Assess.Submission(c.Context(), c.actor, c.Param("submissionId")))
}

type gradeRequest struct {
	_ struct{} `doc:"A decision on a submission. It replaces the one before."`

	Version  int64    `json:"version" jsonschema:"minimum=1" doc:"The version of the submission that the caller has read."`
	Status   string   `json:"status" jsonschema:"enum=graded,enum=returned" doc:"'returned' means to be done again."`
	Points   []int    `json:"points" jsonschema:"maxItems=50" doc:"For each line of the rubric of the submission, from 0 to its points. It may be empty if the work is returned."`
	Feedback string   `json:"feedback" jsonschema:"maxLength=20000" doc:"What the student is told. It may have any markup, which stays as it is."`
	FileIDs  []string `json:"fileIds,omitempty" jsonschema:"maxItems=10" doc:"Files of the caller. Without it the feedback has none."`
}

// gradeSubmission stores a decision on a submission, and answers the submission.
func (a *api) gradeSubmission(c *call, in gradeRequest) (submissionAnswer, error) {
	_, err := a.platform.Assess.Grade(c.Context(), c.actor, c.Param("submissionId"), assess.Grade{
		Version:  in.Version,
		Status:   assess.SubmissionStatus(in.Status),
		Points:   in.Points,
		Feedback: in.Feedback,
		FileIDs:  in.FileIDs,
	})
	if err != nil {
		return submissionAnswer{}, err
	}
	return a.getSubmission(c, none{}) // with what waits next
}
