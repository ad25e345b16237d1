package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning"
)

// recorder is a connection that remembers its statements.
type recorder struct {
	session
	statements []recordedStatement
}

type recordedStatement struct {
	query string
	args  []any
}

func (r *recorder) GetContext(ctx context.Context, dest any, query string, args ...any) error {
	r.statements = append(r.statements, recordedStatement{query, args})
	return r.session.GetContext(ctx, dest, query, args...)
}

func (r *recorder) SelectContext(ctx context.Context, dest any, query string, args ...any) error {
	r.statements = append(r.statements, recordedStatement{query, args})
	return r.session.SelectContext(ctx, dest, query, args...)
}

func (r *recorder) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	r.statements = append(r.statements, recordedStatement{query, args})
	return r.session.ExecContext(ctx, query, args...)
}

func (r *recorder) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	r.statements = append(r.statements, recordedStatement{query, args})
	return r.session.QueryContext(ctx, query, args...)
}

// statuses are what most applications are, and what the others are.
var statuses = []learning.ApplicationStatus{learning.ApplicationApproved, learning.ApplicationPending}

// populated is a store with a few hundred rows in each table, so that an engine
// has a reason to use an index.
func populated(tb testing.TB, e engine) *Store {
	tb.Helper()
	s := migrated(tb, e.url(tb))
	ctx, now := context.Background(), time.Now()
	err := s.InTx(ctx, func(tx learning.Tx) error {
		for i := range 300 {
			id := fmt.Sprintf("%04d", i)
			at := now.Add(time.Duration(i) * time.Minute)
			p := learning.Purchase{ID: id, UserID: id, CourseID: id, OrderID: id, Status: learning.PurchaseCompleted, CreatedAt: at, UpdatedAt: at, CompletedAt: at, PaymentID: id}
			if i%10 == 0 {
				p.Status, p.PaymentID = learning.PurchasePending, ""
			}
			for _, insert := range []func() error{
				func() error { return tx.InsertUser(ctx, learning.User{ID: id, CreatedAt: at, ChangedAt: at}) },
				func() error { return tx.InsertRole(ctx, id, learning.RoleAssignment{Role: learning.Student, At: at}) },
				func() error { return tx.InsertAIUsage(ctx, id, id[:3], learning.AIUsage{Prompt: 1}) },
				func() error { return tx.InsertTimeDay(ctx, id, at) },
				func() error {
					return tx.InsertAIReservation(ctx, learning.AIReservation{UserID: id, Day: id[:3], Holder: "holder", Tokens: 1, LeaseUntil: at})
				},
				func() error {
					return tx.InsertAILease(ctx, learning.AILease{Name: id, Holder: "holder", LeaseUntil: at})
				},
				func() error {
					return tx.InsertCourse(ctx, learning.Course{ID: id, Published: i%3 == 0, Educator: learning.Person{ID: id}, CreatedAt: at, UpdatedAt: at}, nil)
				},
				func() error { return tx.InsertPurchase(ctx, p) },
				func() error {
					return tx.InsertApplication(ctx, learning.Application{ID: id, UserID: id, Status: statuses[i%20/19], CreatedAt: at, UpdatedAt: at})
				},
				func() error {
					return tx.InsertCertificate(ctx, learning.Certificate{ID: id, UserID: id, CourseID: id, Number: int64(i), CompletedAt: at, IssuedAt: at})
				},
				func() error {
					return tx.InsertGroup(ctx, learning.Group{ID: id, Slug: id, CreatedAt: at, UpdatedAt: at}, id)
				},
				func() error {
					return tx.InsertMembership(ctx, learning.Membership{GroupID: id, UserID: id, CreatedAt: at})
				},
				func() error {
					return tx.InsertPost(ctx, learning.Post{ID: id, Author: learning.Person{ID: id}, Group: learning.Group{ID: id}, CreatedAt: at, UpdatedAt: at})
				},
				func() error {
					return tx.InsertReply(ctx, learning.Reply{ID: id, PostID: id, Author: learning.Person{ID: id}, CreatedAt: at, UpdatedAt: at})
				},
				func() error {
					return tx.InsertVote(ctx, learning.Vote{PostID: id, ReplyID: id, UserID: id, CreatedAt: at})
				},
				func() error {
					return tx.InsertQuiz(ctx, learning.Quiz{ID: id, CourseID: id, ChapterID: id, CreatedAt: at, UpdatedAt: at})
				},
				func() error {
					return tx.InsertQuizResult(ctx, learning.QuizResult{ID: id, UserID: id, CourseID: id, ChapterID: id, CreatedAt: at})
				},
				func() error {
					c := learning.Chat{ID: id, UserID: id, CreatedAt: at, UpdatedAt: at}
					return errors.Join(tx.InsertChat(ctx, c), tx.InsertTurn(ctx, c, 0, learning.ChatMessage{CreatedAt: at}, learning.ChatMessage{CreatedAt: at}))
				},
				func() error {
					return tx.InsertEnrollment(ctx, learning.Enrollment{UserID: id, CourseID: id, PurchaseID: id, CreatedAt: at})
				},
				func() error {
					return tx.InsertCompletedLecture(ctx, id, id, learning.CompletedLecture{LectureID: id, At: at})
				},
				func() error {
					return tx.InsertRating(ctx, learning.Rating{UserID: id, CourseID: id, Stars: 5, CreatedAt: at, UpdatedAt: at})
				},
				func() error {
					return tx.InsertTimeEntry(ctx, learning.TimeEntry{UserID: fmt.Sprintf("%04d", i/20*20), Day: at, Path: id, CourseID: id, ChapterID: id})
				},
			} {
				if err := insert(); err != nil {
					return err
				}
			}
		}
		_, err := tx.RevokeCertificate(ctx, "0020", "", now)
		return errors.Join(tx.InsertCertificateCounter(ctx), err)
	})
	if err != nil {
		tb.Fatal(err)
	}
	analyze(tb, s)
	return s
}

// spoken runs one method in a transaction that is rolled back, and returns its
// statements.
func recordStatements(tb testing.TB, s *Store, method func(ctx context.Context, tx learning.Tx)) []recordedStatement {
	tb.Helper()
	var r *recorder
	_ = s.inTx(context.Background(), func(t *tx) error {
		r = &recorder{session: t.conn}
		t.conn = r
		method(context.Background(), t)
		if t.failed != nil {
			tb.Error(t.failed)
		}
		return context.Canceled // anything, to roll back
	})
	return r.statements
}

// aPage is one in the middle of a list.
var aPage = learning.Page{After: learning.Position{At: time.Now().Add(150 * time.Minute), ID: "0003", ID2: "0003"}, Limit: 10}

// methods are those of learning.Tx that look for rows. Not here are InsertX, and
// PublishedCourses and CatalogueRevision, which are about the whole table, nor the
// reports on the platform, which have a test of their own.
var methods = map[string]func(ctx context.Context, tx learning.Tx){
	"Course":               func(ctx context.Context, tx learning.Tx) { _, _ = tx.Course(ctx, "0003") },
	"CourseContent":        func(ctx context.Context, tx learning.Tx) { _, _ = tx.CourseContent(ctx, "0003") },
	"LectureIDs":           func(ctx context.Context, tx learning.Tx) { _, _ = tx.LectureIDs(ctx, "0003") },
	"IncrementEnrollments": func(ctx context.Context, tx learning.Tx) { _ = tx.IncrementEnrollments(ctx, "0003") },
	"MarkCoursesChanged":   func(ctx context.Context, tx learning.Tx) { _, _ = tx.MarkCoursesChanged(ctx, "0003") },
	"User":                 func(ctx context.Context, tx learning.Tx) { _, _ = tx.User(ctx, "0003") },
	"AccountState":         func(ctx context.Context, tx learning.Tx) { _, _ = tx.AccountState(ctx, "0003") },
	"UpdateUser":           func(ctx context.Context, tx learning.Tx) { _, _ = tx.UpdateUser(ctx, learning.User{ID: "0003"}) },
	"ScrubUser":            func(ctx context.Context, tx learning.Tx) { _, _ = tx.ScrubUser(ctx, "0003", time.Now()) },
	"LockUser":             func(ctx context.Context, tx learning.Tx) { _, _ = tx.LockUser(ctx, "0003") },
	"RestoreUser": func(ctx context.Context, tx learning.Tx) {
		_, _ = tx.RestoreUser(ctx, learning.User{ID: "0003"}, time.Now())
	},
	"UpdateRole": func(ctx context.Context, tx learning.Tx) {
		_, _ = tx.UpdateRole(ctx, "0003", learning.RoleAssignment{At: time.Now().Add(time.Hour)})
	},
	"DeleteRole":       func(ctx context.Context, tx learning.Tx) { _ = tx.DeleteRole(ctx, "0003") },
	"Purchase":         func(ctx context.Context, tx learning.Tx) { _, _ = tx.Purchase(ctx, "0010") },
	"PurchasesByOrder": func(ctx context.Context, tx learning.Tx) { _, _ = tx.PurchasesByOrder(ctx, "0010") },
	"OpenPurchase":     func(ctx context.Context, tx learning.Tx) { _, _ = tx.OpenPurchase(ctx, "0010", "0010") },
	"UnpaidPurchases": func(ctx context.Context, tx learning.Tx) {
		_, _ = tx.UnpaidPurchases(ctx, time.Now().Add(-time.Hour), time.Now().Add(15*time.Minute), learning.Purchase{}, 100)
	},
	"TakeOverPurchase": func(ctx context.Context, tx learning.Tx) {
		_, _ = tx.TakeOverPurchase(ctx, learning.Purchase{ID: "0010"}, "holder")
	},
	"SetPurchaseOrder": func(ctx context.Context, tx learning.Tx) {
		_, _ = tx.SetPurchaseOrder(ctx, "0010", "holder", "order", time.Now())
	},
	"DeletePurchaseClaim": func(ctx context.Context, tx learning.Tx) { _, _ = tx.DeletePurchaseClaim(ctx, "0010", "holder") },
	"FailPurchase":        func(ctx context.Context, tx learning.Tx) { _, _ = tx.FailPurchase(ctx, "0010", time.Now()) },
	"CompletePurchase": func(ctx context.Context, tx learning.Tx) {
		_, _ = tx.CompletePurchase(ctx, "0010", "paid", true, time.Now())
	},
	"Enrolled":          func(ctx context.Context, tx learning.Tx) { _, _ = tx.Enrolled(ctx, "0010", "0010") },
	"EnrolledCourses":   func(ctx context.Context, tx learning.Tx) { _, _ = tx.EnrolledCourses(ctx, "0010") },
	"EnrolledCourse":    func(ctx context.Context, tx learning.Tx) { _, _ = tx.EnrolledCourse(ctx, "0010", "0010") },
	"CompletedLectures": func(ctx context.Context, tx learning.Tx) { _, _ = tx.CompletedLectures(ctx, "0010", "0010") },
	"CompletedByCourse": func(ctx context.Context, tx learning.Tx) { _, _ = tx.CompletedByCourse(ctx, "0010") },
	"BegunLectureIDs":   func(ctx context.Context, tx learning.Tx) { _, _ = tx.BegunLectureIDs(ctx, "0010") },
	"Rating":            func(ctx context.Context, tx learning.Tx) { _, _ = tx.Rating(ctx, "0010", "0010") },
	"ReplaceRating": func(ctx context.Context, tx learning.Tx) {
		_, _ = tx.ReplaceRating(ctx, learning.Rating{UserID: "0010", CourseID: "0010"}, 5)
	},
	"MarkCourseChanged": func(ctx context.Context, tx learning.Tx) { _ = tx.MarkCourseChanged(ctx, "0003") },
	"UpdateTotals":      func(ctx context.Context, tx learning.Tx) { _ = tx.UpdateTotals(ctx, learning.Course{ID: "0003"}) },
	"UpdateContent":     func(ctx context.Context, tx learning.Tx) { _ = tx.UpdateContent(ctx, "0003", nil) },
	"CountRating": func(ctx context.Context, tx learning.Tx) {
		_ = tx.CountRating(ctx, "0003", learning.Ratings{Sum: 5, Count: 1})
	},
	"Application":   func(ctx context.Context, tx learning.Tx) { _, _ = tx.Application(ctx, "0010") },
	"ApplicationOf": func(ctx context.Context, tx learning.Tx) { _, _ = tx.ApplicationOf(ctx, "0010") },
	"Applications":  func(ctx context.Context, tx learning.Tx) { _, _ = tx.Applications(ctx, learning.ApplicationPending) },
	"ResubmitApplication": func(ctx context.Context, tx learning.Tx) {
		_, _ = tx.ResubmitApplication(ctx, learning.Application{ID: "0010"})
	},
	"ClaimApplication": func(ctx context.Context, tx learning.Tx) {
		_, _ = tx.ClaimApplication(ctx, learning.Application{ID: "0010"}, "", time.Now())
	},
	"EndApplicationClaim": func(ctx context.Context, tx learning.Tx) {
		_ = tx.EndApplicationClaim(ctx, "0010", "holder", time.Now())
	},
	"DecideApplication": func(ctx context.Context, tx learning.Tx) {
		_, _ = tx.DecideApplication(ctx, learning.Application{ID: "0010"})
	},
	"DeleteApplication":     func(ctx context.Context, tx learning.Tx) { _ = tx.DeleteApplication(ctx, "0010") },
	"Certificate":           func(ctx context.Context, tx learning.Tx) { _, _ = tx.Certificate(ctx, "0010") },
	"CertificateOf":         func(ctx context.Context, tx learning.Tx) { _, _ = tx.CertificateOf(ctx, "0010", "0010") },
	"RevokedNumbers":        func(ctx context.Context, tx learning.Tx) { _, _ = tx.RevokedNumbers(ctx, 0, learning.StatusListSize) },
	"CertificatesIssued":    func(ctx context.Context, tx learning.Tx) { _, _ = tx.CertificatesIssued(ctx) },
	"IncrementCertificates": func(ctx context.Context, tx learning.Tx) { _, _ = tx.IncrementCertificates(ctx) },
	"ClearCertificatePDF":   func(ctx context.Context, tx learning.Tx) { _, _ = tx.ClearCertificatePDF(ctx, "0010") },
	"SetPDFStored":          func(ctx context.Context, tx learning.Tx) { _, _ = tx.SetPDFStored(ctx, "0010", time.Now()) },
	"RevokeCertificate": func(ctx context.Context, tx learning.Tx) {
		_, _ = tx.RevokeCertificate(ctx, "0010", "reason", time.Now())
	},
	"TimeDayOf": func(ctx context.Context, tx learning.Tx) {
		_, _ = tx.TimeDayOf(ctx, learning.TimeEntry{UserID: "0020", Day: time.Now().Add(20 * time.Minute)})
	},
	"HasTimeDay":     func(ctx context.Context, tx learning.Tx) { _, _ = tx.HasTimeDay(ctx, "0020", time.Now()) },
	"LockTimeDay":    func(ctx context.Context, tx learning.Tx) { _, _ = tx.LockTimeDay(ctx, "0020", time.Now()) },
	"DeleteTimeDays": func(ctx context.Context, tx learning.Tx) { _ = tx.DeleteTimeDays(ctx, "0020") },
	"AddTime": func(ctx context.Context, tx learning.Tx) {
		_, _ = tx.AddTime(ctx, learning.TimeEntry{UserID: "0020", Day: time.Now()})
	},
	"DeleteTimeEntries": func(ctx context.Context, tx learning.Tx) { _ = tx.DeleteTimeEntries(ctx, "0020") },
	"TimeByPlace":       func(ctx context.Context, tx learning.Tx) { _, _ = tx.TimeByPlace(ctx, "0020") },
	"TimeByDay": func(ctx context.Context, tx learning.Tx) {
		_, _ = tx.TimeByDay(ctx, "0020", time.Now().Add(30*time.Minute))
	},
	"TimedCourses": func(ctx context.Context, tx learning.Tx) { _, _ = tx.TimedCourses(ctx, "0020") },
	"CoursesOf":    func(ctx context.Context, tx learning.Tx) { _, _ = tx.CoursesOf(ctx, "0010") },
	"StudentsOf":   func(ctx context.Context, tx learning.Tx) { _, _ = tx.StudentsOf(ctx, "0010") },
	"EarningsOf":   func(ctx context.Context, tx learning.Tx) { _, _, _ = tx.EarningsOf(ctx, "0010", "INR") },
	"AILeases":     func(ctx context.Context, tx learning.Tx) { _, _ = tx.AILeases(ctx, "0010") },
	"AIUsageOf":    func(ctx context.Context, tx learning.Tx) { _, _ = tx.AIUsageOf(ctx, "0010", "001") },
	"AISpentBy":    func(ctx context.Context, tx learning.Tx) { _, _ = tx.AISpentBy(ctx, "0010", "001", time.Now()) },
	"AISpent":      func(ctx context.Context, tx learning.Tx) { _, _ = tx.AISpent(ctx, "001", time.Now()) },
	"DeleteAIReservation": func(ctx context.Context, tx learning.Tx) {
		_, _ = tx.DeleteAIReservation(ctx, learning.AIReservation{UserID: "0010", Day: "001", Holder: "holder"})
	},
	"TakeOverAILease": func(ctx context.Context, tx learning.Tx) {
		_, _ = tx.TakeOverAILease(ctx, learning.AILease{Name: "0010"}, "holder", time.Now())
	},
	"DeleteAILease": func(ctx context.Context, tx learning.Tx) {
		_, _ = tx.DeleteAILease(ctx, learning.AILease{Name: "0010", Holder: "holder"})
	},
	"AddAIUsage": func(ctx context.Context, tx learning.Tx) {
		_, _ = tx.AddAIUsage(ctx, "0010", "001", learning.AIUsage{Prompt: 1})
	},
	"Group":            func(ctx context.Context, tx learning.Tx) { _, _ = tx.Group(ctx, "0003", "0003") },
	"GroupsByID":       func(ctx context.Context, tx learning.Tx) { _, _ = tx.GroupsByID(ctx, []string{"0003", "0004"}, "0003") },
	"LockGroup":        func(ctx context.Context, tx learning.Tx) { _ = tx.LockGroup(ctx, "0003") },
	"AddToMemberCount": func(ctx context.Context, tx learning.Tx) { _ = tx.AddToMemberCount(ctx, "0003", 1) },
	"AddToPostCount":   func(ctx context.Context, tx learning.Tx) { _, _ = tx.AddToPostCount(ctx, "0003", 1) },
	"DeleteMembership": func(ctx context.Context, tx learning.Tx) { _, _ = tx.DeleteMembership(ctx, "0003", "0003") },
	"Post":             func(ctx context.Context, tx learning.Tx) { _, _ = tx.Post(ctx, "0003", "0003") },
	"EachPost of a group": func(ctx context.Context, tx learning.Tx) {
		_ = tx.EachPost(ctx, learning.PostQuery{GroupID: "0003"}, "0003", aPage, func(learning.Post) error { return nil })
	},
	"EachPostID of a group": func(ctx context.Context, tx learning.Tx) {
		_ = tx.EachPostID(ctx, learning.PostQuery{GroupID: "0003", Tab: learning.TrendingPosts}, "0003", 0, 10, func(string) error { return nil })
	},
	"PostsByID": func(ctx context.Context, tx learning.Tx) { _, _ = tx.PostsByID(ctx, []string{"0003", "0004"}, "0003") },
	"PostTotal of a group": func(ctx context.Context, tx learning.Tx) {
		_, _ = tx.PostTotal(ctx, learning.PostQuery{GroupID: "0003"}, "0003")
	},
	"LockPost":         func(ctx context.Context, tx learning.Tx) { _ = tx.LockPost(ctx, "0003") },
	"MarkPost":         func(ctx context.Context, tx learning.Tx) { _ = tx.MarkPost(ctx, learning.Post{ID: "0003"}) },
	"IncrementReplies": func(ctx context.Context, tx learning.Tx) { _, _ = tx.IncrementReplies(ctx, "0003") },
	"AddToPostVotes":   func(ctx context.Context, tx learning.Tx) { _ = tx.AddToPostVotes(ctx, "0003", 1) },
	"DeletePost":       func(ctx context.Context, tx learning.Tx) { _ = tx.DeletePost(ctx, "0003") },
	"Replies":          func(ctx context.Context, tx learning.Tx) { _, _ = tx.Replies(ctx, "0003", "0003", aPage) },
	"Reply":            func(ctx context.Context, tx learning.Tx) { _, _ = tx.Reply(ctx, "0003", "0003", "0003") },
	"AddToReplyVotes":  func(ctx context.Context, tx learning.Tx) { _ = tx.AddToReplyVotes(ctx, "0003", 1) },
	"DeleteReplies":    func(ctx context.Context, tx learning.Tx) { _ = tx.DeleteReplies(ctx, "0003") },
	"DeleteVote": func(ctx context.Context, tx learning.Tx) {
		_, _ = tx.DeleteVote(ctx, learning.Vote{PostID: "0003", ReplyID: "0003", UserID: "0003"})
	},
	"EachChatID": func(ctx context.Context, tx learning.Tx) {
		_ = tx.EachChatID(ctx, "0003", func(string) error { return nil })
	},
	"ChatsByID":  func(ctx context.Context, tx learning.Tx) { _, _ = tx.ChatsByID(ctx, "0003", []string{"0003"}) },
	"ChatLength": func(ctx context.Context, tx learning.Tx) { _, _ = tx.ChatLength(ctx, "0003", "0003") },
	"EachChatMessage": func(ctx context.Context, tx learning.Tx) {
		_ = tx.EachChatMessage(ctx, "0003", "0003", 0, 20, func(learning.ChatMessage) error { return nil })
	},
	"ChatMessages": func(ctx context.Context, tx learning.Tx) { _, _ = tx.ChatMessages(ctx, "0003", "0003", 20) },
	"TouchChat": func(ctx context.Context, tx learning.Tx) {
		_, _ = tx.TouchChat(ctx, learning.Chat{ID: "0003", UserID: "0003"})
	},
	"DeleteChat":            func(ctx context.Context, tx learning.Tx) { _, _ = tx.DeleteChat(ctx, "0003", "0003") },
	"DeleteChatMessages":    func(ctx context.Context, tx learning.Tx) { _ = tx.DeleteChatMessages(ctx, "0003", "0003") },
	"DeleteChats":           func(ctx context.Context, tx learning.Tx) { _ = tx.DeleteChats(ctx, "0003") },
	"DeleteAllChatMessages": func(ctx context.Context, tx learning.Tx) { _ = tx.DeleteAllChatMessages(ctx, "0003") },
	"DeleteVotes":           func(ctx context.Context, tx learning.Tx) { _ = tx.DeleteVotes(ctx, "0003") },
}

func TestMethods_OneStatementThatUsesAnIndex(t *testing.T) {
	on(t, engines, func(t *testing.T, e engine) {
		s := populated(t, e)
		for name, method := range methods {
			statements := recordStatements(t, s, method)
			if len(statements) != 1 {
				t.Errorf("%s: %d statements, want 1", name, len(statements))
				continue
			}
			for _, scan := range scans(t, e, s, statements[0]) {
				t.Errorf("%s reads without an index: %s", name, scan)
			}
		}
	})
}

// scans are the parts of a statement's plan that read a whole table, unless the
// statement itself has made it.
func scans(tb testing.TB, e engine, s *Store, st recordedStatement) []string {
	tb.Helper()
	steps := plan(tb, e, s, st)
	return slices.DeleteFunc(slices.Clone(steps), func(step string) bool {
		name, scansSQLite := strings.CutPrefix(step, "SCAN ")
		if step == "SCAN CONSTANT ROW" || slices.Contains(steps, "CO-ROUTINE "+name) || strings.HasPrefix(step, "table=<derived") {
			return true
		}
		return !scansSQLite && !strings.Contains(step, " type=ALL ") && !strings.Contains(step, " type=index ")
	})
}

// plan is how an engine goes about a statement, step by step.
func plan(tb testing.TB, e engine, s *Store, st recordedStatement) (steps []string) {
	tb.Helper()
	explain := "EXPLAIN FORMAT=TRADITIONAL " // MySQL has another format by now
	if e.name == "SQLite" {
		explain = "EXPLAIN QUERY PLAN "
	}
	rows, err := s.writer.Queryx(explain+st.query, st.args...)
	if err != nil {
		tb.Fatalf("%s: %v", st.query, err)
	}
	defer rows.Close()
	for rows.Next() {
		row := map[string]any{}
		if err := rows.MapScan(row); err != nil {
			tb.Fatal(err)
		}
		if e.name == "SQLite" {
			steps = append(steps, fmt.Sprint(row["detail"]))
			continue
		}
		access, known := row["type"]
		if !known {
			tb.Fatalf("not a plan: %s", row)
		}
		steps = append(steps, fmt.Sprintf("table=%s type=%s key=%s %s", row["table"], access, row["key"], row["Extra"]))
	}
	return steps
}

func TestCompletePurchase_ThreeStatements(t *testing.T) {
	on(t, engines, func(t *testing.T, e engine) {
		s := populated(t, e)
		got := recordStatements(t, s, func(ctx context.Context, tx learning.Tx) {
			_, _ = tx.CompletePurchase(ctx, "0010", "paid", true, time.Now())
			_ = tx.IncrementEnrollments(ctx, "0010")
			_ = tx.InsertEnrollment(ctx, learning.Enrollment{UserID: "somebody", CourseID: "0010", PurchaseID: "0010"})
		})
		var verbs []string
		for _, st := range got {
			verbs = append(verbs, strings.Join(strings.Fields(st.query)[:3], " "))
		}
		want := []string{"UPDATE purchases SET", "UPDATE courses SET", "INSERT INTO enrollments"}
		if diff := cmp.Diff(want, verbs); diff != "" {
			t.Error(diff)
		}
	})
}
