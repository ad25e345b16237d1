package storetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/aigate"
	"github.com/openlectern/openlectern/learning"
)

var exportTests = []test{
	{"the record of a user is read, and not that of a deleted user", exportRecord},
	{"a user's purchases, enrolments and courses are exported in pages, and no others", exportSales},
	{"a user's enrolments that ended are exported in pages, and no others", exportEnded},
	{"a user's progress, ratings, quiz results and time are exported in pages, and no others", exportProgress},
	{"a user's chats with their messages are exported in pages, and no others", exportChats},
	{"a user's part of the community is exported in pages, and no other", exportCommunity},
	{"a user's certificates and AI usage are exported in pages, and no others", exportRest},
}

// otherUsers are ids that must not be taken for "student".
var otherUsers = []string{"Student", "student2", "eve"}

// exports reads a list of the export of "student" in parts of one row, of two, and so on. Each
// must give the rows of want. read is the method of the store that reads the list.
func exports[Row any](t *testing.T, f *fixture, read func(context.Context, string, learning.Page) ([]Row, error), list func(*learning.Export) *learning.List[Row], want ...Row) {
	t.Helper()
	platform, err := learning.New(f.Store)
	if err != nil {
		t.Fatal(err)
	}
	for rows := 1; rows <= len(want)+1; rows++ {
		export, err := platform.System().Export(t.Context(), "student")
		if err != nil {
			t.Fatal(err)
		}
		var got []Row
		for more := true; more && err == nil; {
			more, err = list(export).Next(t.Context(), rows, func(row Row) error {
				got = append(got, row)
				return nil
			})
		}
		equal(t, got, err, want)
	}
	for _, id := range unknownIDs {
		got, err := read(t.Context(), id, learning.Page{Limit: 10})
		equal(t, got, err, nil)
	}
}

func exportRecord(t *testing.T, f *fixture) {
	ada := user("ada")
	f.add(ada, learning.Enrollment{UserID: "ada", CourseID: "course", CreatedAt: noon})
	got, err := f.UserRecord(t.Context(), "ada")
	equal(t, got, err, ada)
	f.moves(true, func(ctx context.Context, tx learning.Tx) (bool, error) { return tx.ScrubUser(ctx, "ada", noon) })
	for _, id := range append([]string{"ada"}, unknownIDs...) {
		got, err := f.UserRecord(t.Context(), id)
		missing(t, got, err)
	}
}

func exportSales(t *testing.T, f *fixture) {
	f.add(user("student"))
	a, b, c := purchase("a", learning.PurchaseCompleted), purchase("b", learning.PurchaseFailed), purchase("c", learning.PurchasePending)
	enrolled := func(userID, courseID string) learning.Enrollment {
		return learning.Enrollment{UserID: userID, CourseID: courseID, PurchaseID: "p of " + courseID, CreatedAt: noon}
	}
	first, second, draft := taught("z", "student", noon), taught("0", "student", noon.Add(time.Microsecond)), taught("a", "student", noon.Add(time.Hour))
	draft.Published = false
	f.add(c, a, b, enrolled("student", "z"), enrolled("student", "C"), enrolled("student", "c"), second, first, draft)
	for _, id := range otherUsers {
		p := purchase("of "+id, learning.PurchaseCompleted)
		p.UserID = id
		f.add(p, enrolled(id, "c"), taught("of "+id, id, noon))
	}
	exports(t, f, f.OwnPurchases, func(e *learning.Export) *learning.List[learning.Purchase] { return e.Purchases }, a, b, c)
	refundOf := func(id, purchaseID string) learning.Refund {
		r := refund(id, learning.RefundProcessed, 1)
		r.PurchaseID = purchaseID
		return r
	}
	one, two, other := refundOf("2", "b"), refundOf("3", "b"), refundOf("1", "c")
	f.add(one, other, two, refundOf("4", "of eve"))
	exports(t, f, f.OwnRefunds, func(e *learning.Export) *learning.List[learning.Refund] { return e.Refunds }, one, two, other)
	exports(t, f, f.OwnEnrollments, func(e *learning.Export) *learning.List[learning.Enrollment] { return e.Enrollments },
		enrolled("student", "C"), enrolled("student", "c"), enrolled("student", "z"))
	for _, course := range []*learning.Course{&first, &second, &draft} {
		course.Educator = learning.Person{ID: "student", Name: "Name of student", ImageURL: "https://img.example.com/student"}
	}
	exports(t, f, f.OwnCourses, func(e *learning.Export) *learning.List[learning.Course] { return e.Courses }, first, second, draft)
}

func exportEnded(t *testing.T, f *fixture) {
	f.add(user("student"))
	granted := func(userID, courseID string, after time.Duration) learning.Enrollment {
		return learning.Enrollment{UserID: userID, CourseID: courseID, GrantedBy: "admin", Reason: "Won " + courseID, CreatedAt: noon.Add(after)}
	}
	past := func(id string, e learning.Enrollment) learning.PastEnrollment {
		end := ended(id, e)
		f.add(e)
		f.do(func(ctx context.Context, tx learning.Tx) error { return tx.InsertPastEnrollment(ctx, end) })
		return end
	}
	a, b, last := past("2", granted("student", "z", 0)), past("3", granted("student", "a", 0)), past("1", granted("student", "b", time.Microsecond))
	for _, id := range otherUsers {
		past("of "+id, granted(id, "z", 0))
	}
	exports(t, f, f.OwnPastEnrollments, func(e *learning.Export) *learning.List[learning.PastEnrollment] { return e.PastEnrollments }, a, b, last)
	var active []learning.Enrollment
	for _, e := range []learning.PastEnrollment{b, last, a} {
		e.GrantedBy = ""
		active = append(active, e.Enrollment)
	}
	exports(t, f, f.OwnEnrollments, func(e *learning.Export) *learning.List[learning.Enrollment] { return e.Enrollments }, active...)
}

func exportProgress(t *testing.T, f *fixture) {
	f.add(user("student"))
	old, recent := timeEntry("Player", "/a"), timeEntry("Player", "/a")
	old.Day, old.LastVisit = today.Add(-24*time.Hour), time.Time{}
	a, b, c := attempt("b", "chapter", 0), attempt("c", "other", 0), attempt("a", "chapter", time.Microsecond)
	f.add(c, b, a, recent, old, rating("student", "y", 1), rating("student", "x", 5))
	for _, id := range append([]string{"student"}, otherUsers...) {
		f.add(completed{id, "c", done("l2", time.Hour)}, completed{id, "c", done("l1", 0)}, completed{id, "b", done("l3", 0)})
		f.do(func(ctx context.Context, tx learning.Tx) error {
			return errors.Join(tx.InsertCourseCompletion(ctx, id, "c", noon), tx.InsertCourseCompletion(ctx, id, "b", noon.Add(time.Microsecond)))
		})
	}
	for _, id := range otherUsers {
		other, entry := attempt("of "+id, "chapter", 0), recent
		other.UserID, entry.UserID = id, id
		f.add(other, entry, rating(id, "x", 2))
	}
	exports(t, f, f.OwnCompletedLectures, func(e *learning.Export) *learning.List[learning.LectureCompletion] { return e.CompletedLectures },
		learning.LectureCompletion{CourseID: "b", CompletedLecture: done("l3", 0)}, learning.LectureCompletion{CourseID: "c", CompletedLecture: done("l1", 0)},
		learning.LectureCompletion{CourseID: "c", CompletedLecture: done("l2", time.Hour)})
	exports(t, f, f.OwnCompletedCourses, func(e *learning.Export) *learning.List[learning.CourseCompletion] { return e.CompletedCourses },
		learning.CourseCompletion{CourseID: "b", At: noon.Add(time.Microsecond)}, learning.CourseCompletion{CourseID: "c", At: noon})
	exports(t, f, f.OwnRatings, func(e *learning.Export) *learning.List[learning.Rating] { return e.Ratings }, rating("student", "x", 5), rating("student", "y", 1))
	exports(t, f, f.OwnQuizResults, func(e *learning.Export) *learning.List[learning.QuizResult] { return e.QuizResults }, a, b, c)
	exports(t, f, f.OwnTimeEntries, func(e *learning.Export) *learning.List[learning.TimeEntry] { return e.TimeEntries }, old, recent)
}

func exportChats(t *testing.T, f *fixture) {
	a, b := chat("a", 0), chat("b", -time.Hour)
	var want []learning.NumberedMessage
	f.add(user("student"), b, a)
	for n := 0; n < 12; n += 2 { // so that 10 comes after 9
		next := turnAfter(a, n)
		f.add(next)
		want = append(want, learning.NumberedMessage{ChatID: "a", Number: n, ChatMessage: next.question},
			learning.NumberedMessage{ChatID: "a", Number: n + 1, ChatMessage: next.answer})
	}
	last := turnAfter(b, 0)
	f.add(last)
	want = append(want, learning.NumberedMessage{ChatID: "b", ChatMessage: last.question}, learning.NumberedMessage{ChatID: "b", Number: 1, ChatMessage: last.answer})
	for _, id := range otherUsers {
		other := chat("a", 0)
		other.UserID = id
		f.add(other, turnAfter(other, 0))
	}
	exports(t, f, f.OwnChats, func(e *learning.Export) *learning.List[learning.Chat] { return e.Chats }, a, b)
	exports(t, f, f.OwnChatMessages, func(e *learning.Export) *learning.List[learning.NumberedMessage] { return e.ChatMessages }, want...)
}

func exportCommunity(t *testing.T, f *fixture) {
	f.add(user("student"))
	postOf := func(id, userID string) learning.Post {
		p := post(id)
		p.Author, p.Group = learning.Person{ID: userID}, learning.Group{ID: "group of " + id}
		return p
	}
	replyOf := func(id, userID string) learning.Reply {
		r := reply(id, "post of "+id)
		r.Author = learning.Person{ID: userID}
		return r
	}
	about := complaint("z", "p", "student")
	about.ReplyID = "r"
	f.add(postOf("b", "student"), postOf("a", "student"), replyOf("b", "student"), replyOf("a", "student"), about,
		complaint("a", "q", "student"), complaint("b", "p", "student"))
	for _, id := range append([]string{"student"}, otherUsers...) {
		f.add(vote("p", "r", id), vote("q", "", id), vote("p", "", id), membership("g", id), membership("f", id))
	}
	for _, id := range otherUsers {
		f.add(postOf("of "+id, id), replyOf("of "+id, id), complaint("of "+id, "p", id))
	}
	exports(t, f, f.OwnPosts, func(e *learning.Export) *learning.List[learning.Post] { return e.Posts }, postOf("a", "student"), postOf("b", "student"))
	exports(t, f, f.OwnReplies, func(e *learning.Export) *learning.List[learning.Reply] { return e.Replies }, replyOf("a", "student"), replyOf("b", "student"))
	exports(t, f, f.OwnVotes, func(e *learning.Export) *learning.List[learning.Vote] { return e.Votes },
		vote("p", "", "student"), vote("p", "r", "student"), vote("q", "", "student"))
	exports(t, f, f.OwnMemberships, func(e *learning.Export) *learning.List[learning.Membership] { return e.Memberships },
		membership("f", "student"), membership("g", "student"))
	exports(t, f, f.OwnComplaints, func(e *learning.Export) *learning.List[learning.Complaint] { return e.Complaints },
		complaint("b", "p", "student"), about, complaint("a", "q", "student"))
}

func exportRest(t *testing.T, f *fixture) {
	f.add(user("student"))
	of := func(id, userID, courseID string, number int64) learning.Certificate {
		c := certificate(id, number)
		c.UserID, c.CourseID = userID, courseID
		return c
	}
	f.add(of("1", "student", "b", 1), of("2", "student", "a", 2))
	for i, id := range append([]string{"student"}, otherUsers...) {
		if id != "student" {
			f.add(of("of "+id, id, "a", int64(10+i)))
		}
		f.do(func(ctx context.Context, tx learning.Tx) error {
			return errors.Join(tx.InsertAIUsage(ctx, id, nextDay, aigate.Usage{Prompt: 1, Completion: 2}), tx.InsertAIUsage(ctx, id, day, aigate.Usage{Prompt: 3}))
		})
	}
	exports(t, f, f.OwnCertificates, func(e *learning.Export) *learning.List[learning.Certificate] { return e.Certificates },
		of("2", "student", "a", 2), of("1", "student", "b", 1))
	exports(t, f, f.OwnAIUsage, func(e *learning.Export) *learning.List[learning.AIDay] { return e.AIUsage },
		learning.AIDay{Day: day, AIUsage: learning.AIUsage{Prompt: 3}}, learning.AIDay{Day: nextDay, AIUsage: learning.AIUsage{Prompt: 1, Completion: 2}})
}
