package httpapi

import (
	"time"

	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/catalog"
)

// assignmentJSON is an assignment (docs/api.md §19).
type assignmentJSON struct {
	_ struct{} `doc:"What an assignment asks of its students."`

	Instructions string          `json:"instructions" doc:"Markdown as its educator wrote it; it may hold HTML. Sanitise it before you put it into a page."`
	Rubric       []criterionJSON `json:"rubric" doc:"What is graded. It may be empty."`
	DueAfterDays *int            `json:"dueAfterDays,omitempty" doc:"When work is due, in days of 24 hours from the enrolment."`
	DueAt        *instant        `json:"dueAt,omitempty" doc:"When work is due."`
	LateDays     int             `json:"lateDays" doc:"How many days after that work is taken, as late."`
	Attempts     *int            `json:"attempts,omitempty" doc:"How often a student may submit. Left out if there is no limit."`
	Files        bool            `json:"files" doc:"Whether a submission may have files."`
}

type criterionJSON struct {
	_ struct{} `doc:"A line of a rubric."`

	Text   string `json:"criterion" jsonschema:"minLength=1,maxLength=500" doc:"What is graded, plain text."`
	Points int    `json:"points" jsonschema:"minimum=1,maximum=1000" doc:"The most points that a grader can give for it."`
}

func assignmentOf(a catalog.Assignment) assignmentJSON {
	out := assignmentJSON{Instructions: a.Instructions, Rubric: rubricOf(a.Rubric),
		DueAfterDays: a.DueAfterDays, DueAt: nullableTime(a.DueAt), LateDays: a.LateDays,
		Files: a.Files}
	if a.Attempts > 0 {
		out.Attempts = &a.Attempts
	}
	return out
}

// rubricOf returns the wire shape of a rubric. It is never nil.
func rubricOf(rubric []catalog.Criterion) []criterionJSON {
	return shaped(rubric, func(c catalog.Criterion) criterionJSON {
		return criterionJSON{Text: c.Text, Points: c.Points}
	})
}

// newAssignment is the assignment of a lecture that is sent.
type newAssignment struct {
	_ struct{} `doc:"What an assignment asks of its students. It has at most one of 'dueAfterDays' and 'dueAt'."`

	Instructions string          `json:"instructions" jsonschema:"maxLength=20000" doc:"Markdown."`
	Rubric       []criterionJSON `json:"rubric,omitempty" jsonschema:"maxItems=50" doc:"What is graded."`
	DueAfterDays *int            `json:"dueAfterDays,omitempty" jsonschema:"minimum=0,maximum=3650" doc:"When work is due, in days of 24 hours from the enrolment."`
	DueAt        instant         `json:"dueAt,omitempty" doc:"When work is due."`
	LateDays     int             `json:"lateDays,omitempty" jsonschema:"minimum=0,maximum=3650" doc:"How many days after that work is taken, as late."`
	Attempts     int             `json:"attempts,omitempty" jsonschema:"minimum=1,maximum=1000" doc:"How often a student may submit. Without it there is no limit."`
	Files        bool            `json:"files,omitempty" doc:"Whether a submission may have files."`
}

// assignment returns the assignment of a request.
func (in newAssignment) assignment() catalog.Assignment {
	a := catalog.Assignment{Instructions: in.Instructions, DueAfterDays: in.DueAfterDays,
		DueAt: time.Time(in.DueAt), LateDays: in.LateDays, Attempts: in.Attempts, Files: in.Files}
	for _, c := range in.Rubric {
		a.Rubric = append(a.Rubric, catalog.Criterion{Text: c.Text, Points: c.Points})
	}
	return a
}

// ownAssignmentJSON is an assignment with what follows from the enrolment and the work of a
// student.
type ownAssignmentJSON struct {
	_ struct{} `doc:"What an assignment asks of the caller."`

	assignmentJSON
	DueAt    *instant `json:"dueAt" jsonschema:"nullable" doc:"When work of the caller is late. Null if it never is."`
	ClosesAt *instant `json:"closesAt" jsonschema:"nullable" doc:"From then on no work of the caller is taken. Null if there is no end."`
	Left     *int     `json:"attemptsLeft" jsonschema:"nullable" doc:"How often the caller may submit yet. Null if there is no limit."`
}

type draftJSON struct {
	_ struct{} `doc:"What the caller has written and not submitted yet."`

	Text  string              `json:"text" doc:"The text as it was written. Escape it."`
	Files []submittedFileJSON `json:"files" doc:"The files, in order."`
}

// submittedFileJSON is a file of a submission or of the feedback on it.
type submittedFileJSON struct {
	_ struct{} `doc:"A file of a submission, or of the feedback on it."`

	ID   string `json:"fileId"`
	Name string `json:"name" doc:"The name under which a browser saves it. It is plain text."`
	Type string `json:"type" doc:"The media type."`
	Size int64  `json:"size" doc:"In bytes."`
	URL  string `json:"url" doc:"A signed URL that works for six hours."`
}

func submittedFilesOf(files []assess.SubmittedFile) []submittedFileJSON {
	return shaped(files, func(f assess.SubmittedFile) submittedFileJSON {
		return submittedFileJSON{ID: f.ID, Name: f.Name, Type: f.Type, Size: f.Size, URL: f.URL}
	})
}

// submissionStateJSON is what lists and submissions have in common.
type submissionStateJSON struct {
	ID          string                  `json:"_id"`
	Number      int                     `json:"number" doc:"1 for the first submission of the student in the lecture."`
	SubmittedAt instant                 `json:"submittedAt" doc:"When it was submitted."`
	Late        bool                    `json:"isLate" doc:"Whether that was after the due time."`
	Status      assess.SubmissionStatus `json:"status" jsonschema:"enum=submitted,enum=graded,enum=returned" doc:"'returned' means to be done again."`
	Version     int64                   `json:"version" doc:"It grows with each decision."`
	Points      []int                   `json:"points" doc:"For each line of the rubric. Empty until it is graded."`
	GradedAt    *instant                `json:"gradedAt" jsonschema:"nullable" doc:"When it was graded or returned. Null if it waits."`
}

func submissionStateOf(s assess.AssignmentSubmission) submissionStateJSON {
	return submissionStateJSON{ID: s.ID, Number: s.Number, SubmittedAt: instant(s.SubmittedAt),
		Late: s.IsLate, Status: s.Status, Version: s.Version, Points: append([]int{}, s.Points...),
		GradedAt: nullableTime(s.GradedAt)}
}

// submissionContentJSON is the work of a submission, and the feedback on it.
type submissionContentJSON struct {
	Text          string              `json:"text" doc:"The text as it was written. Escape it."`
	Files         []submittedFileJSON `json:"files" doc:"The files of the student, in order."`
	Rubric        []criterionJSON     `json:"rubric" doc:"What is graded, as it was when the work was submitted."`
	Feedback      string              `json:"feedback" doc:"What the grader has written. Escape it."`
	FeedbackFiles []submittedFileJSON `json:"feedbackFiles" doc:"The files of the grader, in order."`
}

func submissionContentOf(s assess.AssignmentSubmission) submissionContentJSON {
	return submissionContentJSON{Text: s.Text, Files: submittedFilesOf(s.Files),
		Rubric: rubricOf(s.Rubric), Feedback: s.Feedback,
		FeedbackFiles: submittedFilesOf(s.FeedbackFiles)}
}

type ownSubmissionJSON struct {
	_ struct{} `doc:"A submission of the caller."`

	submissionStateJSON
	submissionContentJSON
}

func ownSubmissionOf(s assess.AssignmentSubmission) ownSubmissionJSON {
	return ownSubmissionJSON{submissionStateJSON: submissionStateOf(s),
		submissionContentJSON: submissionContentOf(s)}
}

type workAnswer struct {
	Assignment  *ownAssignmentJSON  `json:"assignment,omitempty" doc:"Left out if the caller may not read the lecture any more, or if the course does not have it."`
	Draft       draftJSON           `json:"draft" doc:"Empty if there is none."`
	Submissions []ownSubmissionJSON `json:"submissions" doc:"The oldest first."`
}

// getWork answers an assignment with the work of the caller.
func (a *api) getWork(c *call, _ none) (workAnswer, error) {
	w, err := a.platform.Assess.AssignmentWork(c.Context(), c.actor, c.Param("courseId"),
		c.Param("lectureId"))
	out := workAnswer{Draft: draftOf(w.Draft), Submissions: shaped(w.Submissions, ownSubmissionOf)}
	if w.Assignment != nil {
		out.Assignment = &ownAssignmentJSON{assignmentJSON: assignmentOf(*w.Assignment),
			DueAt: nullableTime(w.DueAt), ClosesAt: nullableTime(w.ClosesAt), Left: w.Left}
	}
	return out, err
}

func draftOf(s assess.AssignmentSubmission) draftJSON {
	return draftJSON{Text: s.Text, Files: submittedFilesOf(s.Files)}
}

type draftRequest struct {
	_ struct{} `doc:"The whole draft."`

	Text    string   `json:"text" jsonschema:"maxLength=50000" doc:"The work. It may have any markup, which stays as it is."`
	FileIDs []string `json:"fileIds,omitempty" jsonschema:"maxItems=10" doc:"Files of the caller. Without it the draft has none."`
}

type draftAnswer struct {
	Draft draftJSON `json:"draft"`
}

// saveDraft replaces the draft of the caller.
func (a *api) saveDraft(c *call, in draftRequest) (draftAnswer, error) {
	draft, err := a.platform.Assess.SaveDraft(c.Context(), c.actor, c.Param("courseId"),
		c.Param("lectureId"), assess.Work{Text: in.Text, FileIDs: in.FileIDs})
	return draftAnswer{draftOf(draft)}, err
}

type ownSubmissionAnswer struct {
	Submission ownSubmissionJSON `json:"submission"`
}

// submitWork submits the draft of the caller.
func (a *api) submitWork(c *call, _ none) (ownSubmissionAnswer, error) {
	s, err := a.platform.Assess.Submit(c.Context(), c.actor, c.Param("courseId"),
		c.Param("lectureId"))
	return ownSubmissionAnswer{ownSubmissionOf(s)}, err
}
