package learning_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning"
)

// reviews stores a review of a course, which must succeed.
func (w *fixture) reviews(t *testing.T, who learning.Actor, course string, stars int, text string) {
	t.Helper()
	w.Clock.Advance(time.Second)
	must(t, w.Platform.Review(ctx(), who,
		learning.NewReview{CourseID: course, Stars: stars, Text: text}))
}

// wantReviews checks the reviews of a course in an order, in pages of some rows, and how many
// ratings with each number of stars it has.
func (w *fixture) wantReviews(t *testing.T, course string, order learning.ReviewOrder,
	counts [learning.MaxStars]int, want ...string) {
	t.Helper()
	for _, limit := range []int{1, 10} {
		var got []string
		for r, err := range learning.All(
			func(page learning.PageRequest) (learning.Page[learning.Review], error) {
				page.Limit = limit
				list, distribution, err := w.Platform.Reviews(ctx(), course, order, page)
				if distribution != counts && err == nil {
					t.Errorf("%v ratings, want %v", distribution, counts)
				}
				return list, err
			}) {
			must(t, err)
			got = append(got, fmt.Sprint(r.Stars, " ", r.Text, r.Answer))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s, pages of %d: %s", order, limit, diff)
		}
	}
	w.wantRightTotals(t)
}

func TestReviews_AreListedWithAllRatingsCounted(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		course := w.publish(t, "course", chapter("1", "a"))
		ada, bob, cy := w.enrolls(t, "ada", course), w.enrolls(t, "bob", course),
			w.enrolls(t, "cy", course)
		must(t, w.Platform.Rate(ctx(), cy, course, 4)) // without a text it is not listed
		w.reviews(t, ada, course, 3, " Good ")
		w.reviews(t, bob, course, 5, "Best")
		counts := [5]int{0, 0, 1, 1, 1}
		w.wantReviews(t, course, learning.NewestReviews, counts, "5 Best", "3 Good")
		w.wantReviews(t, course, learning.BestReviews, counts, "5 Best", "3 Good")
		w.wantReviews(t, course, learning.WorstReviews, counts, "3 Good", "5 Best")

		// New stars keep the text, a new text keeps the place in the list, and "" removes it.
		must(t, w.Platform.Rate(ctx(), ada, course, 1))
		w.reviews(t, ada, course, 1, "Bad")
		counts = [5]int{1, 0, 0, 1, 1}
		w.wantReviews(t, course, learning.NewestReviews, counts, "5 Best", "1 Bad")
		w.reviews(t, bob, course, 5, "")
		w.wantReviews(t, course, learning.NewestReviews, counts, "1 Bad")

		// After the end, only the text can be removed.
		w.reviews(t, bob, course, 5, "Best")
		must(t, w.Platform.EndEnrollment(ctx(), boss, "bob", course))
		for text, want := range map[string]error{"New": learning.ErrNotPurchased, "": nil} {
			err := w.Platform.Review(ctx(), bob,
				learning.NewReview{CourseID: course, Stars: 1, Text: text})
			if !errors.Is(err, want) {
				t.Errorf("review %q after the end: %v, want %v", text, err, want)
			}
		}
		w.wantReviews(t, course, learning.NewestReviews, counts, "1 Bad")

		// Of a deleted user the stars stay.
		w.deleteUser(t, "ada")
		w.wantReviews(t, course, learning.NewestReviews, counts)
	})
}

func TestReviews_AnswerReportAndRemoval(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		course, other := w.publish(t, "course", chapter("1", "a")), w.publish(t, "other", chapter("1", "a"))
		ada, eve := w.enrolls(t, "ada", course), w.Person(t, "eve", learning.Student)
		rival := w.Person(t, "rival", learning.Educator)
		w.reviews(t, ada, course, 2, "Rude. ")
		page := learning.PageRequest{Limit: 10}
		list, _, err := w.Platform.Reviews(ctx(), course, learning.NewestReviews, page)
		must(t, err)
		id, counts := list.Rows[0].ID, [5]int{0, 1, 0, 0, 0}

		for who, want := range map[learning.Actor]error{ada: learning.ErrForbidden,
			rival: learning.ErrForbidden, teacher: nil} {
			if _, err := w.Platform.AnswerReview(ctx(), who, id, "So?"); !errors.Is(err, want) {
				t.Errorf("%s answers: %v, want %v", who.UserID, err, want)
			}
		}
		w.wantReviews(t, course, learning.NewestReviews, counts, "2 Rude.So?")
		if _, err := w.Platform.AnswerReview(ctx(), boss, "none", "So?"); !errors.Is(err,
			learning.ErrReviewNotFound) {
			t.Errorf("answer an unknown review: %v", err)
		}

		// A report is kept once, and only of a review of the course.
		err = w.Platform.ComplainAboutReview(ctx(), eve, other, id, "Rude")
		if !errors.Is(err, learning.ErrReviewNotFound) {
			t.Errorf("report it as one of another course: %v", err)
		}
		must(t, w.Platform.ComplainAboutReview(ctx(), eve, course, id, "Rude"))
		must(t, w.Platform.ComplainAboutReview(ctx(), eve, course, id, "Rude again"))
		reports, err := pageRows(w.Platform.Complaints(ctx(), boss, learning.ComplaintOpen, page))
		if err != nil || len(reports) != 1 || reports[0].ReviewID != id ||
			reports[0].PostID+reports[0].ReplyID != "" || reports[0].Excerpt != "Rude." {
			t.Fatalf("reports %+v, %v", reports, err)
		}
		must(t, w.Platform.DecideComplaint(ctx(), boss, reports[0].ID, learning.ComplaintRemoved))
		w.wantReviews(t, course, learning.NewestReviews, counts)
		w.wantCounted(t)
	})
}

func TestReview_ItsWriterReadsIt(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		course := w.publish(t, "course", chapter("1", "a"))
		ada, bob := w.enrolls(t, "ada", course), w.enrolls(t, "bob", course)
		want := func(who learning.Actor, stars int, text string) {
			t.Helper()
			c, err := w.Platform.EnrolledCourse(ctx(), who, course)
			if err != nil || c.Stars != stars || c.Review != text {
				t.Errorf("%s reads %d %q, %v, want %d %q", who.UserID, c.Stars, c.Review, err,
					stars, text)
			}
		}
		want(ada, 0, "")
		w.reviews(t, ada, course, 3, " Good\n\nand <b>long</b> ")
		want(ada, 3, "Good\n\nand <b>long</b>")
		must(t, w.Platform.Rate(ctx(), ada, course, 1))
		want(ada, 1, "Good\n\nand <b>long</b>")
		want(bob, 0, "") // it is the own one

		// Lists do not read it, and "" removes it.
		list, err := w.Platform.EnrolledCourses(ctx(), ada, learning.PageRequest{Limit: 10})
		if err != nil || len(list.Rows) != 1 || list.Rows[0].Review != "" {
			t.Errorf("the list has %+v, %v", list.Rows, err)
		}
		w.reviews(t, ada, course, 1, "")
		want(ada, 1, "")
	})
}

func TestReview_RefusesInvalidStars(t *testing.T) {
	w := newFixture(t, sqlite(t))
	ada := w.enrolls(t, "ada", w.publish(t, "course", chapter("1", "a")))
	for _, stars := range []int{-1, 0, learning.MaxStars + 1} {
		err := w.Platform.Review(ctx(), ada,
			learning.NewReview{CourseID: "course", Stars: stars, Text: "Good"})
		wantFailure(t, err, learning.ErrInvalidRequest, "review")
	}
}

// A removed review closes the reports about it, and who has none removes none after the access has
// ended. A report needs a caller.
func TestReview_RemovalAndReports(t *testing.T) {
	w := newFixture(t, sqlite(t))
	course := w.publish(t, "course", chapter("1", "a"))
	ada, bob := w.enrolls(t, "ada", course), w.enrolls(t, "bob", course)
	w.reviews(t, ada, course, 4, "Good")
	list, _, err := w.Platform.Reviews(ctx(), course, learning.NewestReviews,
		learning.PageRequest{Limit: 1})
	must(t, err)
	id := list.Rows[0].ID
	wantFailure(t, w.Platform.ComplainAboutReview(ctx(), learning.Actor{}, course, id, "Rude"),
		learning.ErrUnauthenticated, "report without a caller")
	must(t, w.Platform.ComplainAboutReview(ctx(), bob, course, id, "Rude"))
	w.end(t, true, "ada", course)
	w.end(t, true, "bob", course)
	wantFailure(t, w.Platform.Review(ctx(), bob, learning.NewReview{CourseID: course, Stars: 1}),
		learning.ErrNotPurchased, "remove a review that is not there")
	must(t, w.Platform.Review(ctx(), ada, learning.NewReview{CourseID: course, Stars: 4}))
	w.wantComplaints(t, learning.ComplaintRemoved)
}
