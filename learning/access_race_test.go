package learning_test

import (
	"fmt"
	"testing"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/internal/till"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/refund"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// onAllEngines is onEngines with MySQL, whose row locks and snapshots differ from those of MariaDB.
var onAllEngines = roomtest.OnAllEngines

const accessRounds = roomtest.Rounds

// 70 of 100 are refunded. The other 30 are refunded while the provider reports that the refund of
// the 70 has failed. Whichever comes first, the user has paid 70 at the end and keeps the access.
func TestReceiveWebhook_LastRefundWhileTheFirstFails(t *testing.T) {
	roomtest.AtTillsOnAllEngines(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		w := newWorld()
		boss := w.Person(t, "boss", core.Admin)
		course := w.Course(t, "go", 100_00)
		for round := range accessRounds {
			sold := w.Sold(t, w.Person(t, fmt.Sprint("ada-", round), core.Student), course)
			if _, err := w.Refund(t, boss, sold.ID, 70_00); err != nil {
				t.Fatal(err)
			}
			first := w.FailRefund(t, w.RefundsAt(t, sold.PaymentID)[0])
			isStartedThere := round%2 == 0
			var rest till.Refund
			if isStartedThere {
				rest = w.RefundQuietly(t, sold.PaymentID, sandbox.WithAmount(30_00))
			}
			for _, err := range roomtest.Concurrently(2, func(i int) error {
				if i == 0 {
					return w.Tell(t, sandbox.RefundFailed, first)
				}
				if isStartedThere {
					return w.Tell(t, sandbox.RefundProcessed, rest)
				}
				_, err := w.Refund(t, boss, sold.ID, 30_00)
				return err
			}) {
				if err != nil {
					t.Errorf("round %d: %v", round, err)
				}
			}
			w.WantBooks(t, sold.ID, purchase.Completed, 30_00, 0)
			if enrolled, err := w.Store.Enrolled(ctx(), sold.UserID, course); err != nil ||
				!enrolled {
				t.Errorf("round %d: the user who paid is not enrolled (%v)", round, err)
			}
		}
	})
}

// A certificate is generated while the purchase is refunded, and refunds revoke certificates. At
// the end there is no valid certificate: none was issued, or it was revoked.
func TestGenerateCertificate_WhileThePurchaseIsRefunded(t *testing.T) {
	roomtest.AtTillsOnAllEngines(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		p := &roomtest.Renderer{}
		w := newWorld(p.Option(), learningtest.WithPlatform(
			learning.WithRefundPolicy(refund.Policy{RevokeCertificate: true})))
		boss := w.Person(t, "boss", core.Admin)
		course := w.Course(t, "go", 10_00)
		for round := range accessRounds {
			ada := w.Person(t, fmt.Sprint("ada-", round), core.Student)
			sold := w.Sold(t, ada, course)
			w.Completes(t, ada, course)
			roomtest.Concurrently(2, func(i int) error {
				if i == 0 {
					_, err := w.Platform.Certify.GenerateCertificate(ctx(), ada, course)
					return err // also ErrNotPurchased and ErrCertificateRevoked
				}
				if _, err := w.Refund(t, boss, sold.ID, 0); err != nil {
					t.Error(err)
				}
				return nil
			})
			if valid := w.Count(t, "certificates WHERE user_id = ? AND revoked_at IS NULL",
				ada.UserID); valid != 0 {
				t.Errorf("round %d: the certificate of a refunded purchase is valid", round)
			}
		}
	})
}
