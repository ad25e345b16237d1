package learning_test

import (
	"testing"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// chapter returns a chapter whose lectures differ only by id.
func chapter(id string, lectures ...string) learning.Chapter {
	ch := learning.Chapter{ID: id, Title: "Chapter " + id}
	for _, l := range lectures {
		ch.Lectures = append(ch.Lectures,
			learning.Lecture{ID: l, Title: "Lecture " + l, Minutes: 10,
				URL: "https://videos.example.org/" + l})
	}
	return ch
}

// publish publishes a free course with these chapters.
func (w *fixture) publish(t *testing.T, id string, content ...learning.Chapter) string {
	t.Helper()
	educator := w.Person(t, "educator", learning.Educator)
	id, err := w.Platform.AddCourse(ctx(), educator,
		learning.NewCourse{ID: id, Title: "Course " + id, Published: true, Content: content},
		learningtest.Thumbnail(t))
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// enrolls creates a user who is enrolled in a free course.
func (w *fixture) enrolls(t *testing.T, userID, courseID string) learning.Actor {
	t.Helper()
	who := w.Person(t, userID, learning.Student)
	if _, err := w.Platform.OpenOrder(ctx(), who, learning.OrderRequest{CourseID: courseID}); err !=
		nil {
		t.Fatal(err)
	}
	return who
}
