package httpapi

import (
	"encoding/base64"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/openlectern/openlectern/internal/web"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/file"
)

// The version of the protocol of resumable uploads (https://tus.io/protocols/resumable-upload), its
// extensions that the routes have, and the type of the bodies.
const (
	tusVersion    = "1.0.0"
	tusExtensions = "creation,creation-with-upload,expiration,termination"
	offsetType    = "application/offset+octet-stream"
)

var (
	errTusVersion = &web.Failure{Status: http.StatusPreconditionFailed, Code: "tus_version",
		Message: "Tus-Resumable must be " + tusVersion}
	errNotOffset = &web.Failure{Status: http.StatusUnsupportedMediaType, Code: "not_offset",
		Message: "Content-Type must be " + offsetType}
)

// uploadJSON is an upload (docs/api.md §18).
type uploadJSON struct {
	_ struct{} `doc:"A file that arrives in parts."`

	ID        string    `json:"uploadId"`
	Name      string    `json:"name" doc:"The name that the client has given the file."`
	Size      int64     `json:"size" doc:"Of the whole file, in bytes."`
	Offset    int64     `json:"offset" doc:"How many bytes are stored. It is the size when the file is there, and not before."`
	ExpiresAt instant   `json:"expiresAt" doc:"When the upload is removed: 24 hours after its last byte. Its file stays."`
	File      *fileJSON `json:"file" jsonschema:"nullable" doc:"The file. Null until it is there, and after it was deleted."`
}

type uploadAnswer struct {
	Upload uploadJSON `json:"upload"`
}

// tusOptions are the headers of the answer to OPTIONS of the routes of uploads.
func (a *api) tusOptions() http.Header {
	h := http.Header{}
	h.Set("Tus-Resumable", tusVersion)
	h.Set("Tus-Version", tusVersion)
	h.Set("Tus-Extension", tusExtensions)
	h.Set("Tus-Max-Size", strconv.FormatInt(a.platform.Files.MaxFile(), 10))
	return h
}

// checkTus sets the header of each answer of the protocol. It returns errTusVersion if the request
// has another version, or none although it changes something.
func (c *call) checkTus(w http.ResponseWriter) error {
	w.Header().Set("Tus-Resumable", tusVersion)
	version := c.Header.Get("Tus-Resumable")
	isRead := c.Method == http.MethodGet || c.Method == http.MethodHead
	if version == tusVersion || version == "" && isRead {
		return nil
	}
	w.Header().Set("Tus-Version", tusVersion)
	return errTusVersion
}

// setUpload sets the headers with the state of an upload.
func setUpload(h http.Header, u file.Upload) {
	h.Set("Upload-Offset", strconv.FormatInt(u.Received, 10))
	h.Set("Upload-Expires", u.ExpiresAt.UTC().Format(http.TimeFormat))
}

// createUpload begins an upload. A body of the right type is its beginning.
func (a *api) createUpload(w http.ResponseWriter, c *call) error {
	if err := c.checkTus(w); err != nil {
		return err
	}
	size, err := strconv.ParseInt(c.Header.Get("Upload-Length"), 10, 64)
	metadata := c.Header.Get("Upload-Metadata")
	name, isValid := fileNameOf(metadata)
	if err != nil && isNumber(c.Header.Get("Upload-Length")) {
		return file.ErrFileTooLarge
	}
	switch {
	case err != nil:
		return core.InvalidField("Upload-Length", "must be the size of the file in bytes")
	case !isValid:
		return core.InvalidField("Upload-Metadata",
			"must be pairs of a key and a value in base64, separated by commas")
	// A part of a file that is concatenated later must not become a file of its own.
	case c.Header.Get("Upload-Concat") != "":
		return core.InvalidField("Upload-Concat", "is not supported")
	}
	hasContent := c.ContentLength != 0
	if hasContent && !c.isOffset() {
		return errNotOffset
	}
	u, err := a.platform.Files.CreateUpload(c.Context(), c.actor,
		file.NewUpload{Name: name, Metadata: metadata, Size: size})
	if err != nil {
		return err
	}
	id := u.ID
	if hasContent {
		if u, err = a.receive(c, id, 0); errors.Is(err, file.ErrNoSpace) {
			// The client does not learn its address. If this fails, it goes when it expires.
			_ = a.platform.Files.DeleteUpload(c.Context(), c.actor, id)
		}
		if err != nil {
			return err
		}
	}
	// A relative reference is right below every prefix and behind every proxy.
	w.Header().Set("Location", "uploads/"+id)
	setUpload(w.Header(), u)
	w.WriteHeader(http.StatusCreated)
	return nil
}

// isOffset reports whether the body has the type of the protocol.
func (c *call) isOffset() bool {
	h := c.Header.Get("Content-Type")
	return h != "" && web.IsMedia(h, offsetType)
}

// isNumber reports whether a text has digits only, and one at least.
func isNumber(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// fileNameOf returns the value of filename in Upload-Metadata: pairs of a key and a value in
// base64, separated by commas. isValid is false for metadata of another form.
func fileNameOf(metadata string) (name string, isValid bool) {
	if metadata == "" {
		return "", true
	}
	seen := map[string]bool{}
	for pair := range strings.SplitSeq(metadata, ",") {
		key, encoded, _ := strings.Cut(strings.Trim(pair, " "), " ")
		value, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil || key == "" || seen[key] {
			return "", false
		}
		seen[key] = true
		if key == "filename" {
			name = string(value)
		}
	}
	return name, true
}

// showUpload answers the state of an upload: to HEAD of the protocol in headers.
func (a *api) showUpload(w http.ResponseWriter, c *call) error {
	if err := c.checkTus(w); err != nil {
		return err
	}
	u, f, err := a.platform.Files.Upload(c.Context(), c.actor, c.Param("uploadId"))
	if err != nil {
		return err
	}
	setUpload(w.Header(), u)
	w.Header().Set("Upload-Length", strconv.FormatInt(u.Size, 10))
	if u.Metadata != "" {
		w.Header().Set("Upload-Metadata", u.Metadata)
	}
	answer := uploadJSON{ID: u.ID, Name: u.Name, Size: u.Size, Offset: u.Received,
		ExpiresAt: instant(u.ExpiresAt)}
	if f.ID != "" {
		answer.File = new(fileOf(f))
	}
	return c.writeSuccess(w, uploadAnswer{answer})
}

// appendUpload stores the body at the end of an upload.
func (a *api) appendUpload(w http.ResponseWriter, c *call) error {
	if err := c.checkTus(w); err != nil {
		return err
	}
	if !c.isOffset() {
		return errNotOffset
	}
	offset, err := strconv.ParseInt(c.Header.Get("Upload-Offset"), 10, 64)
	if err != nil || offset < 0 {
		return core.InvalidField("Upload-Offset", "must be the number of bytes that are stored")
	}
	u, err := a.receive(c, c.Param("uploadId"), offset)
	if err != nil {
		return err
	}
	setUpload(w.Header(), u)
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// deleteUpload gives up an upload.
func (a *api) deleteUpload(w http.ResponseWriter, c *call) error {
	if err := c.checkTus(w); err != nil {
		return err
	}
	if err := a.platform.Files.DeleteUpload(c.Context(), c.actor,
		c.Param("uploadId")); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// receive streams the body of a request to an upload.
func (a *api) receive(c *call, id string, offset int64) (file.Upload, error) {
	body := &bodyReader{in: c.Body}
	u, err := a.platform.Files.AppendUpload(c.Context(), c.actor, id, offset, body)
	if body.err != nil { // the client has left, or is too slow
		return u, bodyError(body.err)
	}
	return u, err
}
