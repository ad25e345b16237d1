package storetest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/aigate"
	"github.com/openlectern/openlectern/internal/exportlist"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/bundle"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/certify"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/papers"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/refund"
	"github.com/openlectern/openlectern/learning/study"
	"github.com/openlectern/openlectern/learning/tutor"
)

var exportTests = []test{
	{"the record of a user is read, and not that of a deleted user", exportRecord},
	{"a user's purchases, enrolments and courses are exported in pages, and no others",
		exportSales},
	{"a user's enrolments that ended are exported in pages, and no others", exportEnded},
	{"a user's progress, ratings, quiz results and time are exported in pages, and no others",
		exportProgress},
	{"a user's chats with their messages are exported in pages, and no others", exportChats},
	{"a user's part of the community is exported in pages, and no other", exportCommunity},
	{"a user's certificates and AI usage are exported in pages, and no others", exportRest},
}

// deletePrivate returns a function that deletes the rows of a user in a list of the export.
func deletePrivate(name, userID string) func(context.Context, learning.Tx) error {
	return func(ctx context.Context, tx learning.Tx) error {
		list, err := listNamed(name)
		if err != nil {
			return err
		}
		return tx.DeletePrivate(ctx, list, userID)
	}
}

// listNamed returns a list of the export.
func listNamed(name string) (exportlist.List, error) {
	for _, list := range learning.ExportLists() {
		if list.Name == name {
			return list, nil
		}
	}
	return exportlist.List{}, fmt.Errorf(
		"the export has no list %q: declare it in export.go of its room", name)
}

// otherUsers are ids that must not be taken for "student".
var otherUsers = []string{"Student", "student2", "eve"}

// exports reads a list of the export of "student" in parts of one row, of two, and so on. Each
// must give the rows of want, as values returns them.
func exports[Row any](t *testing.T, f *fixture, name string, values func(Row) []any, want ...Row) {
	t.Helper()
	list, err := listNamed(name)
	if err != nil {
		t.Fatal(err)
	}
	wanted := make([][]any, len(want))
	for i, row := range want {
		wanted[i] = values(row)
	}
	for limit := 1; limit <= len(want)+1; limit++ {
		got := [][]any{}
		var after []any
		for more := true; more; {
			rows, err := f.ExportRows(t.Context(), list, "student", after, limit)
			if err != nil {
				t.Fatal(err)
			}
			for _, row := range rows {
				got, after = append(got, row.Values), row.Key
			}
			more = len(rows) == limit
		}
		equal(t, got, nil, wanted)
	}
	for _, id := range unknownIDs {
		got, err := f.ExportRows(t.Context(), list, id, nil, 10)
		equal(t, got, err, nil)
	}
}

// orNil returns nil for an empty text, as an export has it, and else the text.
func orNil(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// timeOrNil returns nil for the zero time, as an export has it, and else the time.
func timeOrNil(at time.Time) any {
	if at.IsZero() {
		return nil
	}
	return at
}

// purchaseValues returns the values that an export has of a purchase, in the order of its fields.
func purchaseValues(p purchase.Purchase) []any {
	return []any{
		p.ID, p.CourseID, core.FormatMoney(p.Amount, p.Currency),
		core.FormatMoney(p.RefundedAmount, p.Currency), p.Currency, string(p.Status),
		orNil(p.OrderID),
		orNil(p.PaymentID), orNil(p.CouponID), orNil(storedProvider(p)),
		core.FormatMoney(p.ListPrice, p.Currency), p.CouponCode, orNil(p.Source), orNil(p.Reference),
		p.CreatedAt, p.UpdatedAt, timeOrNil(p.CompletedAt),
		orEmpty(p.Metadata),
	}
}

// refundValues returns the values that an export has of a refund, in the order of its fields.
func refundValues(r refund.Refund) []any {
	return []any{
		r.ID, r.PurchaseID, core.FormatMoney(r.Amount, r.Currency), r.Currency, string(r.Status),
		orNil(r.ProviderID),
		orNil(r.Reason), r.CreatedAt, r.UpdatedAt,
	}
}

// storedProvider returns the provider of a purchase as it is stored: "" for the gateway.
func storedProvider(p purchase.Purchase) string {
	if p.Provider == payment.NameGateway {
		return ""
	}
	return p.Provider
}

// disputeValues returns the values that an export has of a dispute, in the order of its fields.
func disputeValues(d refund.Dispute) []any {
	return []any{
		d.ID, d.PurchaseID, core.FormatMoney(d.Amount, d.Currency), d.Currency, string(d.Status),
		d.ProviderID, d.Reason, d.CreatedAt, d.UpdatedAt,
	}
}

// paperValues returns the values that an export has of a paper, in the order of its fields.
func paperValues(p papers.Paper) []any {
	return []any{p.ID, p.PurchaseID, orNil(p.RefundID), string(p.Kind), orNil(p.Number.String()),
		core.FormatMoney(p.Amount, p.Currency), p.Currency, orNil(p.Buyer.Name), orNil(p.Buyer.Address),
		orNil(p.Buyer.Country),
		orNil(p.Buyer.TaxID), p.SoldAt, p.CreatedAt, timeOrNil(p.NumberedAt)}
}

// enrollmentValues returns the values that an export has of an enrolment, in the order of its
// fields. A new one has no last lecture.
func enrollmentValues(e study.Enrollment) []any {
	return []any{e.CourseID, orNil(e.PurchaseID), orNil(e.Reason), e.CreatedAt,
		timeOrNil(e.ExpiresAt), orNil(e.WhyDecided), nil, nil, orEmpty(e.Metadata)}
}

// pastEnrollmentValues returns the values that an export has of an enrolment that has ended, in the
// order of its fields.
func pastEnrollmentValues(e study.PastEnrollment) []any {
	return []any{
		e.CourseID, orNil(e.PurchaseID), orNil(e.Reason), e.CreatedAt, timeOrNil(e.ExpiresAt),
		orNil(e.WhyDecided), e.EndedAt, orNil(e.EndReason), orEmpty(e.Metadata),
	}
}

// orEmpty returns metadata, which an export has as an empty object if there is none.
func orEmpty(m core.Metadata) core.Metadata {
	if m == nil {
		return core.Metadata{}
	}
	return m
}

// ratingValues returns the values that an export has of a rating, in the order of its fields.
func ratingValues(r community.Rating) []any {
	return []any{r.CourseID, int64(r.Stars), r.CreatedAt, r.UpdatedAt, nil, nil, nil}
}

// timeValues returns the values that an export has of a time entry, in the order of its fields.
func timeValues(e study.TimeEntry) []any {
	return []any{
		e.Day.Format(time.DateOnly), e.Page, e.Path, int64(e.Time), int64(e.Visits),
		timeOrNil(e.LastVisit),
	}
}

// quizResultValues returns the values that an export has of a quiz result, in the order of its
// fields.
func quizResultValues(r assess.QuizResult) []any {
	answers := make([]int64, len(r.Answers))
	for i, a := range r.Answers {
		answers[i] = int64(a)
	}
	return []any{
		r.ID, r.CourseID, r.ChapterID, r.Version, answers, int64(r.Score), int64(r.Total),
		int64(r.Percentage), r.Passed, string(r.Mastery), r.Recommendations, r.StartedAt,
		int64(r.Took), r.CreatedAt,
	}
}

// certificateValues returns the values that an export has of a certificate, in the order of its
// fields.
func certificateValues(c certify.Certificate) []any {
	return []any{
		c.ID, c.CourseID, c.StudentName, c.CourseTitle, c.EducatorName, c.IssuerName,
		c.CompletedAt, c.IssuedAt, timeOrNil(c.RevokedAt), orNil(c.RevocationReason),
	}
}

// chatValues returns the values that an export has of a chat, in the order of its fields.
func chatValues(c tutor.Chat) []any { return []any{c.ID, c.CreatedAt, c.UpdatedAt} }

// postValues returns the values that an export has of a post, in the order of its fields.
func postValues(p community.Post) []any {
	return []any{
		p.ID, orNil(p.Group.ID), orNil(p.CourseID), orNil(p.LectureID), p.Title, p.Content, append([]string{}, p.Tags...),
		int64(p.Upvotes), int64(p.Replies), p.Resolved, p.CreatedAt, p.UpdatedAt,
		timeOrNil(p.EditedAt),
	}
}

// replyValues returns the values that an export has of a reply, in the order of its fields.
func replyValues(r community.Reply) []any {
	return []any{r.ID, r.PostID, r.Content, int64(r.Upvotes), r.CreatedAt, r.UpdatedAt,
		timeOrNil(r.EditedAt)}
}

// voteValues returns the values that an export has of a vote, in the order of its fields.
func voteValues(v community.Vote) []any { return []any{v.PostID, orNil(v.ReplyID), v.CreatedAt} }

// membershipValues returns the values that an export has of a membership, in the order of its
// fields.
func membershipValues(m community.Membership) []any { return []any{m.GroupID, m.CreatedAt} }

// complaintValues returns the values that an export has of a complaint, in the order of its fields.
func complaintValues(c community.Complaint) []any {
	return []any{
		c.ID, c.PostID, orNil(c.ReplyID), c.Reason, string(c.Status), c.CreatedAt,
		timeOrNil(c.DecidedAt),
	}
}

// courseValues returns the values that an export has of a course, in the order of its fields.
func courseValues(c catalog.Course) []any {
	return []any{
		c.ID, c.Title, c.Description, c.Price, c.Discount, c.Published, c.CreatedAt, c.UpdatedAt,
		orEmpty(c.Metadata),
	}
}

// bundleValues returns the values that an export has of a bundle, in the order of its fields.
func bundleValues(b bundle.Bundle) []any {
	return []any{b.ID, b.Title, b.Description, b.Price, b.Discount, b.Published, b.CreatedAt,
		b.UpdatedAt}
}

// asIs is for rows that are values already.
func asIs(values []any) []any { return values }

func exportRecord(t *testing.T, f *fixture) {
	ada := user("ada")
	f.add(ada, study.Enrollment{UserID: "ada", CourseID: "course", CreatedAt: noon})
	got, err := f.UserRecord(t.Context(), "ada")
	equal(t, got, err, ada)
	f.reports(true,
		func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.ScrubUser(ctx, "ada",
				noon)
		})
	for _, id := range append([]string{"ada"}, unknownIDs...) {
		got, err := f.UserRecord(t.Context(), id)
		missing(t, got, err)
	}
}

// exportSales: purchases and refunds come by id, enrolments by the id of the course in the order of
// its bytes, and courses that the user teaches by creation.
func exportSales(t *testing.T, f *fixture) {
	f.add(user("student"))
	a := purchaseIn("a", purchase.Completed)
	b := purchaseIn("b", purchase.Failed)
	c := purchaseIn("c", purchase.Pending)
	enrolled := func(userID, courseID string) study.Enrollment {
		return study.Enrollment{UserID: userID, CourseID: courseID,
			PurchaseID: "p of " + courseID, CreatedAt: noon}
	}
	first := taught("z", "student", noon)
	second := taught("0", "student", noon.Add(time.Microsecond))
	draft := taught("a", "student", noon.Add(time.Hour))
	draft.Published = false
	f.add(c, a, b, enrolled("student", "z"), enrolled("student", "C"), enrolled("student", "c"),
		second, first, draft)
	for _, id := range otherUsers {
		p := purchaseIn("of "+id, purchase.Completed)
		p.UserID = id
		f.add(p, enrolled(id, "c"), taught("of "+id, id, noon))
	}
	exports(t, f, "purchases", purchaseValues, a, b, c)
	refundOf := func(id, purchaseID string) refund.Refund {
		r := refundIn(id, payment.RefundProcessed, 1)
		r.PurchaseID = purchaseID
		return r
	}
	one := refundOf("2", "b")
	two := refundOf("3", "b")
	other := refundOf("1", "c")
	f.add(one, other, two, refundOf("4", "of eve"))
	exports(t, f, "refunds", refundValues, one, two, other)
	disputed := dispute("1", "b")
	f.add(disputed, dispute("2", "of eve"))
	exports(t, f, "disputes", disputeValues, disputed)
	waiting, receipt := paper("f"), paper("e")
	receipt.RefundID = "r"
	others := paper("g")
	others.UserID = "eve"
	f.add(waiting, receipt, others)
	receipt = numbered(receipt, 7)
	f.numbers(true, receipt)
	exports(t, f, "papers", paperValues, receipt, waiting)
	exports(t, f, "enrollments", enrollmentValues,
		enrolled("student", "C"), enrolled("student", "c"), enrolled("student", "z"))
	exports(t, f, "courses", courseValues, first, second, draft)
	f.add(bundleOf("2", "student", noon), bundleOf("1", "student", noon.Add(time.Hour)),
		bundleOf("3", "eve", noon))
	exports(t, f, "bundles", bundleValues, bundleOf("2", "student", noon),
		bundleOf("1", "student", noon.Add(time.Hour)))
}

func exportEnded(t *testing.T, f *fixture) {
	f.add(user("student"))
	granted := func(userID, courseID string, after time.Duration) study.Enrollment {
		return study.Enrollment{UserID: userID, CourseID: courseID, GrantedBy: "admin",
			Reason: "Won " + courseID, CreatedAt: noon.Add(after)}
	}
	past := func(id string, e study.Enrollment) study.PastEnrollment {
		end := ended(id, e)
		f.add(e)
		f.do(func(ctx context.Context, tx learning.Tx) error {
			return tx.InsertPastEnrollment(ctx,
				end)
		})
		return end
	}
	first := granted("student", "z", 0)
	first.ExpiresAt, first.WhyDecided = later, "Illness"
	a := past("2", first)
	b := past("3", granted("student", "a", 0))
	last := past("1", granted("student", "b", time.Microsecond))
	for _, id := range otherUsers {
		past("of "+id, granted(id, "z", 0))
	}
	exports(t, f, "pastEnrollments", pastEnrollmentValues, a, b, last)
	var active []study.Enrollment
	for _, e := range []study.PastEnrollment{b, last, a} {
		e.GrantedBy = ""
		active = append(active, e.Enrollment)
	}
	exports(t, f, "enrollments", enrollmentValues, active...)
}

func exportProgress(t *testing.T, f *fixture) {
	f.add(user("student"))
	old, recent := timeEntry("Player", "/a"), timeEntry("Player", "/a")
	old.Day, old.LastVisit = today.Add(-24*time.Hour), time.Time{}
	a := attempt("b", "chapter", 0)
	b := attempt("c", "other", 0)
	c := attempt("a", "chapter", time.Microsecond)
	f.add(c, b, a, recent, old, rating("student", "y", 1), rating("student", "x", 5))
	for _, id := range append([]string{"student"}, otherUsers...) {
		f.add(completed{userID: id, courseID: "c", CompletedLecture: done("l2", time.Hour)},
			completed{userID: id, courseID: "c", CompletedLecture: done("l1", 0)},
			completed{userID: id, courseID: "b", CompletedLecture: done("l3", 0)})
		f.do(func(ctx context.Context, tx learning.Tx) error {
			return errors.Join(tx.InsertCourseCompletion(ctx, id, "c", noon),
				tx.InsertCourseCompletion(ctx, id, "b", noon.Add(time.Microsecond)))
		})
	}
	for _, id := range otherUsers {
		other, entry := attempt("of "+id, "chapter", 0), recent
		other.UserID, entry.UserID = id, id
		f.add(other, entry, rating(id, "x", 2))
	}
	exports(t, f, "completedLectures", asIs,
		[]any{"b", "l3", done("l3", 0).At}, []any{"c", "l1", done("l1", 0).At},
		[]any{"c", "l2", done("l2", time.Hour).At})
	exports(t, f, "completedCourses", asIs,
		[]any{"b", noon.Add(time.Microsecond)}, []any{"c", noon})
	exports(t, f, "ratings", ratingValues, rating("student", "x", 5), rating("student", "y", 1))
	exports(t, f, "quizResults", quizResultValues, a, b, c)
	exports(t, f, "timeEntries", timeValues, old, recent)
}

func exportChats(t *testing.T, f *fixture) {
	a, b := chat("a", 0), chat("b", -time.Hour)
	var want [][]any
	message := func(chatID string, number int64, m tutor.ChatMessage) []any {
		return []any{chatID, number, string(m.Role), m.Content, m.CreatedAt}
	}
	f.add(user("student"), b, a)
	for n := int64(0); n < 12; n += 2 { // so that 10 comes after 9
		next := turnAfter(a, int(n))
		f.add(next)
		want = append(want, message("a", n, next.question), message("a", n+1, next.answer))
	}
	last := turnAfter(b, 0)
	f.add(last)
	want = append(want, message("b", 0, last.question), message("b", 1, last.answer))
	for _, id := range otherUsers {
		other := chat("a", 0)
		other.UserID = id
		f.add(other, turnAfter(other, 0))
	}
	exports(t, f, "chats", chatValues, a, b)
	exports(t, f, "chatMessages", asIs, want...)
}

func exportCommunity(t *testing.T, f *fixture) {
	f.add(user("student"))
	postOf := func(id, userID string) community.Post {
		p := post(id)
		p.Author, p.Group = core.Person{ID: userID}, community.Group{ID: "group of " + id}
		return p
	}
	replyOf := func(id, userID string) community.Reply {
		r := reply(id, "post of "+id)
		r.Author = core.Person{ID: userID}
		return r
	}
	about := complaint("z", "p", "student")
	about.ReplyID = "r"
	f.add(postOf("b", "student"), postOf("a", "student"), replyOf("b", "student"),
		replyOf("a", "student"), about,
		complaint("a", "q", "student"), complaint("b", "p", "student"))
	for _, id := range append([]string{"student"}, otherUsers...) {
		f.add(vote("p", "r", id), vote("q", "", id), vote("p", "", id), membership("g", id),
			membership("f", id))
	}
	for _, id := range otherUsers {
		f.add(postOf("of "+id, id), replyOf("of "+id, id), complaint("of "+id, "p", id))
	}
	exports(t, f, "posts", postValues, postOf("a", "student"), postOf("b", "student"))
	exports(t, f, "replies", replyValues, replyOf("a", "student"), replyOf("b", "student"))
	exports(t, f, "votes", voteValues,
		vote("p", "", "student"), vote("p", "r", "student"), vote("q", "", "student"))
	exports(t, f, "memberships", membershipValues,
		membership("f", "student"), membership("g", "student"))
	exports(t, f, "reports", complaintValues,
		complaint("b", "p", "student"), about, complaint("a", "q", "student"))
}

func exportRest(t *testing.T, f *fixture) {
	f.add(user("student"))
	of := func(id, userID, courseID string, number int64) certify.Certificate {
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
			return errors.Join(tx.InsertAIUsage(ctx, id, nextDay,
				aigate.Usage{Prompt: 1, Completion: 2}),
				tx.InsertAIUsage(ctx, id, day, aigate.Usage{Prompt: 3}))
		})
	}
	exports(t, f, "certificates", certificateValues,
		of("2", "student", "a", 2), of("1", "student", "b", 1))
	exports(t, f, "aiUsage", asIs,
		[]any{day, int64(3), int64(0)}, []any{nextDay, int64(1), int64(2)})
}
