package storetest

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/study"
)

var totalTests = []test{
	{"totals are the sums of what was added to them, whichever rows changed", totalAdded},
	{"the totals of a kind are compared with the rows that they count", totalWrong},
	{"the totals of a course are deleted with it, and no others", totalDeleted},
	{"totals of questions are compared with the marks of the results", questionTotals},
}

// totalKinds returns the kinds of totals of all rooms.
func (f *fixture) totalKinds() []core.TotalKind {
	f.t.Helper()
	p, err := learning.New(f.Store)
	if err != nil {
		f.t.Fatal(err)
	}
	return p.System().TotalKinds()
}

// recount corrects all totals, and checks that they are right then. Tests insert rows without the
// totals that count them.
func (f *fixture) recount() {
	f.t.Helper()
	for _, kind := range f.totalKinds() {
		wrong, err := f.WrongTotals(f.t.Context(), kind)
		if err != nil {
			f.t.Fatal(err)
		}
		if len(wrong) > 0 {
			f.addTotals("recount", wrong...)
		}
		f.wantRight(kind)
	}
}

// addTotals adds to totals. rowID is the row that changes.
func (f *fixture) addTotals(rowID string, changes ...core.Total) {
	f.t.Helper()
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.AddToTotals(ctx, rowID,
			changes)
	})
}

// wantRight checks the corrections that the totals of a kind need, which are none without want.
func (f *fixture) wantRight(kind core.TotalKind, want ...core.Total) {
	f.t.Helper()
	got, err := f.WrongTotals(f.t.Context(), kind)
	equal(f.t, got, err, want)
}

func totalAdded(t *testing.T, f *fixture) {
	wantPosts := func(want int) {
		t.Helper()
		n, err := f.PostTotal(t.Context(), "", "")
		equal(t, n, err, want)
	}
	wantPosts(0)
	posts := func(by int) core.Total {
		return core.Total{Kind: community.TotalPosts,
			Number: by}
	}
	for i := range 40 { // more than there are slots
		f.addTotals(fmt.Sprint(i), posts(i))
		wantPosts(i * (i + 1) / 2)
	}
	f.addTotals("another row", posts(-780)) // minus the sum of 0 to 39
	wantPosts(0)

	// One statement adds to several totals, also to those that have another case or a long name.
	long := core.Total{Kind: assess.TotalMastered, CourseID: long(16),
		Part: long(catalog.MaxContentID), Number: 1 << 40, Amount: 1<<62 - 1}
	list := []core.Total{posts(7), {Kind: people.TotalUsers, Number: 2},
		{Kind: purchase.TotalCourseSales, CourseID: "a", Part: "INR", Amount: 5},
		{Kind: purchase.TotalCourseSales, CourseID: "A", Part: "INR", Amount: 6}, long}
	f.addTotals("row", list...)
	wantPosts(7)
	negative := func(t core.Total) core.Total {
		t.Number, t.Amount = -t.Number,
			-t.Amount
		return t
	}
	f.wantRight(people.TotalUsers, negative(list[1]))
	f.wantRight(purchase.TotalCourseSales, negative(list[3]), negative(list[2]))
	f.wantRight(assess.TotalMastered, negative(long))
	f.wantRight(assess.TotalOnTrack)
}

func totalWrong(t *testing.T, f *fixture) {
	for _, kind := range f.totalKinds() {
		f.wantRight(kind)
	}
	draft := course("draft")
	draft.Published = false
	f.add(course("a"), draft, user("ada"), user("eve"), user("pat"), post("p"), post("q"))
	f.add(people.User{ID: "gone", CreatedAt: noon, ChangedAt: noon, DeletedAt: noon},
		role{"gone", core.Educator})
	f.add(role{"ada", core.Educator}, role{"eve", core.Student},
		role{"unknown", core.Educator})
	for id, status := range map[string]people.ApplicationStatus{
		"ada": people.ApplicationApproved, "pat": people.ApplicationApproved,
		"eve": people.ApplicationPending, "unknown": people.ApplicationPending} {
		a := application(id, status)
		a.UserID = id
		f.add(a)
	}
	last := sold("last", "a", purchase.Completed, 20)
	last.CompletedAt = time.Date(2026, 2, 28, 23, 59, 59, 999_999_000, time.UTC)
	foreign := sold("foreign", "a", purchase.Completed, 5)
	foreign.Currency = "EUR"
	f.add(last, foreign)
	for _, status := range statuses {
		f.add(sold(string(status), "nowhere", status, 1))
	}
	hard := attempt("hard", "one", 0)
	hard.Percentage, hard.Mastery = 40, assess.NeedsReview
	f.add(attempt("x", "one", 0), attempt("y", "one", 0), attempt("z", "two", 0), hard)

	want := map[core.TotalKind][]core.Total{
		community.TotalPosts:     {{Number: 2}},
		people.TotalUsers:        {{Number: 3}},
		people.TotalEducators:    {{Number: 2}},
		people.TotalApplications: {{Number: 2}},
		catalog.TotalCourses:     {{Number: 2}},
		study.TotalEnrollments:   {{Number: 14}}, // what the courses count
		purchase.TotalSales: {{Part: "EUR", Number: 1, Amount: 5},
			{Part: "INR", Number: 2, Amount: 21}},
		purchase.TotalDailySales: {{Part: "EUR 2026-03-14", Number: 1, Amount: 5},
			{Part: "INR 2026-02-28", Number: 1, Amount: 20},
			{Part: "INR 2026-03-14", Number: 1, Amount: 1}},
		purchase.TotalCourseSales: {{CourseID: "a", Part: "EUR", Number: 1, Amount: 5},
			{CourseID: "a", Part: "INR", Number: 1, Amount: 20},
			{CourseID: "nowhere", Part: "INR", Number: 1, Amount: 1}},
		assess.TotalNeedsReview: {{CourseID: "course", Part: "one", Number: 1, Amount: 40}},
		assess.TotalOnTrack: {{CourseID: "course", Part: "one", Number: 2, Amount: 134},
			{CourseID: "course", Part: "two", Number: 1, Amount: 67}},
		assess.TotalMastered: nil,
		assess.TotalAttemptTime: {{CourseID: "course", Part: "one", Number: 3, Amount: 3 * 59_999},
			{CourseID: "course", Part: "two", Number: 1, Amount: 59_999}},
	}
	for _, kind := range f.totalKinds() {
		list := slices.Clone(want[kind])
		for i := range list {
			list[i].Kind = kind
		}
		f.wantRight(kind, list...)
	}
	f.recount()
	f.addTotals("wrong", core.Total{Kind: purchase.TotalSales, Part: "USD", Amount: 1})
	f.wantRight(purchase.TotalSales,
		core.Total{Kind: purchase.TotalSales, Part: "USD", Amount: -1})
	_, err := f.WrongTotals(t.Context(), "nothing")
	if err == nil {
		t.Error("a kind that does not exist has totals")
	}
}

// raceTotals adds to two totals in 60 concurrent transactions, each for another row. Nothing has
// the rows that the totals count, so that their correction is the negative sum.
func raceTotals(t *testing.T, f *fixture) {
	const n = 60
	committed := f.race(n, func(ctx context.Context, tx learning.Tx, i int) (bool, error) {
		return true, tx.AddToTotals(ctx, fmt.Sprint(i), []core.Total{
			{Kind: community.TotalPosts, Number: 1},
			{Kind: purchase.TotalCourseSales, CourseID: "a", Part: "INR", Number: 1,
				Amount: int64(i)},
		})
	})
	equal(t, committed, nil, n)
	f.wantRight(community.TotalPosts, core.Total{Kind: community.TotalPosts, Number: -n})
	f.wantRight(purchase.TotalCourseSales,
		core.Total{Kind: purchase.TotalCourseSales, CourseID: "a", Part: "INR", Number: -n,
			Amount: -n * (n - 1) / 2})
}

func totalDeleted(t *testing.T, f *fixture) {
	for _, id := range []string{"", "a", "A", "b"} {
		f.addTotals("row", core.Total{Kind: assess.TotalMastered, CourseID: id, Part: "one",
			Number: 1})
	}
	for range 2 { // deleting no rows is not an error
		f.do(func(ctx context.Context, tx learning.Tx) error {
			return tx.DeleteCourseTotals(ctx,
				"a")
		})
	}
	left := func(id string) core.Total {
		return core.Total{Kind: assess.TotalMastered, CourseID: id, Part: "one", Number: -1}
	}
	f.wantRight(assess.TotalMastered, left(""), left("A"), left("b"))
}

// marked returns a result of the questions "A" and "b" of a quiz, whose marks are two points for
// "A" and none for "b".
func marked(id, chapterID string) assess.QuizResult {
	r := attempt(id, chapterID, 0)
	r.Marked = []assess.MarkedQuestion{
		{ID: "b", Kind: assess.TextQuestion, Text: "<b>?", Points: 1},
		{ID: "A", Kind: assess.TrueFalse, Text: "\u2028", Points: 2, IsRight: true,
			Took: new(core.Milliseconds(0))},
	}
	return r
}

func questionTotals(t *testing.T, f *fixture) {
	// Of the questions of two attempts, "A" is always right and "b" always wrong.
	right := assess.QuestionTotal{CourseID: "course", ChapterID: "one", QuestionID: "A",
		Kind: assess.TrueFalse, Text: "\u2028",
		QuestionSums: assess.QuestionSums{Given: 2, Right: 2, Compared: 2, ComparedRight: 2,
			Timed: 2}}
	wrong := assess.QuestionTotal{CourseID: "course", ChapterID: "one", QuestionID: "b",
		Kind: assess.TextQuestion, Text: "<b>?",
		QuestionSums: assess.QuestionSums{Given: 2, Compared: 2, Rest: 200, RestSquares: 20_000}}
	has := func(chapterID string, want ...assess.QuestionTotal) {
		t.Helper()
		got, err := f.QuestionTotals(t.Context(), "course", chapterID)
		equal(t, got, err, want)
	}
	lacks := func(want ...assess.QuestionTotal) {
		t.Helper()
		got, err := f.WrongQuestionTotals(t.Context())
		equal(t, got, err, want)
	}
	unnamed := func(q assess.QuestionTotal, chapterID string, factor int) assess.QuestionTotal {
		q.Kind, q.Text, q.ChapterID = "", "", chapterID
		sums := q.QuestionSums
		q.QuestionSums = assess.QuestionSums{}
		q.Add(sums, factor)
		return q
	}
	lacks()
	f.add(marked("1", "one"), marked("2", "one"), attempt("old", "one", 0))
	lacks(unnamed(right, "one", 1), unnamed(wrong, "one", 1))
	for _, id := range []string{"1", "2"} {
		f.do(func(ctx context.Context, tx learning.Tx) error {
			return tx.AddToQuestionTotals(ctx, id, marked(id, "one").QuestionTotals())
		})
	}
	lacks()
	f.recount()
	sums, err := f.QuizSums(t.Context(), "course", "one")
	equal(t, sums, err, assess.QuizSums{Attempts: 3, Percentages: 3 * 67, Timed: 3,
		Time: 3 * 59_999})
	has("one", right, wrong)
	has("One")

	// A recount adds what is missing, also to no total, and what is too much is below 0.
	f.add(marked("3", "two"), marked("4", "two"))
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.AddToQuestionTotals(ctx, "recount", []assess.QuestionTotal{
			unnamed(right, "one", 1), unnamed(right, "two", 1)})
	})
	lacks(unnamed(right, "one", -1), unnamed(wrong, "two", 1))
	has("two", unnamed(right, "two", 1))
	for range 2 { // deleting no rows is not an error
		f.do(func(ctx context.Context, tx learning.Tx) error {
			return tx.DeleteQuestionTotals(ctx, "course")
		})
	}
	has("one")
}

// raceQuestionTotals adds to the totals of two questions in concurrent transactions.
func raceQuestionTotals(t *testing.T, f *fixture) {
	const n = 60
	committed := f.race(n, func(ctx context.Context, tx learning.Tx, i int) (bool, error) {
		r := marked(fmt.Sprint(i), "one")
		if err := tx.InsertQuizResult(ctx, r); err != nil {
			return false, err
		}
		return true, tx.AddToQuestionTotals(ctx, r.ID, r.QuestionTotals())
	})
	equal(t, committed, nil, n)
	wrong, err := f.WrongQuestionTotals(t.Context())
	equal(t, wrong, err, nil)
}
