package httpapi

import (
	"iter"
	"net/http"
	"strings"

	"github.com/openlectern/openlectern/internal/csvfile"
	"github.com/openlectern/openlectern/internal/web"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/staff"
)

// studentList is the id of the route that lists the students of an educator.
const studentList = "educator.students"

type taughtStudentJSON struct {
	Student      personJSON        `json:"student"`
	CourseTitle  string            `json:"courseTitle"`
	PurchaseDate instant           `json:"purchaseDate" doc:"When the student was enrolled."`
	CourseID     string            `json:"courseId"`
	Progress     lectureCountsJSON `json:"progress"`
	LastActiveAt *instant          `json:"lastActiveAt" jsonschema:"nullable" doc:"When the student saved a position or completed a lecture in the course last. Null for never."`
	ExpiresAt    *instant          `json:"expiresAt" jsonschema:"nullable" doc:"When the access of the student ends. Null for no end."`
	IsExpired    bool              `json:"isExpired" doc:"Whether the access has ended."`
}

// taughtStudentOf returns the wire shape of an enrolment.
func taughtStudentOf(s staff.TaughtStudent) taughtStudentJSON {
	return taughtStudentJSON{
		Student:      person(s.Student),
		CourseTitle:  s.CourseTitle,
		PurchaseDate: instant(s.EnrolledAt),
		CourseID:     s.CourseID,
		Progress:     lectureCountsJSON{Completed: s.CompletedLectures, Total: s.Lectures},
		LastActiveAt: nullableTime(s.LastActiveAt),
		ExpiresAt:    nullableTime(s.ExpiresAt),
		IsExpired:    s.IsExpired,
	}
}

type taughtStudentsAnswer struct {
	Students []taughtStudentJSON `json:"enrolledStudents" doc:"The enrolments, the oldest first."`
	Next     nextCursor          `json:"nextCursor,omitzero"`
}

// studentParameters are the filters of the students of an educator.
func studentParameters() []parameter {
	return []parameter{
		{name: "courseId", schema: map[string]any{"type": "string"},
			text: "Only the students of this course of the caller. The answer is a page."},
		{name: "q", schema: map[string]any{"type": "string", "maxLength": 200},
			text: "With `courseId`: only the students who have all these words; each is the " +
				"beginning of a word of the name. Case and accents are ignored."},
		{name: "sort", schema: texts(string(staff.StudentsRecent), string(staff.StudentsActive)),
			text: "With `courseId`: `recent`, the newest enrolment first, or `active`, the student " +
				"first who has used the course last; an enrolment counts as a use. Without it the " +
				"oldest enrolment first."},
		formatParameter,
	}
}

// taughtStudents answers all students of the caller's courses, or one page of them if the query has
// a limit, a cursor or a filter. With a format it answers them as a file.
func (a *api) taughtStudents(w http.ResponseWriter, c *call) error {
	isCSV, err := asksForCSV(c)
	if err != nil {
		return err
	}
	values := c.URL.Query()
	q := staff.StudentQuery{
		CourseID: values.Get("courseId"),
		Search:   strings.TrimSpace(values.Get("q")),
		Sort:     staff.StudentSort(values.Get("sort")),
	}
	read := func(page core.PageRequest) (core.Page[staff.TaughtStudent], error) {
		return a.platform.Staff.TaughtStudents(c.Context(), c.actor, q, page)
	}
	answer := func(rows []staff.TaughtStudent, next nextCursor) any {
		return taughtStudentsAnswer{shaped(rows, taughtStudentOf), next}
	}
	switch {
	case isCSV:
		return writeStudentFile(w, c, q, read)
	case q.Search != "": // a search takes a slot (docs/api.md §16)
		body, err := c.MakeSearch(func() (any, error) {
			rows, next, err := pageRows(c, read)
			return answer(rows, next), err
		})
		if err != nil {
			return err
		}
		return c.WriteBody(w, body)
	case asksForPage(c) || q != staff.StudentQuery{}:
		return writePage(w, c, read, answer)
	}
	// Pages go through one course after the other, and the whole list is ordered by time.
	list, err := a.platform.Staff.AllTaughtStudents(c.Context(), c.actor)
	if err != nil {
		return err
	}
	return writeList(w, c, "enrolledStudents", list.All, list.Held, shapeInPlace(taughtStudentOf),
		nil)
}

// writeStudentFile answers the students of a course, or of all courses of the caller, as CSV. It
// refuses a search, which would have no bound, and an order, which may change while the file is
// written.
func writeStudentFile(
	w http.ResponseWriter, c *call, q staff.StudentQuery, read readPage[staff.TaughtStudent],
) error {
	const notOfFile = "is not for a file: leave it out, and sort or filter in the spreadsheet"
	if q.Search != "" {
		return core.InvalidField("q", notOfFile)
	}
	if q.Sort != staff.StudentsByEnrollment {
		return core.InvalidField("sort", notOfFile)
	}
	headings := []string{"studentId", "studentName", "courseId", "courseTitle", "purchaseDate",
		"completedLectures", "totalLectures", "lastActiveAt", "expiresAt", "isExpired"}
	rows := func(out *web.PartWriter) iter.Seq2[staff.TaughtStudent, error] {
		return pagedRows(out, read)
	}
	return writeCSV(w, c, "students.csv", headings, rows,
		func(row staff.TaughtStudent) []csvfile.Cell {
			s := taughtStudentOf(row)
			return []csvfile.Cell{csvfile.Text(s.Student.ID), csvfile.Text(s.Student.Name),
				csvfile.Text(s.CourseID), csvfile.Text(s.CourseTitle), csvTime(&s.PurchaseDate),
				csvfile.Int(s.Progress.Completed), csvfile.Int(s.Progress.Total),
				csvTime(s.LastActiveAt), csvTime(s.ExpiresAt), csvfile.Bool(s.IsExpired)}
		})
}
