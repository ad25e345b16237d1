package storetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/study"
)

var progressTests = []test{
	{"completed lectures are listed by time, by id on a tie", progressList},
	{"a lecture is completed once, by a user and in a course, and deleted by its key", progressOnce},
	{"the completed lectures of a user are listed for all courses", progressByCourse},
	{"the lectures of all courses that a user has begun are listed in order", progressBegun},
	{"the longest ids of lectures fit, and differ by case and accents", progressIDs},
}

// completed is a completed lecture of a user in a course.
type completed struct {
	userID, courseID string
	study.CompletedLecture
}

// done returns a lecture that was completed some time after noon.
func done(lectureID string, after time.Duration) study.CompletedLecture {
	return study.CompletedLecture{LectureID: lectureID, At: noon.Add(after)}
}

// hasCompleted checks the completed lectures of a user in a course, in their order.
func (f *fixture) hasCompleted(userID, courseID string, want ...study.CompletedLecture) {
	f.t.Helper()
	got, err := f.CompletedLectures(f.t.Context(), userID, courseID)
	equal(f.t, got, err, want)
	ids := map[string]bool{}
	for _, l := range want {
		ids[l.LectureID] = true
	}
	studied, err := f.Studied(f.t.Context(), study.StudiedQuery{UserID: userID, CourseID: courseID})
	equal(f.t, studied.Completed, err, ids)
}

func progressList(t *testing.T, f *fixture) {
	f.hasCompleted("u", "c")
	for _, l := range []study.CompletedLecture{done("b", time.Second), done("z", 0),
		done("a", time.Second), done("y", time.Microsecond)} {
		f.add(completed{userID: "u", courseID: "c", CompletedLecture: l})
	}
	want := []study.CompletedLecture{done("z", 0), done("y", time.Microsecond),
		done("a", time.Second), done("b", time.Second)}
	f.hasCompleted("u", "c", want...)
	f.do(func(ctx context.Context, tx learning.Tx) error {
		got, err := tx.CompletedLectures(ctx, "u", "c")
		equal(t, got, err, want)
		return nil
	})
}

func progressByCourse(t *testing.T, f *fixture) {
	got, err := f.CompletedByCourse(t.Context(), "u")
	equal(t, got, err, nil)
	f.add(completed{userID: "u", courseID: "c", CompletedLecture: done("b", time.Second)},
		completed{userID: "u", courseID: "d", CompletedLecture: done("b", 0)},
		completed{userID: "u", courseID: "c", CompletedLecture: done("z", time.Microsecond)},
		completed{userID: "u", courseID: "c", CompletedLecture: done("a", time.Second)},
		completed{userID: "v", courseID: "c", CompletedLecture: done("b", 0)},
		completed{userID: "U", courseID: "e", CompletedLecture: done("b", 0)})
	got, err = f.CompletedByCourse(t.Context(), "u")
	equal(t, got, err, map[string][]study.CompletedLecture{
		"c": {done("z", time.Microsecond), done("a", time.Second), done("b", time.Second)},
		"d": {done("b", 0)},
	})
	got, err = f.CompletedByCourse(t.Context(), "u ")
	equal(t, got, err, nil)
}

func progressBegun(t *testing.T, f *fixture) {
	got, err := f.BegunLectureIDs(t.Context(), "u")
	equal(t, got, err, nil)
	for _, id := range []string{"c", "d", "not begun", "of another"} {
		f.do(func(ctx context.Context, tx learning.Tx) error {
			return tx.InsertCourse(ctx, course(id),
				[]catalog.Chapter{{ID: "1",
					Lectures: []catalog.Lecture{{ID: id + " z"}, {ID: id + " a"}}}, {ID: "2"},
					{ID: "3", Lectures: []catalog.Lecture{{ID: "last"}}}})
		})
	}
	f.add(course("empty"), completed{userID: "u", courseID: "c", CompletedLecture: done("c z", 0)},
		completed{userID: "u", courseID: "c", CompletedLecture: done("last", 0)},
		completed{userID: "u", courseID: "d", CompletedLecture: done("gone", 0)},
		completed{userID: "u", courseID: "empty", CompletedLecture: done("gone", 0)},
		completed{userID: "u", courseID: "no course", CompletedLecture: done("l", 0)},
		completed{userID: "v", courseID: "of another", CompletedLecture: done("last", 0)})
	got, err = f.BegunLectureIDs(t.Context(), "u")
	equal(t, got, err, map[string][]string{"c": {"c z", "c a", "last"}, "d": {"d z", "d a", "last"},
		"empty": nil})
	got, err = f.BegunLectureIDs(t.Context(), "U")
	equal(t, got, err, nil)
}

func progressOnce(t *testing.T, f *fixture) {
	f.add(completed{userID: "u", courseID: "c", CompletedLecture: done("l", 0)})
	f.fails(core.ErrDuplicate, func(ctx context.Context, tx learning.Tx) error {
		return tx.InsertCompletedLecture(ctx, "u", "c", done("l", time.Hour))
	})
	for _, other := range [][3]string{{"u", "c", "L"}, {"u", "C", "l"}, {"U", "c", "l"},
		{"u", "c", ""}, {"u", "c", "l "}, {"u", "c", "\xff"}} {
		f.do(func(ctx context.Context, tx learning.Tx) error { // deletes nothing
			return tx.DeleteCompletedLecture(ctx, other[0], other[1], other[2])
		})
	}
	f.hasCompleted("u", "c", done("l", 0))
	f.do(func(ctx context.Context, tx learning.Tx) error {
		if err := tx.InsertCompletedLecture(ctx, "u", "c", done("m", 0)); err != nil {
			return err
		}
		return tx.DeleteCompletedLecture(ctx, "u", "c", "m")
	})
	f.hasCompleted("u", "c", done("l", 0))
	f.add(completed{userID: "v", courseID: "c", CompletedLecture: done("l", 1)},
		completed{userID: "u", courseID: "d", CompletedLecture: done("l", 2)})
	f.hasCompleted("u", "c", done("l", 0))
	for _, other := range [][2]string{{"u", "e"}, {"w", "c"}, {"U", "c"}, {"u", "C"}, {"u ", "c"},
		{"u", "c "}, {"\xff", "c"}} {
		f.hasCompleted(other[0], other[1])
	}
}

func progressIDs(t *testing.T, f *fixture) {
	var want []study.CompletedLecture
	for i, id := range []string{"l", "L", "ł", "l\t", " l", "1", "01",
		long(catalog.MaxContentID)} {
		l := done(id, time.Duration(i)*time.Second)
		f.add(completed{userID: long(47) + "abc", courseID: long(16), CompletedLecture: l})
		want = append(want, l)
	}
	f.hasCompleted(long(47)+"abc", long(16), want...)
	if err := f.try(func(ctx context.Context, tx learning.Tx) error {
		return tx.InsertCompletedLecture(ctx, "u", "c", done("l ", 0))
	}); err == nil {
		t.Error(
			"an id with a space at its end was stored; some engines cannot distinguish it from " +
				"the same id without the space")
	}
}

// raceProgress completes the same five lectures ten times each.
func raceProgress(t *testing.T, f *fixture) {
	wins := f.race(50, func(ctx context.Context, tx learning.Tx, i int) (bool, error) {
		return true, tx.InsertCompletedLecture(ctx, "u", "c",
			done(fmt.Sprint(i%5), time.Duration(i)*time.Second))
	})
	list, err := f.CompletedLectures(t.Context(), "u", "c")
	if err != nil || wins != 5 || len(list) != 5 {
		t.Errorf("%d transactions succeeded, and %d lectures are completed (%v)", wins, len(list),
			err)
	}
}
