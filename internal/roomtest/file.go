package roomtest

import (
	"strings"
	"testing"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/file"
)

// Upload uploads a file of the teacher.
func (w *World) Upload(t *testing.T, name, content string) file.File {
	t.Helper()
	f, err := w.Platform.Files.UploadFile(ctx(), Teacher, name, strings.NewReader(content))
	Must(t, err)
	return f
}

// WithFile returns the edit that makes the first lecture of a course a file; "" makes it a text.
func (w *World) WithFile(t *testing.T, course, fileID string) catalog.CourseEdit {
	t.Helper()
	c, err := w.Platform.Catalog.EditableCourse(ctx(), Teacher, course)
	Must(t, err)
	e := catalog.CourseEdit{Version: c.Version, Content: c.Content}
	l := &e.Content[0].Lectures[0]
	l.Kind, l.FileID = catalog.KindFile, fileID
	if fileID == "" {
		l.Kind, l.Text = catalog.KindText, new("# Text")
	}
	return e
}

// UseFile makes the first lecture of a course a file or a text.
func (w *World) UseFile(t *testing.T, course, fileID string) {
	t.Helper()
	_, err := w.Platform.Catalog.EditCourse(ctx(), Teacher, course, w.WithFile(t, course, fileID))
	Must(t, err)
}
