package catalog_test

import (
	"fmt"
	"testing"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
)

// Admins make each course of a ring require the next one, at once and on two instances: each alone
// is right, and one of them comes last and is refused. The courses between are of other educators,
// so that no lock of an educator orders the edits.
func TestEditCourse_NoCircleOfRequirementsRace(t *testing.T) {
	const ring = 4
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		other := w.OtherInstance(t)
		for round := range 3 {
			id := func(i int) string { return fmt.Sprintf("course-%d-%d", round, i%ring) }
			addRing(t, w, ring, id)
			errs := roomtest.Concurrently(ring, func(i int) error {
				_, err := []*roomtest.World{w, other}[i%2].Platform.Catalog.EditCourse(ctx(),
					roomtest.Boss, id(i), catalog.CourseEdit{Version: 1,
						Terms: &catalog.Terms{Requires: []string{id(i + 1)}}})
				return err
			})
			counts := roomtest.CountErrors(errs)
			if counts[""] != ring-1 || len(counts) != 2 {
				t.Errorf("%d courses in a ring require the next one: %v", ring, counts)
			}
		}
	})
}

// addRing stores courses, each of another educator.
func addRing(t *testing.T, w *roomtest.World, n int, id func(i int) string) {
	t.Helper()
	err := w.Store.InTx(ctx(), func(tx learning.Tx) error {
		for i := range n {
			if err := tx.InsertCourse(ctx(), catalog.Course{ID: id(i), Title: "Ring", Version: 1,
				Educator: core.Person{ID: fmt.Sprint("educator-", i)}}, nil); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
