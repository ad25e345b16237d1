package httpapi

import (
	"github.com/openlectern/openlectern/learning/due"
)

// listedAssignmentJSON is an assignment of the caller in a list (docs/api.md §19).
type listedAssignmentJSON struct {
	_ struct{} `doc:"An assignment of a course in which the caller is enrolled."`

	CourseID    string        `json:"courseId"`
	CourseTitle string        `json:"courseTitle"`
	LectureID   string        `json:"lectureId"`
	Title       string        `json:"title" doc:"The title of the lecture."`
	DueAt       *instant      `json:"dueAt" jsonschema:"nullable" doc:"When work of the caller is late. Null if it never is."`
	ClosesAt    *instant      `json:"closesAt" jsonschema:"nullable" doc:"From then on no work of the caller is taken. Null if there is no end."`
	Status      due.OwnStatus `json:"status" jsonschema:"enum=open,enum=missed,enum=submitted,enum=graded,enum=returned" doc:"That of the latest submission; without one 'open', and 'missed' when no work is taken any more."`
	IsLocked    bool          `json:"isLocked" doc:"Whether the lecture is not open to the caller yet. Then 'dueAt', 'closesAt' and 'attemptsLeft' are null."`
	IsLate      bool          `json:"isLate" doc:"Whether the latest submission was late. Without one, whether work is late now."`
	Left        *int          `json:"attemptsLeft" jsonschema:"nullable" doc:"How often the caller may submit yet. Null if there is no limit."`
	Points      *int          `json:"points" jsonschema:"nullable" doc:"The points of the latest submission. Null if it has none."`
	Total       int           `json:"total" doc:"The most points that can be given."`
	SubmittedAt *instant      `json:"submittedAt" jsonschema:"nullable" doc:"When work was submitted last. Null if never."`
	GradedAt    *instant      `json:"gradedAt" jsonschema:"nullable" doc:"When that was graded or returned. Null if it waits."`
}

type listedAssignmentsAnswer struct {
	Assignments []listedAssignmentJSON `json:"assignments" doc:"Open and returned ones by their due time, those without one last; then the others, the newest first."`
	Next        *string                `json:"nextCursor" jsonschema:"nullable"`
}

// ownAssignments answers a page of the caller's assignments.
func (a *api) ownAssignments(c *call, _ none) (listedAssignmentsAnswer, error) {
	values := c.URL.Query()
	page, err := pageOf(c, maxPageRows)
	if err != nil {
		return listedAssignmentsAnswer{}, err
	}
	list, err := a.platform.Due.OwnAssignments(c.Context(), c.actor, due.OwnAssignmentQuery{
		CourseID: values.Get("courseId"),
		Status:   due.OwnStatus(values.Get("status")),
	}, page)
	return listedAssignmentsAnswer{shaped(list.Rows, listedAssignmentOf),
		cursorOf(c, list.Next)}, err
}

// listedAssignmentOf returns the wire shape of an assignment in a list.
func listedAssignmentOf(a due.OwnAssignment) listedAssignmentJSON {
	return listedAssignmentJSON{
		CourseID:    a.CourseID,
		CourseTitle: a.CourseTitle,
		LectureID:   a.LectureID,
		Title:       a.Title,
		DueAt:       nullableTime(a.DueAt),
		ClosesAt:    nullableTime(a.ClosesAt),
		Status:      a.Status,
		IsLocked:    a.IsLocked,
		IsLate:      a.IsLate,
		Left:        a.Left,
		Points:      a.Points,
		Total:       a.Total,
		SubmittedAt: nullableTime(a.SubmittedAt),
		GradedAt:    nullableTime(a.GradedAt),
	}
}
