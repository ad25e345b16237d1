package community_test

import (
	"errors"
	"testing"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/study"
)

func TestReviews_AreListedWithAllRatingsCounted(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		course := w.Publish(t, "course", roomtest.Chapter("1", "a"))
		ada, bob, cy := w.Enrolls(t, "ada", course), w.Enrolls(t, "bob", course),
			w.Enrolls(t, "cy", course)
		// without a text it is not listed
		roomtest.Must(t, w.Platform.Community.Rate(ctx(), cy, course, 4))
		w.Reviews(t, ada, course, 3, " Good ")
		w.Reviews(t, bob, course, 5, "Best")
		counts := [5]int{0, 0, 1, 1, 1}
		w.WantReviews(t, course, community.NewestReviews, counts, "5 Best", "3 Good")
		w.WantReviews(t, course, community.BestReviews, counts, "5 Best", "3 Good")
		w.WantReviews(t, course, community.WorstReviews, counts, "3 Good", "5 Best")

		// New stars keep the text, a new text keeps the place in the list, and "" removes it.
		roomtest.Must(t, w.Platform.Community.Rate(ctx(), ada, course, 1))
		w.Reviews(t, ada, course, 1, "Bad")
		counts = [5]int{1, 0, 0, 1, 1}
		w.WantReviews(t, course, community.NewestReviews, counts, "5 Best", "1 Bad")
		w.Reviews(t, bob, course, 5, "")
		w.WantReviews(t, course, community.NewestReviews, counts, "1 Bad")

		// After the end, only the text can be removed.
		w.Reviews(t, bob, course, 5, "Best")
		roomtest.Must(t, w.Platform.Study.EndEnrollment(ctx(), roomtest.Boss, "bob", course))
		for text, want := range map[string]error{"New": study.ErrNotPurchased, "": nil} {
			err := w.Platform.Community.Review(ctx(), bob,
				community.NewReview{CourseID: course, Stars: 1, Text: text})
			if !errors.Is(err, want) {
				t.Errorf("review %q after the end: %v, want %v", text, err, want)
			}
		}
		w.WantReviews(t, course, community.NewestReviews, counts, "1 Bad")

		// Of a deleted user the stars stay.
		w.DeleteUser(t, "ada")
		w.WantReviews(t, course, community.NewestReviews, counts)
	})
}

func TestReviews_AnswerReportAndRemoval(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		course, other := w.Publish(t, "course", roomtest.Chapter("1", "a")), w.Publish(t, "other",
			roomtest.Chapter("1", "a"))
		ada, eve := w.Enrolls(t, "ada", course), w.Person(t, "eve", core.Student)
		rival := w.Person(t, "rival", core.Educator)
		w.Reviews(t, ada, course, 2, "Rude. ")
		page := learning.PageRequest{Limit: 10}
		list, _, err := w.Platform.Community.Reviews(ctx(), course, community.NewestReviews, page)
		roomtest.Must(t, err)
		id, counts := list.Rows[0].ID, [5]int{0, 1, 0, 0, 0}

		for who, want := range map[learning.Actor]error{ada: core.ErrForbidden,
			rival: core.ErrForbidden, roomtest.Teacher: nil} {
			if _, err := w.Platform.Community.AnswerReview(ctx(), who, id, "So?"); !errors.Is(err,
				want) {
				t.Errorf("%s answers: %v, want %v", who.UserID, err, want)
			}
		}
		w.WantReviews(t, course, community.NewestReviews, counts, "2 Rude.So?")
		if _, err := w.Platform.Community.AnswerReview(ctx(), roomtest.Boss, "none",
			"So?"); !errors.Is(err,
			community.ErrReviewNotFound) {
			t.Errorf("answer an unknown review: %v", err)
		}

		// A report is kept once, and only of a review of the course.
		err = w.Platform.Community.ComplainAboutReview(ctx(), eve, other, id, "Rude")
		if !errors.Is(err, community.ErrReviewNotFound) {
			t.Errorf("report it as one of another course: %v", err)
		}
		roomtest.Must(t, w.Platform.Community.ComplainAboutReview(ctx(), eve, course, id, "Rude"))
		roomtest.Must(t, w.Platform.Community.ComplainAboutReview(ctx(), eve, course, id,
			"Rude again"))
		reports, err := roomtest.PageRows(w.Platform.Community.Complaints(ctx(), roomtest.Boss,
			community.ComplaintOpen, page))
		if err != nil || len(reports) != 1 || reports[0].ReviewID != id ||
			reports[0].PostID+reports[0].ReplyID != "" || reports[0].Excerpt != "Rude." {
			t.Fatalf("reports %+v, %v", reports, err)
		}
		roomtest.Must(t, w.Platform.Community.DecideComplaint(ctx(), roomtest.Boss, reports[0].ID,
			community.ComplaintRemoved))
		w.WantReviews(t, course, community.NewestReviews, counts)
		w.WantCounted(t)
	})
}

func TestReview_ItsWriterReadsIt(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		course := w.Publish(t, "course", roomtest.Chapter("1", "a"))
		ada, bob := w.Enrolls(t, "ada", course), w.Enrolls(t, "bob", course)
		want := func(who learning.Actor, stars int, text string) {
			t.Helper()
			c, err := w.Platform.Study.EnrolledCourse(ctx(), who, course)
			if err != nil || c.Stars != stars || c.Review != text {
				t.Errorf("%s reads %d %q, %v, want %d %q", who.UserID, c.Stars, c.Review, err,
					stars, text)
			}
		}
		want(ada, 0, "")
		w.Reviews(t, ada, course, 3, " Good\n\nand <b>long</b> ")
		want(ada, 3, "Good\n\nand <b>long</b>")
		roomtest.Must(t, w.Platform.Community.Rate(ctx(), ada, course, 1))
		want(ada, 1, "Good\n\nand <b>long</b>")
		want(bob, 0, "") // it is the own one

		// Lists do not read it, and "" removes it.
		list, err := w.Platform.Study.EnrolledCourses(ctx(), ada, learning.PageRequest{Limit: 10})
		if err != nil || len(list.Rows) != 1 || list.Rows[0].Review != "" {
			t.Errorf("the list has %+v, %v", list.Rows, err)
		}
		w.Reviews(t, ada, course, 1, "")
		want(ada, 1, "")
	})
}

func TestReview_RefusesInvalidStars(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	ada := w.Enrolls(t, "ada", w.Publish(t, "course", roomtest.Chapter("1", "a")))
	for _, stars := range []int{-1, 0, community.MaxStars + 1} {
		err := w.Platform.Community.Review(ctx(), ada,
			community.NewReview{CourseID: "course", Stars: stars, Text: "Good"})
		roomtest.WantFailure(t, err, core.ErrInvalidRequest, "review")
	}
}

// A removed review closes the reports about it, and who has none removes none after the access has
// ended. A report needs a caller.
func TestReview_RemovalAndReports(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	course := w.Publish(t, "course", roomtest.Chapter("1", "a"))
	ada, bob := w.Enrolls(t, "ada", course), w.Enrolls(t, "bob", course)
	w.Reviews(t, ada, course, 4, "Good")
	list, _, err := w.Platform.Community.Reviews(ctx(), course, community.NewestReviews,
		learning.PageRequest{Limit: 1})
	roomtest.Must(t, err)
	id := list.Rows[0].ID
	roomtest.WantFailure(t, w.Platform.Community.ComplainAboutReview(ctx(), learning.Actor{},
		course, id,
		"Rude"),
		core.ErrUnauthenticated, "report without a caller")
	roomtest.Must(t, w.Platform.Community.ComplainAboutReview(ctx(), bob, course, id, "Rude"))
	w.End(t, true, "ada", course)
	w.End(t, true, "bob", course)
	roomtest.WantFailure(t, w.Platform.Community.Review(ctx(), bob,
		community.NewReview{CourseID: course,
			Stars: 1}),
		study.ErrNotPurchased, "remove a review that is not there")
	roomtest.Must(t, w.Platform.Community.Review(ctx(), ada,
		community.NewReview{CourseID: course, Stars: 4}))
	w.WantComplaints(t, community.ComplaintRemoved)
}
