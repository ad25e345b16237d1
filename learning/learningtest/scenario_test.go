package learningtest_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/sale"
	"github.com/openlectern/openlectern/learning/study"
)

// shop is a platform whose student buys one course, and a sandbox that is told over HTTP
// what happens.
type shop struct {
	*learningtest.Kit
	ada    learning.Actor
	course string
}

func newShop(t *testing.T) shop {
	t.Helper()
	s := shop{Kit: learningtest.New(t)}
	handler, err := httpapi.New(s.Platform)
	if err != nil {
		t.Fatal(err)
	}
	s.Serve(t, handler, "")
	s.ada, s.course = s.Person(t, "ada", core.Student), s.Course(t, "sailing", 499_00)
	return s
}

// order opens an order and returns its id.
func (s shop) order(t *testing.T) string {
	t.Helper()
	order, err := s.Platform.Sales.OpenOrder(t.Context(), s.ada,
		sale.OrderRequest{CourseID: s.course})
	if err != nil {
		t.Fatal(err)
	}
	return order.OrderID
}

// do sends a request to the sandbox, waits until webhooks that are not held are delivered,
// and returns the answer.
func (s shop) do(t *testing.T, method, path, body string) (answer struct {
	ID    string
	Items []struct{ ID, Event, State string }
}) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.Sandbox.Config().URL+path,
		strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var text bytes.Buffer
	if _, err := text.ReadFrom(res.Body); err != nil || res.StatusCode/100 != 2 {
		t.Fatalf("%s %s: status %d %s: %v", method, path, res.StatusCode, text.String(), err)
	}
	if text.Len() > 0 {
		if err := json.Unmarshal(text.Bytes(), &answer); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Sandbox.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	return answer
}

// hold makes the sandbox hold webhooks.
func (s shop) hold(t *testing.T) {
	t.Helper()
	s.do(t, "PUT", "/sandbox/webhooks",
		`{"hold":true}`)
}

// resend sends the webhooks with these positions in the list, in this order.
func (s shop) resend(t *testing.T, positions ...int) {
	t.Helper()
	all := s.do(t, "GET", "/sandbox/webhooks", "").Items
	for _, i := range positions {
		s.do(t, "POST", "/sandbox/webhooks/"+all[i].ID+"/resend", "")
	}
}

// sold fails the test unless the books say that the student has bought the course once, or
// not at all, and that they agree with one another.
func (s shop) sold(t *testing.T, orderID string, status purchase.Status) {
	t.Helper()
	enrolled, err := s.Platform.Study.EnrolledCourses(t.Context(), s.ada,
		learning.PageRequest{Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	course, err := s.Store.Course(t.Context(), s.course)
	if err != nil {
		t.Fatal(err)
	}
	order, err := s.Sandbox.Gateway().Order(orderID)
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.Store.Purchase(t.Context(), order.Notes["purchaseId"])
	if err != nil {
		t.Fatal(err)
	}
	students := 0
	if status == purchase.Completed {
		students = 1
	}
	if p.Status != status || len(enrolled.Rows) != students || course.Students != students {
		t.Errorf("the purchase is %s, and should be %s; %d enrolments, %d students",
			p.Status, status, len(enrolled.Rows), course.Students)
	}
}

func TestGateway_CapturesLate(t *testing.T) {
	s := newShop(t)
	order := s.order(t)
	payment := s.do(t, "POST", "/sandbox/orders/"+order+"/payments", `{"action":"authorize"}`).ID
	s.sold(t, order, purchase.Pending)
	s.do(t, "POST", "/sandbox/payments/"+payment+"/capture", "")
	s.sold(t, order, purchase.Completed)
}

func TestGateway_CapturesTwice(t *testing.T) {
	s := newShop(t)
	order := s.order(t)
	s.do(t, "POST", "/sandbox/orders/"+order+"/payments", `{"action":"pay"}`)
	s.do(t, "POST", "/sandbox/orders/"+order+"/payments", `{"action":"pay","again":true}`)
	s.sold(t, order, purchase.Completed)
	if n := s.Log.Count("double payment"); n != 1 {
		t.Errorf("%d warnings of a double payment:\n%s", n, s.Log)
	}
}

func TestGateway_SendsTheWebhookBeforeTheOrder(t *testing.T) {
	s := newShop(t)
	s.do(t, "POST", "/sandbox/faults", `{"provider":"gateway","on":"order.create","kind":"paid"}`)
	if order, err := s.Platform.Sales.OpenOrder(t.Context(), s.ada,
		sale.OrderRequest{CourseID: s.course}); !errors.Is(err, study.ErrAlreadyEnrolled) {
		t.Errorf("the order is %+v, %v", order, err)
	}
	s.sold(t, s.Sandbox.Gateway().Orders()[0].ID, purchase.Completed)
}

func TestGateway_SendsTheLaterEventFirst(t *testing.T) {
	s := newShop(t)
	order := s.order(t)
	s.hold(t)
	payment := s.do(t, "POST", "/sandbox/orders/"+order+"/payments", `{"action":"authorize"}`).ID
	s.do(t, "POST", "/sandbox/payments/"+payment+"/capture", "")
	s.sold(t, order, purchase.Pending)
	s.resend(t, 1, 0, 1)
	s.sold(t, order, purchase.Completed)
	if s.Log.Count("double payment") != 0 {
		t.Errorf("one payment counts twice:\n%s", s.Log)
	}
}

func TestGateway_RefusesAPayment(t *testing.T) {
	s := newShop(t)
	order := s.order(t)
	s.do(t, "POST", "/sandbox/orders/"+order+"/payments", `{"action":"fail"}`)
	s.sold(t, order, purchase.Pending)
	s.do(t, "POST", "/sandbox/orders/"+order+"/payments", `{"action":"pay"}`)
	s.sold(t, order, purchase.Completed)
}

func TestGateway_Refunds(t *testing.T) {
	s := newShop(t)
	payment := s.Buy(t, s.ada, s.course)
	s.do(t, "POST", "/sandbox/payments/"+payment.ID+"/refund", "")
	all := s.do(t, "GET", "/sandbox/webhooks", "").Items
	if last := all[len(all)-1]; last.Event != "refund.processed" || last.State != "delivered" {
		t.Errorf("the webhook is %+v", last)
	}
	s.sold(t, payment.OrderID, purchase.Refunded)
}

func TestIdentity_SendsAnOldEventLate(t *testing.T) {
	s := newShop(t)
	s.hold(t)
	s.do(t, "PUT", "/sandbox/users/ada",
		`{"firstName":"Ada","lastName":"Byron","email":"ada@example.com"}`)
	s.do(t, "PUT", "/sandbox/users/ada",
		`{"firstName":"Ada","lastName":"Lovelace","email":"ada@example.com"}`)
	s.resend(t, 1, 0, 1)
	user, err := s.Platform.People.User(t.Context(), people.Claims{UserID: "ada"})
	if err != nil || user.Name != "Ada Lovelace" {
		t.Errorf("the user is %+v, %v", user, err)
	}
}

func TestIdentity_DeletesAUserAndRepeatsAnEvent(t *testing.T) {
	s := newShop(t)
	s.do(t, "PUT", "/sandbox/users/ada", `{"firstName":"Ada","email":"ada@example.com"}`)
	s.do(t, "DELETE", "/sandbox/users/ada", "")
	s.resend(t, 0, 1, 0)
	if user, err := s.Platform.People.User(t.Context(), people.Claims{UserID: "ada"}); err == nil {
		t.Errorf("the deleted user is %+v", user)
	}
}

func TestAI_AnswersProseAndBreaksOff(t *testing.T) {
	for _, kind := range []string{"prose", "break", "cut"} {
		t.Run(kind, func(t *testing.T) {
			s := newShop(t)
			s.Buy(t, s.ada, s.course)
			s.do(t, "POST", "/sandbox/faults", `{"provider":"ai","kind":"`+kind+`","times":-1}`)
			if quiz, err := s.Platform.Tutor.Quiz(t.Context(), s.ada, s.course, "chapter",
				nil); err ==
				nil {
				t.Errorf("the quiz is %+v", quiz)
			}
			s.do(t, "DELETE", "/sandbox/faults", "")
			if quiz, err := s.Platform.Tutor.Quiz(t.Context(), s.ada, s.course, "chapter",
				nil); err !=
				nil || len(quiz.Questions) == 0 {
				t.Errorf("after the fault: %+v, %v", quiz, err)
			}
		})
	}
}
