package store

import (
	"context"
	"io/fs"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/learning"
)

// migratedBefore opens a database with the tables of the steps before a number.
func migratedBefore(t *testing.T, url, number string) *Store {
	t.Helper()
	s := opened(t, url)
	all, err := readSteps(s.dialect.migrations)
	if err != nil {
		t.Fatal(err)
	}
	old := fstest.MapFS{}
	for _, step := range all {
		if step.name < number {
			text, err := fs.ReadFile(s.dialect.migrations, step.name+".sql")
			if err != nil {
				t.Fatal(err)
			}
			old[step.name+".sql"] = &fstest.MapFile{Data: text}
		}
	}
	if err := withSteps(t, url, old).Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

// inFlight are the rows of a program that had leases in columns and tables of their own,
// and was stopped while it opened an order, reviewed an application and asked the AI.
var inFlight = []string{
	`INSERT INTO purchases (id, user_id, course_id, is_open, amount, currency, status, created_at, updated_at, holder, lease_until)
		VALUES ('purchase', 'ada', 'go', 1, 900, 'INR', 'created', '2026-01-01 00:00:00.000000', '2026-01-01 00:00:00.000000', 'stopped', '2999-01-01 00:00:00.000000')`,
	`INSERT INTO applications (id, user_id, professional_title, linkedin_url, status, rejection_reason, created_at, updated_at, holder, lease_until, previous_role, expertise, bio)
		VALUES ('application', 'eve', 'Baker', '', 'pending', '', '2026-01-01 00:00:00.000000', '2026-01-01 00:00:00.000000', 'stopped', '2999-01-01 00:00:00.000000', 'student', '[]', 'I bake.')`,
	`INSERT INTO ai_claims (name, place, holder, lease_until) VALUES ('person:ada', 0, 'stopped', '2999-01-01 00:00:00.000000')`,
	`INSERT INTO ai_claims (name, place, holder, lease_until) VALUES ('person:ada', 1, 'stopped', '2999-01-01 00:00:00.000000')`,
	`INSERT INTO ai_reservations (day, user_id, holder, tokens, lease_until) VALUES ('2026-01-01', 'ada', 'stopped', 100, '2026-01-01 00:01:00.000000')`,
}

// recordingProviders is a gateway and an identity provider that record their calls.
type recordingProviders struct {
	learning.Gateway
	calls []string
}

func (r *recordingProviders) KeyID() string { return "key" }

func (r *recordingProviders) CreateOrder(_ context.Context, o learning.NewOrder) (string, error) {
	r.calls = append(r.calls, "order of "+o.PurchaseID)
	return "order", nil
}

func (r *recordingProviders) GrantRole(_ context.Context, userID string, role learning.Role) error {
	r.calls = append(r.calls, userID+" is "+string(role))
	return nil
}

func TestMigrate_LeasesInFlight_Expire(t *testing.T) {
	enginetest.Each(t, enginetest.All, func(t *testing.T, e enginetest.Engine) {
		s := migratedBefore(t, e.URL(t), "0036")
		for _, insert := range inFlight {
			if _, err := s.writer.ExecContext(t.Context(), insert); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		ctx, r := t.Context(), &recordingProviders{}
		p, err := learning.New(s, learning.WithGateway(r), learning.WithRoles(r))
		if err != nil {
			t.Fatal(err)
		}
		err = s.InTx(ctx, func(tx learning.Tx) error {
			for _, id := range []string{"ada", "eve"} {
				if err := tx.InsertUser(ctx, learning.User{ID: id, CreatedAt: time.Now(), ChangedAt: time.Now()}); err != nil {
					return err
				}
			}
			return tx.InsertCourse(ctx, learning.Course{ID: "go", Price: 9_00, Published: true, CreatedAt: time.Now(), UpdatedAt: time.Now()}, nil)
		})
		if err != nil {
			t.Fatal(err)
		}

		order, err := p.OpenOrder(ctx, learning.Actor{UserID: "ada"}, "go")
		if err != nil || order.PurchaseID != "purchase" || order.OrderID != "order" {
			t.Errorf("the purchase that was being opened: %+v, %v", order, err)
		}
		if err := p.Reject(ctx, learning.Actor{UserID: "boss", Role: learning.Admin}, "application", ""); err != nil {
			t.Errorf("the application that was being reviewed: %v", err)
		}
		want := []string{"order of purchase", "eve is student"} // the stopped review may have granted a role
		if diff := cmp.Diff(want, r.calls); diff != "" {
			t.Error(diff)
		}
		if spent, err := s.AISpentBy(ctx, "ada", "2026-01-01", time.Now()); err != nil || spent != 100 {
			t.Errorf("the stopped call of the AI counts %d tokens, %v", spent, err)
		}
		if n := count(t, s, "leases"); n != 0 {
			t.Errorf("%d leases are left", n)
		}
		if n := count(t, s, "purchases"); n != 1 {
			t.Errorf("%d purchases", n)
		}
	})
}
