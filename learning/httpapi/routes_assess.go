package httpapi

import (
	"net/http"

	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/due"
	"github.com/openlectern/openlectern/learning/study"
)

// quizRoutes returns the routes of quizzes for students.
func quizRoutes() []Route {
	return []Route{
		{ID: "quiz.get", Method: http.MethodGet, Access: SignedIn,
			Limit: GenerationLimit, onDemand: true,
			Path: "/api/quiz/:courseId/:chapterId",
			Summary: "Show the quiz of a chapter, or write it if there is none; only the owner " +
				"of the course gets the solutions",
			Description: "For enrolled users and the owner of the course. Only the owner gets " +
				"`correctIndex` and `explanation`. However many callers ask at once for a quiz " +
				"that does not exist, one AI call is made; only the caller who starts it takes a " +
				"token of the rate limit. A quiz that was saved by hand is answered if it has 1 to " +
				"20 questions with four options, one of them right, of 1 point, and neither " +
				"`draw`, `shuffle`, `minutes` nor `attempts`; any other is 409, and taken by an " +
				"attempt. One that was deleted by hand is 404.",
			Errors: append([]error{catalog.ErrCourseNotFound, study.ErrNotPurchased, study.ErrAccessEnded,
				study.ErrLectureLocked,
				assess.ErrChapterNotFound, assess.ErrQuizNotFound, assess.ErrAttemptNeeded},
				aiErrors...),
			Do: raw((*api).getQuiz).answering(quizAnswer{})},
		{ID: "quiz.submit", Method: http.MethodPost, Access: SignedIn, Limit: QuizLimit,
			Path:    "/api/quiz/submit",
			Summary: "Submit answers to a quiz, and get the mark and recommendations",
			Description: "Send the `version` of the quiz that was answered: answers to another " +
				"version are 409. The attempt is stored before the AI is asked for " +
				"recommendations; when the AI fails, they are made from the wrong answers. Each " +
				"line of `recommendations` begins with `• `.",
			Errors: []error{catalog.ErrCourseNotFound, study.ErrNotPurchased, study.ErrAccessEnded,
				study.ErrLectureLocked,
				assess.ErrQuizNotFound, assess.ErrAttemptNeeded, assess.ErrQuizChanged,
				assess.ErrAnswerCount},
			Do: do((*api).submitQuiz)},
		{ID: "quiz.marks", Method: http.MethodGet, Access: SignedIn,
			Path:        "/api/quiz/my-results",
			Summary:     "List the caller's attempts at all quizzes",
			Description: "Every attempt at every quiz, the newest first.",
			query:       pages(),
			Errors:      []error{core.ErrInvalidRequest},
			Do:          raw((*api).quizMarks).answering(quizMarksAnswer{})},
		{ID: "quiz.results", Method: http.MethodGet, Access: SignedIn,
			Path:        "/api/quiz/results/:courseId/:chapterId",
			Summary:     "List the caller's attempts at the quiz of a chapter",
			Description: "Every attempt with its answers, the newest first.",
			Do:          do((*api).quizResults)},
		{ID: "quiz.course-marks", Method: http.MethodGet, Access: SignedIn,
			Path:        "/api/quiz/course-results/:courseId",
			Summary:     "List the caller's attempts at the quizzes of a course",
			Description: "Every attempt at the quizzes of the course, the newest first.",
			Do:          do((*api).courseQuizMarks)},
	}
}

// quizEditRoutes returns the routes of quizzes for the editors of a course.
func quizEditRoutes() []Route {
	return []Route{
		{ID: "quiz.editable", Method: http.MethodGet, Access: SignedIn,
			Path: quizPath,
			Summary: "Show the quiz of a chapter with its solutions, for the educator of the course " +
				"and admins",
			Errors: append([]error{assess.ErrQuizNotFound}, editErrors...),
			Do:     do((*api).editableQuiz)},
		{ID: "quiz.save", Method: http.MethodPut, Access: SignedIn, Limit: ChangeLimit,
			Path:    quizPath,
			Summary: "Save a quiz that is written by hand, for the educator of the course and admins",
			Description: "The whole quiz, which replaces the one that is stored. From then on the AI " +
				"writes none of the chapter. `version` is that of the quiz which the caller has " +
				"read; if it has changed meanwhile, the answer is 409. Attempts that have begun " +
				"keep their questions. With `remark` they are marked anew, within minutes, for " +
				"the questions whose `questionId`, `kind` and `options` are the same; whoever gets " +
				"another percentage is notified. The body has at most 1 MiB.",
			Errors: append([]error{assess.ErrChapterNotFound, assess.ErrQuizEdited},
				editErrors...),
			Do: do((*api).saveQuiz).upTo(maxQuiz)},
		{ID: "quiz.delete", Method: http.MethodDelete, Access: SignedIn,
			Path:        quizPath,
			Summary:     "Delete the quiz of a chapter, for the educator of the course and admins",
			Description: "Its results stay. From then on the AI writes no quiz of the chapter.",
			Errors:      append([]error{assess.ErrQuizNotFound}, editErrors...),
			Do:          do((*api).deleteQuiz)},
		{ID: "quiz.extra-attempts", Method: http.MethodPut, Access: SignedIn, Limit: ChangeLimit,
			Path: quizPath + "/extra",
			Summary: "Set how many attempts a student has beyond those of the quiz, for the educator " +
				"of the course and admins",
			Description: "It replaces the number that was set before, and is kept with who set it and " +
				"when. It counts over all versions of the quiz and all enrolments of the student, as " +
				"attempts do. Without a limit of the quiz it has no effect. A student who is not " +
				"enrolled, also one whose enrolment has ended, is 404.",
			Errors: append([]error{study.ErrEnrollmentNotFound, assess.ErrQuizNotFound},
				editErrors...),
			Do: do((*api).setExtraAttempts)},
		{ID: "quiz.student-results", Method: http.MethodGet, Access: SignedIn,
			Path:    quizPath + "/results",
			Summary: "List the results of a quiz, for the educator of the course and admins",
			Description: "A page of the results of all students, the newest first, without their " +
				"answers. They stay when the quiz or the chapter is removed.",
			query:  paged(formatParameter),
			Errors: append([]error{core.ErrInvalidRequest}, editErrors...),
			Do: raw((*api).studentResults).answering(studentResultsAnswer{}).
				writing(csvContent, nil)},
		{ID: "quiz.stats", Method: http.MethodGet, Access: SignedIn,
			Path: quizPath + "/questions",
			Summary: "Show the figures of a quiz and its questions, for the educator of the course " +
				"and admins",
			Description: "The figures are kept, so that an answer takes the same time however many " +
				"attempts there are. Attempts that were marked by a version before this route count " +
				"in the first three fields only.",
			query:  []parameter{formatParameter},
			Errors: append([]error{core.ErrInvalidRequest}, editErrors...),
			Do:     raw((*api).quizStats).answering(quizStatsAnswer{}).writing(csvContent, nil)},
	}
}

// attemptRoutes returns the routes of attempts at quizzes.
func attemptRoutes() []Route {
	return []Route{
		{ID: "attempt.start", Method: http.MethodPost, Access: SignedIn, Limit: QuizLimit,
			Path:    "/api/quiz/attempts",
			Summary: "Begin an attempt at a quiz, or show the open one",
			Description: "An open attempt is answered again, with the same questions in the same " +
				"order and with the answers that were saved. The server keeps the time and counts " +
				"the attempts. What is given stays, whatever becomes of the quiz.",
			Errors: []error{catalog.ErrCourseNotFound, study.ErrNotPurchased, study.ErrAccessEnded,
				study.ErrLectureLocked,
				assess.ErrQuizNotFound, assess.ErrNoAttempts},
			Do: do((*api).startAttempt)},
		{ID: "attempt.list", Method: http.MethodGet, Access: SignedIn,
			Path:    "/api/quiz/attempts",
			Summary: "Show what a quiz is, and list the caller's attempts at it",
			Description: "It begins no attempt and has neither questions nor solutions. Own attempts " +
				"stay readable when the access to the course has ended; `quiz` is null then. An " +
				"attempt whose time is over is marked by the answers that were saved.",
			query: paged(
				parameter{name: "courseId", text: "The course of the quiz.",
					schema: map[string]any{"type": "string"}},
				parameter{name: "chapterId", text: "The chapter of the quiz.",
					schema: map[string]any{"type": "string"}},
			),
			Errors: []error{core.ErrInvalidRequest, catalog.ErrCourseNotFound,
				study.ErrNotPurchased},
			Do: do((*api).listAttempts)},
		{ID: "attempt.get", Method: http.MethodGet, Access: SignedIn,
			Path:    attemptPath,
			Summary: "Show an attempt of the caller, with its result if it is marked",
			Description: "A marked one also after the access to the course has ended. An attempt " +
				"whose time is over is marked by the answers that were saved.",
			Errors: []error{assess.ErrAttemptNotFound, study.ErrAccessEnded,
				study.ErrLectureLocked},
			Do: do((*api).getAttempt)},
		{ID: "attempt.save", Method: http.MethodPut, Access: SignedIn, Limit: AnswerLimit,
			Path:    attemptPath,
			Summary: "Save answers of an open attempt of the caller",
			Description: "Answers to other questions stay. What is saved counts, also if the " +
				"caller does not come back. The body has at most 1 MiB.",
			Errors: []error{assess.ErrAttemptNotFound, study.ErrNotPurchased, study.ErrAccessEnded,
				assess.ErrTimeOver, assess.ErrAttemptSubmitted},
			Do: do((*api).saveAnswers).upTo(maxQuiz).judging()},
		{ID: "attempt.submit", Method: http.MethodPost, Access: SignedIn, Limit: AnswerLimit,
			Path:    attemptPath + "/submit",
			Summary: "Submit an attempt of the caller, and get the mark and recommendations",
			Description: "An attempt is marked once, by the questions that were given; a " +
				"repetition gets the same result. After the end the answers of the body are " +
				"ignored, also if they are not valid, and those that were saved count. The body " +
				"has at most 1 MiB.",
			Errors: []error{assess.ErrAttemptNotFound, study.ErrNotPurchased, study.ErrAccessEnded},
			Do:     do((*api).submitAttempt).upTo(maxQuiz).judging()},
	}
}

// assignmentRoutes returns the routes of assignments for students.
func assignmentRoutes() []Route {
	return []Route{
		{ID: "assignment.list", Method: http.MethodGet, Access: SignedIn,
			Path:    "/api/user/assignments",
			Summary: "List the assignments of the courses in which the caller is enrolled",
			Description: "Open and returned ones by their due time, those without one last; then " +
				"the others, the newest first. In pages. Courses to which the access has ended " +
				"are left out.",
			query: paged(
				parameter{
					name:   "courseId",
					text:   "Only those of this course.",
					schema: map[string]any{"type": "string"},
				},
				parameter{
					name: "status",
					text: "Only those with this status.",
					schema: texts(string(due.OwnOpen), string(due.OwnMissed),
						string(due.OwnSubmitted), string(due.OwnGraded),
						string(due.OwnReturned)),
				}),
			Errors: []error{core.ErrInvalidRequest},
			Do:     do((*api).ownAssignments)},
		{ID: "assignment.get", Method: http.MethodGet, Access: SignedIn,
			Path:    workPath,
			Summary: "Show an assignment with the caller's draft and submissions",
			Description: "`dueAt`, `closesAt` and `attemptsLeft` are for the caller. Own work and " +
				"the feedback on it stay readable when the access to the course has ended; " +
				"`assignment` is left out then.",
			Errors: []error{catalog.ErrCourseNotFound, study.ErrNotPurchased,
				catalog.ErrInvalidLecture},
			Do: do((*api).getWork)},
		{ID: "assignment.save", Method: http.MethodPut, Access: SignedIn, Limit: AnswerLimit,
			Path:    workPath,
			Summary: "Save the caller's draft in an assignment",
			Description: "It replaces the draft of before. Its files are in use from now on, and " +
				"must be the caller's. The body has at most 1 MiB.",
			Errors: workErrors,
			Do:     do((*api).saveDraft).upTo(maxWork)},
		{ID: "assignment.submit", Method: http.MethodPost, Access: SignedIn, Limit: AnswerLimit,
			Path:    workPath + "/submit",
			Summary: "Submit the caller's draft in an assignment",
			Description: "A submission does not change any more, and the next draft begins empty. " +
				"While a submission waits for its grade there is no other one: a repeated request " +
				"without a new draft gets the same answer, and one with a draft is 409. After the " +
				"due time a submission is late, by the clock of the server.",
			Errors: append([]error{assess.ErrDraftEmpty, assess.ErrSubmissionWaiting},
				workErrors...),
			Do: do((*api).submitWork)},
	}
}

// submissionRoutes returns the routes of submitted work.
func submissionRoutes() []Route {
	return []Route{
		{ID: "educator.attempt", Method: http.MethodGet, Access: Staff,
			Path: "/api/educator/attempts/:attemptId",
			Summary: "Show a submitted attempt of a student with its solutions, for the educator of " +
				"the course and admins",
			Description: "What was given, what is right, and the points. An open attempt, and one " +
				"in a course that the caller may not edit, is 404.",
			Errors: []error{assess.ErrAttemptNotFound},
			Do:     do((*api).studentAttempt)},
		{ID: "submission.list", Method: http.MethodGet, Access: Staff,
			Path:    "/api/educator/submissions",
			Summary: "List submissions in a course, or in all courses of the caller",
			Description: "The oldest first, so that a grader begins with the student who waits for " +
				"the longest time.",
			query: pages(
				parameter{
					name:   "courseId",
					text:   "The course. Without it all of which the caller is the educator.",
					schema: map[string]any{"type": "string"},
				},
				parameter{
					name: "status",
					text: "Only the submissions of this status. Without it all.",
					schema: texts(string(assess.SubmissionWaiting),
						string(assess.SubmissionGraded), string(assess.SubmissionReturned)),
				}),
			Errors: []error{core.ErrInvalidRequest, catalog.ErrCourseNotFound},
			Do:     raw((*api).listSubmissions).answering(submissionsAnswer{})},
		{ID: "submission.get", Method: http.MethodGet, Access: Staff,
			Path:        "/api/educator/submissions/:submissionId",
			Summary:     "Show a submission, for the educator of the course and admins",
			Description: "With the text, the files and the feedback. A draft is not found.",
			Errors:      []error{assess.ErrSubmissionNotFound},
			Do:          do((*api).getSubmission)},
		{ID: "submission.grade", Method: http.MethodPut, Access: Staff, Limit: ChangeLimit,
			Path:    "/api/educator/submissions/:submissionId/grade",
			Summary: "Grade or return a submission, for the educator of the course and admins",
			Description: "The grade marks the lecture as completed by the student, and a return takes " +
				"the mark back; of several submissions the latest that is decided counts. A " +
				"submission may be decided again, and the decision replaces the one before. If " +
				"`version` is not the current one, the answer is 409. The files must be the " +
				"caller's. The body has at most 1 MiB.",
			Errors: []error{assess.ErrSubmissionNotFound, assess.ErrSubmissionChanged},
			Do:     do((*api).gradeSubmission).upTo(maxWork)},
	}
}

// workPath is the path of an assignment for its students, and maxWork the largest JSON body with
// work or a grade, in bytes.
const (
	workPath = "/api/user/assignments/:courseId/:lectureId"
	maxWork  = 1 << 20
)

// workErrors are the failures of changes of the work on an assignment.
var workErrors = []error{catalog.ErrCourseNotFound, study.ErrNotPurchased,
	study.ErrAccessEnded,
	catalog.ErrInvalidLecture, assess.ErrTimeOver, assess.ErrNoAttempts}

// quizPath is the path of a quiz for its editors.
const quizPath = "/api/educator/courses/:courseId/quizzes/:chapterId"

// attemptPath is the path of an attempt.
const attemptPath = "/api/quiz/attempts/:attemptId"
