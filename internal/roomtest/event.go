package roomtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/invariants"
	"github.com/openlectern/openlectern/internal/outbox"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/sale"
	"github.com/openlectern/openlectern/learning/store"
)

// PutBacklog writes one due event for each of the subjects, a microsecond after each other.
func (w *World) PutBacklog(t *testing.T, subjects []string, attempts int) {
	t.Helper()
	list := make([]outbox.Delivery, len(subjects))
	for i, subject := range subjects {
		at := w.Clock.Now().Add(time.Duration(i-len(subjects)) * time.Microsecond)
		list[i] = outbox.Delivery{
			Event: outbox.Event{
				ID:        "of-" + subject,
				Type:      string(people.EventUserDeleted),
				CreatedAt: at,
				Subject:   subject,
			},
			Target:   "test",
			Shard:    outbox.ShardOf("test", subject),
			Seq:      1,
			Status:   learning.EventPending,
			StatusAt: at,
			Attempts: attempts,
		}
	}
	InsertEvents(t, w.Kit, list)
}

// Hang makes the receiver hang with the events of some subjects until the test ends. The
// function that it returns waits until the others are handled.
func (r *Receiver) Hang(t *testing.T, subjects []string) (awaitOthers func(n int)) {
	t.Helper()
	hangs := map[string]bool{}
	for _, s := range subjects {
		hangs[s] = true
	}
	handled := make(chan struct{}, 10_000)
	r.Set(func(ctx context.Context, e core.Event) error {
		if hangs[e.Subject] {
			<-ctx.Done()
			return ctx.Err()
		}
		handled <- struct{}{}
		return nil
	})
	return func(n int) {
		t.Helper()
		limit := time.After(30 * time.Second)
		for i := range n {
			select {
			case <-handled:
			case <-limit:
				t.Fatalf("%d of %d events were handled while %d others hang", i, n, len(subjects))
			}
		}
	}
}

// FollowEvents writes n pending events of a subject, from a position on.
func (w *World) FollowEvents(t *testing.T, subject string, from, n int) {
	t.Helper()
	list := make([]outbox.Delivery, n)
	for i := range list {
		at := w.Clock.Now()
		list[i] = outbox.Delivery{
			Event: outbox.Event{
				ID:        fmt.Sprintf("%s-%06d", subject, from+i),
				Type:      string(people.EventUserDeleted),
				CreatedAt: at,
				Subject:   subject,
			},
			Target:   "test",
			Shard:    outbox.ShardOf("test", subject),
			Seq:      int64(from + i),
			Status:   learning.EventPending,
			StatusAt: at,
		}
	}
	InsertEvents(t, w.Kit, list)
}

// AddEvents writes n pending events of a subject for the receiver, which are due now.
func (w *World) AddEvents(t *testing.T, subject string, n int) {
	t.Helper()
	w.PutEvents(t, subject, n, learning.EventPending, w.Clock.Now())
}

// PutEvents inserts events of a subject with the same status of delivery.
func (w *World) PutEvents(t *testing.T, subject string, n int, status learning.EventStatus,
	at time.Time) {
	t.Helper()
	w.PutEventsTo(t, "test", subject, n, status, at)
}

// PutEventsTo is putEvents for another target.
func (w *World) PutEventsTo(t *testing.T, target, subject string, n int,
	status learning.EventStatus, at time.Time) {
	t.Helper()
	list := make([]outbox.Delivery, n)
	for i := range list {
		list[i] = outbox.Delivery{
			Event: outbox.Event{ID: fmt.Sprintf("%s-%04d", subject, i+1),
				Type: string(people.EventUserDeleted), CreatedAt: at, Subject: subject},
			Target: target, Shard: outbox.ShardOf(target, subject), Seq: int64(i + 1),
			Status: status, StatusAt: at,
		}
	}
	if err := w.Store.InTx(ctx(),
		func(tx learning.Tx) error { return tx.InsertEvents(ctx(), list) }); err != nil {
		t.Fatal(err)
	}
}

// Ids returns the ids of the handled events, in their order.
func (r *Receiver) Ids() (ids []string) {
	for _, e := range r.Events() {
		ids = append(ids, e.ID)
	}
	return ids
}

// FailFor makes the receiver refuse the events of a subject.
func (r *Receiver) FailFor(subject string) {
	r.Set(func(_ context.Context, e core.Event) error {
		if e.Subject == subject {
			return errors.New("the receiver is down")
		}
		return nil
	})
}

// Delivery returns the only delivery of an event.
func (w *World) Delivery(t *testing.T, id string) learning.EventDelivery {
	t.Helper()
	list, err := w.Platform.System().EventDeliveries(t.Context(), learning.EventQuery{ID: id})
	if err != nil || len(list) != 1 {
		t.Fatalf("event %s: %v, %v", id, list, err)
	}
	return list[0]
}

// WantEventsOf checks the number of the events of a user, by type.
func (w FaultRun) WantEventsOf(t *testing.T, userID string, want map[core.EventType]int) {
	t.Helper()
	for eventType, n := range want {
		if got := w.Count(t, "event_deliveries WHERE type = ? AND data LIKE ?", string(eventType),
			`%"userId":"`+userID+`"%`); got != n {
			t.Errorf("%d events %s of %s, want %d", got, eventType, userID, n)
		}
	}
	w.WantValidEvents(t)
}

// RowWriter is a host with a table of its own, into which it writes a row for each event. The table
// has no unique key, so that a row that is written twice is found.
type RowWriter struct {
	Database string
	before   func(ctx context.Context, tx core.HostTx, events []core.Event) error // or nil

	mu        sync.Mutex
	Runs      int
	Committed []core.Event // by AfterCommit
}

// Option makes a kit write rows in its transactions.
func (b *RowWriter) Option() learningtest.Option {
	return learningtest.WithPlatform(learning.WithInTransaction(b.write))
}

// Set replaces what the host does before it writes its rows.
func (b *RowWriter) Set(
	before func(ctx context.Context, tx core.HostTx, events []core.Event) error,
) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.before = before
}

func (b *RowWriter) write(
	ctx context.Context, tx core.HostTx, events []core.Event,
) error {
	b.mu.Lock()
	b.Runs++
	before := b.before
	b.mu.Unlock()
	if before != nil {
		if err := before(ctx, tx, events); err != nil {
			return err
		}
	}
	for _, e := range events {
		query := "INSERT INTO host_rows (event_id, type, purchase_id) VALUES (?, ?, ?)"
		if strings.HasPrefix(b.Database, "postgres") {
			query = "INSERT INTO host_rows (event_id, type, purchase_id) VALUES ($1, $2, $3)"
		}
		_, err := store.SQL(tx).ExecContext(ctx, query, e.ID, string(e.Type), e.Data.PurchaseID)
		if err != nil {
			return fmt.Errorf("write the rows of the host: %w", err)
		}
	}
	tx.AfterCommit(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.Committed = append(b.Committed, events...)
	})
	return nil
}

// WantHostRows checks the number of rows of the host of each type, and that AfterCommit was called
// for the same events.
func (w *World) WantHostRows(t *testing.T, b *RowWriter, want map[core.EventType]int) {
	t.Helper()
	got, after, total := map[core.EventType]int{}, map[core.EventType]int{}, 0
	for eventType := range want {
		if n := w.Count(t, "host_rows WHERE type = ?", string(eventType)); n > 0 {
			got[eventType] = n
		}
		total += want[eventType]
	}
	if diff := cmp.Diff(want, got); diff != "" || w.Count(t, "host_rows") != total {
		t.Errorf("rows of the host (-want +got):\n%s", diff)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range b.Committed {
		after[e.Type]++
	}
	if diff := cmp.Diff(want, after); diff != "" {
		t.Errorf("events of AfterCommit (-want +got):\n%s", diff)
	}
}

// Redeliver redelivers events and checks how many became due.
func (w *World) Redeliver(t *testing.T, q learning.EventQuery, want int) {
	t.Helper()
	if n, err := w.Platform.System().RedeliverEvents(t.Context(), q); err != nil || n != want {
		t.Errorf("%+v: %d deliveries are due again, want %d: %v", q, n, want, err)
	}
	w.WantValidEvents(t)
}

// RunEvents calls RunEvents until the test ends. stop ends it earlier.
func (w *World) RunEvents(t *testing.T) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { w.Platform.System().RunEvents(ctx) })
	stop = func() { cancel(); running.Wait() }
	t.Cleanup(stop)
	return stop
}

// Receiver is a handler of events that keeps the events that it has handled.
type Receiver struct {
	mu      sync.Mutex
	handled []core.Event
	handle  func(ctx context.Context, e core.Event) error // nil to accept all
}

// HandleEvent receives an event, or fails as the test has set.
func (r *Receiver) HandleEvent(ctx context.Context, e core.Event) error {
	r.mu.Lock()
	handle := r.handle
	r.mu.Unlock()
	if handle != nil {
		if err := handle(ctx, e); err != nil {
			return err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.handled = append(r.handled, e)
	return nil
}

// Set replaces what the receiver does with an event.
func (r *Receiver) Set(handle func(ctx context.Context, e core.Event) error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.handle = handle
}

// Events returns what was received.
func (r *Receiver) Events() []core.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.handled)
}

// Types returns the types of the handled events of a subject, in their order.
func (r *Receiver) Types(subject string) (types []core.EventType) {
	for _, e := range r.Events() {
		if e.Subject == subject {
			types = append(types, e.Type)
		}
	}
	return types
}

// Option makes a kit deliver its events to the receiver.
func (r *Receiver) Option() learningtest.Option {
	return learningtest.WithPlatform(learning.WithEvents("test", r),
		learning.WithEventsEvery(time.Second))
}

// DeliverEvents delivers the due events and checks how many were delivered; -1 for any number.
func (w *World) DeliverEvents(t *testing.T, want int) {
	t.Helper()
	n, err := w.Platform.System().DeliverEvents(t.Context())
	if err != nil || want >= 0 && n != want {
		t.Errorf("%d events were delivered, want %d: %v", n, want, err)
	}
	w.WantValidEvents(t)
}

// WantValidEvents checks what must hold of the rows of events.
func (w *World) WantValidEvents(t *testing.T) {
	t.Helper()
	for what, rows := range invariants.Events {
		if n := w.Count(t, rows); n != 0 {
			t.Errorf("%s: %d invalid deliveries", what, n)
		}
	}
}

// Written returns all events in the database, by the time of writing.
func (w *World) Written(t *testing.T) []learning.EventDelivery {
	t.Helper()
	list, err := w.Platform.System().EventDeliveries(t.Context(),
		learning.EventQuery{Limit: 10_000})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// WantEvents checks how many events of each type are written.
func (w *World) WantEvents(t *testing.T, want map[core.EventType]int) {
	t.Helper()
	got := map[core.EventType]int{}
	for _, d := range w.Written(t) {
		got[d.Type]++
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	w.WantValidEvents(t)
}

// Deleted has the identity provider report n times at once that a user is deleted.
func (w *World) Deleted(t *testing.T, userID string, n int) {
	t.Helper()
	w.Clock.Advance(time.Second)
	e := people.IdentityEvent{SentAt: w.Clock.Now(), Type: people.UserDeleted,
		User: people.IdentityUser{ID: userID}}
	for _, err := range Concurrently(n,
		func(int) error { return w.Platform.System().ApplyIdentityEvent(ctx(), e) }) {
		if err != nil {
			t.Error(err)
		}
	}
}

// EachEvent does everything that is told by an event, each n times at once.
func (w *World) EachEvent(t *testing.T, n int) {
	t.Helper()
	do := func(what string, f func() error) {
		t.Helper()
		count := CountErrors(Concurrently(n, func(int) error { return f() }))
		if count[""] == 0 {
			t.Errorf("%s: %v", what, count)
		}
	}
	w.Publish(t, "free", Chapter("one", "a"), Essay(catalog.Assignment{}))
	paid := w.Course(t, "paid", 499_00)
	ada, admin := w.Person(t, "ada", core.Student), w.Person(t, "admin", core.Admin)
	o := w.Order(t, ada, paid)
	do("pay",
		func() error {
			return w.Platform.System().CapturePayment(ctx(),
				CapturedPayment(o, "pay_1"))
		})
	do("enrol", func() error {
		_, err := w.Platform.Sales.OpenOrder(ctx(), ada, sale.OrderRequest{CourseID: "free"})
		return err
	})
	do("complete", func() error {
		_, err := w.Platform.Study.CompleteLecture(ctx(), ada, "free", "a")
		return err
	})
	w.GradesWork(t, ada, "free", "essay")
	w.Reviews(t, ada, "free", 5, "Good")
	w.NewReply(t, ada, w.Asks(t, ada, "free", "a", "Why?").ID)
	w.answersQuiz(t, ada, "free", "one")
	do("certify", func() error {
		_, err := w.Platform.Certify.GenerateCertificate(ctx(), ada, "free")
		return err
	})
	c, err := w.Platform.Certify.Certificate(ctx(), ada, "free")
	if err != nil {
		t.Fatal(err)
	}
	do("revoke", func() error {
		_, err := w.Platform.System().RevokeCertificate(ctx(), c.ID, "a mistake")
		return err
	})
	apply := func() error {
		_, err := w.Platform.Staff.Apply(ctx(), ada, Submitted())
		return err
	}
	do("apply", apply)
	a, err := w.Platform.Staff.ApplicationOf(ctx(), ada)
	if err != nil || a == nil {
		t.Fatal(err)
	}
	do("reject", func() error { return w.Platform.Staff.Reject(ctx(), admin, a.ID, "no") })
	do("apply again", apply)
	do("approve", func() error { return w.Platform.Staff.Approve(ctx(), admin, a.ID) })
	w.Deleted(t, "ada", n)
}

// answersQuiz saves a quiz of one question, which a student answers.
func (w *World) answersQuiz(t *testing.T, student core.Actor, courseID, chapterID string) {
	t.Helper()
	w.Saves(t, assess.QuizEdit{CourseID: courseID, ChapterID: chapterID,
		Questions: []assess.Question{{ID: "q", Kind: assess.TrueFalse, Text: "1 < 2", Points: 1,
			Solution: &assess.Solution{Answer: true}}},
		Settings: assess.QuizSettings{PassPercent: 50, Review: assess.ReviewNever}})
	a, err := w.Platform.Assess.StartAttempt(ctx(), student, courseID, chapterID)
	Must(t, err)
	_, err = w.Platform.Assess.SubmitAttempt(ctx(), student, a.ID,
		map[string]assess.Answer{"q": true})
	Must(t, err)
}

// InsertEvents writes events, up to 1,000 in one transaction.
func InsertEvents(tb testing.TB, k *learningtest.Kit, list []outbox.Delivery) {
	tb.Helper()
	for start := 0; start < len(list); start += 1000 {
		err := k.Store.InTx(tb.Context(), func(tx learning.Tx) error {
			for i := start; i < min(start+1000, len(list)); i += 100 {
				if err := tx.InsertEvents(tb.Context(),
					list[i:min(i+100, start+1000, len(list))]); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			tb.Fatal(err)
		}
	}
}

// Event returns an event of the user ada, with a time so many minutes after the start.
func Event(kind string, minute int) people.IdentityEvent {
	at := learningtest.Start.Add(time.Duration(minute) * time.Minute)
	e := people.IdentityEvent{SentAt: at, Type: kind, User: people.IdentityUser{ID: "ada"}}
	if kind != people.UserDeleted {
		e.User.FirstName = fmt.Sprintf("Ada %d", minute)
		e.User.Emails = []people.IdentityEmail{{ID: "1",
			Address: fmt.Sprintf("ada-%d@example.com", minute)}}
		e.User.ImageURL = fmt.Sprintf("https://example.com/%d.png", minute)
		e.User.UpdatedAt = at
	}
	return e
}

// WithRole returns an event with a role in its public metadata.
func WithRole(e people.IdentityEvent, role core.Role) people.IdentityEvent {
	e.User.Role = &role
	return e
}

// Apply applies events, which must succeed.
func (w *World) Apply(t *testing.T, events ...people.IdentityEvent) {
	t.Helper()
	for _, e := range events {
		if err := w.Platform.System().ApplyIdentityEvent(context.Background(), e); err != nil {
			t.Fatalf("%s: %v", e.Type, err)
		}
	}
}

// WithEventsOnEngines runs a test with a world and a receiver of its events on the engines of
// [OnEngines].
func WithEventsOnEngines(t *testing.T, test func(t *testing.T, w *World, r *Receiver)) {
	OnEngines(t, func(t *testing.T, database string) {
		r := &Receiver{}
		test(t, New(t, database, r.Option()), r)
	})
}
