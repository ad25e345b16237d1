package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/outbox"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/purchase"
)

var eventTests = []test{
	{"an event comes back as it was stored", eventRoundTrip},
	{"a position of a subject and target is taken once", eventPositions},
	{"due are pending events of the shard, the longest due first", eventDue},
	{"each subject with a due event is on a page", eventDuePages},
	{"undelivered events of a subject come in their order", eventUndelivered},
	{"the status of an event is changed from the given one only", eventStatus},
	{"events of a target are delivered once", eventsDelivered},
	{"events of a subject are blocked and unblocked", eventsBlocked},
	{"targets are found by their events", eventTargets},
	{"undelivered events are counted by status", eventCounts},
	{"delivered events are deleted by shard and time", eventDelete},
	{"a course is completed once", courseCompletion},
	{"of 20 transactions that insert the same position at once, one does", raceEventPosition},
}

// event returns a pending delivery that is due at noon.
func event(id, subject string, seq int64) outbox.Delivery {
	return outbox.Delivery{
		Event: outbox.Event{ID: id, Type: string(people.EventUserDeleted), CreatedAt: noon,
			Subject: subject, Data: core.EventData{UserID: "ada"}},
		Target: "mail", Shard: "mail/1", Seq: seq, Status: outbox.Pending, StatusAt: noon,
	}
}

// events checks the deliveries that q selects, in the order of the events' ids.
func (f *fixture) events(q outbox.Query, want ...outbox.Delivery) {
	f.t.Helper()
	if q.Limit == 0 {
		q.Limit = 100
	}
	got, err := f.EventDeliveries(f.t.Context(), q)
	if diff := cmp.Diff(want, got); diff != "" && len(want)+len(got) > 0 || err != nil {
		f.t.Errorf("%+v: %v (-want +got):\n%s", q, err, diff)
	}
}

// addEvents stores deliveries with one statement.
func (f *fixture) addEvents(list ...outbox.Delivery) {
	f.t.Helper()
	f.do(func(ctx context.Context, tx learning.Tx) error { return tx.InsertEvents(ctx, list) })
}

func eventRoundTrip(t *testing.T, f *fixture) {
	full := event("a", "user:"+long(191), 1<<40)
	full.Type = string(purchase.EventCompleted)
	full.Status = outbox.Failed
	full.Attempts = 8
	full.LastError = "naïve 🙂 'error'"
	full.Target = strings.Repeat("t", 32) // the longest name
	full.Shard = full.Target + "/7"
	full.StatusAt = noon.Add(time.Microsecond)
	full.Data = core.EventData{CourseID: "c", CourseTitle: "Größe \"1\" 🙂", EducatorID: "e",
		UserID: "u", PurchaseID: "p", Amount: 1699,
		Currency: "EUR", CertificateID: "d", ApplicationID: "f"}
	b, bOfWeb := event("b", "user:ada", 1), event("b", "user:ada", 1)
	bOfWeb.Target, bOfWeb.Shard = "web", "web/3"
	f.addEvents(full, bOfWeb, b)
	f.events(outbox.Query{}, full, b, bOfWeb)
	f.events(outbox.Query{ID: "b", Target: "web"}, bOfWeb)
	f.events(outbox.Query{After: "a"}, b, bOfWeb)
	f.events(outbox.Query{Status: outbox.Failed}, full)
	f.events(outbox.Query{Target: "mail", Limit: 1}, b)
	f.events(outbox.Query{ID: "B"})
	f.do(func(ctx context.Context, tx learning.Tx) error {
		last, err := tx.LastEventSeqs(ctx, []string{full.Target, "mail", "web"},
			[]string{full.Subject, "user:ada", "user:bob"})
		equal(t, last, err, map[string]int64{full.Subject: 1 << 40, "user:ada": 1})
		last, err = tx.LastEventSeqs(ctx, []string{"mail"}, []string{full.Subject})
		equal(t, last, err, map[string]int64{})
		return nil
	})
}

func eventPositions(t *testing.T, f *fixture) {
	f.addEvents(event("a", "user:ada", 1), event("b", "user:ada", 2), event("c", "user:bob", 1))
	f.fails(core.ErrDuplicate, func(ctx context.Context, tx learning.Tx) error {
		return tx.InsertEvents(ctx,
			[]outbox.Delivery{event("d", "user:ada", 3), event("e", "user:ada", 2)})
	})
	ofWeb := event("a", "user:ada", 1)
	ofWeb.Target = "web"
	f.addEvents(ofWeb)
	f.events(outbox.Query{After: "c"})
}

func eventDue(t *testing.T, f *fixture) {
	second := event("b", "user:bob", 1)
	later := event("c", "user:eve", 1)
	delivered := event("d", "user:dan", 1)
	elsewhere := event("e", "user:fay", 1)
	second.StatusAt, second.Attempts = noon.Add(-time.Second), 2
	later.StatusAt = noon.Add(time.Microsecond)
	delivered.Status, elsewhere.Shard = outbox.Delivered, "mail/2"
	f.addEvents(event("a", "user:ada", 1), second, later, delivered, elsewhere)
	wantDue := func(list []outbox.Delivery, err error, want ...outbox.Delivery) {
		t.Helper()
		// DueEvents reads these fields only.
		for i, e := range want {
			want[i] = outbox.Delivery{Event: outbox.Event{Subject: e.Subject}, Seq: e.Seq,
				StatusAt: e.StatusAt, Attempts: e.Attempts}
		}
		equal(t, list, err, want)
	}
	due, err := f.DueEvents(t.Context(), "mail/1", noon, outbox.Delivery{}, 10)
	wantDue(due, err, second, event("a", "user:ada", 1))
	due, err = f.DueEvents(t.Context(), "mail/1", noon, outbox.Delivery{}, 1)
	wantDue(due, err, second)
	first, err := f.FirstPending(t.Context(), []string{"mail/1", "mail/3", "mail/2"})
	slices.SortFunc(first, func(a, b outbox.ShardDue) int { return strings.Compare(a.Shard, b.Shard) })
	equal(t, first, err, []outbox.ShardDue{{Shard: "mail/1", At: noon.Add(-time.Second)},
		{Shard: "mail/2", At: noon}})
}

// eventDuePages reads pages of due deliveries of which many have the same time, and some the same
// subject too. Of those with one time and subject, a page may leave out some.
func eventDuePages(t *testing.T, f *fixture) {
	want := map[string]bool{}
	for i := range 10 {
		subject := fmt.Sprint("user:", i%7)
		want[subject] = true
		e := event(fmt.Sprintf("%02d", i), subject, int64(i+1))
		e.StatusAt = noon.Add(-time.Duration(i/5) * time.Second)
		f.addEvents(e)
	}
	got := map[string]bool{}
	var after outbox.Delivery
	const limit = 3
	for range 10 {
		list, err := f.DueEvents(t.Context(), "mail/1", noon, after, limit)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range list {
			got[e.Subject] = true
			after = e
		}
		if len(list) < limit {
			equal(t, got, nil, want)
			return
		}
	}
	t.Error("the pages do not end")
}

func eventUndelivered(t *testing.T, f *fixture) {
	first := event("c", "user:ada", 1)
	second := event("b", "user:ada", 2)
	third := event("a", "user:ada", 3)
	first.Status, second.Status = outbox.Delivered, outbox.Failed
	other := event("d", "user:ada", 1)
	other.Target = "web"
	f.addEvents(third, first, second, other, event("e", "user:bob", 1))
	list, err := f.UndeliveredEvents(t.Context(), "mail", "user:ada", 10)
	equal(t, list, err, []outbox.Delivery{second, third})
	list, err = f.UndeliveredEvents(t.Context(), "mail", "user:ada", 1)
	equal(t, list, err, []outbox.Delivery{second})
	// Both ends of a range belong to it. The events come in no order, so that they are sorted by
	// id.
	for _, c := range []struct {
		ranges []outbox.Range
		want   []outbox.Delivery
	}{
		{[]outbox.Range{{Subject: "user:ada", From: 0, To: 2}}, []outbox.Delivery{second}},
		{[]outbox.Range{{Subject: "user:ada", From: 1, To: 3},
			{Subject: "user:eve", From: 0, To: 9}}, []outbox.Delivery{third, second}},
		{[]outbox.Range{{Subject: "user:bob", From: 1, To: 1},
			{Subject: "user:ada", From: 3, To: 3}},
			[]outbox.Delivery{third, event("e", "user:bob", 1)}},
	} {
		list, err := f.UndeliveredEventsIn(t.Context(), "mail", c.ranges)
		slices.SortFunc(list, func(a, b outbox.Delivery) int { return strings.Compare(a.ID, b.ID) })
		equal(t, list, err, c.want)
	}
}

func eventCounts(t *testing.T, f *fixture) {
	if got, err := f.CountUndeliveredEvents(t.Context(), []string{"mail/1"}); err != nil ||
		len(got) > 0 {
		t.Errorf("%v: %v", got, err)
	}
	old := event("b", "user:bob", 1)
	blocked := event("c", "user:eve", 1)
	delivered := event("d", "user:dan", 1)
	elsewhere := event("e", "user:fay", 1)
	old.CreatedAt = noon.Add(-time.Microsecond)
	blocked.Status = outbox.Blocked
	delivered.Status = outbox.Delivered
	elsewhere.Shard = "mail/2"
	f.addEvents(event("a", "user:ada", 1), old, blocked, delivered, elsewhere)
	got, err := f.CountUndeliveredEvents(t.Context(), []string{"mail/1", "mail/3"})
	slices.SortFunc(got,
		func(a, b outbox.Count) int { return strings.Compare(string(a.Status), string(b.Status)) })
	equal(t, got, err, []outbox.Count{{Status: outbox.Blocked, Number: 1, Oldest: noon},
		{Status: outbox.Pending, Number: 2, Oldest: old.CreatedAt}})
}

func eventStatus(t *testing.T, f *fixture) {
	ofWeb := event("a", "user:ada", 1)
	ofWeb.Target = "web"
	pending := event("a", "user:ada", 1)
	f.addEvents(pending, ofWeb, event("b", "user:ada", 2))
	changed := pending
	changed.Status = outbox.Failed
	changed.StatusAt = noon.Add(time.Hour)
	changed.Attempts = 8
	changed.LastError = "broken"
	set := func(before outbox.Delivery, want bool) {
		t.Helper()
		f.reports(want, func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.SetEventStatus(ctx, before, changed)
		})
	}
	blocked, tried := pending, pending
	blocked.Status, tried.Attempts = outbox.Blocked, 1
	set(blocked, false)
	set(tried, false)
	set(pending, true)
	set(pending, false)
	set(changed, true) // to the same
	f.events(outbox.Query{}, changed, ofWeb, event("b", "user:ada", 2))
}

func eventsDelivered(t *testing.T, f *fixture) {
	list := make([]outbox.Delivery, 6)
	for i := range list {
		list[i] = event(fmt.Sprint(i), "user:ada", int64(i))
		list[i].Attempts, list[i].LastError = 2, "broken"
	}
	list[1].Status, list[2].Status = outbox.Blocked, outbox.Failed
	list[3].Target, list[4].Status = "web", outbox.Delivered
	f.addEvents(list...)
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.SetEventsDelivered(ctx, "mail", []string{"0", "1", "2", "3", "4"},
			noon.Add(time.Hour))
	})
	for _, i := range []int{0, 1} {
		list[i].Status, list[i].StatusAt = outbox.Delivered, noon.Add(time.Hour)
		list[i].Attempts, list[i].LastError = 3, ""
	}
	f.events(outbox.Query{}, list...)
}

func eventsBlocked(t *testing.T, f *fixture) {
	list := make([]outbox.Delivery, 8)
	for i := range list {
		list[i] = event(fmt.Sprint(i), "user:ada", int64(i))
	}
	list[0].Status = outbox.Delivered
	list[1].Status = outbox.Failed
	list[2].Status = outbox.Blocked
	list[6].Target, list[7].Subject = "web", "user:bob"
	f.addEvents(list...)
	wantLast := func(wantFrom, wantTo int64) {
		t.Helper()
		from, to, err := f.LastPendingEvents(t.Context(), "mail", "user:ada")
		equal(t, []int64{from, to}, err, []int64{wantFrom, wantTo})
	}
	wantLast(3, 5)
	later := noon.Add(time.Hour)
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.BlockEvents(ctx, "mail", "user:ada", 0, 4, later)
	})
	for _, i := range []int{3, 4} {
		list[i].Status, list[i].StatusAt = outbox.Blocked, later
	}
	f.events(outbox.Query{}, list...)
	wantLast(5, 5)
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.UnblockEvents(ctx, "mail", []string{"1", "3", "5", "6"}, noon)
	})
	list[3].Status, list[3].StatusAt = outbox.Pending, noon
	f.events(outbox.Query{}, list...)
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.BlockEvents(ctx, "mail", "user:ada", 0, 10, later)
	})
	wantLast(6, 5) // none
	if from, to, err := f.LastPendingEvents(t.Context(), "mail", "user:eve"); err != nil ||
		from <= to {
		t.Errorf("without events: %d to %d: %v", from, to, err)
	}
}

func eventTargets(t *testing.T, f *fixture) {
	web := event("a", "user:ada", 1)
	web.Target = "web"
	web.Shard = "web/1"
	web.Status = outbox.Failed
	f.addEvents(event("a", "user:ada", 1), event("b", "user:bob", 1), web)
	for after, want := range map[string]string{"": "mail", "mail": "web", "nail": "web"} {
		got, err := f.NextEventTarget(t.Context(), after)
		equal(t, got, err, want)
	}
	if _, err := f.NextEventTarget(t.Context(), "web"); !errors.Is(err, core.ErrNoRecord) {
		t.Errorf("after the last one: %v", err)
	}
	for _, c := range []struct {
		shards []string
		after  time.Time
		want   bool
	}{
		{shards: []string{"web/0", "web/1"}, after: noon.Add(-time.Microsecond), want: true},
		{shards: []string{"web/0", "web/1"}, after: noon, want: false},
		{shards: []string{"web/0", "web/2"}, after: noon.Add(-time.Hour), want: false},
	} {
		got, err := f.HasEventsAfter(t.Context(), c.shards, c.after)
		equal(t, got, err, c.want)
	}
}

func eventDelete(t *testing.T, f *fixture) {
	list := make([]outbox.Delivery, 5)
	for i := range list {
		list[i] = event(fmt.Sprint(i), "user:ada", int64(i))
		list[i].Status, list[i].StatusAt = outbox.Delivered, noon.Add(time.Duration(i)*time.Second)
	}
	list[0].Shard, list[1].Status = "mail/2", outbox.Pending
	f.addEvents(list...)
	at, err := f.OldestEvent(t.Context(), "mail/1", outbox.Delivered, 2)
	equal(t, at, err, noon.Add(3*time.Second))
	if _, err := f.OldestEvent(t.Context(), "mail/1", outbox.Delivered, 4); !errors.Is(err,
		core.ErrNoRecord) {
		t.Errorf("the fourth of three: %v", err)
	}
	for _, want := range []bool{true, false} {
		f.reports(want, func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.DeleteEvents(ctx, "mail/1", outbox.Delivered, at)
		})
	}
	f.events(outbox.Query{}, list[0], list[1], list[4])
	f.reports(true, func(ctx context.Context, tx learning.Tx) (bool, error) {
		return tx.DeleteEvents(ctx, "mail/1", outbox.Pending, noon.Add(time.Second))
	})
	f.events(outbox.Query{}, list[0], list[4])
}

func courseCompletion(t *testing.T, f *fixture) {
	insert := func(userID, courseID string) func(ctx context.Context, tx learning.Tx) error {
		return func(ctx context.Context, tx learning.Tx) error {
			return tx.InsertCourseCompletion(ctx, userID, courseID, noon)
		}
	}
	f.do(insert("ada", "go"))
	f.fails(core.ErrDuplicate, insert("ada", "go"))
	f.do(insert("ada", "sql"))
	f.do(insert("bob", "go"))
}

func raceEventPosition(t *testing.T, f *fixture) {
	wins := f.race(20, func(ctx context.Context, tx learning.Tx, i int) (bool, error) {
		last, err := tx.LastEventSeqs(ctx, []string{"mail"}, []string{"user:ada"})
		if err != nil || last["user:ada"] > 0 {
			return false, err
		}
		err = tx.InsertEvents(ctx, []outbox.Delivery{event(fmt.Sprint(i), "user:ada", 1)})
		return err == nil, err
	})
	if wins != 1 {
		t.Errorf("%d transactions inserted the position", wins)
	}
}
