package staff

import "github.com/openlectern/openlectern/internal/exportlist"

// ExportLists lists the decisions of staff about the user.
func (s *ForRooms) ExportLists() []exportlist.List { return exported }

var exported = []exportlist.List{
	{
		Name:  "decisions",
		Text:  "What staff has decided about the caller.",
		From:  "{decisions}",
		Index: "decisions_of_user",
		Owner: "user_id",
		Key:   []exportlist.Field{{Column: "created_at", Type: exportlist.Time}, {Column: "id"}},
		Row:   "ExportedDecision",
		Fields: []exportlist.Field{
			{Name: "_id", Column: "id"},
			{Name: "kind", Column: "kind", Text: "What was decided."},
			{Name: "courseId", Column: "course_id", Type: exportlist.Nullable},
			{Name: "chapterId", Column: "chapter_id", Type: exportlist.Nullable},
			{Name: "purchaseId", Column: "purchase_id", Type: exportlist.Nullable},
			{Name: "refundId", Column: "refund_id", Type: exportlist.Nullable},
			{Name: "applicationId", Column: "application_id", Type: exportlist.Nullable},
			{Name: "postId", Column: "post_id", Type: exportlist.Nullable},
			{Name: "replyId", Column: "reply_id", Type: exportlist.Nullable},
			{Name: "reviewId", Column: "review_id", Type: exportlist.Nullable},
			{Name: "reason", Column: "reason", Type: exportlist.Nullable,
				Text: "The reason that was given. Null if there is none."},
			{Name: "createdAt", Column: "created_at", Type: exportlist.Time},
		},
	},
}
