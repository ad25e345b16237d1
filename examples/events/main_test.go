package main

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/sale"
	"github.com/openlectern/openlectern/learning/study"
)

// post is a mail server that can be down.
type post struct {
	down bool
	sent []string
}

func (p *post) send(to, text string) error {
	if p.down {
		return errors.New("the mail server is down")
	}
	p.sent = append(p.sent, to+": "+text)
	return nil
}

// open returns a school whose handlers are those of a test's platform.
func open(t *testing.T) (*school, *learningtest.Kit, *post) {
	t.Helper()
	s, err := newSchool(filepath.Join(t.TempDir(), "school.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.db.Close() })
	mails := &post{}
	s.mail = mails.send
	kit := learningtest.New(t, learningtest.WithPlatform(s.events()...))
	s.platform = kit.Platform
	return s, kit, mails
}

// buy sells a course to ada.
func buy(t *testing.T, kit *learningtest.Kit) {
	t.Helper()
	ada := kit.Person(t, "ada", core.Student)
	order, err := kit.Platform.Sales.OpenOrder(t.Context(), ada,
		sale.OrderRequest{CourseID: kit.Course(t, "sailing", 49_900)})
	if err != nil {
		t.Fatal(err)
	}
	paid, err := kit.Sandbox.Gateway().Pay(order.OrderID)
	if err != nil {
		t.Fatal(err)
	}
	if err := kit.Platform.Sales.VerifyPayment(t.Context(), ada, payment.Proof{
		OrderID: order.OrderID, PaymentID: paid.ID,
		Signature: kit.Sandbox.Gateway().Signature(order.OrderID, paid.ID)}); err != nil {
		t.Fatal(err)
	}
}

func deliver(t *testing.T, kit *learningtest.Kit) {
	t.Helper()
	if _, err := kit.Platform.System().DeliverEvents(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func invoices(t *testing.T, s *school) (n, total int) {
	t.Helper()
	if err := s.db.QueryRow(`SELECT COUNT(*), COALESCE(SUM(amount), 0) FROM invoices`).Scan(&n,
		&total); err != nil {
		t.Fatal(err)
	}
	return n, total
}

func TestSchool_InvoiceIsBookedWhileTheMailServerIsDown(t *testing.T) {
	s, kit, mails := open(t)
	mails.down = true
	buy(t, kit)
	deliver(t, kit)
	if n, total := invoices(t, s); n != 1 || total != 49_900 || len(mails.sent) > 0 {
		t.Errorf("%d invoices of %d, mails %q", n, total, mails.sent)
	}
	mails.down = false
	kit.Clock.Advance(5 * time.Second)
	deliver(t, kit)
	if want := []string{"ada@example.com: Welcome to Course sailing"}; !slices.Equal(mails.sent,
		want) {
		t.Errorf("mails %q", mails.sent)
	}
}

func TestSchool_EventThatIsDeliveredAgainHasNoEffect(t *testing.T) {
	s, kit, mails := open(t)
	buy(t, kit)
	deliver(t, kit)
	deliveries, err := kit.Platform.System().EventDeliveries(t.Context(), learning.EventQuery{})
	if err != nil {
		t.Fatal(err)
	}
	handlers := map[string]core.EventHandler{
		"invoices": s.once("invoices", purchase.EventCompleted, s.bookInvoice),
		"mails":    s.once("mails", study.EventEnrollmentCreated, s.sendWelcome),
	}
	for _, d := range deliveries {
		if err := handlers[d.Target].HandleEvent(t.Context(), d.Event); err != nil {
			t.Errorf("%s to %s: %v", d.Type, d.Target, err)
		}
	}
	if n, _ := invoices(t, s); n != 1 || len(mails.sent) != 1 {
		t.Errorf("%d invoices, mails %q", n, mails.sent)
	}
}
