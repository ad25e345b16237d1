package httpapi

import (
	"fmt"
	"net/http"

	"github.com/openlectern/openlectern/learning"
)

const xmlContent = "application/xml"

// exportQuiz answers the quiz of a chapter as a QTI 1.2 file.
func (a *api) exportQuiz(w http.ResponseWriter, c *call) error {
	f, err := a.platform.ExportQuiz(c.Context(), c.actor, c.Param("courseId"), c.Param("chapterId"))
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

// importQuiz saves the quiz of the part file of a multipart form, and answers it.
func (a *api) importQuiz(w http.ResponseWriter, c *call) error {
	part, err := c.filePart()
	if err != nil {
		return err
	}
	if err := c.HoldUpload(importMemory); err != nil {
		return err
	}
	content, err := readPart(part, learning.MaxQuizFile, learning.ErrFileTooLarge)
	if err != nil {
		return err
	}
	q, skipped, err := a.platform.ImportQuiz(c.Context(), c.actor, c.Param("courseId"),
		c.Param("chapterId"), content)
	saved, err := editableQuizOf(q, err)
	if err != nil {
		return err
	}
	return c.writeSuccess(w, importedQuizAnswer{saved.Quiz, skippedOf(skipped)})
}
