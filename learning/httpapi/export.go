package httpapi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/openlectern/openlectern/internal/web"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
)

// encodeExport encodes an export. It flushes all but the last part.
func encodeExport(c *call, out *web.PartWriter, e *learning.Export) error {
	head, err := web.Success(headOf(e))
	if err != nil {
		return err
	}
	// The lists follow in the same object, in the order of exportRows.
	out.Write(bytes.TrimSuffix(head, []byte("}")))
	for i, list := range e.Lists {
		fmt.Fprintf(out, ",%q:", list.Name)
		if _, err := encodeRows(c, out, list.Rows, exportedRow(exportRows[i])); err != nil {
			return err
		}
	}
	out.WriteByte('}')
	return e.Check(c.Context()) // the user may have been deleted while the lists were read
}

// exportUser answers the caller's export as a download. A failure after the answer has begun
// breaks the connection, so that the client sees that the document is not whole.
func (a *api) exportUser(w http.ResponseWriter, c *call) error {
	export, err := a.platform.Export(c.Context(), c.actor)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Disposition", `attachment; filename="personal-data.json"`)
	out := web.NewPartWriter(w, &c.Call, nothingHeld)
	err = out.Finish(encodeExport(c, out, export))
	if err != nil {
		w.Header().Del("Content-Disposition") // the failure is no download
	}
	if errors.Is(err, people.ErrUserNotFound) { // deleted while it was read
		return core.ErrUnauthenticated
	}
	return err
}

// WriteExport writes an export to w as GET /api/user/export answers it, for commands of a host.
// If it returns an error, what was written is not whole. It returns
// [people.ErrUserNotFound] if the user is deleted during the call.
func WriteExport(ctx context.Context, w io.Writer, e *learning.Export) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "/", nil)
	if err != nil {
		return fmt.Errorf("write an export: %w", err)
	}
	c := &call{Call: web.Call{Request: r,
		Server: &web.Server{Answers: web.NewAnswerMemory(web.AnswerBytes)}}}
	c.Caller = c // without a token, and the only one that shares this Server
	out := web.NewPlainPartWriter(bodyWriter{w}, &c.Call)
	if err := encodeExport(c, out, e); err != nil {
		return err
	}
	return out.Flush()
}

// bodyWriter is a writer of answers without a header.
type bodyWriter struct{ io.Writer }

// Header returns an empty header.
func (bodyWriter) Header() http.Header { return http.Header{} }

// WriteHeader does nothing.
func (bodyWriter) WriteHeader(int) {}
