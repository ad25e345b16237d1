package inbox_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/certify"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/inbox"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/staff"
	"github.com/openlectern/openlectern/learning/study"
)

// post writes a post at a course, or at none.
func post(t *testing.T, w *roomtest.World, by core.Actor, course string) community.Post {
	t.Helper()
	p, err := w.Platform.Community.CreatePost(ctx(), by, community.NewPost{CourseID: course,
		Title: "Title", Content: "Content"})
	roomtest.Must(t, err)
	w.Clock.Advance(time.Second)
	return p
}

// reply writes a reply to a post.
func reply(t *testing.T, w *roomtest.World, by core.Actor, to community.Post) community.Reply {
	t.Helper()
	r := w.NewReply(t, by, to.ID)
	w.Clock.Advance(time.Second)
	return r
}

func TestNotification_TellsWhomItConcerns(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		course := w.Publish(t, "go", roomtest.Chapter("one", "a"),
			roomtest.Essay(catalog.Assignment{}))
		teacher, boss := w.Person(t, "educator", core.Educator), w.Person(t, "boss", core.Admin)
		ada, eve := w.Enrolls(t, "ada", course), w.Enrolls(t, "eve", course)

		// A question, and what is said to it.
		question := post(t, w, ada, course)
		w.WantTold(t, "educator", community.NotifyQuestionCreated)
		answer := reply(t, w, eve, question)
		reply(t, w, ada, question) // is not told of the own reply
		w.WantTold(t, "ada", community.NotifyReplyCreated)
		_, err := w.Platform.Community.ToggleAccepted(ctx(), ada, question.ID, answer.ID)
		roomtest.Must(t, err)
		w.WantTold(t, "eve", community.NotifyReplyAccepted)

		// An assignment.
		w.Clock.Advance(time.Second)
		w.Drafts(t, ada, course, "Text")
		submitted := w.SubmitsWork(t, ada, course)
		w.WantTold(t, "educator", assess.NotifyAssignmentSubmitted,
			community.NotifyQuestionCreated)
		w.Clock.Advance(time.Second)
		w.Grades(t, w.Grades(t, submitted, assess.SubmissionReturned), assess.SubmissionGraded)
		w.WantTold(t, "ada", assess.NotifyAssignmentGraded, assess.NotifyAssignmentReturned,
			community.NotifyReplyCreated)

		// A review.
		w.Reviews(t, eve, course, 5, "Good")
		list, _, err := w.Platform.Community.Reviews(ctx(), course, community.NewestReviews,
			roomtest.WholeList)
		roomtest.Must(t, err)
		w.Clock.Advance(time.Second)
		_, err = w.Platform.Community.AnswerReview(ctx(), teacher, list.Rows[0].ID, "Thank you")
		roomtest.Must(t, err)
		w.WantTold(t, "eve", community.NotifyReviewAnswered, community.NotifyReplyAccepted)
		w.WantTold(t, "educator", community.NotifyReviewCreated,
			assess.NotifyAssignmentSubmitted, community.NotifyQuestionCreated)

		// Decisions of admins, who are not named and not told.
		bea := w.Person(t, "bea", core.Student)
		roomtest.Must(t, w.Platform.Community.Complain(ctx(), bea,
			post(t, w, eve, "").ID, "", "Rude"))
		reports, err := w.Platform.Community.Complaints(ctx(), boss, "", roomtest.WholeList)
		roomtest.Must(t, err)
		roomtest.Must(t, w.Platform.Community.DecideComplaint(ctx(), boss, reports.Rows[0].ID,
			community.ComplaintRemoved))
		w.Clock.Advance(time.Second)
		_, err = w.Platform.Study.GrantEnrollment(ctx(), boss,
			study.Grant{UserID: "bea", CourseID: course})
		roomtest.Must(t, err)
		w.Clock.Advance(time.Second)
		application, err := w.Platform.Staff.Apply(ctx(), bea, staff.NewApplication{
			ProfessionalTitle: "Title", Bio: "Bio", Expertise: []string{"Go"}})
		roomtest.Must(t, err)
		roomtest.Must(t, w.Platform.Staff.Reject(ctx(), boss, application.ID, "No"))
		w.WantTold(t, "bea", staff.NotifyApplicationRejected, study.NotifyEnrollmentGranted,
			community.NotifyReportDecided)
		w.WantTold(t, "boss")

		told, err := w.Platform.Inbox.Notifications(ctx(), bea, true, roomtest.WholeList)
		roomtest.Must(t, err)
		last := told.Rows[len(told.Rows)-1]
		if last.ActorName != "" || last.Title() != "removed" || last.PostID != "" {
			t.Errorf("the decision on a report is %+v", last)
		}
	})
}

func TestNotification_TellsTheStudentOfCertificates(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		course := w.Course(t, "go", 0)
		ada := w.Enrolls(t, "ada", course)
		_, err := w.Platform.Study.CompleteLecture(ctx(), ada, course, "lecture")
		roomtest.Must(t, err)
		c, err := w.Platform.Certify.GenerateCertificate(ctx(), ada, course)
		roomtest.Must(t, err)
		_, err = w.Platform.Certify.GenerateCertificate(ctx(), ada, course)
		roomtest.Must(t, err)
		w.Clock.Advance(time.Second)
		for range 2 {
			_, err = w.Platform.System().RevokeCertificate(ctx(), c.ID, "Reason")
			roomtest.Must(t, err)
		}
		w.WantTold(t, "ada", certify.NotifyCertificateRevoked, certify.NotifyCertificateIssued)
	})
}

// Told again, a notification replaces the old one, so that nobody's list is filled.
func TestNotification_TogglesTellOnce(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		ada, eve := w.Person(t, "ada", core.Student), w.Person(t, "eve", core.Student)
		question := post(t, w, ada, "")
		answer := reply(t, w, eve, question)
		for _, err := range roomtest.Concurrently(7, func(int) error {
			_, err := w.Platform.Community.ToggleAccepted(ctx(), ada, question.ID, answer.ID)
			return err
		}) {
			roomtest.Must(t, err)
		}
		w.WantTold(t, "eve", community.NotifyReplyAccepted)

		// A review that is removed and written again.
		course := w.Course(t, "go", 0)
		w.Enrolls(t, "eve", course)
		for _, text := range []string{"Good", "", "Better", "", "Best"} {
			w.Reviews(t, eve, course, 5, text)
		}
		w.WantTold(t, "educator", community.NotifyReviewCreated)
	})
}

// A transaction whose answer to COMMIT is lost tells once.
func TestNotification_LostAnswerTellsOnce(t *testing.T) {
	t.Parallel()
	faults, r := &roomtest.FaultyStore{}, &roomtest.Receiver{}
	w := roomtest.New(t, roomtest.SQLite(t), roomtest.WithFaultyStore(faults),
		learningtest.WithPlatform(learning.WithEvents("test", r)))
	question := post(t, w, w.Person(t, "ada", core.Student), "")
	eve := w.Person(t, "eve", core.Student)
	for _, step := range []string{"replace notifications", "insert events", "COMMIT",
		roomtest.LostAnswer} {
		faults.FailOn(step)
		_, err := w.Platform.Community.CreateReply(ctx(), eve, question.ID, "Reply")
		if faults.Disarm() == "" {
			t.Fatalf("no step %q", step)
		}
		if err == nil {
			break
		}
		w.WantTold(t, "ada")
	}
	w.WantTold(t, "ada", community.NotifyReplyCreated)
}

func TestNotification_MutedKindIsNotWritten(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		r := &roomtest.Receiver{}
		w := roomtest.New(t, database, learningtest.WithPlatform(learning.WithEvents("test", r)))
		ada, eve := w.Person(t, "ada", core.Student), w.Person(t, "eve", core.Student)
		question := post(t, w, ada, "")
		muted := []core.NotificationKind{community.NotifyReplyCreated}
		_, err := w.Platform.Inbox.SetMuted(ctx(), ada, muted)
		roomtest.Must(t, err)
		reply(t, w, eve, question)
		w.WantTold(t, "ada")
		_, err = w.Platform.Inbox.SetMuted(ctx(), ada, nil)
		roomtest.Must(t, err)
		reply(t, w, eve, question)
		w.WantTold(t, "ada", community.NotifyReplyCreated)

		// Only what was written has an event.
		_, err = w.Platform.System().DeliverEvents(ctx())
		roomtest.Must(t, err)
		var told []core.Event
		for _, e := range r.Events() {
			if e.Type == core.EventNotificationCreated {
				told = append(told, e)
			}
		}
		if len(told) != 1 || told[0].Subject != "user:ada" || told[0].Data.UserID != "ada" ||
			told[0].Data.Kind != "reply.created" || told[0].Data.PostID != question.ID {
			t.Errorf("the events are %+v", told)
		}
		if _, err = w.Platform.Inbox.SetMuted(ctx(), ada, []core.NotificationKind{"no"}); !errors.Is(
			err, core.ErrInvalidRequest) {
			t.Errorf("an unknown kind: %v", err)
		}
	})
}

// Whose access has ended is told nothing of the course.
func TestNotification_TellsNothingThatTheReaderCannotRead(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		course := w.Publish(t, "go", roomtest.Chapter("one", "a"),
			roomtest.Essay(catalog.Assignment{}))
		boss := w.Person(t, "boss", core.Admin)
		ada, eve := w.Enrolls(t, "ada", course), w.Enrolls(t, "eve", course)
		w.Drafts(t, ada, course, "Text")
		submitted := w.SubmitsWork(t, ada, course)
		question, other := post(t, w, ada, course), post(t, w, eve, course)
		answer := reply(t, w, ada, other)
		roomtest.Must(t, w.Platform.Study.EndEnrollment(ctx(), boss, "ada", course))

		reply(t, w, eve, question)
		_, err := w.Platform.Community.ToggleAccepted(ctx(), eve, other.ID, answer.ID)
		roomtest.Must(t, err)
		w.Grades(t, submitted, assess.SubmissionGraded)
		w.WantTold(t, "ada")
	})
}

func TestNotification_GoesWithWhatItNames(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		course := w.Publish(t, "go", roomtest.Chapter("one", "a"),
			roomtest.Essay(catalog.Assignment{}))
		ada, eve := w.Enrolls(t, "ada", course), w.Enrolls(t, "eve", course)
		question := post(t, w, ada, course)
		answer := reply(t, w, eve, question)
		_, err := w.Platform.Community.ToggleAccepted(ctx(), ada, question.ID, answer.ID)
		roomtest.Must(t, err)
		roomtest.Must(t, w.Platform.Community.DeleteReply(ctx(), eve, question.ID, answer.ID))
		w.WantTold(t, "ada")
		w.WantTold(t, "eve")
		reply(t, w, eve, question)
		roomtest.Must(t, w.Platform.Community.DeletePost(ctx(), ada, question.ID))
		w.WantTold(t, "ada")
		w.WantTold(t, "educator")

		// The submission and the review of a deleted user.
		w.Drafts(t, ada, course, "Text")
		w.SubmitsWork(t, ada, course)
		w.Reviews(t, ada, course, 5, "Good")
		stays := post(t, w, eve, "")
		reply(t, w, ada, stays)
		w.WantTold(t, "educator", community.NotifyReviewCreated,
			assess.NotifyAssignmentSubmitted)
		w.DeleteUser(t, "ada")
		w.WantTold(t, "educator")
		w.WantTold(t, "eve", community.NotifyReplyCreated) // the reply of Deleted user
	})
}

// A user who is deleted while another one replies has no notification afterwards.
func TestNotification_DeletionOfTheReaderBesideIt(t *testing.T) {
	roomtest.OnAllEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		eve := w.Person(t, "eve", core.Student)
		for round := range roomtest.Rounds {
			id := fmt.Sprint("ada-", round)
			question := post(t, w, w.Person(t, id, core.Student), "")
			for _, err := range roomtest.Concurrently(3, func(i int) error {
				if i == 0 {
					w.DeleteUser(t, id)
					return nil
				}
				_, err := w.Platform.Community.CreateReply(ctx(), eve, question.ID, "Reply")
				return err
			}) {
				roomtest.Must(t, err)
			}
			w.WantTold(t, id)
		}
	})
}

func TestTidy_KeepsNotificationsWithinTheirBounds(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		tell := func(userID string, n int) {
			t.Helper()
			for i := range n {
				at := w.Clock.Now().Add(time.Duration(i) * time.Microsecond)
				roomtest.Must(t, w.Store.InTx(ctx(), func(tx learning.Tx) error {
					return tx.ReplaceNotifications(ctx(), []core.Notification{{
						ID: fmt.Sprintf("%s-%d-%d", userID, at.Unix(), i), ReaderID: userID,
						Kind: "reply.created", Thing: fmt.Sprint(at.Unix(), "-", i),
						CreatedAt: at}})
				}))
			}
		}
		tidy := func(want map[string]int) {
			t.Helper()
			w.Clock.Advance(2 * time.Minute)
			roomtest.Must(t, w.Platform.System().Tidy(ctx()))
			for userID, n := range want {
				if got := len(w.Told(t, userID)); got != n {
					t.Errorf("%s has %d notifications, want %d", userID, got, n)
				}
			}
		}
		tell("ada", inbox.MaxNotifications)
		tell("eve", 3)
		tidy(map[string]int{"ada": inbox.MaxNotifications, "eve": 3})
		tell("ada", 7)
		tidy(map[string]int{"ada": inbox.MaxNotifications, "eve": 3})
		w.Clock.Advance(90 * 24 * time.Hour)
		tell("eve", 1)
		tidy(map[string]int{"ada": 0, "eve": 1})
	})
}
