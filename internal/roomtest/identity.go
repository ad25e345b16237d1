package roomtest

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/papers"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/refund"
	"github.com/openlectern/openlectern/learning/sale"
	"github.com/openlectern/openlectern/learning/staff"
	"github.com/openlectern/openlectern/learning/study"
	"github.com/openlectern/openlectern/learning/tutor"
)

// Mark is in every text that the user of these tests writes or that is written about the user.
const Mark = "MARK"

// Must ends a test with an error.
func Must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// ColumnsWith lists the columns of all tables that contain a text in any row, as table.column.
func (w *World) ColumnsWith(t *testing.T, text string) (columns []string) {
	t.Helper()
	for _, table := range enginetest.TableNames(t, w.DB) {
		rows, err := w.DB.Query("SELECT * FROM " + table)
		Must(t, err)
		names, err := rows.Columns()
		Must(t, err)
		values, dest := make([]sql.NullString, len(names)), make([]any, len(names))
		for i := range values {
			dest[i] = &values[i]
		}
		for rows.Next() {
			Must(t, rows.Scan(dest...))
			for i, value := range values {
				if strings.Contains(strings.ToUpper(value.String), strings.ToUpper(text)) {
					columns = append(columns, table+"."+names[i])
				}
			}
		}
		Must(t, rows.Err())
	}
	slices.Sort(columns)
	return slices.Compact(columns)
}

// FirstPost returns the first post of an author.
func (w *World) FirstPost(t *testing.T, author string) (id string) {
	t.Helper()
	Must(t, w.DB.QueryRow("SELECT id FROM posts WHERE author_id = ?", author).Scan(&id))
	return id
}

// FillMarked lets a user use every part of the platform that stores something of a user.
func (w *World) FillMarked(t *testing.T, id string) {
	t.Helper()
	Must(t, w.Platform.System().ApplyIdentityEvent(ctx(),
		people.IdentityEvent{SentAt: w.Clock.Now(), Type: people.UserCreated,
			User: people.IdentityUser{
				ID: id, FirstName: Mark, LastName: "Lovelace",
				Emails:   []people.IdentityEmail{{Address: Mark + "@example.com"}},
				ImageURL: "https://example.com/" + Mark,
				Role:     new(core.Student)}}))
	ada := core.Actor{UserID: id, Role: core.Student, Name: Mark}
	w.learnMarked(t, ada)
	w.talkMarked(t, ada)
	w.lostMarked(t, ada)
	application, err := w.Platform.Staff.Apply(ctx(), ada,
		staff.NewApplication{ProfessionalTitle: Mark, Bio: Mark, Expertise: []string{Mark},
			LinkedinURL: new("https://example.com/" + Mark)})
	Must(t, err)
	Must(t, w.Platform.Staff.Reject(ctx(), w.Person(t, "admin", core.Admin), application.ID, Mark))
}

func (w *World) learnMarked(t *testing.T, ada core.Actor) {
	t.Helper()
	course := w.Course(t, "free", 0)
	_, err := w.Platform.Sales.OpenOrder(ctx(), ada, sale.OrderRequest{CourseID: course})
	Must(t, err)
	_, err = w.Platform.Study.CompleteLecture(ctx(), ada, course, "lecture")
	Must(t, err)
	Must(t, w.Platform.Study.SavePosition(ctx(), ada, course, "lecture", 30))
	w.Notes(t, ada, course, "lecture", Mark)
	w.Reviews(t, ada, course, 5, Mark)
	_, err = w.Platform.Certify.GenerateCertificate(ctx(), ada, course)
	Must(t, err)
	Must(t, w.Platform.Study.TrackTime(ctx(), ada,
		study.NewTimeEntry{Page: Mark, Path: "/" + Mark, Seconds: 5}))
	quiz, err := w.Platform.Tutor.Quiz(ctx(), ada, course, "chapter", nil)
	Must(t, err)
	_, err = w.Platform.Assess.SubmitQuiz(ctx(), ada,
		assess.QuizAnswers{CourseID: course, ChapterID: "chapter",
			Answers: make([]int, len(quiz.Questions))})
	Must(t, err)
	_, err = w.Platform.Tutor.AskTutor(ctx(), ada, tutor.ChatQuestion{Content: Mark}, Unheard)
	Must(t, err)
}

// lostMarked lets a user lose two courses: one by a refund, and one that an admin has given.
func (w *World) lostMarked(t *testing.T, ada core.Actor) {
	t.Helper()
	chief := w.Person(t, "chief", core.Admin)
	_, err := w.Platform.Papers.SetBilling(ctx(), ada, papers.Billing{Name: Mark, Address: Mark,
		Country: "IN", TaxID: Mark})
	Must(t, err)
	paid := w.Sold(t, ada, w.Course(t, "paid", 499_00))
	r := refund.Request{PurchaseID: paid.ID, Reason: Mark}
	_, err = w.Platform.Refunds.Refund(ctx(), chief, r)
	Must(t, err)
	given := w.Course(t, "given", 0)
	_, err = w.Platform.Study.GrantEnrollment(ctx(), chief,
		study.Grant{UserID: ada.UserID, CourseID: given, Reason: Mark})
	Must(t, err)
	Must(t, w.Platform.Study.EndEnrollment(ctx(), chief, ada.UserID, given))
}

func (w *World) talkMarked(t *testing.T, ada core.Actor) {
	t.Helper()
	eve := w.Person(t, "eve", core.Student)
	group, err := w.Platform.Community.CreateGroup(ctx(), ada,
		community.NewGroup{Name: Mark, Description: Mark})
	Must(t, err)
	own, err := w.Platform.Community.CreatePost(ctx(), ada,
		community.NewPost{Title: Mark, Content: Mark, Tags: []string{Mark}, GroupID: group.ID})
	Must(t, err)
	other, err := w.Platform.Community.CreatePost(ctx(), eve,
		community.NewPost{Title: "Other", Content: "Other"})
	Must(t, err)
	_, err = w.Platform.Community.CreateReply(ctx(), ada, other.ID, Mark)
	Must(t, err)
	_, err = w.Platform.Community.TogglePostVote(ctx(), ada, other.ID)
	Must(t, err)
	Must(t, w.Platform.Community.Complain(ctx(), ada, other.ID, "", Mark))
	Must(t, w.Platform.Community.Complain(ctx(), eve, own.ID, "", "Rude"))
	w.Clock.Advance(time.Minute)
}

// Ada returns the name of the user ada, or the error of reading it.
func (w *World) Ada(t *testing.T) string {
	t.Helper()
	u, err := w.Platform.People.User(context.Background(), people.Claims{UserID: "ada"})
	if err != nil {
		return err.Error()
	}
	return u.Name + " " + u.Email + " " + u.ImageURL
}

// AuthorOf returns the name that a post shows.
func (w *World) AuthorOf(t *testing.T, postID string) string {
	t.Helper()
	thread, err := w.Platform.Community.Thread(ctx(), core.Actor{}, postID)
	if err != nil {
		t.Fatal(err)
	}
	return thread.Post.Author.Name
}

// Empty deletes all rows.
func (w *World) Empty(t *testing.T) {
	t.Helper()
	for _, table := range enginetest.TableNames(t, w.DB) {
		w.Exec(t, "DELETE FROM "+table)
	}
}
