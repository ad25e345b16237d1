package learning_test

import (
	"context"

	"github.com/openlectern/openlectern/learning"
)

func (r faultyReader) EnrolledCourse(ctx context.Context, userID, courseID string) (learning.EnrolledCourse, error) {
	return read(r.b, "EnrolledCourse", func() (learning.EnrolledCourse, error) { return r.Reader.EnrolledCourse(ctx, userID, courseID) })
}

func (r faultyReader) LectureIDs(ctx context.Context, courseID string) ([]string, error) {
	return read(r.b, "LectureIDs", func() ([]string, error) { return r.Reader.LectureIDs(ctx, courseID) })
}

func (r faultyReader) CompletedLectures(ctx context.Context, userID, courseID string) ([]learning.CompletedLecture, error) {
	return read(r.b, "CompletedLectures", func() ([]learning.CompletedLecture, error) { return r.Reader.CompletedLectures(ctx, userID, courseID) })
}

func (r faultyReader) EnrolledCourses(ctx context.Context, userID string) ([]learning.EnrolledCourse, error) {
	return read(r.b, "EnrolledCourses", func() ([]learning.EnrolledCourse, error) { return r.Reader.EnrolledCourses(ctx, userID) })
}

func (r faultyReader) CompletedByCourse(ctx context.Context, userID string) (map[string][]learning.CompletedLecture, error) {
	return read(r.b, "CompletedByCourse", func() (map[string][]learning.CompletedLecture, error) { return r.Reader.CompletedByCourse(ctx, userID) })
}

func (r faultyReader) BegunLectureIDs(ctx context.Context, userID string) (map[string][]string, error) {
	return read(r.b, "BegunLectureIDs", func() (map[string][]string, error) { return r.Reader.BegunLectureIDs(ctx, userID) })
}

func (r faultyReader) Rating(ctx context.Context, userID, courseID string) (learning.Rating, error) {
	return read(r.b, "Rating", func() (learning.Rating, error) { return r.Reader.Rating(ctx, userID, courseID) })
}

func (t *faultyTx) InsertCompletedLecture(ctx context.Context, userID, courseID string, l learning.CompletedLecture) error {
	return t.write("InsertCompletedLecture", func() error { return t.tx.InsertCompletedLecture(ctx, userID, courseID, l) })
}

func (t *faultyTx) MarkCourseChanged(ctx context.Context, id string) error {
	return t.write("MarkCourseChanged", func() error { return t.tx.MarkCourseChanged(ctx, id) })
}

func (t *faultyTx) UpdateTotals(ctx context.Context, c learning.Course) error {
	return t.write("UpdateTotals", func() error { return t.tx.UpdateTotals(ctx, c) })
}

func (t *faultyTx) UpdateContent(ctx context.Context, courseID string, content []learning.Chapter) error {
	return t.write("UpdateContent", func() error { return t.tx.UpdateContent(ctx, courseID, content) })
}

func (t *faultyTx) InsertRating(ctx context.Context, r learning.Rating) error {
	return t.write("InsertRating", func() error { return t.tx.InsertRating(ctx, r) })
}

func (t *faultyTx) ReplaceRating(ctx context.Context, r learning.Rating, old int) (bool, error) {
	return read(t.b, "ReplaceRating", func() (bool, error) { return t.tx.ReplaceRating(ctx, r, old) })
}

func (t *faultyTx) CountRating(ctx context.Context, courseID string, change learning.Ratings) error {
	return t.write("CountRating", func() error { return t.tx.CountRating(ctx, courseID, change) })
}
