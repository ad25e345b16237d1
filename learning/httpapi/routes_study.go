package httpapi

import (
	"net/http"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/study"
)

// enrollmentRoutes returns the routes of enrolments for students.
func enrollmentRoutes() []Route {
	return []Route{
		{ID: enrolledList, Method: http.MethodGet, Access: SignedIn,
			Path:    "/api/user/enrolled-courses",
			Summary: "List the courses that the caller is enrolled in",
			Description: "The oldest enrolment first, or with `sort=recent` the course that was " +
				"used last. `userRating` is the caller's rating, or null.",
			query: pages(parameter{
				name: "sort",
				text: "The order: the course first in which the caller saved a position or was " +
					"enrolled last. Without it the oldest enrolment first.",
				schema: texts(recentCourses),
			}),
			Errors: []error{core.ErrInvalidRequest},
			Do:     raw((*api).enrolledCourses).answering(enrolledCoursesAnswer{})},
		{ID: "enrollment.get", Method: http.MethodGet, Access: SignedIn,
			Path: "/api/user/enrolled-courses/:courseId",
			Summary: "Show a course that the caller is enrolled in, with the URLs of all " +
				"lectures",
			Description: "As the public detail of the course, but with the URL of every lecture, " +
				"and where the caller was last in it.",
			Errors: []error{catalog.ErrCourseDenied, study.ErrAccessEnded},
			Do:     doLarge((*api).enrolledCourse)},
	}
}

// enrollmentAdminRoutes returns the routes of enrolments for admins.
func enrollmentAdminRoutes() []Route {
	return []Route{
		{ID: "admin.enrollments", Method: http.MethodGet, Access: Admins, Limit: AdminLimit,
			Path:    "/api/admin/enrollments",
			Summary: "List active and past enrolments, of one user, one course or all",
			Description: "Those that began last first, in pages. `endedAt` is null while the " +
				"enrolment is active. `origin` says whether a purchase, a free course or an " +
				"admin gave it.",
			query: paged(
				parameter{
					name:   "userId",
					text:   "Only the enrolments of this user. An unknown user has none.",
					schema: map[string]any{"type": "string"},
				},
				parameter{
					name:   "courseId",
					text:   "Only the enrolments in this course. An unknown course has none.",
					schema: map[string]any{"type": "string"},
				}),
			Errors: []error{core.ErrInvalidRequest},
			Do:     do((*api).enrollments)},
		{ID: "admin.enroll", Method: http.MethodPost, Access: Admins, Limit: AdminLimit,
			agents:  withAllTools,
			Path:    "/api/admin/enrollments",
			Summary: "Enrol a user in a course without a purchase",
			Description: "The course may be unpublished. `created` is false if the user is " +
				"enrolled already; a buyer has the grant beside the purchase then. An open order " +
				"of the user can still be paid, and is then completed without another enrolment.",
			Errors: []error{core.ErrInvalidRequest, people.ErrUserNotFound,
				catalog.ErrCourseNotFound, catalog.ErrCourseEnded},
			Do: do((*api).grantEnrollment)},
		{ID: "admin.end-enrollment", Method: http.MethodDelete, Access: Admins, Limit: AdminLimit,
			Path:    "/api/admin/enrollments/:userId/:courseId",
			Summary: "End the enrolment of a user in a course",
			Description: "Whatever the enrolment came from. Progress, results and certificates " +
				"stay, and the progress is there again when the user buys the course or is " +
				"enrolled again.",
			Errors: []error{people.ErrUserNotFound, catalog.ErrCourseNotFound,
				study.ErrEnrollmentNotFound},
			Do: do((*api).endEnrollment)},
		{ID: "admin.change-enrollment", Method: http.MethodPatch, Access: Admins,
			Limit:   AdminLimit,
			agents:  withAllTools,
			Path:    "/api/admin/enrollments/:userId/:courseId",
			Summary: "Change the access of an enrolment, and what the host keeps with it",
			Description: "`expiresAt` and `openAll` count whatever paid the enrolment, until it " +
				"ends: a time in the past ends the access now, a later one opens it again. Who " +
				"has decided it and when is kept. `metadata` is all of the new one. Only admins " +
				"see it, and the user in the export. It stays with the enrolment when that ends, " +
				"and another enrolment begins without. It is removed with the user.",
			Errors: []error{core.ErrInvalidRequest, people.ErrUserNotFound,
				catalog.ErrCourseNotFound, study.ErrEnrollmentNotFound},
			Do: do((*api).changeEnrollment)},
	}
}

// progressRoutes returns the routes of progress, of positions in lectures and of notes.
func progressRoutes() []Route {
	return []Route{
		{ID: "progress.update", Method: http.MethodPost, Access: SignedIn,
			Path:    "/api/user/update-course-progress",
			Summary: "Mark a lecture as completed by the caller, or remove the mark",
			Description: "With `completed: false` the mark is removed; a certificate that was " +
				"issued stays. Repeating it changes nothing. `isCourseCompleted` is true when " +
				"every lecture that the course has now is completed.",
			Errors: lectureErrors,
			Do:     do((*api).completeLecture)},
		{ID: "progress.get", Method: http.MethodPost, Access: SignedIn,
			Path:    "/api/user/get-course-progress",
			Summary: "Show the caller's progress in a course",
			Description: "`progressData` is null if the caller has completed no lecture of the " +
				"course.",
			Do: do((*api).courseProgress)},
		{ID: "position.save", Method: http.MethodPut, Access: SignedIn, Limit: PositionLimit,
			Path:    "/api/user/position",
			Summary: "Save where the caller is in a lecture",
			Description: "The latest position by arrival stays. A player sends one about every " +
				"ten seconds, and when a lecture is opened or left. The caller must be enrolled.",
			Errors: lectureErrors,
			Do:     do((*api).savePosition)},
		{ID: "note.list", Method: http.MethodGet, Access: SignedIn,
			Path:    "/api/user/notes",
			Summary: "List the caller's notes in a course",
			Description: "The oldest first. They stay readable when the access to the course " +
				"has ended.",
			query: pages(parameter{
				name:   "courseId",
				text:   "The course of the notes. An unknown one has none.",
				schema: map[string]any{"type": "string"},
			}),
			Errors: []error{core.ErrInvalidRequest},
			Do:     raw((*api).listNotes).answering(notesAnswer{})},
		{ID: "note.create", Method: http.MethodPost, Access: SignedIn, Limit: ChangeLimit,
			Path:    "/api/user/notes",
			Summary: "Store a note at a lecture",
			Description: "The caller must be enrolled. A user has at most 1,000 notes in a " +
				"course.",
			Errors: append([]error{study.ErrTooManyNotes}, lectureErrors...),
			Do:     do((*api).createNote)},
		{ID: "note.change", Method: http.MethodPatch, Access: SignedIn, Limit: ChangeLimit,
			Path:        "/api/user/notes/:noteId",
			Summary:     "Change a note of the caller's",
			Description: "What is not sent stays unchanged. The caller must still be enrolled.",
			Errors:      noteErrors,
			Do:          do((*api).changeNote)},
		{ID: "note.delete", Method: http.MethodDelete, Access: SignedIn,
			Path:        "/api/user/notes/:noteId",
			Summary:     "Delete a note of the caller's",
			Description: "The caller must still be enrolled.",
			Errors:      noteErrors,
			Do:          do((*api).deleteNote)},
	}
}

// timeRoutes returns the routes of learning time.
func timeRoutes() []Route {
	return []Route{
		{ID: "time.track", Method: http.MethodPost, Access: SignedIn,
			Path:    "/api/user/track-time",
			Summary: "Add the time of a visit to a page",
			Description: "Learning time is on the path `/player/:courseId`, quiz time on " +
				"`/quiz/:courseId/:chapterId`. `duration` is in seconds. At most 86,400 seconds " +
				"count for one UTC day.",
			Do: do((*api).trackTime)},
		{ID: "analytics.get", Method: http.MethodGet, Access: SignedIn,
			Path:    "/api/user/analytics",
			Summary: "Show the caller's time by page, day and course",
			Description: "Whole seconds by UTC day. `dailyStats` has seven days, the oldest " +
				"first; the other lists are sorted by time spent. The pages `Home`, `Browse " +
				"Courses`, `Course Details`, `Analytics` and `Other` count in no total.",
			Do: do((*api).analytics)},
	}
}

// lectureErrors are the failures of what a student does in a lecture.
var lectureErrors = []error{catalog.ErrCourseNotFound, study.ErrNotPurchased,
	study.ErrAccessEnded, study.ErrLectureLocked, catalog.ErrInvalidLecture}

// noteErrors are the failures of a change of a note.
var noteErrors = []error{study.ErrNoteNotFound, study.ErrNotPurchased,
	study.ErrAccessEnded}
