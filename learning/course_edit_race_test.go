package learning_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/sale"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// One edit of a version wins, and nothing of the others is in the course.
func TestEditCourse_OneVersionAtOnce(t *testing.T) {
	const editors = 8
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		other := w.OtherInstance(t)
		course := w.Publish(t, "course", roomtest.Chapter("1", "a"))
		edited := make([]catalog.CourseWithContent, editors)
		errs := roomtest.Concurrently(editors, func(i int) (err error) {
			on := []*roomtest.World{w, other}[i%2]
			text, price := fmt.Sprint("Editor ", i), core.Money(100_00+i)
			edited[i], err = on.Platform.Catalog.EditCourse(ctx(), roomtest.Teacher, course,
				catalog.CourseEdit{Version: 1, Title: &text, Description: &text,
					Price: &price,
					Content: []catalog.Chapter{roomtest.Chapter(fmt.Sprint(i), "a",
						fmt.Sprint(i))}})
			return err
		})
		if diff := cmp.Diff(map[string]int{"": 1, catalog.ErrCourseChanged.Error(): editors - 1},
			roomtest.CountErrors(errs)); diff != "" {
			t.Error(diff)
		}
		now, err := w.Platform.Catalog.EditableCourse(ctx(), roomtest.Teacher, course)
		if err != nil || now.Version != 2 {
			t.Fatalf("version %d (%v)", now.Version, err)
		}
		for i := range errs {
			if errs[i] == nil {
				if diff := cmp.Diff(edited[i], now); diff != "" ||
					now.Content[0].ID != fmt.Sprint(i) ||
					now.Content[0].Lectures[1].ID != fmt.Sprint(i) {
					t.Errorf("the course is not that of the winner: %s\n%+v", diff, now.Content)
				}
			}
		}
	})
}

// The AI writes a quiz while its chapter is removed: the quiz is not stored.
func TestEditCourse_ChapterRemovedBesideItsQuizRace(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w, course := roomtest.NewWithCourse(t, database)
		// the first quiz of the chapter, and a replacement
		for _, first := range []bool{true, false} {
			release := make(chan struct{})
			w.Sandbox.AI().Faults().Next(1,
				sandbox.Fault{Kind: sandbox.FaultHang, Release: release})
			calls := len(w.Sandbox.AI().Calls()) + 1
			done := make(chan error, 1)
			go func() {
				_, err := w.Platform.Tutor.RewriteQuiz(ctx(), roomtest.Teacher, course,
					roomtest.TheChapter)
				done <- err
			}()
			roomtest.WaitFor(t, w.Sandbox.AI().WaitCalls, calls)
			w.Revise(t, course, roomtest.Chapter("another", "a"))
			close(release)
			if err := <-done; !errors.Is(err, assess.ErrChapterNotFound) {
				t.Errorf("a quiz of a removed chapter: %v", err)
			}
			if n := w.Count(t, "quizzes WHERE is_removed = 0"); n != 0 {
				t.Errorf("%d quizzes", n)
			}
			w.Revise(t, course, roomtest.Chapter(roomtest.TheChapter, "lecture"))
			if q := w.Rewrites(t, course); first != (q.Version == 1) {
				t.Errorf("the next quiz has version %d", q.Version)
			}
		}
	})
}

// Buyers and the withdrawal of a course run concurrently: each buyer has an order that can be paid,
// or was refused, and after the withdrawal every buyer is refused.
func TestEditCourse_UnpublishedBesidePurchaseAtOnce(t *testing.T) {
	const buyers = 6
	roomtest.AtTills(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		w := newWorld()
		other := w.OtherInstance(t)
		course := w.Course(t, "go", 499_00)
		actors := make([]learning.Actor, buyers)
		for i := range actors {
			actors[i] = w.Person(t, fmt.Sprint("buyer-", i), core.Student)
		}
		orders, no := make([]sale.Order, buyers), false
		errs := roomtest.Concurrently(buyers+1, func(i int) (err error) {
			if i == buyers {
				_, err = other.TryEdit(roomtest.Teacher, course, catalog.CourseEdit{Published: &no})
				return err
			}
			orders[i], err = w.Platform.Sales.OpenOrder(ctx(), actors[i],
				sale.OrderRequest{CourseID: course})
			return err
		})
		sold := 0
		for i, actor := range actors {
			if errs[i] != nil && !errors.Is(errs[i], catalog.ErrCourseNotFound) {
				t.Errorf("buyer %d: %v", i, errs[i])
			}
			if errs[i] == nil {
				sold++
				payment := w.Pay(t, orders[i].OrderID)
				if err := w.Platform.Sales.VerifyPayment(ctx(), actor,
					w.Proof(orders[i].OrderID, payment.ID)); err != nil {
					t.Errorf("pay after the withdrawal: %v", err)
				}
			}
		}
		if errs[buyers] != nil {
			t.Error(errs[buyers])
		}
		w.WantSold(t, course, sold, sold, 0)
		late := w.Person(t, "late", core.Student)
		if _, err := w.Platform.Sales.OpenOrder(ctx(), late,
			sale.OrderRequest{CourseID: course}); !errors.Is(err, catalog.ErrCourseNotFound) {
			t.Errorf("buy an unpublished course: %v", err)
		}
	})
}

// The educator is deleted while they edit: the edit takes effect or not, and the course stays.
func TestEditCourse_EducatorDeletedAtOnce(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		course := w.Publish(t, "course", roomtest.Chapter("1", "a"))
		w.Clock.Advance(1e9)
		title := "Last words"
		errs := roomtest.Concurrently(2, func(i int) error {
			if i == 0 {
				return w.Platform.System().ApplyIdentityEvent(ctx(),
					people.IdentityEvent{SentAt: w.Clock.Now(), Type: people.UserDeleted,
						User: people.IdentityUser{ID: roomtest.Teacher.UserID}})
			}
			_, err := w.TryEdit(roomtest.Teacher, course, catalog.CourseEdit{Title: &title})
			return err
		})
		if diff := cmp.Diff(map[string]int{"": 2}, roomtest.CountErrors(errs)); diff != "" {
			t.Error(diff)
		}
		c, err := w.Platform.Catalog.PublishedCourse(ctx(), course)
		if err != nil || c.Title != title || c.Version != 2 ||
			c.Educator.Name != core.DeletedUser {
			t.Errorf("the course is %+v (%v)", c, err)
		}
	})
}
