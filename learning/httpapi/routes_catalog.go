package httpapi

import (
	"net/http"
	"slices"

	"github.com/openlectern/openlectern/internal/web"
	"github.com/openlectern/openlectern/learning/bundle"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
)

// catalogueRoutes returns the routes that read courses.
func catalogueRoutes() []Route {
	return []Route{
		{ID: courseList, Method: http.MethodGet, Access: Public,
			Path:    "/api/course/all",
			Summary: "List the published courses",
			Description: "All published courses, the oldest first, without chapters and " +
				"lectures. The answer has an ETag; with it in `If-None-Match` an unchanged list " +
				"is 304 without a body. A change is in the list of every process within a " +
				"second. A page of a search reads a bounded number of courses: it may have few " +
				"or none and a `nextCursor`, with which the search goes on.",
			query: pages(
				parameter{
					name: "q",
					text: "Only the courses that have all these words: each is the beginning of " +
						"a word of the title, the description or the educator's name. " +
						"Case and accents are ignored.",
					schema: map[string]any{"type": "string", "maxLength": 200},
				},
				parameter{
					name:   "educatorId",
					text:   "Only the courses of this educator.",
					schema: map[string]any{"type": "string"},
				},
				parameter{
					name: "sort",
					text: "The order: the newest, the most students, the highest rating or the " +
						"lowest price after the discount first. " +
						"Without it the oldest first.",
					schema: texts(string(catalog.NewestCourses), string(catalog.PopularCourses),
						string(catalog.RatedCourses), string(catalog.CheapCourses)),
				},
				metadataParameter),
			Errors: []error{core.ErrInvalidRequest},
			Do:     raw((*api).listCourses).answering(coursesAnswer{}).revalidating().searching()},
		{ID: "course.get", Method: http.MethodGet, Access: Public,
			Path:    "/api/course/:id",
			Summary: "Show a course; only free previews have a URL",
			Description: "The course with its chapters and lectures, in order. An unpublished " +
				"course is not found.",
			Errors: []error{catalog.ErrCourseNotFound},
			Do:     doLarge((*api).getCourse)},
		{ID: "course.editable", Method: http.MethodGet, Access: SignedIn,
			Path: "/api/educator/courses/:courseId",
			Summary: "Show a course with its version and the URLs of all lectures, for its " +
				"educator and admins",
			Description: "The course as the public detail shows it, published or not, with the " +
				"URL of every lecture, and with the `version` that a change must name.",
			Errors: editErrors,
			Do:     doLarge((*api).editableCourse)},
	}
}

// courseRoutes returns the routes with which a course is made and edited.
func courseRoutes() []Route {
	return []Route{
		{ID: "course.add", Method: http.MethodPost, Access: Educators,
			Path:    "/api/educator/add-course",
			Summary: "Publish a course with its thumbnail",
			Description: "A form of two parts: `courseData`, JSON of at most 1 MiB, and `image`, " +
				"at most 5 MiB, whose type is found in its content. The price after the discount " +
				"is 0 or at least 1. Numbers may be sent as strings that hold one. Chapter and " +
				"lecture ids come from the client and are made when missing. The server computes " +
				"all totals.",
			Errors: thumbnailErrors,
			Do:     raw((*api).addCourse).taking(newCourse{}).answering(addCourseAnswer{})},
		{ID: "course.edit", Method: http.MethodPatch, Access: SignedIn, Limit: ChangeLimit,
			Path:    "/api/educator/courses/:courseId",
			Summary: "Change, publish or unpublish a course, for its educator and admins",
			Description: "Fields that are not sent stay as they are; the bounds are those of a " +
				"new course, and numbers may be strings that hold one. `courseContent` is the " +
				"whole new content: chapters and lectures keep their ids, lectures that remain " +
				"keep the progress of students, and the quiz of a chapter that is removed goes, " +
				"while its results stay. `version` is that of the course which the caller has " +
				"read; if it has changed meanwhile, the answer is 409 and nothing is changed. " +
				"`version` grows by one, unless nothing differs. An unpublished course is " +
				"neither listed nor to be bought; enrolled users keep access, and an open " +
				"order can still be paid. The body has at most 1 MiB.",
			Errors: append([]error{catalog.ErrCourseChanged}, editErrors...),
			Do:     do((*api).editCourse).upTo(maxCourseData)},
		{ID: "course.thumbnail", Method: http.MethodPut, Access: SignedIn, Limit: ChangeLimit,
			Path:    "/api/educator/courses/:courseId/thumbnail",
			Summary: "Replace the picture of a course, for its educator and admins",
			Description: "A form of one part, `image`, as that of a new course. The old picture " +
				"is deleted, and the version of the course grows by one.",
			Errors: slices.Concat(editErrors, thumbnailErrors),
			Do:     raw((*api).setThumbnail).taking(imageForm{}).answering(thumbnailAnswer{})},
		{ID: "course.delete", Method: http.MethodDelete, Access: SignedIn,
			Path:    "/api/educator/courses/:courseId",
			Summary: "Delete a course that no user has bought, for its educator and admins",
			Description: "With its quizzes and its picture. If a user is or was enrolled in the " +
				"course, or if a purchase is open, completed or refunded, the answer is 409: the " +
				"course can be unpublished instead. A course in a bundle is not deleted either.",
			Errors: append([]error{catalog.ErrCourseHasStudents, bundle.ErrCourseInBundle},
				editErrors...),
			Do: do((*api).deleteCourse)},
		{ID: "course.text", Method: http.MethodPut, Access: SignedIn, Limit: ChangeLimit,
			Path:    "/api/educator/courses/:courseId/lectures/:lectureId/text",
			Summary: "Replace the text of a lecture, for the educator of the course and admins",
			Description: "One text of at most 100,000 characters, so that the texts of a course may " +
				"be longer together than the body of a change may be; they have at most 16 MiB. " +
				"An empty text removes it. `version` is that of the course which the caller has " +
				"read, and grows by one, unless nothing differs. A lecture without a kind becomes " +
				"a video. The body has at most 1 MiB.",
			Errors: append([]error{catalog.ErrCourseChanged, catalog.ErrInvalidLecture},
				editErrors...),
			Do: do((*api).setLectureText).upTo(maxCourseData)},
	}
}

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
			Errors: []error{catalog.ErrFileNotFound, catalog.ErrFileInUse},
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
			Errors:      []error{catalog.ErrFileNotFound, catalog.ErrFileInUse},
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
			Errors: []error{core.ErrInvalidRequest, catalog.ErrFileRefused,
				catalog.ErrFileTooLarge, catalog.ErrStorageFull, catalog.ErrNoSpace,
				catalog.ErrFilesNotConfigured, errTusVersion, errNotOffset},
			Do: raw((*api).createUpload).resuming(http.StatusCreated).
				heading("Location", "Upload-Offset", "Upload-Expires")},
		{ID: "upload.get", Method: http.MethodGet, Access: Staff,
			Path:    "/api/educator/uploads/:uploadId",
			Summary: "Show an own upload, and its file once it is complete",
			Description: "HEAD answers the same in headers, as tus 1.0.0 says. An upload that has " +
				"expired is not found.",
			Errors: []error{catalog.ErrUploadNotFound, errTusVersion},
			Do: raw((*api).showUpload).answering(uploadAnswer{}).heading("Upload-Offset",
				"Upload-Length", "Upload-Metadata", "Upload-Expires")},
		{ID: "upload.append", Method: http.MethodPatch, Access: Staff, Limit: UploadLimit,
			Path:    "/api/educator/uploads/:uploadId",
			Summary: "Send the next bytes of an own upload",
			Description: "What has arrived is kept when the connection breaks: HEAD says how many " +
				"bytes that are. With the last byte the file is made as by `file.upload`; GET of " +
				"the upload has it. If its type may not be uploaded, the upload is removed.",
			Errors: []error{core.ErrInvalidRequest, catalog.ErrUploadNotFound,
				catalog.ErrUploadOffset, catalog.ErrUploadBusy, catalog.ErrFileRefused,
				catalog.ErrFileTooLarge, catalog.ErrNoSpace, catalog.ErrFilesNotConfigured,
				errTusVersion, errNotOffset},
			Do: raw((*api).appendUpload).resuming(http.StatusNoContent).
				heading("Upload-Offset", "Upload-Expires")},
		{ID: "upload.delete", Method: http.MethodDelete, Access: Staff,
			Path:    "/api/educator/uploads/:uploadId",
			Summary: "Give up an own upload",
			Description: "What is stored of it is removed; it no longer counts to the storage. " +
				"The file of a complete upload stays.",
			Errors: []error{catalog.ErrUploadNotFound, errTusVersion},
			Do:     raw((*api).deleteUpload).emptily(http.StatusNoContent)},
	}
}

// thumbnailErrors are the failures of routes that take the picture of a course.
var thumbnailErrors = []error{core.ErrInvalidRequest, catalog.ErrThumbnailMissing,
	catalog.ErrThumbnailRefused, catalog.ErrThumbnailBusy, catalog.ErrMediaNotConfigured,
	catalog.ErrNoSpace, web.ErrBodyTooLarge, errNotMultipart}

// fileErrors are the failures of an upload of a file.
var fileErrors = []error{core.ErrInvalidRequest, catalog.ErrFileMissing,
	catalog.ErrFileRefused, catalog.ErrFileTooLarge, catalog.ErrStorageFull,
	catalog.ErrNoSpace, catalog.ErrFilesNotConfigured, errNotMultipart}

// editErrors are the failures of routes for the editors of a course.
var editErrors = []error{core.ErrForbidden, catalog.ErrCourseNotFound}
