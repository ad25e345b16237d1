package learning_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/sale"
	"github.com/openlectern/openlectern/learning/study"
)

// The deletion of a course and purchases of it run concurrently: the course is deleted and every
// buyer was refused, or it stays and its purchases can be paid.
func TestDeleteCourse_BesidePurchaseAtOnce(t *testing.T) {
	const rounds, buyers = 4, 3
	roomtest.AtTills(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		w := newWorld()
		other := w.OtherInstance(t)
		actors := make([]learning.Actor, buyers)
		for i := range actors {
			actors[i] = w.Person(t, fmt.Sprint("buyer-", i), core.Student)
		}
		for round := range rounds {
			// free and paid
			course := w.Course(t, fmt.Sprint("course-", round), core.Money(round%2*499_00))
			orders := make([]sale.Order, buyers)
			errs := roomtest.Concurrently(buyers+1, func(i int) (err error) {
				if i == buyers {
					return other.Platform.DeleteCourse(ctx(), roomtest.Teacher, course)
				}
				orders[i], err = w.Platform.Sales.OpenOrder(ctx(), actors[i],
					sale.OrderRequest{CourseID: course})
				return err
			})
			deleted := errs[buyers] == nil
			if !deleted && !errors.Is(errs[buyers], catalog.ErrCourseHasStudents) {
				t.Errorf("delete: %v", errs[buyers])
			}
			for i := range buyers {
				switch {
				case errs[i] != nil && !errors.Is(errs[i], catalog.ErrCourseNotFound):
					t.Errorf("buy: %v", errs[i])
				case errs[i] == nil && deleted:
					t.Error("a buyer has an order of a deleted course")
				case errs[i] == nil && orders[i].OrderID != "":
					payment := w.Pay(t, orders[i].OrderID)
					if err := w.Platform.Sales.VerifyPayment(ctx(), actors[i],
						w.Proof(orders[i].OrderID, payment.ID)); err != nil {
						t.Errorf("pay: %v", err)
					}
				}
			}
			w.WantInvariants(t)
		}
	})
}

// A failed purchase is paid while its course is deleted: the buyer is enrolled and the course
// stays, or the payment of a deleted course is logged.
func TestDeleteCourse_BesideLatePaymentAtOnce(t *testing.T) {
	const rounds = 4
	roomtest.AtTills(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		w := newWorld()
		other := w.OtherInstance(t)
		ada, gone := w.Person(t, "ada", core.Student), 0
		for round := range rounds {
			course := w.Course(t, fmt.Sprint("course-", round), 499_00)
			order := w.Order(t, ada, course)
			w.Exec(t, "UPDATE purchases SET status = 'failed', is_open = NULL WHERE id = ?",
				order.PurchaseID)
			payment := w.Pay(t, order.OrderID)
			errs := roomtest.Concurrently(2, func(i int) error {
				if i == 0 {
					return other.Platform.DeleteCourse(ctx(), roomtest.Teacher, course)
				}
				return w.Platform.Sales.VerifyPayment(ctx(), ada,
					w.Proof(order.OrderID, payment.ID))
			})
			if errs[1] != nil || errs[0] != nil &&
				!errors.Is(errs[0], catalog.ErrCourseHasStudents) {
				t.Errorf("%v", errs)
			}
			if errs[0] == nil {
				gone++
			}
			if p := w.Purchase(t, order.PurchaseID); p.Status != purchase.Completed {
				t.Errorf("the purchase is %s", p.Status)
			}
			w.WantInvariants(t)
		}
		w.WantLogged(t, "payment for a deleted course", gone)
	})
}

// A course is deleted while it is edited, gets a quiz and a picture: nothing of it is left.
func TestDeleteCourse_BesideChangesAtOnce(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		media := &roomtest.MemoryMedia{}
		w := roomtest.New(t, database, learningtest.WithPlatform(learning.WithMedia(media)))
		other := w.OtherInstance(t, learningtest.WithPlatform(learning.WithMedia(media)))
		course, title := w.Course(t, "go", 0), "Another"
		errs := roomtest.Concurrently(4, func(i int) (err error) {
			switch i {
			case 0:
				return other.Platform.DeleteCourse(ctx(), roomtest.Teacher, course)
			case 1:
				_, err = w.Platform.Catalog.EditCourse(ctx(), roomtest.Teacher, course,
					catalog.CourseEdit{Version: 1, Title: &title})
			case 2:
				_, err = w.Platform.Tutor.RewriteQuiz(ctx(), roomtest.Teacher, course,
					roomtest.TheChapter)
			case 3:
				_, err = w.Platform.Catalog.SetThumbnail(ctx(), roomtest.Teacher, course,
					learningtest.Thumbnail(t))
			}
			if errors.Is(err, catalog.ErrCourseNotFound) ||
				errors.Is(err, catalog.ErrCourseChanged) {
				return nil
			}
			return err
		})
		for _, err := range errs {
			if err != nil {
				t.Error(err)
			}
		}
		w.WantInvariants(t)
		if n := w.Count(t, "courses") + w.Count(t, "quizzes") +
			w.Count(t, "unused_files"); n != 0 || len(media.Files) != 0 {
			t.Errorf("%d rows and %d files are left", n, len(media.Files))
		}
	})
}

// Its educator writes posts in a course while it is deleted: no post of a deleted course is left.
func TestDeleteCourse_BesidePostsAtOnce(t *testing.T) {
	const rounds, posts = 6, 6
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		other := w.OtherInstance(t)
		for round := range rounds {
			course := w.Course(t, fmt.Sprint("course-", round), 0)
			errs := roomtest.Concurrently(posts+1, func(i int) (err error) {
				if i == posts/2 {
					return other.Platform.DeleteCourse(ctx(), roomtest.Teacher, course)
				}
				_, err = w.Platform.Community.CreatePost(ctx(), roomtest.Teacher,
					community.NewPost{Title: "Title", Content: "Text", CourseID: course})
				if errors.Is(err, community.ErrPostNotFound) ||
					errors.Is(err, catalog.ErrCourseNotFound) {
					return nil
				}
				return err
			})
			for _, err := range errs {
				if err != nil {
					t.Error(err)
				}
			}
			if n := w.Count(t, "posts"); n != 0 {
				t.Errorf("%d posts of a deleted course are left", n)
			}
		}
		w.WantRightTotals(t)
	})
}

// An admin enrols a user while the course is deleted: the course is deleted and the admin was
// refused, or it stays with its student.
func TestDeleteCourse_BesideGrantAtOnce(t *testing.T) {
	const rounds = 6
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		other := w.OtherInstance(t)
		w.Person(t, "ada", core.Student)
		for round := range rounds {
			course, created := w.Course(t, fmt.Sprint("course-", round), 499_00), false
			errs := roomtest.Concurrently(2, func(i int) (err error) {
				if i == 0 {
					return other.Platform.DeleteCourse(ctx(), roomtest.Teacher, course)
				}
				created, err = w.Platform.Study.GrantEnrollment(ctx(), roomtest.Boss,
					study.Grant{UserID: "ada", CourseID: course})
				return err
			})
			deleted := errs[0] == nil && errors.Is(errs[1], catalog.ErrCourseNotFound) && !created
			enrolled := errors.Is(errs[0], catalog.ErrCourseHasStudents) && errs[1] == nil &&
				created
			left := w.Count(t, "courses c JOIN enrollments e ON e.course_id = c.id WHERE c.id = ?",
				course)
			if !deleted && !enrolled || enrolled != (left == 1) {
				t.Errorf("delete: %v; grant: %v; %d courses with a student are left", errs[0],
					errs[1], left)
			}
			w.WantInvariants(t)
		}
	})
}
