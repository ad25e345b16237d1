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
}

func submissionOriginOf(s assess.AssignmentSubmission) submissionOriginJSON {
	return submissionOriginJSON{CourseID: s.CourseID, LectureID: s.LectureID,
		Student: person(s.Student)}
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

func submissionOf(s assess.AssignmentSubmission, err error) (submissionAnswer, error) {
	return submissionAnswer{gradedSubmissionJSON{submissionStateJSON: submissionStateOf(s),
		submissionOriginJSON:  submissionOriginOf(s),
		submissionContentJSON: submissionContentOf(s)}}, err
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
	return submissionOf(a.platform.Assess.Grade(c.Context(), c.actor, c.Param("submissionId"),
		assess.Grade{Version: in.Version, Status: assess.SubmissionStatus(in.Status),
			Points: in.Points, Feedback: in.Feedback, FileIDs: in.FileIDs}))
}
