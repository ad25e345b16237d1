package httpapi

import (
	"net/http"

	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/study"
	"github.com/openlectern/openlectern/learning/tutor"
)

// chatRoutes returns the routes of chats with the AI.
func chatRoutes() []Route {
	return []Route{
		{ID: "chat.ask", Method: http.MethodPost, Access: SignedIn, Limit: ChatLimit,
			Path: "/api/user/ai-chat",
			Summary: "Ask the tutor, in an existing or a new chat; the answer is JSON or " +
				"server-sent events",
			Description: "Without `sessionId`, or with one that is unknown or another user's, a " +
				"new chat begins. A chat holds at most 500 messages. On failure nothing of the " +
				"turn is stored. With `Accept: text/event-stream` the reply is sent as it is " +
				"written. With `courseId` and `lectureId` the tutor is told of the text and the " +
				"captions of a lecture that the caller may read.",
			Errors: append([]error{tutor.ErrChatFull, catalog.ErrCourseNotFound,
				catalog.ErrInvalidLecture, study.ErrNotPurchased, study.ErrAccessEnded,
				study.ErrLectureLocked}, aiErrors...),
			Do: doRaw((*api).askTutor).answering(chatTurnAnswer{}).streaming(turnEvents)},
		{ID: "chat.list", Method: http.MethodPost, Access: SignedIn,
			Path:    "/api/user/previous-chats",
			Summary: "List the caller's chats",
			Description: "The chat that was used last first. `messages` is the text of the first " +
				"message.",
			query:  pages(),
			Errors: []error{core.ErrInvalidRequest},
			Do:     raw((*api).previousChats).answering(chatsAnswer{})},
		{ID: "chat.get", Method: http.MethodGet, Access: SignedIn,
			Path:        "/api/user/chat/:sessionId",
			Summary:     "Show one of the caller's chats",
			Description: "All messages of the chat, the oldest first.",
			Errors:      []error{tutor.ErrChatNotFound},
			Do:          raw((*api).getChat).answering(chatAnswer{})},
		{ID: "chat.delete", Method: http.MethodDelete, Access: SignedIn,
			Path:        "/api/user/chat/:sessionId",
			Summary:     "Delete one of the caller's chats",
			Description: "Deletes the chat with all its messages.",
			Errors:      []error{tutor.ErrChatNotFound},
			Do:          do((*api).deleteChat)},
	}
}

// aiRoutes returns the routes of what the AI writes.
func aiRoutes() []Route {
	return []Route{
		{ID: "roadmap.personal", Method: http.MethodPost, Access: SignedIn, Limit: GenerationLimit,
			Path:    "/api/user/generate-personal-roadmap",
			Summary: "Write a roadmap from the caller's courses and progress",
			Description: "The AI writes the roadmap; the share completed of each course is the " +
				"platform's own figure. The caller must be enrolled in a course.",
			Errors: append([]error{tutor.ErrNoCourses}, aiErrors...),
			Do:     do((*api).personalRoadmap)},
		{ID: "roadmap.custom", Method: http.MethodPost, Access: SignedIn, Limit: GenerationLimit,
			Path:    "/api/user/generate-custom-roadmap",
			Summary: "Write a roadmap to a topic",
			Description: "The AI writes the roadmap. The topic is data in the prompt, never an " +
				"instruction.",
			Errors: aiErrors,
			Do:     do((*api).customRoadmap)},
		{ID: "quiz.generate", Method: http.MethodPost, Access: Educators, Limit: GenerationLimit,
			Path:    "/api/quiz/generate",
			Summary: "Rewrite the quiz of a chapter of the caller's own course",
			Description: "The AI writes the questions. What it answers is checked against a " +
				"schema, and asked for once more before the call fails. `version` changes with " +
				"the questions. The caller must own the course. If the quiz was saved or deleted by " +
				"hand, the answer is a draft, and nothing is stored.",
			Errors: append([]error{catalog.ErrCourseNotFound, assess.ErrChapterNotFound},
				aiErrors...),
			Do: do((*api).generateQuiz)},
		{ID: "quiz.insights", Method: http.MethodGet, Access: Educators,
			Path:        "/api/quiz/educator-insights",
			Summary:     "Show totals of the attempts at quizzes of the caller's own courses",
			Description: "One row for each quiz with attempts, the most attempts first.",
			Do:          do((*api).quizInsights)},
	}
}

// aiErrors are the failures of routes that call the AI.
var aiErrors = []error{tutor.ErrAINotConfigured, tutor.ErrAIBusy, tutor.ErrAIBudget}
