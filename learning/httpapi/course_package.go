package httpapi

import (
	"fmt"
	"io"
	"net/http"

	"github.com/openlectern/openlectern/internal/spool"
	"github.com/openlectern/openlectern/internal/web"
	"github.com/openlectern/openlectern/learning"
)

const (
	zipContent = "application/zip"
	// maxPackageUpload is the size of the largest zip of a package: its entries need not be
	// compressed, and have headers.
	maxPackageUpload = learning.MaxPackage + 64<<20
	// maxImports is how many packages are received or imported at the same time. Each needs a
	// temporary file.
	maxImports = 4
	// importMemory is what the description of a course may take of memory, for which imports wait.
	importMemory = 24 << 20
)

// exportPackage streams the package of a course. A failure after the answer has begun breaks the
// connection, so that the client sees that the package is not whole.
func (a *api) exportPackage(w http.ResponseWriter, c *call) error {
	p, err := a.platform.ExportCourse(c.Context(), c.actor, c.Param("courseId"))
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", zipContent)
	w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", p.Name))
	if c.Method == http.MethodHead {
		return nil
	}
	out := &packageWriter{w: w}
	if err = p.Write(c.Context(), out); err != nil {
		info := web.InfoOf(c.Request)
		info.Cause = err
		info.Broken = out.err == nil && c.Context().Err() == nil // the client has not left
		panic(http.ErrAbortHandler)
	}
	return nil
}

// packageWriter keeps the error of its writer, so that a client that has left can be told apart
// from a failure of the platform.
type packageWriter struct {
	w   io.Writer
	err error
}

func (p *packageWriter) Write(b []byte) (n int, err error) {
	n, p.err = p.w.Write(b)
	return n, p.err
}

type importAnswer struct {
	CourseID string        `json:"courseId" doc:"The new draft."`
	Imported importedJSON  `json:"imported"`
	Skipped  []skippedJSON `json:"skipped" doc:"What was not imported; at most 201 elements."`
}

type importedJSON struct {
	_ struct{} `doc:"How many parts of a package were imported."`

	Chapters int `json:"chapters" doc:"Chapters, also those without lectures."`
	Lectures int `json:"lectures" doc:"Lectures of all chapters together."`
	Files    int `json:"files" doc:"Files that the lectures use, each content once."`
	Quizzes  int `json:"quizzes" doc:"Quizzes, each with its solutions."`
}

type skippedJSON struct {
	_ struct{} `doc:"A part of a package that was not imported."`

	What string `json:"what" doc:"The part, such as: quiz \"Week 1\" with 5 questions."`
	Why  string `json:"why" doc:"The reason, for people."`
}

// importPackage receives the part file of a multipart form into a temporary file, because a zip is
// read from its end, and imports it.
func (a *api) importPackage(w http.ResponseWriter, c *call) error {
	part, err := c.filePart()
	if err != nil {
		return err
	}
	select {
	case a.imports <- struct{}{}:
		defer func() { <-a.imports }()
	default:
		return web.ErrBodiesFull
	}

	// Receive the package. A byte more than it may have shows that it is too large.
	body := &bodyReader{in: io.LimitReader(part, maxPackageUpload+1)}
	file, err := spool.Write(body)
	if body.err != nil { // the client has left, or is too slow
		return bodyError(body.err)
	}
	if err != nil {
		return err
	}
	defer file.Close()
	if file.Size > maxPackageUpload {
		return learning.ErrFileTooLarge
	}

	// Import it when there is memory for its description.
	if err := c.HoldUpload(importMemory); err != nil {
		return err
	}
	imported, err := a.platform.ImportCourse(c.Context(), c.actor, file, file.Size)
	if err != nil {
		return err
	}
	return c.writeSuccess(w, importAnswer{CourseID: imported.CourseID,
		Skipped: skippedOf(imported.Skipped),
		Imported: importedJSON{Chapters: imported.Chapters, Lectures: imported.Lectures,
			Files: imported.Files, Quizzes: imported.Quizzes}})
}

// skippedOf returns the wire shape of skipped parts. It is never nil.
func skippedOf(parts []learning.SkippedPart) []skippedJSON {
	out := make([]skippedJSON, len(parts))
	for i, s := range parts {
		out[i] = skippedJSON{What: s.What, Why: s.Why}
	}
	return out
}
