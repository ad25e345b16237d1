package learning_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/sale"
)

// A webhook has an effect only after its signature was verified.
func TestReceiveWebhook_CompletesOnlyIfSigned(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	ada := w.Person(t, "ada", core.Student)
	o, err := w.Platform.Sales.OpenOrder(ctx(), ada,
		sale.OrderRequest{CourseID: w.Course(t, "go", 49_900)})
	if err != nil {
		t.Fatal(err)
	}
	body := fmt.Appendf(nil,
		`{"event":"payment.captured","payload":{"payment":{"entity":{"id":"pay_1","order_id":%q,"notes":{"purchaseId":%q}}}}}`, o.OrderID, o.PurchaseID)
	if err := w.Platform.Sales.ReceiveWebhook(ctx(), payment.NameGateway,
		roomtest.SignedWebhook(body, "forged")); !errors.Is(err,
		core.ErrInvalidWebhook) || w.Count(t, "enrollments") != 0 {
		t.Errorf("forged: %v, %d enrolments", err, w.Count(t, "enrollments"))
	}
	if err := w.Platform.Sales.ReceiveWebhook(ctx(), payment.NameGateway,
		roomtest.SignedWebhook(body, w.Sandbox.Gateway().SignWebhook(body))); err != nil || w.Count(t, "enrollments") != 1 {
		t.Errorf("signed: %v, %d enrolments", err, w.Count(t, "enrollments"))
	}
}

func TestReceiveIdentityWebhook_AppliesOnlyIfSigned(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	body := []byte(`{"type":"user.created","data":{"id":"ada","first_name":"Ada"}}`)
	signed := w.Sandbox.Identity().SignWebhook(body, "msg_1", w.Clock.Now())
	msg := people.Webhook{ID: "msg_1", Timestamp: signed.Get("hook-timestamp"),
		Signature: "v1,forged", Body: body}
	if err := w.Platform.People.ReceiveIdentityWebhook(ctx(), msg); !errors.Is(err,
		core.ErrInvalidWebhook) || w.Count(t, "users") != 0 {
		t.Errorf("forged: %v, %d users", err, w.Count(t, "users"))
	}
	msg.Signature = signed.Get("hook-signature")
	if err := w.Platform.People.ReceiveIdentityWebhook(ctx(), msg); err != nil ||
		w.Count(t, "users") != 1 {
		t.Errorf("signed: %v, %d users", err, w.Count(t, "users"))
	}
}
