package httpapi_test

import (
	"context"
	"time"

	"github.com/openlectern/openlectern/learning"
)

// fixtureProgress is what some of the fixture's students have completed, each lecture
// an hour after the one before it: student all of a course, collector a part of
// one and all of another that is no longer published, traveller a part and what the
// course no longer has, and buyer_twice only what it no longer has.
var fixtureProgress = []struct {
	user, course string
	lectures     []string
}{
	{"student", "course_odd", []string{"lecture_2", "lecture_1"}},
	{"collector", "course_go", []string{"lecture_1"}},
	{"collector", "course_older", []string{"lecture_1", "lecture_2"}},
	{"traveller", "course_old", []string{"lecture_0", "lecture_2", "lecture_9"}},
	{"buyer_twice", "course_go", []string{"lecture_0"}},
	{"left_student", "course_old", []string{"lecture_1"}},
}

// fixtureRatings are those that the figures of course_go are made of.
var fixtureRatings = []learning.Rating{
	{UserID: "collector", CourseID: "course_go", Stars: 4},
	{UserID: "buyer_twice", CourseID: "course_go", Stars: 4},
	{UserID: "buyer_refunded", CourseID: "course_go", Stars: 5},
}

func insertProgress(ctx context.Context, tx learning.Tx) error {
	at := day(20)
	for _, p := range fixtureProgress {
		for _, id := range p.lectures {
			at = at.Add(time.Hour)
			if err := tx.InsertCompletedLecture(ctx, p.user, p.course, learning.CompletedLecture{LectureID: id, At: at}); err != nil {
				return err
			}
		}
	}
	for _, r := range fixtureRatings {
		r.CreatedAt, r.UpdatedAt = day(21), day(22)
		if err := tx.InsertRating(ctx, r); err != nil {
			return err
		}
	}
	return nil
}
