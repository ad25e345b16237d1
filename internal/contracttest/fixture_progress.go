package contracttest

import (
	"context"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/study"
)

// fixtureProgress holds the completed lectures of users, each an hour after the previous one.
// student has completed a course; collector a part of one, and all of an unpublished one;
// traveller a part, and two lectures that were removed since; buyer_twice only a removed one.
var fixtureProgress = []struct {
	user, course string
	lectures     []string
}{
	{user: "student", course: "course_odd", lectures: []string{"lecture_2", "lecture_1"}},
	{user: "collector", course: "course_go", lectures: []string{"lecture_1"}},
	{user: "collector", course: "course_older", lectures: []string{"lecture_1", "lecture_2"}},
	{user: "traveller", course: "course_old",
		lectures: []string{"lecture_0", "lecture_2", "lecture_9"}},
	{user: "buyer_twice", course: "course_go", lectures: []string{"lecture_0"}},
	{user: "left_student", course: "course_old", lectures: []string{"lecture_1"}},
}

// fixtureRatings are the ratings that the sum and the count of course_go contain.
var fixtureRatings = []community.Rating{
	{UserID: "collector", CourseID: "course_go", Stars: 4},
	{UserID: "buyer_twice", CourseID: "course_go", Stars: 4},
	{UserID: "buyer_refunded", CourseID: "course_go", Stars: 5},
}

// fixtureReview is the text of the first of the ratings.
var fixtureReview = community.Review{ID: "review_first", EducatorID: "educator",
	Text:      "Good <b>so far</b>.",
	CreatedAt: day(21)}

// fixturePositions are positions in lectures, the last one of each user last. lecture_9 was removed
// from its course.
var fixturePositions = []study.LecturePosition{
	{UserID: "collector", CourseID: "course_go", LectureID: "lecture_1", At: 75_500},
	{UserID: "traveller", CourseID: "course_old", LectureID: "lecture_2", At: 600_000},
	{UserID: "traveller", CourseID: "course_old", LectureID: "lecture_9", At: 60_000},
}

// fixtureNote is a note of the student of the access table.
var fixtureNote = study.Note{ID: "note_first", UserID: "student", CourseID: "course_odd",
	LectureID: "lecture_1", Slot: 7, At: new(core.Milliseconds(61_500)),
	Text: "Why <b>not</b>?", CreatedAt: day(22), UpdatedAt: day(22)}

// insertPositions stores the positions of the fixture, an hour after each other. The enrolments
// must be stored before.
func insertPositions(ctx context.Context, tx learning.Tx) error {
	for i, p := range fixturePositions {
		p.SavedAt = day(22).Add(time.Duration(i) * time.Hour)
		list := []study.LecturePosition{p}
		if err := tx.SetLastLectures(ctx, list); err != nil {
			return err
		}
		if err := tx.ReplacePositions(ctx, list); err != nil {
			return err
		}
	}
	return nil
}

// insertProgress stores the completed lectures and the ratings of the fixture.
func insertProgress(ctx context.Context, tx learning.Tx) error {
	at := day(20)
	if err := tx.InsertNote(ctx, fixtureNote); err != nil {
		return err
	}
	for _, p := range fixtureProgress {
		for _, id := range p.lectures {
			at = at.Add(time.Hour)
			if err := tx.InsertCompletedLecture(ctx, p.user, p.course,
				study.CompletedLecture{LectureID: id, At: at}); err != nil {
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
	_, err := tx.SetReview(ctx, fixtureRatings[0], fixtureReview)
	return err
}
