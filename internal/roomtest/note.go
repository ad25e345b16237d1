package roomtest

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/study"
)

// Notes stores a note at a lecture, which must succeed.
func (w *World) Notes(
	t *testing.T, who core.Actor, course, lecture, text string,
) study.Note {
	t.Helper()
	n, err := w.Platform.Study.CreateNote(ctx(), who,
		study.NewNote{CourseID: course, LectureID: lecture, Text: text})
	Must(t, err)
	return n
}

// WantNotes checks the list of the notes of a user in a course, in pages of some rows.
func (w *World) WantNotes(t *testing.T, who core.Actor, course string, want ...string) {
	t.Helper()
	for _, limit := range []int{1, 10} {
		var got []string
		for n, err := range core.All(
			func(page core.PageRequest) (core.Page[study.Note], error) {
				page.Limit = limit
				return w.Platform.Study.Notes(ctx(), who, course, page)
			}) {
			Must(t, err)
			text := n.LectureID + ": " + n.Text
			if n.At != nil {
				text += fmt.Sprintf(" (%d)", *n.At)
			}
			got = append(got, text)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("pages of %d: %s", limit, diff)
		}
	}
}
