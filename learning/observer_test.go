package learning_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/observertest"
	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/sale"
	"github.com/openlectern/openlectern/learning/tutor"
)

// observedFixture returns a fixture with an observer of the calls of providers.
func observedFixture(t *testing.T, opts ...learning.Option) (*roomtest.World,
	*observertest.Recorder) {
	t.Helper()
	var seen observertest.Recorder
	return roomtest.New(t, roomtest.SQLite(t),
		learningtest.WithPlatform(append(opts, learning.WithObserver(&seen))...)), &seen
}

// wantCalls compares the names of the observed calls of providers, all of which have succeeded.
func wantCalls(t *testing.T, seen *observertest.Recorder, want ...string) {
	t.Helper()
	var got []string
	for _, call := range seen.Of(core.OperationProvider) {
		got = append(got, call.Name)
		if call.Err != nil {
			t.Errorf("%s: %v", call.Name, call.Err)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" || seen.Running() != 0 {
		t.Errorf("%d calls run (-want +got):\n%s", seen.Running(), diff)
	}
	seen.Reset()
}

func TestWithObserver_CallsOfTheGateway(t *testing.T) {
	w, seen := observedFixture(t)
	ada, course := w.Person(t, "ada", core.Student), w.Course(t, "go", 499_00)
	seen.Reset()
	w.Order(t, ada, course)
	wantCalls(t, seen, "gateway.create_order")
	w.Clock.Advance(time.Hour)
	if _, err := w.Platform.System().ReconcilePurchases(ctx()); err != nil {
		t.Fatal(err)
	}
	wantCalls(t, seen, "gateway.order")
}

func TestWithObserver_CallsOfMediaAndIdentity(t *testing.T) {
	w, seen := observedFixture(t)
	course := w.Course(t, "go", 0)
	wantCalls(t, seen, "media.put")
	ada := w.Enrolls(t, "ada", course)
	w.Completes(t, ada, course)
	w.Generated(t, ada, course)
	if _, err := w.Platform.Certify.GenerateCertificate(ctx(), ada, course); err != nil {
		t.Fatal(err)
	}
	wantCalls(t, seen, "media.put", "media.exists")
	w.Exec(t, "UPDATE certificates SET filed_at = NULL")
	// the file is there, which is no failure of the media store
	if _, err := w.Platform.Certify.GenerateCertificate(ctx(), ada, course); err != nil {
		t.Fatal(err)
	}
	wantCalls(t, seen, "media.put")
	if err := w.Platform.System().MakeAdmin(ctx(), "ada"); err != nil {
		t.Fatal(err)
	}
	wantCalls(t, seen, "identity.grant_role")
}

func TestWithObserver_CallsOfTheAIWithTheirUsage(t *testing.T) {
	w, seen := observedFixture(t)
	ada := w.Person(t, "ada", core.Student)
	parts := map[string]func(string) error{
		"ai.complete": nil,
		"ai.stream":   func(string) error { return nil },
	}
	for name, write := range parts {
		if _, err := w.Platform.Tutor.AskTutor(ctx(), ada, tutor.ChatQuestion{Content: "Hello"},
			write); err != nil {
			t.Fatal(err)
		}
		if u := seen.Of(core.OperationProvider)[0].Usage; u.Prompt == 0 || u.Completion == 0 {
			t.Errorf("%s: the usage is %+v", name, u)
		}
		wantCalls(t, seen, name)
	}
}

func TestWithObserver_DeliveryOfEvents(t *testing.T) {
	w, seen := observedFixture(t, learning.WithEvents("mail", &roomtest.Receiver{}))
	w.Course(t, "go", 0)
	seen.Reset()
	if n, err := w.Platform.System().DeliverEvents(ctx()); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	wantCalls(t, seen, "events.mail")
}

// failingGateway fails, or panics if its error is nil. It records inside which operation it is
// called.
type failingGateway struct {
	roomtest.StubProvider
	err    error
	inside core.Operation
}

func (g *failingGateway) CreateOrder(
	ctx context.Context, _ payment.NewOrder,
) (payment.OpenedOrder, error) {
	g.inside = observertest.Inside(ctx)
	if g.err == nil {
		panic("no gateway")
	}
	return payment.OpenedOrder{}, g.err
}

func TestWithObserver_CallThatFailsOrPanics_EndsWithAnError(t *testing.T) {
	for _, err := range []error{errors.New("no gateway"), nil} {
		g := &failingGateway{err: err}
		w, seen := observedFixture(t, learning.WithProvider(g))
		ada, course := w.Person(t, "ada", core.Student), w.Course(t, "go", 499_00)
		seen.Reset()
		roomtest.Recovered(func() {
			_, _ = w.Platform.Sales.OpenOrder(ctx(), ada,
				sale.OrderRequest{CourseID: course})
		})
		calls := seen.Of(core.OperationProvider)
		if len(calls) != 1 || calls[0].Err == nil ||
			(err != nil && !errors.Is(calls[0].Err, err)) || seen.Running() != 0 {
			t.Errorf("got %+v", calls)
		}
		if want := (core.Operation{Kind: core.OperationProvider,
			Name: "gateway.create_order"}); g.inside != want {
			t.Errorf("the gateway was called inside %+v", g.inside)
		}
	}
}
