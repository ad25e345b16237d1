package httpapi

import (
	"fmt"
	"io"
	"math"
	"net/http"

	"github.com/openlectern/openlectern/learning/exchange"
)

const xmlContent = "application/xml"

// exportQuiz answers the quiz of a chapter as a QTI 1.2 file.
func (a *api) exportQuiz(w http.ResponseWriter, c *call) error {
	f, err := a.platform.Exchange.ExportQuiz(c.Context(), c.actor, c.Param("courseId"),
		c.Param("chapterId"))
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", xmlContent)
	w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", f.Name))
	_, _ = w.Write(f.Content) // an error means that the client has left
	return nil
}

type importedQuizAnswer struct {
	Quiz    editableQuizJSON `json:"quiz"`
	Skipped []skippedJSON    `json:"skipped" doc:"What was not imported; at most 201 elements."`
}

// importQuiz saves the quiz of the part file of a multipart form, and answers it. It refuses a
// version in the query that is no number.
func (a *api) importQuiz(w http.ResponseWriter, c *call) error {
	in := exchange.QuizImport{CourseID: c.Param("courseId"), ChapterID: c.Param("chapterId")}
	if query := c.URL.Query(); query.Get("version") != "" {
		version, err := number(query, "version", 0, 0, math.MaxInt)
		if err != nil {
			return err
		}
		in.Version = new(int64(version))
	}
	part, err := c.filePart()
	if err != nil {
		return err
	}
	file, err := c.spool(part, exchange.MaxQuizFile)
	if err != nil {
		return err
	}
	defer file.Close()
	done, err := a.takeImport(c.Context())
	if err != nil {
		return err
	}
	defer done()
	in.Content = make([]byte, file.Size)
	if _, err = file.ReadAt(in.Content, 0); err != nil && err != io.EOF {
		return err
	}
	q, skipped, err := a.platform.Exchange.ImportQuiz(c.Context(), c.actor, in)
	saved, err := editableQuizOf(q, err)
	if err != nil {
		return err
	}
	return c.writeSuccess(w, importedQuizAnswer{saved.Quiz, skippedOf(skipped)})
}
