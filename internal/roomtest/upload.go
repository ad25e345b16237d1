package roomtest

import (
	"strings"
	"testing"

	"github.com/openlectern/openlectern/learning/file"
)

// Begin begins an upload of the teacher.
func (w *World) Begin(t *testing.T, name string, size int) file.Upload {
	t.Helper()
	u, err := w.Platform.Files.CreateUpload(ctx(), Teacher,
		file.NewUpload{Name: name, Size: int64(size)})
	Must(t, err)
	return u
}

// Send appends a content to an upload of the teacher, and checks how many bytes are stored then.
func (w *World) Send(t *testing.T, id string, offset int, content string, want int) {
	t.Helper()
	u, err := w.Platform.Files.AppendUpload(ctx(), Teacher, id, int64(offset),
		strings.NewReader(content))
	Must(t, err)
	if u.Received != int64(want) {
		t.Errorf("%d bytes are stored, want %d", u.Received, want)
	}
}

// WantUpload checks how many bytes of an upload are stored, and returns its file.
func (w *World) WantUpload(t *testing.T, id string, want int) file.File {
	t.Helper()
	u, f, err := w.Platform.Files.Upload(ctx(), Teacher, id)
	Must(t, err)
	if u.Received != int64(want) || (f.ID != "") != (u.Received == u.Size) {
		t.Errorf("%d bytes are stored, want %d; file %+v", u.Received, want, f)
	}
	return f
}
