package learning_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/openlectern/openlectern/internal/baseline"
	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/payment"
)

// onEnginesBench runs a benchmark on an empty database of SQLite and of MariaDB.
func onEnginesBench(b *testing.B, bench func(b *testing.B, s *shop)) {
	enginetest.Each(b, enginetest.Dialects,
		func(b *testing.B, e enginetest.Engine) { bench(b, newShop(b, e.URL(b))) })
}

// BenchmarkCompletePurchase completes purchases, from the client's proof or the gateway's
// webhook to the commit. The baseline is three statements between BEGIN and COMMIT, for a known
// purchase. Ours also verifies the signature of a proof, and reads the purchase by its order.
func BenchmarkCompletePurchase(b *testing.B) {
	onEnginesBench(b, func(b *testing.B, s *shop) {
		for _, courses := range []int{1000, 1} {
			for _, clients := range []int{1, 8, 32} {
				b.Run(fmt.Sprintf("verify/courses=%d/clients=%d", courses, clients),
					func(b *testing.B) {
						s.compare(b, courses, clients, s.verify)
					})
			}
		}
		b.Run("capture/courses=1000/clients=8",
			func(b *testing.B) { s.compare(b, 1000, 8, s.capture) })
	})
}

// shop is a platform, and hand-written transactions on the same database.
type shop struct {
	*learningtest.Kit
	pools    baseline.Pools
	complete func(ctx context.Context, p *pending) error
	insert   func(ctx context.Context, tx *sql.Tx, args ...any) (sql.Result, error)
	made     int
}

// pending is a purchase that waits for its payment, with the proof.
type pending struct {
	id, user, course, order, payment, signature string
}

func newShop(b *testing.B, database string) *shop {
	b.Helper()
	s := &shop{Kit: learningtest.New(b, learningtest.WithDatabase(database)),
		pools: baseline.Open(b, database)}
	s.complete = bareCompletion(b, s.pools)
	s.insert = s.pools.Writing(b, `
		INSERT INTO purchases (id, user_id, course_id, is_open, amount, currency, order_id, status,
			created_at, updated_at)
		VALUES (?, ?, ?, 1, 199900, 'INR', ?, 'pending', ?, ?)`)
	err := s.Store.InTx(b.Context(), func(tx learning.Tx) error {
		for i := range 1000 {
			c := catalog.Course{ID: courseID(i), Title: "Reading the Night Sky",
				Description: strings.Repeat("The sky above us. ", 30),
				Thumbnail:   "sky.jpg", Price: 199900, Published: true,
				Educator:  core.Person{ID: "educator"},
				CreatedAt: learningtest.Start, UpdatedAt: learningtest.Start}
			if err := tx.InsertCourse(b.Context(), c, nil); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return s
}

func courseID(i int) string { return fmt.Sprintf("018f4b6a-7c2e-7f3a-9d51-%012d", i) }

// compare completes fresh purchases of that many courses on both sides.
func (s *shop) compare(b *testing.B, courses, clients int,
	ours func(ctx context.Context, p *pending) error) {
	// can be cancelled, like the context of a request
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	side := func(complete func(context.Context, *pending) error) baseline.Side {
		var list []pending
		return baseline.Side{
			Prepare: func(n int) { list = s.order(b, n, courses) },
			Do: baseline.Parallel(b, clients,
				func(_, i int) error { return complete(ctx, &list[i]) }),
		}
	}
	before := s.count(b)
	baseline.Run(b, 0.85, side(ours), side(s.complete))
	if got := s.count(b) - before; got != 2*b.N {
		b.Errorf("%d enrolments of %d purchases", got, 2*b.N)
	}
}

func (s *shop) verify(ctx context.Context, p *pending) error {
	return s.Platform.Sales.VerifyPayment(ctx, learning.Actor{UserID: p.user, Role: core.Student},
		payment.Proof{PurchaseID: p.id, OrderID: p.order, PaymentID: p.payment,
			Signature: p.signature})
}

func (s *shop) capture(ctx context.Context, p *pending) error {
	return s.Platform.System().CapturePayment(ctx,
		payment.Payment{ID: p.payment, OrderID: p.order, PurchaseID: p.id,
			Amount: new(core.Money(199900)), Currency: "INR", Captured: true})
}

// order inserts purchases that wait for their payment, each of another user.
func (s *shop) order(b *testing.B, n, courses int) []pending {
	b.Helper()
	tx, err := s.pools.Write.BeginTx(b.Context(), nil)
	if err != nil {
		b.Fatal(err)
	}
	at := learningtest.Start.Format(stampLayout)
	list := make([]pending, n)
	for i := range list {
		s.made++
		p := pending{id: uuid.Must(uuid.NewV7()).String(), user: fmt.Sprintf("user_%027d", s.made),
			course: courseID(s.made % courses),
			order:  fmt.Sprintf("order_%014d", s.made), payment: fmt.Sprintf("pay_%014d", s.made)}
		p.signature = s.Sandbox.Gateway().Signature(p.order, p.payment)
		if _, err := s.insert(b.Context(), tx, p.id, p.user, p.course, p.order, at, at); err !=
			nil {
			b.Fatal(err)
		}
		list[i] = p
	}
	if err := tx.Commit(); err != nil {
		b.Fatal(err)
	}
	return list
}

func (s *shop) count(b *testing.B) (n int) {
	b.Helper()
	if err := s.pools.Read.QueryRow("SELECT COUNT(*) FROM enrollments").Scan(&n); err != nil {
		b.Fatal(err)
	}
	return n
}

const stampLayout = "2006-01-02 15:04:05.000000"

// bareCompletion is a hand-written transaction that completes a purchase.
func bareCompletion(b *testing.B,
	pools baseline.Pools) func(ctx context.Context, p *pending) error {
	complete := pools.Writing(b, `
		UPDATE purchases SET status = 'completed', is_open = NULL, payment_id = ?, is_first_use = 1, updated_at = ?, completed_at = ?
		WHERE id = ? AND status IN ('created', 'pending', 'failed')`)
	count := pools.Writing(b,
		`UPDATE courses SET students = students + 1, revision = revision + 1 WHERE id = ?`)
	enroll := pools.Writing(b,
		`INSERT INTO enrollments (user_id, course_id, purchase_id, created_at) VALUES (?, ?, ?, ?)`)
	return func(ctx context.Context, p *pending) error {
		tx, err := pools.Write.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		defer tx.Rollback()
		at := time.Now().UTC().Format(stampLayout)
		if err := one(complete(ctx, tx, p.payment, at, at, p.id)); err != nil {
			return err
		}
		if err := one(count(ctx, tx, p.course)); err != nil {
			return err
		}
		if _, err := enroll(ctx, tx, p.user, p.course, p.id, at); err != nil {
			return err
		}
		return tx.Commit()
	}
}

// one checks that a statement changed one row.
func one(r sql.Result, err error) error {
	if err != nil {
		return err
	}
	if n, err := r.RowsAffected(); err != nil || n != 1 {
		return errors.Join(fmt.Errorf("%d rows", n), err)
	}
	return nil
}
