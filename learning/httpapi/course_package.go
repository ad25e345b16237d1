package httpapi

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/openlectern/openlectern/internal/web"
	"github.com/openlectern/openlectern/learning/exchange"
)

const (
	zipContent = "application/zip"
	// maxPackageUpload is the size of the largest zip of a package: its entries need not be
	// compressed, and have headers.
	maxPackageUpload = exchange.MaxPackage + 64<<20
	// maxImports is how many packages and quizzes are imported at the same time, which takes memory
	// and processor time, and importWait is how long one waits for its turn. Bodies on the way take
	// no turn.
	maxImports = 4
	importWait = 30 * time.Second
)

// exportPackage streams the package of a course. A failure after the answer has begun breaks the
// connection, so that the client sees that the package is not whole.
func (a *api) exportPackage(w http.ResponseWriter, c *call) error {
	p, err := a.platform.Exchange.ExportCourse(c.Context(), c.actor, c.Param("courseId"))
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
	// What is on the way counts to the storage of the caller.
	received, err := a.platform.Files.Receive(c.Context(), c.actor, part)
	if err != nil {
		return err
	}
	defer received.Close()
	file, err := c.spool(received, maxPackageUpload)
	if err != nil {
		return err
	}
	defer file.Close()

	// Only now that the package is here it takes a turn, so that slow clients do not keep others
	// waiting. From now on its files count.
	done, err := a.takeImport(c.Context())
	if err != nil {
		return err
	}
	defer done()
	_ = received.Close() // returns nil
	imported, err := a.platform.Exchange.ImportCourse(c.Context(), c.actor, file, file.Size)
	if err != nil {
		return err
	}
	return c.writeSuccess(w, importAnswer{CourseID: imported.CourseID,
		Skipped: skippedOf(imported.Skipped),
		Imported: importedJSON{Chapters: imported.Chapters, Lectures: imported.Lectures,
			Files: imported.Files, Quizzes: imported.Quizzes}})
}

// takeImport waits for the turn of an import, whose body was received. The caller calls done after
// it. It returns [web.ErrBodiesFull] if others take too long.
func (a *api) takeImport(ctx context.Context) (done func(), err error) {
	waiting, cancel := context.WithTimeout(ctx, importWait)
	defer cancel()
	select {
	case a.imports <- struct{}{}:
		return func() { <-a.imports }, nil
	case <-waiting.Done():
	}
	if err := ctx.Err(); err != nil { // the client has left
		return nil, fmt.Errorf("wait for other imports: %w", err)
	}
	return nil, web.ErrBodiesFull
}

// skippedOf returns the wire shape of skipped parts. It is never nil.
func skippedOf(parts []exchange.SkippedPart) []skippedJSON {
	out := make([]skippedJSON, len(parts))
	for i, s := range parts {
		out[i] = skippedJSON{What: s.What, Why: s.Why}
	}
	return out
}
