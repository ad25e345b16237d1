package httpapi

import (
	"net/http"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/inbox"
	"github.com/openlectern/openlectern/learning/study"
)

// notificationRoutes returns the routes of notifications.
func notificationRoutes() []Route {
	return []Route{
		{ID: "notification.list", Method: http.MethodGet, Access: SignedIn,
			Path:    "/api/user/notifications",
			Summary: "List the caller's notifications",
			Description: "The newest first, in pages. A notification has the ids of what it " +
				"names; titles are those of now. It goes with what it names, and after 90 days. " +
				"Of more than 500 the oldest go.",
			query: paged(parameter{
				name: "unread", text: "With `true` only those that are not read.",
				schema: texts("true", "false"),
			}),
			Errors: []error{core.ErrInvalidRequest},
			Do:     do((*api).listNotifications)},
		{ID: "notification.read", Method: http.MethodPost, Access: SignedIn, Limit: ChangeLimit,
			Path:    "/api/user/notifications/read",
			Summary: "Mark notifications of the caller as read",
			Description: "Those with the `ids`, or all that were created up to the time " +
				"`before`, which is a `createdAt` of the list. Ids of others change nothing.",
			Do: do((*api).readNotifications)},
		{ID: "notification.stream", Method: http.MethodGet, Access: SignedIn,
			Path:    "/api/user/notifications/stream",
			Summary: "Follow how many notifications the caller has not read",
			Description: "Server-sent events, until the client leaves, the token or the user " +
				"ends, or the server stops. A user has at most four streams.",
			query: []parameter{{name: "seconds",
				text: "When the stream ends at the latest. With 0 it has one event. The client " +
					"then opens another one.",
				schema: map[string]any{"type": "integer", "minimum": 0, "maximum": maxStreamTime,
					"default": maxStreamTime}}},
			Errors: []error{core.ErrInvalidRequest, inbox.ErrTooManyStreams},
			Do:     raw((*api).streamNotifications).streaming(unreadEvents)},
		{ID: "notification.settings", Method: http.MethodGet, Access: SignedIn,
			Path:        "/api/user/notifications/settings",
			Summary:     "Show which kinds of notifications the caller has muted",
			Description: "None of a muted kind are written.",
			Do:          do((*api).notificationSettings)},
		{ID: "notification.mute", Method: http.MethodPut, Access: SignedIn, Limit: ChangeLimit,
			Path:        "/api/user/notifications/settings",
			Summary:     "Set which kinds of notifications the caller has muted",
			Description: "It replaces what was set before. Notifications that are there stay.",
			Do:          do((*api).muteNotifications)},
	}
}

// announcementRoutes returns the routes of announcements.
func announcementRoutes() []Route {
	return []Route{
		{ID: "announcement.create", Method: http.MethodPost, Access: Staff, Limit: AnnounceLimit,
			Path:    "/api/educator/courses/:courseId/announcements",
			Summary: "Publish an announcement to the students of an own course",
			Description: "For the educator of the course and for admins. The students who are " +
				"enrolled now are notified within a minute. Students who enrol later can read it. " +
				"While the course is not published, nobody is notified.",
			Errors: []error{core.ErrForbidden, catalog.ErrCourseNotFound},
			Do:     do((*api).announce)},
		{ID: "announcement.list", Method: http.MethodGet, Access: Staff,
			Path:        "/api/educator/courses/:courseId/announcements",
			Summary:     "List the announcements of an own course",
			Description: "The newest first, in pages.",
			query:       paged(),
			Errors: []error{core.ErrInvalidRequest, core.ErrForbidden,
				catalog.ErrCourseNotFound},
			Do: do((*api).courseAnnouncements)},
		{ID: "announcement.delete", Method: http.MethodDelete, Access: Staff, Limit: ChangeLimit,
			Path:    "/api/educator/courses/:courseId/announcements/:announcementId",
			Summary: "Delete an announcement of an own course",
			Description: "Who was not notified of it yet is not any more. The notifications of " +
				"it go soon after.",
			Errors: []error{core.ErrForbidden, catalog.ErrCourseNotFound,
				inbox.ErrAnnouncementNotFound},
			Do: do((*api).deleteAnnouncement)},
		{ID: "announcement.own", Method: http.MethodGet, Access: SignedIn,
			Path:    "/api/user/announcements",
			Summary: "List the announcements in the caller's courses",
			Description: "The newest first, in pages, also those of before the enrolment. " +
				"Without `courseId` those of all courses that the caller is enrolled in.",
			query: paged(parameter{name: "courseId",
				text:   "Only the announcements of this course, in which the caller must be enrolled.",
				schema: map[string]any{"type": "string"}}),
			Errors: []error{core.ErrInvalidRequest, study.ErrNotPurchased,
				catalog.ErrCourseNotFound},
			Do: do((*api).ownAnnouncements)},
	}
}
