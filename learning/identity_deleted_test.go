package learning_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// keptTexts are the columns that hold texts of a deleted user, with the reason (docs/api.md §4).
var keptTexts = map[string]string{
	"posts.title":   "posts stay, and show the author Deleted user",
	"posts.content": "as above",
	"posts.tags":    "as above",

	"replies.content":    "replies stay, and show the author Deleted user",
	"complaints.excerpt": "the text is that of a post that stays",
	"complaints.reason": "an admin has to decide on it; it does not name the reporter " +
		"any more",
	"certificates.student_name": "certificates stay, so that they can be verified",

	"papers.buyer_name":    "papers stay for admins; see TestTidy_RemovesDeletedUsersFromOldPapers",
	"papers.buyer_address": "as above",
	"papers.buyer_tax_id":  "as above",

	"community_groups.name": "a group belongs to its members, and does not name who " +
		"created it",
	"community_groups.slug":        "as above",
	"community_groups.description": "as above",
}

// keptIDs are the columns that hold the id of a deleted user, which has no name here any more.
var keptIDs = []string{
	"ai_usage.user_id", "certificates.user_id", "complaints.author_id",
	"completed_lectures.user_id", "course_completions.user_id", "decisions.user_id",
	"enrollments.user_id",
	"event_deliveries.data", "event_deliveries.subject", "memberships.user_id",
	"notifications.actor_id", "papers.user_id",
	"past_enrollments.user_id", "posts.author_id", "purchases.user_id", "quiz_results.user_id",
	"ratings.user_id", "replies.author_id", "users.id", "votes.user_id",
}

func TestUserDeleted_LeavesNoPersonalData(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database,
			learningtest.WithPlatform(learning.WithEvents("test", &roomtest.Receiver{})))
		const id = "ada-4f1c"
		w.FillMarked(t, id)
		before := w.ColumnsWith(t, roomtest.Mark)
		for _, column := range []string{"users.name", "users.email", "users.image_url",
			"applications.bio", "applications.expertise", "applications.linkedin_url",
			"applications.professional_title", "applications.rejection_reason",
			"chat_messages.content", "past_enrollments.reason", "refunds.reason",
			"time_entries.page", "time_entries.path"} {
			if !slices.Contains(before, column) {
				t.Errorf(
					"before the deletion %s has no text of the user, so that this test does "+
						"not try it", column)
			}
		}
		w.DeleteUser(t, id)
		if diff := cmp.Diff(slices.Sorted(maps.Keys(keptTexts)), w.ColumnsWith(t, roomtest.Mark)); diff !=
			"" {
			t.Errorf(
				"texts of the deleted user (-kept +found): delete the others in ForgetUser "+
					"of its room (room.go), or give the reason in keptTexts "+
					"(learning/identity_deleted_test.go).\n%s", diff)
		}
		if diff := cmp.Diff(keptIDs, w.ColumnsWith(t, id)); diff != "" {
			t.Errorf("the id of the deleted user (-kept +found): delete the rows in ForgetUser "+
				"of its room (room.go), or add the column to keptIDs "+
				"(learning/identity_deleted_test.go).\n%s", diff)
		}
		thread, err := w.Platform.Community.Thread(ctx(), learning.Actor{}, w.FirstPost(t, id))
		post := thread.Post
		if err != nil || post.Author.Name != core.DeletedUser || post.Author.ImageURL != "" {
			t.Errorf("a post shows the author %+v (%v)", post.Author, err)
		}
	})
}
