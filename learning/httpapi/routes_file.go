package httpapi

import (
	"net/http"

	"github.com/openlectern/openlectern/internal/web"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/file"
)

// fileRoutes returns the routes of files.
func fileRoutes() []Route {
	return []Route{
		{ID: "file.upload", Method: http.MethodPost, Access: Staff, Limit: FileLimit,
			Path:    "/api/educator/files",
			Summary: "Upload a file for lectures",
			Description: "A form of one part, `file`, which is streamed. The type follows from the " +
				"content: MP4, WebM, MP3, M4A, Ogg, PDF, PNG, JPEG, WebP, zip, docx, pptx, xlsx, " +
				"odt, odp, ods, WebVTT, and text by the name (md, txt). The same content of an " +
				"owner is stored once: the answer is the file of before. An upload that breaks off " +
				"leaves nothing.",
			Errors: fileErrors,
			Do:     raw((*api).uploadFile).taking(fileForm{}).answering(fileAnswer{})},
		{ID: "file.list", Method: http.MethodGet, Access: Staff,
			Path:        "/api/educator/files",
			Summary:     "List the caller's own files",
			Description: "The newest first.",
			Errors:      []error{core.ErrInvalidRequest},
			Do:          raw((*api).listFiles).answering(filesAnswer{})},
		{ID: "file.delete", Method: http.MethodDelete, Access: Staff,
			Path:    "/api/educator/files/:fileId",
			Summary: "Delete an own file that nothing uses",
			Description: "A file that a course names, published or not, a draft, a submission or " +
				"feedback is 409. URLs that were signed before stop working.",
			Errors: []error{file.ErrFileNotFound, file.ErrFileInUse},
			Do:     do((*api).deleteFile)},
		{ID: "file.upload-submitted", Method: http.MethodPost, Access: SignedIn, Limit: FileLimit,
			Path:    "/api/user/files",
			Summary: "Upload a file for an assignment",
			Description: "As the upload of a file for lectures, but of at most 50 MB, and for callers " +
				"who are enrolled in a course with an assignment. Unused files have at most 1 GB " +
				"together.",
			Errors: append([]error{core.ErrForbidden}, fileErrors...),
			Do:     raw((*api).uploadSubmittedFile).taking(fileForm{}).answering(fileAnswer{})},
		{ID: "file.list-own", Method: http.MethodGet, Access: SignedIn,
			Path:        "/api/user/files",
			Summary:     "List the caller's own files",
			Description: "The newest first.",
			query:       pages(),
			Errors:      []error{core.ErrInvalidRequest},
			Do:          raw((*api).listFiles).answering(filesAnswer{})},
		{ID: "file.delete-own", Method: http.MethodDelete, Access: SignedIn,
			Path:        "/api/user/files/:fileId",
			Summary:     "Delete an own file that nothing uses",
			Description: "A file that a draft, a submission or a course names is 409.",
			Errors:      []error{file.ErrFileNotFound, file.ErrFileInUse},
			Do:          do((*api).deleteFile)},
	}
}

// uploadRoutes returns the routes of uploads in parts.
func uploadRoutes() []Route {
	return []Route{
		{ID: "upload.create", Method: http.MethodPost, Access: Staff, Limit: FileLimit,
			Path:    "/api/educator/uploads",
			Summary: "Begin a resumable upload of a file",
			Description: "The protocol is tus 1.0.0 with the extensions creation, " +
				"creation-with-upload, expiration and termination. The size counts as that of " +
				"an unused file from now on. The body may be the beginning of the file. " +
				"`Upload-Concat` is refused.",
			Errors: []error{core.ErrInvalidRequest, file.ErrFileRefused,
				file.ErrFileTooLarge, file.ErrStorageFull, file.ErrNoSpace,
				file.ErrFilesNotConfigured, errTusVersion, errNotOffset},
			Do: raw((*api).createUpload).resuming(http.StatusCreated).
				heading("Location", "Upload-Offset", "Upload-Expires")},
		{ID: "upload.get", Method: http.MethodGet, Access: Staff,
			Path:    "/api/educator/uploads/:uploadId",
			Summary: "Show an own upload, and its file once it is complete",
			Description: "HEAD answers the same in headers, as tus 1.0.0 says. An upload that has " +
				"expired is not found.",
			Errors: []error{file.ErrUploadNotFound, errTusVersion},
			Do: raw((*api).showUpload).answering(uploadAnswer{}).heading("Upload-Offset",
				"Upload-Length", "Upload-Metadata", "Upload-Expires")},
		{ID: "upload.append", Method: http.MethodPatch, Access: Staff, Limit: UploadLimit,
			Path:    "/api/educator/uploads/:uploadId",
			Summary: "Send the next bytes of an own upload",
			Description: "What has arrived is kept when the connection breaks: HEAD says how many " +
				"bytes that are. With the last byte the file is made as by `file.upload`; GET of " +
				"the upload has it. If its type may not be uploaded, the upload is removed.",
			Errors: []error{core.ErrInvalidRequest, file.ErrUploadNotFound,
				file.ErrUploadOffset, file.ErrUploadBusy, file.ErrFileRefused,
				file.ErrFileTooLarge, file.ErrNoSpace, file.ErrFilesNotConfigured,
				errTusVersion, errNotOffset},
			Do: raw((*api).appendUpload).resuming(http.StatusNoContent).
				heading("Upload-Offset", "Upload-Expires")},
		{ID: "upload.delete", Method: http.MethodDelete, Access: Staff,
			Path:    "/api/educator/uploads/:uploadId",
			Summary: "Give up an own upload",
			Description: "What is stored of it is removed; it no longer counts to the storage. " +
				"The file of a complete upload stays.",
			Errors: []error{file.ErrUploadNotFound, errTusVersion},
			Do:     raw((*api).deleteUpload).emptily(http.StatusNoContent)},
	}
}

// thumbnailErrors are the failures of routes that take the picture of a course.
var thumbnailErrors = []error{core.ErrInvalidRequest, file.ErrThumbnailMissing,
	file.ErrThumbnailRefused, file.ErrThumbnailBusy, file.ErrMediaNotConfigured,
	file.ErrNoSpace, web.ErrBodyTooLarge, errNotMultipart}

// fileErrors are the failures of an upload of a file.
var fileErrors = []error{core.ErrInvalidRequest, file.ErrFileMissing,
	file.ErrFileRefused, file.ErrFileTooLarge, file.ErrStorageFull,
	file.ErrNoSpace, file.ErrFilesNotConfigured, errNotMultipart}

// editErrors are the failures of routes for the editors of a course.
var editErrors = []error{core.ErrForbidden, catalog.ErrCourseNotFound}
