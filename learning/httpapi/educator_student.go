package httpapi

import (
	"cmp"

	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/catalog"
)

type studentProgressAnswer struct {
	Student      personJSON              `json:"student"`
	EnrolledAt   instant                 `json:"enrolledAt" doc:"When the present enrolment began."`
	LastActiveAt *instant                `json:"lastActiveAt" jsonschema:"nullable" doc:"When the student saved a position or completed a lecture last. Null for never."`
	Progress     lectureCountsJSON       `json:"progress"`
	Seconds      int64                   `json:"secondsSpent" doc:"In the player and in the quizzes of the course."`
	Chapters     []studentChapterJSON    `json:"chapters" doc:"The chapters of the course, in order."`
	Assignments  []studentAssignmentJSON `json:"assignments" doc:"The assignments of the course, in order."`
	Certificate  *issuedJSON             `json:"certificate" jsonschema:"nullable" doc:"Null if there is none, or if it was revoked."`
}

type studentChapterJSON struct {
	_ struct{} `doc:"How far a student has come in a chapter."`

	ID       string               `json:"chapterId"`
	Title    string               `json:"chapterTitle"`
	Lectures []studentLectureJSON `json:"lectures" doc:"The lectures of the chapter, in order."`
	Quiz     *quizProgressJSON    `json:"quiz" jsonschema:"nullable" doc:"Null if the chapter has no quiz, and the student no result of one."`
}

type studentLectureJSON struct {
	_ struct{} `doc:"How far a student has come in a lecture."`

	ID          string              `json:"lectureId"`
	Title       string              `json:"lectureTitle"`
	Kind        catalog.LectureKind `json:"kind" doc:"What the lecture is, as in the course; a lecture without a kind is a video."`
	IsCompleted bool                `json:"isCompleted" doc:"Whether the student has marked it as completed."`
	Position    float64             `json:"position" doc:"Where the student was last, in seconds. It may have a fraction, and is 0 if no position was saved."`
}

type quizProgressJSON struct {
	_ struct{} `doc:"The results of a student at the quiz of a chapter."`

	Attempts int      `json:"attempts" doc:"How many results there are."`
	Best     *int     `json:"bestPercentage" jsonschema:"nullable" doc:"Null without a result."`
	Passed   bool     `json:"passed" doc:"Whether a result has passed."`
	LastAt   *instant `json:"lastAt" jsonschema:"nullable" doc:"When the latest result was submitted. Null without a result."`
	Extra    int      `json:"extraAttempts" doc:"How many attempts the student has beyond those of the quiz."`
}

type studentAssignmentJSON struct {
	_ struct{} `doc:"The latest submission of a student to an assignment."`

	LectureID   string   `json:"lectureId"`
	Title       string   `json:"title" doc:"That of the lecture."`
	Status      *string  `json:"status" jsonschema:"nullable" doc:"submitted, graded or returned. Null if nothing was submitted."`
	Points      *int     `json:"points" jsonschema:"nullable" doc:"Null until they are given."`
	Total       int      `json:"total" doc:"The most that a grader can give, by the rubric of the submission, or else the present one."`
	IsLate      bool     `json:"isLate" doc:"Whether it was submitted after the due time."`
	SubmittedAt *instant `json:"submittedAt" jsonschema:"nullable" doc:"Null if nothing was submitted."`
}

// studentAssignmentOf returns the wire shape of an assignment with the latest submission, which is
// zero for none.
func studentAssignmentOf(l catalog.Lecture, s assess.AssignmentSubmission) studentAssignmentJSON {
	out := studentAssignmentJSON{LectureID: l.ID, Title: l.Title, Status: nullable(string(s.Status)),
		IsLate: s.IsLate, SubmittedAt: nullableTime(s.SubmittedAt)}
	rubric := s.Rubric
	if s.ID == "" && l.Assignment != nil {
		rubric = l.Assignment.Rubric
	}
	for _, criterion := range rubric {
		out.Total += criterion.Points
	}
	if len(s.Points) > 0 {
		out.Points = new(0)
		for _, points := range s.Points {
			*out.Points += points
		}
	}
	return out
}

type issuedJSON struct {
	_ struct{} `doc:"A certificate that was issued."`

	ID       string  `json:"certificateId"`
	IssuedAt instant `json:"issuedAt" doc:"When it was issued."`
}

// studentProgress answers the progress of a student in a course.
func (a *api) studentProgress(c *call, _ none) (studentProgressAnswer, error) {
	p, err := a.platform.Staff.StudentProgress(c.Context(), c.actor, c.Param("courseId"),
		c.Param("userId"))
	if err != nil {
		return studentProgressAnswer{}, err
	}
	completed, lectures := p.CompletedLectures()
	out := studentProgressAnswer{
		Student:      person(p.Student),
		EnrolledAt:   instant(p.EnrolledAt),
		LastActiveAt: nullableTime(p.LastActiveAt),
		Progress:     lectureCountsJSON{Completed: completed, Total: lectures},
		Seconds:      p.Spent.Seconds(),
		Chapters:     make([]studentChapterJSON, len(p.Content)),
		Assignments:  []studentAssignmentJSON{},
	}
	for i, ch := range p.Content {
		chapter := studentChapterJSON{ID: ch.ID, Title: ch.Title,
			Lectures: make([]studentLectureJSON, len(ch.Lectures))}
		for j, l := range ch.Lectures {
			if l.Kind == catalog.KindAssignment {
				out.Assignments = append(out.Assignments, studentAssignmentOf(l, p.Submissions[l.ID]))
			}
			chapter.Lectures[j] = studentLectureJSON{
				ID:          l.ID,
				Title:       l.Title,
				Kind:        cmp.Or(l.Kind, catalog.KindVideo),
				IsCompleted: p.Completed[l.ID],
				Position:    float64(p.Positions[l.ID]) / 1000,
			}
		}
		if q, hasResult := p.Quizzes[ch.ID]; hasResult || ch.HasQuiz {
			chapter.Quiz = &quizProgressJSON{Attempts: q.Attempts, Passed: q.Passed,
				LastAt: nullableTime(q.LastAt), Extra: p.ExtraAttempts[ch.ID]}
			if hasResult {
				chapter.Quiz.Best = &q.Best
			}
		}
		out.Chapters[i] = chapter
	}
	if p.Certificate != nil {
		out.Certificate = &issuedJSON{ID: p.Certificate.ID,
			IssuedAt: instant(p.Certificate.IssuedAt)}
	}
	return out, nil
}
