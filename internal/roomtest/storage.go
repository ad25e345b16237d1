package roomtest

import (
	"testing"
)

// ImportFile imports a course of the teacher with a file of a content.
func (w *World) ImportFile(t *testing.T, content string) {
	t.Helper()
	_, err := w.Imported(Teacher, PackageOf(t, [2]string{"course.json", `{
		"format":"openlectern-course","version":1,"title":"Sea","chapters":[{"title":"One",
		"lectures":[{"title":"Book","kind":"file","file":"a.txt"}]}]}`},
		[2]string{"a.txt", content}))
	Must(t, err)
}
