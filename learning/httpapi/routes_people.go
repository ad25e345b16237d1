package httpapi

import (
	"net/http"

	"github.com/openlectern/openlectern/internal/web"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
)

// userRoutes returns the routes of users and of the identity provider.
func userRoutes() []Route {
	return []Route{
		{ID: "user.data", Method: http.MethodGet, Access: AnyToken,
			Path:    "/api/user/data",
			Summary: "Show the caller's user record",
			Description: "The record that the identity provider's events have written. If it has " +
				"not arrived, or the user was deleted, the status is 200 with `success: false`.",
			Errors: []error{errNoUser},
			Do:     do((*api).userData)},
		{ID: "user.export", Method: http.MethodGet, Access: SignedIn, Limit: ExportLimit,
			agents:  never,
			Path:    "/api/user/export",
			Summary: "Download everything that the platform stores about the caller",
			Description: "A file, in full however long it is: the user record, the stored role, " +
				"the application, purchases, enrolments, progress, ratings, time, quiz results, " +
				"certificates, chats, the caller's part of the community, the usage of the AI " +
				"and the courses that the caller teaches. It is sent while it is read; if that " +
				"fails, the connection breaks. It has no data of other users: names of authors " +
				"and texts that were reported are left out.",
			Do: raw((*api).exportUser).answering(exportAnswer)},
		{ID: "identity.webhook", Method: http.MethodPost, Access: Signature,
			Path:    identityPath,
			Summary: "Receive an event of the identity provider",
			Description: "`user.created` and `user.updated` write the record, in any order and " +
				"however often; `user.deleted` clears it. An event that is older than the last " +
				"one applied changes nothing. A message that cannot be verified is 500. At most " +
				"1 MiB.",
			Errors: []error{core.ErrInvalidRequest,
				people.ErrIdentityWebhooksNotConfigured, web.ErrBodyTooLarge},
			Do: raw((*api).identityWebhook).receiving(identityEventJSON{}).
				writing(jsonContent, emptyJSON{})},
	}
}

// userAdminRoutes returns the routes of users for admins.
func userAdminRoutes() []Route {
	return []Route{
		{ID: "admin.users", Method: http.MethodGet, Access: Admins, Limit: AdminLimit,
			Path:    "/api/admin/users",
			Summary: "List all users",
			Description: "The newest first, in full, or in pages. `q` searches names and e-mail " +
				"addresses, and `role` selects users by their role; with one of them the answer " +
				"is a page. The role of a user is the recorded one, else `student`. A page of a " +
				"search reads a bounded number of users: it may have few or none and a " +
				"`nextCursor`, with which the search goes on.",
			query: pages(
				parameter{
					name: "q",
					text: "Only the users who have all these words: each is the beginning of a " +
						"word of the name or the e-mail address. " +
						"Case and accents are ignored.",
					schema: map[string]any{"type": "string", "maxLength": 200},
				},
				parameter{
					name: "role",
					text: "Only the users with this `role` in the answer.",
					schema: texts(string(core.Student), string(core.Educator),
						string(core.Admin)),
				}),
			Errors: []error{core.ErrInvalidRequest},
			Do:     raw((*api).userReports).answering(userReportsAnswer{}).searching()},
		{ID: "admin.user-metadata", Method: http.MethodPatch, Access: Admins, Limit: AdminLimit,
			Path:    "/api/admin/users/:userId",
			Summary: "Replace what the host keeps with a user",
			Description: "`metadata` is all of the new one. Only admins see it, and the user in the " +
				"export. It is removed with the user. It is not the metadata of the identity " +
				"provider.",
			Errors: []error{people.ErrUserNotFound},
			Do:     do((*api).setUserMetadata)},
	}
}
