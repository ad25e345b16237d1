package httpapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/openlectern/openlectern/internal/web"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/sale"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// A function of the host fails inside the transaction of a paid purchase. The buyer and the gateway
// get a 500 without the cause, and the gateway's next webhook completes the purchase.
func TestHostFunction_FailureIs500UntilItSucceeds(t *testing.T) {
	const secret = "the invoices of ada@example.com"
	for name, fail := range map[string]func() error{
		"error": func() error { return errors.New(secret) },
		"public_error": func() error {
			return fmt.Errorf(secret+": %w",
				catalog.ErrCourseNotFound)
		},
		"panic": func() error { panic(secret) },
	} {
		t.Run(name, func(t *testing.T) {
			var isRepaired atomic.Bool
			s := newSite(t, learningtest.New(t, learningtest.WithPlatform(
				learning.WithInTransaction(
					func(_ context.Context, _ core.HostTx, events []learning.Event) error {
						isSale := events[0].Type == purchase.EventCompleted
						if !isSale || isRepaired.Load() {
							return nil
						}
						return fail()
					}))))
			s.Person(t, "ada", core.Student)
			course := s.Course(t, "go", 499_00)
			o, err := s.Platform.Sales.OpenOrder(t.Context(), learning.Actor{UserID: "ada"},
				sale.OrderRequest{CourseID: course})
			check(t, err)
			paid, err := s.Sandbox.Gateway().Pay(o.OrderID, sandbox.WithoutWebhook())
			check(t, err)

			proof, err := json.Marshal(map[string]string{"gateway_order_id": o.OrderID,
				"gateway_payment_id": paid.ID,
				"gateway_signature":  s.Sandbox.Gateway().Signature(o.OrderID, paid.ID)})
			check(t, err)
			answer := s.do(http.MethodPost, "/api/user/verify-gateway", string(proof),
				append(s.as("ada"), "Content-Type", "application/json")...)
			if answer.Code != http.StatusInternalServerError ||
				answer.Body.String() != unexpectedBody {
				t.Errorf("the buyer gets %d %s", answer.Code, answer.Body)
			}
			answer = s.do(http.MethodPost, "/api/user/verify-gateway", string(proof),
				append(s.as("ada"), "Content-Type", "application/json", "Accept",
					web.ProblemType)...)
			if text := answer.Body.String(); answer.Code != http.StatusInternalServerError ||
				!strings.Contains(text, `"code":"refused_by_host"`) ||
				strings.Contains(text, secret) {
				t.Errorf("the problem of the buyer is %d %s", answer.Code, text)
			}

			body := fmt.Sprintf(`{"event":"payment.captured","payload":{"payment":{"entity":{`+
				`"id":%q,"order_id":%q,"notes":{"purchaseId":%q}}}}}`, paid.ID, o.OrderID,
				o.PurchaseID)
			webhook := func() int {
				return s.do(http.MethodPost, "/gateway", body, "x-gateway-signature",
					s.Sandbox.Gateway().SignWebhook([]byte(body))).Code
			}
			if status := webhook(); status != http.StatusInternalServerError {
				t.Errorf("the gateway gets %d", status)
			}
			if log := s.Log.String(); !strings.Contains(log, secret) || !strings.Contains(log,
				"the host's function for purchase.completed, enrollment.created: ") {
				t.Errorf("the log does not name the events and the cause:\n%s", log)
			}

			isRepaired.Store(true)
			if status := webhook(); status != http.StatusOK {
				t.Errorf("the gateway gets %d after the repair", status)
			}
			list, err := s.Platform.Study.EnrolledCourses(t.Context(),
				learning.Actor{UserID: "ada"},
				learning.PageRequest{Limit: 10})
			if err != nil || len(list.Rows) != 1 {
				t.Errorf("enrolled in %+v: %v", list.Rows, err)
			}
		})
	}
}
