package clubpay_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/openlectern/openlectern/examples/clubpay"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/payment"
)

func TestClient_IsAProvider(t *testing.T) {
	t.Parallel()
	club := newClubPay(t, time.Now)
	learningtest.Provider(t, clubpay.New(club.url, key, secret, "https://school.example/paid"),
		learningtest.ProviderPeer{
			Currency: "CHF",
			Pay: func(_ *testing.T, orderID string) payment.Proof {
				club.set(orderID, "paid")
				return payment.Proof{OrderID: orderID}
			},
			Paid: func(_ *testing.T, orderID string) payment.Webhook {
				return sign([]byte(`{"checkout":"` + orderID + `"}`))
			},
			Sign:    sign,
			Process: func(_ *testing.T, orderID string) { club.set(orderID, "processing") },
			Close:   func(_ *testing.T, orderID string) { club.set(orderID, "expired") },
		})
}

// A status that the adapter does not know, and an answer of another kind, are not "not paid".
func TestClient_UnknownStatusIsAnError(t *testing.T) {
	t.Parallel()
	club := newClubPay(t, time.Now)
	pay := clubpay.New(club.url, key, secret, "https://school.example/paid")
	opened, err := pay.CreateOrder(t.Context(), payment.NewOrder{PurchaseID: "p", Amount: 21_00,
		Currency: "CHF"})
	if err != nil {
		t.Fatal(err)
	}
	club.set(opened.ID, "on hold")
	if report, err := pay.Order(t.Context(), opened.ID); err == nil {
		t.Errorf("an unknown status is reported as %+v", report)
	}
	if err := pay.CancelOrder(t.Context(), opened.ID); err == nil {
		t.Error("an order of an unknown status is cancelled")
	}
	if report, err := pay.Order(t.Context(), "club_0"); err == nil {
		t.Errorf("an unknown order is reported as %+v", report)
	}
}

// A student buys a course on the page of Club Pay. The first checkout expires after an hour, and
// the second one is paid: its webhook enrols the student, who has sent nothing back.
func TestClient_SellsACourse(t *testing.T) {
	t.Parallel()
	var k *learningtest.Kit
	club := newClubPay(t, func() time.Time { return k.Clock.Now() })
	pay := clubpay.New(club.url, key, secret, "https://school.example/paid")
	k = learningtest.New(t, learningtest.WithPlatform(learning.WithProvider(pay, "CHF")))
	handler, err := httpapi.New(k.Platform)
	if err != nil {
		t.Fatal(err)
	}
	url := k.Serve(t, handler, "")
	ada := k.Person(t, "ada", core.Student)
	course := k.Course(t, "go", 499_00)
	teacher := core.Actor{UserID: "teacher", Role: core.Admin}
	prices := []catalog.Price{{Currency: "CHF", Amount: 21_00}}
	if _, err := k.Platform.Catalog.EditCourse(t.Context(), teacher, course,
		catalog.CourseEdit{Version: 1, Prices: &prices}); err != nil {
		t.Fatal(err)
	}

	// An order is a page to pay, and is answered again while that can be paid.
	type order struct{ PurchaseID, OrderID, Provider, CheckoutURL string }
	buy := func() (o order) {
		t.Helper()
		if status := post(t, url+"/api/user/purchase", k.Token(t, "ada"),
			`{"courseId":"`+course+`","currency":"CHF"}`, nil, &o); status != http.StatusOK {
			t.Fatalf("buying answers %d", status)
		}
		return o
	}
	first := buy()
	if first.Provider != "club" || first.CheckoutURL != "https://club.example/pay/"+first.OrderID {
		t.Errorf("the order is %+v", first)
	}
	if again := buy(); again != first {
		t.Errorf("the open order is %+v, then %+v", first, again)
	}
	k.Clock.Advance(time.Hour)
	second := buy()
	if second.OrderID == first.OrderID {
		t.Errorf("the order %s has expired, and is answered again", first.OrderID)
	}

	// Only a signed webhook is believed, and only what Club Pay answers when asked.
	club.set(second.OrderID, "paid")
	body := []byte(`{"checkout":"` + second.OrderID + `"}`)
	var told map[string]any
	none := func(string) string { return "00" }
	if status := post(t, url+"/providers/club", "", string(body), none, &told); status !=
		http.StatusBadRequest {
		t.Errorf("a webhook with a wrong signature: %d %v", status, told)
	}
	for range 2 { // it may come twice
		if status := post(t, url+"/providers/club", "", string(body), sign(body).Header,
			&told); status != http.StatusOK {
			t.Errorf("the webhook: %d %v", status, told)
		}
	}
	bought, err := k.Platform.Sales.Purchase(t.Context(), ada, second.PurchaseID)
	if err != nil || bought.Status != "completed" || bought.Provider != "club" ||
		bought.Amount != 21_00 || bought.Currency != "CHF" {
		t.Errorf("%+v: %v", bought, err)
	}
}
