package learning_test

import (
	"database/sql"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// mark is in every text that the user of these tests writes or that is written about the user.
const mark = "MARK"

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

	"community_groups.name": "a group belongs to its members, and does not name who " +
		"created it",
	"community_groups.slug":        "as above",
	"community_groups.description": "as above",
}

// keptIDs are the columns that hold the id of a deleted user, which has no name here any more.
var keptIDs = []string{
	"ai_usage.user_id", "certificates.user_id", "completed_lectures.user_id",
	"course_completions.user_id", "enrollments.user_id",
	"event_deliveries.data", "event_deliveries.subject", "memberships.user_id",
	"past_enrollments.user_id", "posts.author_id", "purchases.user_id", "quiz_results.user_id",
	"ratings.user_id", "replies.author_id", "users.id", "votes.user_id",
}

func TestUserDeleted_LeavesNoPersonalData(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database,
			learningtest.WithPlatform(learning.WithEvents("test", &receiver{})))
		const id = "ada-4f1c"
		w.fillMarked(t, id)
		before := w.columnsWith(t, mark)
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
		w.deleteUser(t, id)
		if diff := cmp.Diff(slices.Sorted(maps.Keys(keptTexts)), w.columnsWith(t, mark)); diff !=
			"" {
			t.Errorf(
				"texts of the deleted user (-kept +found): delete the others in removeData "+
					"(learning/identity_delete.go), or give the reason in keptTexts "+
					"(learning/identity_deleted_test.go).\n%s", diff)
		}
		if diff := cmp.Diff(keptIDs, w.columnsWith(t, id)); diff != "" {
			t.Errorf("the id of the deleted user (-kept +found): delete the rows in removeData "+
				"(learning/identity_delete.go), or add the column to keptIDs "+
				"(learning/identity_deleted_test.go).\n%s", diff)
		}
		thread, err := w.Platform.Thread(ctx(), learning.Actor{}, w.firstPost(t, id))
		post := thread.Post
		if err != nil || post.Author.Name != learning.DeletedUser || post.Author.ImageURL != "" {
			t.Errorf("a post shows the author %+v (%v)", post.Author, err)
		}
	})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// columnsWith lists the columns of all tables that contain a text in any row, as table.column.
func (w *fixture) columnsWith(t *testing.T, text string) (columns []string) {
	t.Helper()
	for _, table := range enginetest.TableNames(t, w.db) {
		rows, err := w.db.Query("SELECT * FROM " + table)
		must(t, err)
		names, err := rows.Columns()
		must(t, err)
		values, dest := make([]sql.NullString, len(names)), make([]any, len(names))
		for i := range values {
			dest[i] = &values[i]
		}
		for rows.Next() {
			must(t, rows.Scan(dest...))
			for i, value := range values {
				if strings.Contains(strings.ToUpper(value.String), strings.ToUpper(text)) {
					columns = append(columns, table+"."+names[i])
				}
			}
		}
		must(t, rows.Err())
	}
	slices.Sort(columns)
	return slices.Compact(columns)
}

func (w *fixture) firstPost(t *testing.T, author string) (id string) {
	t.Helper()
	must(t, w.db.QueryRow("SELECT id FROM posts WHERE author_id = ?", author).Scan(&id))
	return id
}

// fillMarked lets a user use every part of the platform that stores something of a user.
func (w *fixture) fillMarked(t *testing.T, id string) {
	t.Helper()
	must(t, w.Platform.System().ApplyIdentityEvent(ctx(),
		learning.IdentityEvent{SentAt: w.Clock.Now(), Type: learning.UserCreated,
			User: learning.IdentityUser{
				ID: id, FirstName: mark, LastName: "Lovelace",
				Emails:   []learning.IdentityEmail{{Address: mark + "@example.com"}},
				ImageURL: "https://example.com/" + mark,
				Role:     new(learning.Student)}}))
	ada := learning.Actor{UserID: id, Role: learning.Student, Name: mark}
	w.learnMarked(t, ada)
	w.talkMarked(t, ada)
	w.lostMarked(t, ada)
	application, err := w.Platform.Apply(ctx(), ada,
		learning.NewApplication{ProfessionalTitle: mark, Bio: mark, Expertise: []string{mark},
			LinkedinURL: new("https://example.com/" + mark)})
	must(t, err)
	must(t, w.Platform.Reject(ctx(), w.Person(t, "admin", learning.Admin), application.ID, mark))
}

func (w *fixture) learnMarked(t *testing.T, ada learning.Actor) {
	t.Helper()
	course := w.Course(t, "free", 0)
	_, err := w.Platform.OpenOrder(ctx(), ada, learning.OrderRequest{CourseID: course})
	must(t, err)
	_, err = w.Platform.CompleteLecture(ctx(), ada, course, "lecture")
	must(t, err)
	must(t, w.Platform.SavePosition(ctx(), ada, course, "lecture", 30))
	w.notes(t, ada, course, "lecture", mark)
	w.reviews(t, ada, course, 5, mark)
	_, err = w.Platform.GenerateCertificate(ctx(), ada, course)
	must(t, err)
	must(t, w.Platform.TrackTime(ctx(), ada,
		learning.NewTimeEntry{Page: mark, Path: "/" + mark, Seconds: 5}))
	quiz, err := w.Platform.Quiz(ctx(), ada, course, "chapter", nil)
	must(t, err)
	_, err = w.Platform.SubmitQuiz(ctx(), ada,
		learning.QuizAnswers{CourseID: course, ChapterID: "chapter",
			Answers: make([]int, len(quiz.Questions))})
	must(t, err)
	_, err = w.Platform.AskTutor(ctx(), ada, learning.ChatQuestion{Content: mark}, unheard)
	must(t, err)
}

// lostMarked lets a user lose two courses: one by a refund, and one that an admin has given.
func (w *fixture) lostMarked(t *testing.T, ada learning.Actor) {
	t.Helper()
	chief := w.Person(t, "chief", learning.Admin)
	paid := w.sold(t, ada, w.Course(t, "paid", 499_00))
	refund := learning.RefundRequest{PurchaseID: paid.ID, Reason: mark}
	_, err := w.Platform.RefundPurchase(ctx(), chief, refund)
	must(t, err)
	given := w.Course(t, "given", 0)
	_, err = w.Platform.GrantEnrollment(ctx(), chief, ada.UserID, given, mark)
	must(t, err)
	must(t, w.Platform.EndEnrollment(ctx(), chief, ada.UserID, given))
}

func (w *fixture) talkMarked(t *testing.T, ada learning.Actor) {
	t.Helper()
	eve := w.Person(t, "eve", learning.Student)
	group, err := w.Platform.CreateGroup(ctx(), ada,
		learning.NewGroup{Name: mark, Description: mark})
	must(t, err)
	own, err := w.Platform.CreatePost(ctx(), ada,
		learning.NewPost{Title: mark, Content: mark, Tags: []string{mark}, GroupID: group.ID})
	must(t, err)
	other, err := w.Platform.CreatePost(ctx(), eve,
		learning.NewPost{Title: "Other", Content: "Other"})
	must(t, err)
	_, err = w.Platform.CreateReply(ctx(), ada, other.ID, mark)
	must(t, err)
	_, err = w.Platform.TogglePostVote(ctx(), ada, other.ID)
	must(t, err)
	must(t, w.Platform.Complain(ctx(), ada, other.ID, "", mark))
	must(t, w.Platform.Complain(ctx(), eve, own.ID, "", "Rude"))
	w.Clock.Advance(time.Minute)
}
