package sale_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning/bundle"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/sale"
)

// bundleRound is a bundle of two courses of a round of a race, and who buys it.
type bundleRound struct {
	bundle.Bundle
	buyer core.Actor
	a, b  string // its courses
}

// newBundleRound makes a bundle of courses of 300 and 100, and a user.
func newBundleRound(t *testing.T, w *roomtest.World, id string) bundleRound {
	t.Helper()
	r := bundleRound{buyer: w.Person(t, id, core.Student), a: w.Course(t, id+"-a", 300_00),
		b: w.Course(t, id+"-b", 100_00)}
	r.Bundle = w.BundleOf(t, 200_00, r.a, r.b)
	return r
}

// order opens an order of the bundle.
func (r bundleRound) order(w *roomtest.World) (sale.Order, error) {
	return w.Platform.Sales.OpenOrder(ctx(), r.buyer, sale.OrderRequest{BundleID: r.ID})
}

// wantEnrolled fails unless the user has these courses of the round, each once.
func (r bundleRound) wantEnrolled(t *testing.T, w *roomtest.World, courses ...string) {
	t.Helper()
	for _, course := range []string{r.a, r.b} {
		want := 0
		if slices.Contains(courses, course) {
			want = 1
		}
		if n := w.Students(t, course); n != want {
			t.Errorf("%s has %d students, want %d", course, n, want)
		}
	}
}

// Who pays a bundle and one of its courses at once has paid for both, and has each course once.
func TestBundleRace_BesideASinglePurchase(t *testing.T) {
	roomtest.AtTills(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		w := newWorld((&roomtest.Receiver{}).Option())
		other := w.OtherInstance(t, (&roomtest.Receiver{}).Option())
		var rounds []bundleRound
		w.Races(t, nil, func(id string) []func() error {
			r := newBundleRound(t, w, id)
			rounds = append(rounds, r)
			whole := w.OrderBundle(t, r.buyer, r.ID)
			single := w.Order(t, r.buyer, r.a)
			paid := map[sale.Order]roomtest.Paid{whole: w.Pay(t, whole.OrderID),
				single: w.Pay(t, single.OrderID)}
			pay := func(w *roomtest.World, o sale.Order) func() error {
				return func() error { return w.Report(paid[o]) }
			}
			return []func() error{pay(w, whole), pay(w, single), pay(other, whole), pay(other, single)}
		})
		for _, r := range rounds {
			r.wantEnrolled(t, w, r.a, r.b)
		}
		if n := w.Count(t, "purchases WHERE status = 'completed'"); n != 2*len(rounds) {
			t.Errorf("%d purchases are completed, want %d", n, 2*len(rounds))
		}
	})
}

// An order of a bundle that is changed or deleted meanwhile has the price and the courses of one of
// its versions, and can be paid.
func TestBundleRace_OpenedWhileItIsChanged(t *testing.T) {
	roomtest.AtTills(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		w := newWorld((&roomtest.Receiver{}).Option())
		opened := 0
		for round := range 4 {
			r := newBundleRound(t, w, fmt.Sprint("round-", round))
			c := w.Course(t, fmt.Sprint("more-", round), 100_00)
			var o sale.Order
			errs := roomtest.Concurrently(3, func(i int) (err error) {
				switch i {
				case 0:
					o, err = r.order(w)
				case 1:
					_, err = w.Platform.Bundles.Edit(ctx(), roomtest.Teacher, r.ID,
						bundle.Edit{Version: 1, Price: new(core.Money(300_00)),
							CourseIDs: []string{r.a, r.b, c}})
				case 2:
					if isDeleted := round%2 == 1; isDeleted {
						err = w.Platform.Bundles.Delete(ctx(), roomtest.Teacher, r.ID)
					}
				}
				return err
			})
			for i, err := range errs {
				if err != nil && !errors.Is(err, bundle.ErrBundleNotFound) {
					t.Errorf("call %d: %v", i, err)
				}
			}
			if errs[0] != nil {
				continue
			}
			opened++
			p := w.PaysOrder(t, o)
			lines := map[core.Money]int{200_00: 2, 300_00: 3}[p.Amount]
			if p.Status != purchase.Completed || len(p.Lines) != lines {
				t.Errorf("purchase %s of %d is %s and has %d lines", p.ID, p.Amount, p.Status,
					len(p.Lines))
			}
			for _, l := range p.Lines {
				if err := w.Platform.Study.ForRooms().RequireEnrolled(ctx(), r.buyer, l.CourseID); err != nil {
					t.Errorf("the course %s of a line: %v", l.CourseID, err)
				}
			}
			w.WantValidSales(t)
		}
		if opened == 0 {
			t.Error("no order was opened")
		}
	})
}

// A course that leaves a bundle and is deleted while an order of the bundle opens has no line in
// it, or is not deleted.
func TestBundleRace_OpenedWhileACourseIsDeleted(t *testing.T) {
	roomtest.AtTills(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		w := newWorld((&roomtest.Receiver{}).Option())
		allowed := []error{catalog.ErrCourseNotFound, catalog.ErrCourseHasStudents}
		w.Races(t, allowed, func(id string) []func() error {
			r := newBundleRound(t, w, id)
			c := w.Course(t, id+"-c", 100_00)
			edit := func(version int64, courseIDs ...string) error {
				_, err := w.Platform.Bundles.Edit(ctx(), roomtest.Teacher, r.ID,
					bundle.Edit{Version: version, CourseIDs: courseIDs})
				return err
			}
			roomtest.Must(t, edit(1, r.a, r.b, c))
			open := func() error {
				_, err := r.order(w)
				return err
			}
			remove := func() error {
				if err := edit(2, r.a, r.b); err != nil {
					return err
				}
				return w.Platform.DeleteCourse(ctx(), roomtest.Teacher, c)
			}
			return []func() error{open, remove, open}
		})
	})
}
