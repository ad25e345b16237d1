package study_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
)

func TestCourseStats_OfTheCurrentContent(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		for i, c := range []struct{ lectures, done int }{{3, 0}, {3, 2}, {2, 2}, {0, 0}, {8, 1},
			{3, 2}} {
			w.Studies(t, "ada", fmt.Sprint(i), c.lectures, c.done)
		}
		w.Studies(t, "bob", "of bob", 5, 5)
		// The last course has lost a completed lecture and has two new ones, so that its stored
		// number of lectures is out of date.
		err := w.Store.InTx(ctx(), func(tx learning.Tx) error {
			return tx.UpdateContent(ctx(), "5",
				[]catalog.Chapter{{ID: roomtest.TheChapter,
					Lectures: []catalog.Lecture{{ID: "l1"}, {ID: "l2"}, {ID: "l3"}, {ID: "l4"}}}})
		})
		if err != nil {
			t.Fatal(err)
		}
		list, err := w.Platform.Study.ForRooms().CourseStats(ctx(), "ada")
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]int{}
		for _, c := range list {
			got[fmt.Sprintf("%s, %s: %d of %d", c.Title, c.Description, c.Done,
				c.Lectures)] = c.CompletionPercent()
		}
		if diff := cmp.Diff(map[string]int{
			"Course 0, About 0: 0 of 3": 0, "Course 1, About 1: 2 of 3": 67,
			"Course 2, About 2: 2 of 2": 100,
			"Course 3, About 3: 0 of 0": 0, "Course 4, About 4: 1 of 8": 13,
			"Course 5, About 5: 1 of 4": 25,
		}, got); diff != "" {
			t.Error(diff)
		}
		if none, err := w.Platform.Study.ForRooms().CourseStats(ctx(), "nobody"); err != nil ||
			len(none) != 0 {
			t.Errorf("of an unknown user: %v (%v)", none, err)
		}
	})
}

func TestCourseStats_ThreeQueriesForAnyNumberOfCourses(t *testing.T) {
	steps := &roomtest.FaultyStore{}
	w := roomtest.New(t, roomtest.SQLite(t), roomtest.WithFaultyStore(steps))
	for i := range 50 {
		w.Studies(t, "ada", fmt.Sprint(i), 3, i%4)
		if i != 0 && i != 49 {
			continue
		}
		before := steps.Count()
		if list, err := w.Platform.Study.ForRooms().CourseStats(ctx(), "ada"); err != nil ||
			len(list) != i+1 {
			t.Fatalf("%d courses, want %d (%v)", len(list), i+1, err)
		}
		if n := steps.Count() - before; n != 3 {
			t.Errorf("%d queries for %d courses, want 3", n, i+1)
		}
	}
}
