package httpapi

import (
	"net/http"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/study"
)

// noteJSON is a note of the caller (docs/api.md §7).
type noteJSON struct {
	_ struct{} `doc:"A note of the caller at a lecture. Nobody else can read it."`

	ID        string   `json:"_id"`
	CourseID  string   `json:"courseId"`
	LectureID string   `json:"lectureId" doc:"The course may not have the lecture any more."`
	Seconds   *float64 `json:"seconds" jsonschema:"nullable" doc:"From the beginning of the lecture. Null if the note is about no place in it."`
	Text      string   `json:"text" doc:"The text as it was written. Escape it."`
	CreatedAt instant  `json:"createdAt"`
	UpdatedAt instant  `json:"updatedAt"`
}

func noteOf(n study.Note) noteJSON {
	shape := noteJSON{ID: n.ID, CourseID: n.CourseID, LectureID: n.LectureID, Text: n.Text,
		CreatedAt: instant(n.CreatedAt), UpdatedAt: instant(n.UpdatedAt)}
	if n.At != nil {
		shape.Seconds = new(float64(*n.At) / 1000)
	}
	return shape
}

type noteAnswer struct {
	Note noteJSON `json:"note"`
}

type notesAnswer struct {
	Notes []noteJSON `json:"notes" doc:"The oldest first."`
	Next  nextCursor `json:"nextCursor,omitzero"`
}

// listNotes answers the notes of the caller in the course of the query.
func (a *api) listNotes(w http.ResponseWriter, c *call) error {
	courseID := c.URL.Query().Get("courseId")
	return listing[study.Note, noteJSON]{
		field: "notes",
		page: func(page core.PageRequest) (core.Page[study.Note], error) {
			return a.platform.Study.Notes(c.Context(), c.actor, courseID, page)
		},
		shape:  noteOf,
		answer: func(rows []noteJSON, next nextCursor) any { return notesAnswer{rows, next} },
	}.write(w, c)
}

type noteRequest struct {
	CourseID  string   `json:"courseId" jsonschema:"minLength=1,maxLength=200"`
	LectureID string   `json:"lectureId" jsonschema:"minLength=1,maxLength=100"`
	Seconds   *float64 `json:"seconds,omitempty" jsonschema:"minimum=0,maximum=1000000" doc:"From the beginning of the lecture. It may have a fraction."`
	Text      string   `json:"text" jsonschema:"minLength=1,maxLength=5000" doc:"The note. It may have any markup, which stays as it is."`
}

// createNote stores a note of the caller. If there is an error, the answer is not sent.
func (a *api) createNote(c *call, in noteRequest) (noteAnswer, error) {
	n, err := a.platform.Study.CreateNote(c.Context(), c.actor, study.NewNote(in))
	return noteAnswer{noteOf(n)}, err
}

type noteChangeRequest struct {
	_ struct{} `doc:"A change of a note. What is not sent stays unchanged."`

	Seconds *float64 `json:"seconds,omitempty" jsonschema:"minimum=0,maximum=1000000" doc:"From the beginning of the lecture."`
	Text    *string  `json:"text,omitempty" jsonschema:"minLength=1,maxLength=5000" doc:"The note. It may have any markup, which stays as it is."`
}

// changeNote changes a note of the caller. If there is an error, the answer is not sent.
func (a *api) changeNote(c *call, in noteChangeRequest) (noteAnswer, error) {
	n, err := a.platform.Study.ChangeNote(c.Context(), c.actor, c.Param("noteId"),
		study.NoteChange{Seconds: in.Seconds, Text: in.Text})
	return noteAnswer{noteOf(n)}, err
}

// deleteNote deletes a note of the caller.
func (a *api) deleteNote(c *call, _ none) (none, error) {
	return none{}, a.platform.Study.DeleteNote(c.Context(), c.actor, c.Param("noteId"))
}
