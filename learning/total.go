package learning

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// Total is a number of rows, and a sum over them, that is kept: it changes in the transaction of
// the rows that it counts, so that an answer which shows it takes the same time however many
// there are. [System.RecountTotals] compares it with the rows.
type Total struct {
	Kind     TotalKind
	CourseID string // the course that the rows belong to; "" for the whole platform
	Part     string // which of the totals of the kind; "" if there is one
	Number   int    // of rows
	Amount   int64  // the sum over them; 0 for kinds that have none
}

// TotalKind says what a total counts.
type TotalKind string

// The kinds of totals. A kind is of the whole platform unless its comment says another thing.
const (
	// Posts, by course and lecture, which are "" for posts in no course.
	TotalPosts        TotalKind = "posts"
	TotalUsers        TotalKind = "users"        // who are not deleted
	TotalEducators    TotalKind = "educators"    // of these users
	TotalApplications TotalKind = "applications" // that are pending
	TotalCourses      TotalKind = "courses"      // drafts too
	TotalEnrollments  TotalKind = "enrollments"
	TotalRatings      TotalKind = "ratings" // by course and stars
	// Completed purchases, and the sum of what was paid less what was refunded.
	TotalSales       TotalKind = "sales"        // by currency
	TotalDailySales  TotalKind = "daily sales"  // by currency and UTC day of completion
	TotalCourseSales TotalKind = "course sales" // by course and currency
	// Attempts at quizzes, and the sum of their percentages, by course and chapter.
	TotalNeedsReview TotalKind = "attempts needs_review"
	TotalOnTrack     TotalKind = "attempts on_track"
	TotalMastered    TotalKind = "attempts mastered"
	// Attempts that were stored when they began, and the sum of their milliseconds, by course and
	// chapter.
	TotalAttemptTime TotalKind = "attempt time"
)

// TotalQuestions is the kind by which [System.RecountTotals] returns the correction of a
// [QuestionTotal], whose sums are kept beside the totals: Number is that of the attempts, Amount
// that of the right answers, and Part the chapter and the question.
const TotalQuestions TotalKind = "questions"

// TotalFiles is the kind by which [System.RecountTotals] returns the correction of a [FileTotal],
// which is kept beside the totals too: Number is that of the files, Amount their bytes, and Part the
// id of the owner.
const TotalFiles TotalKind = "files"

// TotalKinds are all kinds but [TotalQuestions] and [TotalFiles].
var TotalKinds = []TotalKind{
	TotalPosts, TotalUsers, TotalEducators, TotalApplications, TotalCourses, TotalEnrollments,
	TotalRatings,
	TotalSales, TotalDailySales, TotalCourseSales,
	TotalNeedsReview, TotalOnTrack, TotalMastered, TotalAttemptTime,
}

// DailySalesPart returns the part of the [TotalDailySales] of a day.
func DailySalesPart(currency string, day time.Time) string {
	return currency + " " + day.UTC().Format(time.DateOnly)
}

// saleTotals returns what a purchase adds to the totals of sales:
//
//	status                              number  amount
//	completed                           1       what was paid less what was refunded
//	created, pending, failed, refunded  0       0
//
// A completed purchase counts in its currency, in the day of its completion, and in its course,
// also if that was deleted.
func saleTotals(p Purchase) []Total {
	if p.Status != PurchaseCompleted {
		return nil
	}
	sale := Total{Kind: TotalSales, Part: p.Currency, Number: 1,
		Amount: int64(p.Amount - p.RefundedAmount)}
	ofCourse, ofDay := sale, sale
	ofCourse.Kind, ofCourse.CourseID = TotalCourseSales, p.CourseID
	if p.CompletedAt.IsZero() { // a version before the first release did not store it
		return []Total{sale, ofCourse}
	}
	ofDay.Kind, ofDay.Part = TotalDailySales, DailySalesPart(p.Currency, p.CompletedAt)
	return []Total{sale, ofCourse, ofDay}
}

// attemptTotals returns what an attempt adds to the totals of its quiz: to that of its mastery, and
// to that of the time if it is known.
func attemptTotals(r QuizResult) []Total {
	kinds := map[Mastery]TotalKind{NeedsReview: TotalNeedsReview, OnTrack: TotalOnTrack,
		Mastered: TotalMastered}
	kind := kinds[r.Mastery]
	list := []Total{{Kind: kind, CourseID: r.CourseID, Part: r.ChapterID, Number: 1,
		Amount: int64(r.Percentage)}}
	if !r.StartedAt.IsZero() {
		list = append(list, Total{Kind: TotalAttemptTime, CourseID: r.CourseID, Part: r.ChapterID,
			Number: 1, Amount: int64(r.Took)})
	}
	return list
}

// totalsChange returns what to add to the totals of a row when it changes: what it adds to them
// after the change, less what it did before. Totals that stay as they are, are left out.
func TotalsChange(before, after []Total) []Total {
	change := slices.Clone(after)
	for _, t := range before {
		t.Number, t.Amount = -t.Number, -t.Amount
		change = append(change, t)
	}
	return mergeTotals(change)
}

// mergeTotals returns the sums of the totals with equal kind, course and part, in their order,
// without those that are zero. All transactions use this order, so that they do not deadlock.
func mergeTotals(list []Total) (merged []Total) {
	list = slices.Clone(list)
	slices.SortStableFunc(list, compareTotals)
	for _, t := range list {
		if last := len(merged) - 1; last >= 0 && compareTotals(merged[last], t) == 0 {
			merged[last].Number += t.Number
			merged[last].Amount += t.Amount
			continue
		}
		merged = append(merged, t)
	}
	return slices.DeleteFunc(merged, func(t Total) bool { return t.Number == 0 && t.Amount == 0 })
}

// compareTotals compares what two totals count, in the order of the primary key of the store.
func compareTotals(a, b Total) int {
	return cmp.Or(cmp.Compare(a.CourseID, b.CourseID), cmp.Compare(a.Kind, b.Kind),
		cmp.Compare(a.Part, b.Part))
}

// totalReader reads totals. Other methods read the totals of their nouns.
type totalReader interface {
	// WrongTotals returns what must be added to the totals of a kind so that they are right: the
	// difference between their rows and the totals, at one moment. Totals that are right are
	// left out.
	WrongTotals(ctx context.Context, kind TotalKind) ([]Total, error)
}

// totalWriter changes totals.
type totalWriter interface {
	// AddToTotals adds the numbers and amounts of changes to the totals. changes must not be empty,
	// and must have the order of their course, kind and part without repetitions. A total is stored
	// in several slots; the id of the row that changes chooses the slot, so that transactions on
	// different rows seldom wait for each other.
	AddToTotals(ctx context.Context, rowID string, changes []Total) error
	// DeleteCourseTotals deletes the totals of a course.
	DeleteCourseTotals(ctx context.Context, courseID string) error
}
