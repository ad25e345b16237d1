package httpapi

import (
	"net/http"

	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/exchange"
	"github.com/openlectern/openlectern/learning/file"
)

// packageRoutes returns the routes of course packages and of quizzes as files.
func packageRoutes() []Route {
	return []Route{
		{ID: "package.export", Method: http.MethodGet, Access: SignedIn, Limit: PackageLimit,
			Path:    "/api/educator/courses/:courseId/package",
			Summary: "Download a course as a package, for its educator and admins",
			Description: "A zip with the texts, quizzes, files and thumbnail of the course, without " +
				"ids, people and times (docs/packages.md). The same course has the same package, to " +
				"the byte. A connection that breaks means that the package is not whole. A course " +
				"of more than 5 GB or 10,000 files is 413.",
			Errors: append([]error{catalog.ErrCourseChanged, exchange.ErrPackageTooLarge,
				file.ErrFilesNotConfigured}, editErrors...),
			Do: raw((*api).exportPackage).writing(zipContent, nil)},
		{ID: "package.import", Method: http.MethodPost, Access: Educators, Limit: PackageLimit,
			Path:    "/api/educator/packages",
			Summary: "Import a package as a draft of the caller's own",
			Description: "A form of one part, `file`: a package of `GET " +
				"/api/educator/courses/{courseId}/package`, which is imported without a loss, or an " +
				"IMS Common Cartridge 1.1, 1.2 or 1.3, whose files, pages, links and quizzes are " +
				"imported. `skipped` names what was not imported, and why. A package that is refused leaves " +
				"nothing, and the message of the 400 ends with the reason. At most 5 GB unpacked, " +
				"10,000 entries, and 100 times the size of the zip.",
			Errors: []error{core.ErrInvalidRequest, file.ErrFileMissing,
				exchange.ErrPackageRefused, file.ErrFileTooLarge, file.ErrStorageFull,
				exchange.ErrImportRunning, file.ErrNoSpace, file.ErrMediaNotConfigured,
				file.ErrFilesNotConfigured,
				file.ErrThumbnailBusy, errNotMultipart},
			Do: raw((*api).importPackage).taking(fileForm{}).answering(importAnswer{})},
		{ID: "quiz.export", Method: http.MethodGet, Access: SignedIn,
			Path: quizPath + "/qti",
			Summary: "Download the quiz of a chapter as a QTI 1.2 file, for the educator of the " +
				"course and admins",
			Description: "Questions of all kinds with their solutions, the time and the attempts " +
				"(docs/packages.md).",
			Errors: append([]error{assess.ErrQuizNotFound}, editErrors...),
			Do:     raw((*api).exportQuiz).writing(xmlContent, nil)},
		{ID: "quiz.import", Method: http.MethodPut, Access: SignedIn, Limit: ChangeLimit,
			Path:    quizPath + "/qti",
			Summary: "Save the quiz of a QTI 1.2 file, for the educator of the course and admins",
			Description: "A form of one part, `file`, of at most 8 MiB: a document, or a zip that holds " +
				"one quiz. The quiz replaces the one that is stored, as one by hand. `skipped` names " +
				"what was not imported, and why. The message of the 400 for a file without a question " +
				"that can be imported ends with the reason.",
			query: []parameter{{
				name: "version",
				text: "The version of the quiz that the caller has read, 0 for none; if it has changed " +
					"meanwhile, the answer is 409. Without it the quiz replaces any.",
				schema: map[string]any{"type": "integer", "minimum": 0},
			}},
			Errors: append([]error{core.ErrInvalidRequest, assess.ErrChapterNotFound,
				assess.ErrQuizEdited, file.ErrFileMissing, exchange.ErrQuizFileRefused,
				file.ErrFileTooLarge, exchange.ErrImportRunning, file.ErrNoSpace,
				errNotMultipart}, editErrors...),
			Do: raw((*api).importQuiz).taking(fileForm{}).answering(importedQuizAnswer{})},
	}
}
