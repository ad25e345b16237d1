package httpapi

import (
	"context"
	"errors"
	"io"
	"math"
	"mime/multipart"
	"net/http"

	"github.com/openlectern/openlectern/internal/web"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/file"
)

// fileJSON is an uploaded file (docs/api.md §18).
type fileJSON struct {
	_ struct{} `doc:"An uploaded file."`

	ID     string `json:"fileId"`
	Name   string `json:"name" doc:"The name under which a browser saves it. It is plain text."`
	Type   string `json:"type" doc:"The media type, such as video/mp4, which follows from the content."`
	Size   int64  `json:"size" doc:"In bytes."`
	SHA256 string `json:"sha256" doc:"The SHA-256 of the content, in hexadecimal."`
}

// ownFileJSON is a file in the list of its owner.
type ownFileJSON struct {
	_ struct{} `doc:"An own file."`

	fileJSON
	InUse     bool    `json:"isUsed" doc:"Whether a course, a draft, a submission or feedback uses it. A file that nothing has used for seven days is removed."`
	CreatedAt instant `json:"createdAt"`
}

func fileOf(f file.File) fileJSON {
	return fileJSON{ID: f.ID, Name: f.Name, Type: f.Type, Size: f.Size, SHA256: f.SHA256}
}

type fileAnswer struct {
	File fileJSON `json:"file"`
}

// fileForm is the form of an upload that is only a file.
type fileForm struct{}

// maxLead is how many bytes of a form may come before the content of the part file.
const maxLead = 1 << 20

// filePart returns the part file of a multipart form, to be streamed. It ignores the parts before
// it, of maxLead bytes at most, and reads none after it.
func (c *call) filePart() (*multipart.Part, error) {
	if h := c.Header.Get("Content-Type"); h == "" || !web.IsMedia(h, "multipart/form-data") {
		return nil, errNotMultipart
	}
	lead := &leadReader{ReadCloser: c.Body, left: maxLead}
	c.Body = lead
	form, err := c.MultipartReader()
	if err != nil {
		return nil, errBodyEnded
	}
	for {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			return nil, file.ErrFileMissing
		}
		if err != nil {
			return nil, bodyError(err)
		}
		if part.FormName() == "file" {
			lead.left = math.MaxInt64
			return part, nil
		}
	}
}

// leadReader reads at most left bytes of a body, and returns errLead after that.
type leadReader struct {
	io.ReadCloser
	left int64
}

// errLead means that too much comes before a file.
var errLead = errors.New("httpapi: too many bytes before the file of a form")

func (r *leadReader) Read(b []byte) (int, error) {
	n, err := r.ReadCloser.Read(b)
	if r.left -= int64(n); r.left < 0 {
		return 0, errLead
	}
	return n, err
}

// uploadFile stores the file of a form and answers it.
func (a *api) uploadFile(w http.ResponseWriter, c *call) error {
	return c.storeFile(w, a.platform.Files.UploadFile)
}

// uploadSubmittedFile is uploadFile for an assignment.
func (a *api) uploadSubmittedFile(w http.ResponseWriter, c *call) error {
	return c.storeFile(w, a.platform.Assess.UploadSubmittedFile)
}

// storeFile gives the file of a form to store, and answers what that returns.
func (c *call) storeFile(w http.ResponseWriter, store func(
	context.Context, core.Actor, string, io.Reader) (file.File, error)) error {
	part, err := c.filePart()
	if err != nil {
		return err
	}
	body := &bodyReader{in: part}
	f, err := store(c.Context(), c.actor, part.FileName(), body)
	if body.err != nil { // the client has left, or is too slow
		return bodyError(body.err)
	}
	if err != nil {
		return err
	}
	return c.writeSuccess(w, fileAnswer{fileOf(f)})
}

// bodyReader keeps the error of its reader, so that a failure of the client can be told apart from
// one of the platform.
type bodyReader struct {
	in  io.Reader
	err error // other than io.EOF
}

func (b *bodyReader) Read(p []byte) (int, error) {
	n, err := b.in.Read(p)
	if err != nil && err != io.EOF {
		b.err = err
	}
	return n, err
}

type filesAnswer struct {
	Files []ownFileJSON `json:"files" doc:"The newest first."`
	Next  nextCursor    `json:"nextCursor,omitzero"`
}

// listFiles answers all files of the caller, or one page of them if the query has a limit or a
// cursor.
func (a *api) listFiles(w http.ResponseWriter, c *call) error {
	return listing[file.File, ownFileJSON]{
		field: "files",
		page: func(page core.PageRequest) (core.Page[file.File], error) {
			return a.platform.Files.List(c.Context(), c.actor, page)
		},
		shape: func(f file.File) ownFileJSON {
			return ownFileJSON{fileJSON: fileOf(f), InUse: f.Uses > 0,
				CreatedAt: instant(f.CreatedAt)}
		},
		answer: func(rows []ownFileJSON, next nextCursor) any { return filesAnswer{rows, next} },
	}.write(w, c)
}

// deleteFile deletes a file of the caller.
func (a *api) deleteFile(c *call, _ none) (none, error) {
	return none{}, a.platform.Files.DeleteFile(c.Context(), c.actor, c.Param("fileId"))
}
