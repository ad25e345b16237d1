package httpapi

import (
	"net/http"
	"slices"

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
