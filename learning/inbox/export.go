package inbox

import "github.com/openlectern/openlectern/internal/exportlist"

// ExportLists lists the notifications and announcements.
func (s *ForRooms) ExportLists() []exportlist.List { return exported }

var exported = []exportlist.List{
	{
		Name:    "notifications",
		Text:    "What the caller was told of.",
		From:    "{notifications}",
		Index:   "notifications_by_creation",
		Owner:   "user_id",
		Private: true,
		Key:     []exportlist.Field{{Column: "created_at", Type: exportlist.Time}, {Column: "id"}},
		Row:     "ExportedNotification",
		Fields: []exportlist.Field{
			{Name: "_id", Column: "id"},
			{Name: "kind", Column: "kind", Text: "What it tells."},
			{Name: "courseId", Column: "course_id", Type: exportlist.Nullable},
			{Name: "chapterId", Column: "chapter_id", Type: exportlist.Nullable},
			{Name: "lectureId", Column: "lecture_id", Type: exportlist.Nullable},
			{Name: "postId", Column: "post_id", Type: exportlist.Nullable},
			{Name: "replyId", Column: "reply_id", Type: exportlist.Nullable},
			{Name: "submissionId", Column: "submission_id", Type: exportlist.Nullable},
			{Name: "attemptId", Column: "attempt_id", Type: exportlist.Nullable},
			{Name: "reviewId", Column: "review_id", Type: exportlist.Nullable},
			{Name: "certificateId", Column: "certificate_id", Type: exportlist.Nullable},
			{Name: "purchaseId", Column: "purchase_id", Type: exportlist.Nullable},
			{Name: "announcementId", Column: "announcement_id", Type: exportlist.Nullable},
			{Name: "decision", Column: "decision", Type: exportlist.Nullable,
				Text: "What was decided on a report of the caller. Null if it tells another " +
					"thing."},
			{Name: "isRead", Column: "is_read", Type: exportlist.Bool,
				Text: "Whether the caller has marked it as read."},
			{Name: "createdAt", Column: "created_at", Type: exportlist.Time},
		},
	},
	{
		Name:  "announcements",
		Text:  "The announcements of the caller in courses.",
		From:  "{announcements}",
		Index: "announcements_by_author",
		Owner: "author_id",
		Key:   []exportlist.Field{{Column: "created_at", Type: exportlist.Time}, {Column: "id"}},
		Row:   "ExportedAnnouncement",
		Fields: []exportlist.Field{
			{Name: "_id", Column: "id"},
			{Name: "courseId", Column: "course_id"},
			{Name: "title", Column: "title", Text: "The title as it was written. Escape it."},
			{Name: "text", Column: "body", Text: "The text as it was written, Markdown."},
			{Name: "createdAt", Column: "created_at", Type: exportlist.Time},
		},
	},
	{
		Name:    "mutedNotifications",
		Text:    "The kinds of notifications that the caller has muted.",
		From:    "{muted_notifications}",
		Owner:   "user_id",
		Private: true,
		Key:     []exportlist.Field{{Column: "kind"}},
		Row:     "ExportedMute",
		Fields: []exportlist.Field{{Name: "kind", Column: "kind",
			Text: "A kind of notifications."}},
	},
}
