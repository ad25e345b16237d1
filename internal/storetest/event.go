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

	"github.com/openlectern/openlectern/learning"
)

var eventTests = []test{
	{"an event comes back as it was stored", eventRoundTrip},
	{"a position of a subject and target is taken once", eventPositions},
	{"due are pending events of the shard, the longest due subject first", eventDue},
	{"undelivered events of a subject come in their order", eventUndelivered},
	{"the status of an event is changed from the given one only", eventStatus},
	{"the status of waiting events changes for the subject and target only", eventWaiting},
	{"undelivered events are counted by status", eventCounts},
	{"delivered events are deleted by shard and time", eventDelete},
	{"a course is completed once", courseCompletion},
	{"of 20 transactions that insert the same position at once, one does", raceEventPosition},
}

// event returns a pending delivery that is due at noon.
func event(id, subject string, seq int64) learning.EventDelivery {
	return learning.EventDelivery{
		Event:  learning.Event{ID: id, Type: learning.EventUserDeleted, CreatedAt: noon, Subject: subject, Data: learning.EventData{UserID: "ada"}},
		Target: "mail", Shard: "mail/1", Seq: seq, Status: learning.EventPending, StatusAt: noon,
	}
}

func (f *fixture) events(q learning.EventQuery, want ...learning.EventDelivery) {
	f.t.Helper()
	if q.Limit == 0 {
		q.Limit = 100
	}
	got, err := f.EventDeliveries(f.t.Context(), q)
	if diff := cmp.Diff(want, got); diff != "" && len(want)+len(got) > 0 || err != nil {
		f.t.Errorf("%+v: %v (-want +got):\n%s", q, err, diff)
	}
}

func (f *fixture) addEvents(list ...learning.EventDelivery) {
	f.t.Helper()
	f.do(func(ctx context.Context, tx learning.Tx) error { return tx.InsertEvents(ctx, list) })
}

func eventRoundTrip(t *testing.T, f *fixture) {
	full := event("a", "user:"+long(191), 1<<40)
	full.Type, full.Status, full.Attempts, full.LastError = learning.EventPurchaseCompleted, learning.EventFailed, 8, "naïve 🙂 'error'"
	full.Target, full.Shard, full.StatusAt = "a-target-with-a-long-name-of-32-c", "a-target-with-a-long-name-of-32-c/7", noon.Add(time.Microsecond)
	full.Target = full.Target[:32]
	full.Data = learning.EventData{CourseID: "c", CourseTitle: "Größe \"1\" 🙂", EducatorID: "e", UserID: "u", PurchaseID: "p", Amount: 1699,
		Currency: "EUR", CertificateID: "d", ApplicationID: "f"}
	b, bOfWeb := event("b", "user:ada", 1), event("b", "user:ada", 1)
	bOfWeb.Target, bOfWeb.Shard = "web", "web/3"
	f.addEvents(full, bOfWeb, b)
	f.events(learning.EventQuery{}, full, b, bOfWeb)
	f.events(learning.EventQuery{ID: "b", Target: "web"}, bOfWeb)
	f.events(learning.EventQuery{After: "a"}, b, bOfWeb)
	f.events(learning.EventQuery{Status: learning.EventFailed}, full)
	f.events(learning.EventQuery{Target: "mail", Limit: 1}, b)
	f.events(learning.EventQuery{ID: "B"})
	f.do(func(ctx context.Context, tx learning.Tx) error {
		last, err := tx.LastEventSeqs(ctx, []string{full.Target, "mail", "web"}, []string{full.Subject, "user:ada", "user:bob"})
		equal(t, last, err, map[string]int64{full.Subject: 1 << 40, "user:ada": 1})
		last, err = tx.LastEventSeqs(ctx, []string{"mail"}, []string{full.Subject})
		equal(t, last, err, map[string]int64{})
		return nil
	})
}

func eventPositions(t *testing.T, f *fixture) {
	f.addEvents(event("a", "user:ada", 1), event("b", "user:ada", 2), event("c", "user:bob", 1))
	f.fails(learning.ErrDuplicate, func(ctx context.Context, tx learning.Tx) error {
		return tx.InsertEvents(ctx, []learning.EventDelivery{event("d", "user:ada", 3), event("e", "user:ada", 2)})
	})
	ofWeb := event("a", "user:ada", 1)
	ofWeb.Target = "web"
	f.addEvents(ofWeb)
	f.events(learning.EventQuery{After: "c"})
}

func eventDue(t *testing.T, f *fixture) {
	second, later, delivered, elsewhere := event("b", "user:bob", 1), event("c", "user:eve", 1), event("d", "user:dan", 1), event("e", "user:fay", 1)
	second.StatusAt = noon.Add(-time.Second)
	later.StatusAt = noon.Add(time.Microsecond)
	delivered.Status, elsewhere.Shard = learning.EventDelivered, "mail/2"
	f.addEvents(event("a", "user:ada", 1), event("f", "user:ada", 2), second, later, delivered, elsewhere)
	due, err := f.DueEventSubjects(t.Context(), "mail/1", noon, 10)
	equal(t, due, err, []string{"user:bob", "user:ada"})
	due, err = f.DueEventSubjects(t.Context(), "mail/1", noon, 1)
	equal(t, due, err, []string{"user:bob"})
	shards, err := f.DueEventShards(t.Context(), []string{"mail/1", "mail/3"}, noon)
	equal(t, shards, err, []string{"mail/1"})
	if shards, err = f.DueEventShards(t.Context(), []string{"mail/1", "mail/2"}, noon.Add(-time.Minute)); err != nil || len(shards) > 0 {
		t.Errorf("%v: %v", shards, err)
	}
}

func eventUndelivered(t *testing.T, f *fixture) {
	first, second, third := event("c", "user:ada", 1), event("b", "user:ada", 2), event("a", "user:ada", 3)
	first.Status, second.Status = learning.EventDelivered, learning.EventFailed
	other := event("d", "user:ada", 1)
	other.Target = "web"
	f.addEvents(third, first, second, other, event("e", "user:bob", 1))
	list, err := f.UndeliveredEvents(t.Context(), "mail", "user:ada", 10)
	equal(t, list, err, []learning.EventDelivery{second, third})
	list, err = f.UndeliveredEvents(t.Context(), "mail", "user:ada", 1)
	equal(t, list, err, []learning.EventDelivery{second})
}

func eventCounts(t *testing.T, f *fixture) {
	if got, err := f.CountUndeliveredEvents(t.Context(), []string{"mail/1"}); err != nil || len(got) > 0 {
		t.Errorf("%v: %v", got, err)
	}
	old, blocked, delivered, elsewhere := event("b", "user:bob", 1), event("c", "user:eve", 1), event("d", "user:dan", 1), event("e", "user:fay", 1)
	old.CreatedAt = noon.Add(-time.Microsecond)
	blocked.Status, delivered.Status, elsewhere.Shard = learning.EventBlocked, learning.EventDelivered, "mail/2"
	f.addEvents(event("a", "user:ada", 1), old, blocked, delivered, elsewhere)
	got, err := f.CountUndeliveredEvents(t.Context(), []string{"mail/1", "mail/3"})
	slices.SortFunc(got, func(a, b learning.EventCount) int { return strings.Compare(string(a.Status), string(b.Status)) })
	equal(t, got, err, []learning.EventCount{{Status: learning.EventBlocked, Number: 1, Oldest: noon}, {Status: learning.EventPending, Number: 2, Oldest: old.CreatedAt}})
}

func eventStatus(t *testing.T, f *fixture) {
	ofWeb := event("a", "user:ada", 1)
	ofWeb.Target = "web"
	f.addEvents(event("a", "user:ada", 1), ofWeb, event("b", "user:ada", 2))
	changed := event("a", "user:ada", 1)
	changed.Status, changed.StatusAt, changed.Attempts, changed.LastError = learning.EventFailed, noon.Add(time.Hour), 8, "broken"
	set := func(was learning.EventStatus, want bool) {
		t.Helper()
		f.moves(want, func(ctx context.Context, tx learning.Tx) (bool, error) { return tx.SetEventStatus(ctx, changed, was) })
	}
	set(learning.EventBlocked, false)
	set(learning.EventPending, true)
	set(learning.EventPending, false)
	set(learning.EventFailed, true) // to the same
	f.events(learning.EventQuery{}, changed, ofWeb, event("b", "user:ada", 2))
}

func eventWaiting(t *testing.T, f *fixture) {
	list := make([]learning.EventDelivery, 6)
	for i := range list {
		list[i] = event(fmt.Sprint(i), "user:ada", int64(i))
	}
	list[0].Status, list[1].Status, list[2].Status = learning.EventDelivered, learning.EventFailed, learning.EventBlocked
	list[3].Attempts, list[3].LastError = 2, "kept"
	list[4].Target, list[5].Subject = "web", "user:bob"
	f.addEvents(list...)
	waiting := event("1", "user:ada", 1)
	waiting.Status, waiting.StatusAt = learning.EventBlocked, noon.Add(time.Hour)
	f.do(func(ctx context.Context, tx learning.Tx) error { return tx.SetWaitingEvents(ctx, waiting) })
	for _, i := range []int{2, 3} {
		list[i].Status, list[i].StatusAt = waiting.Status, waiting.StatusAt
	}
	f.events(learning.EventQuery{}, list...)
}

func eventDelete(t *testing.T, f *fixture) {
	list := make([]learning.EventDelivery, 5)
	for i := range list {
		list[i] = event(fmt.Sprint(i), "user:ada", int64(i))
		list[i].Status, list[i].StatusAt = learning.EventDelivered, noon.Add(time.Duration(i)*time.Second)
	}
	list[0].Shard, list[1].Status = "mail/2", learning.EventPending
	f.addEvents(list...)
	at, err := f.OldestDelivered(t.Context(), "mail/1", 2)
	equal(t, at, err, noon.Add(3*time.Second))
	if _, err := f.OldestDelivered(t.Context(), "mail/1", 4); !errors.Is(err, learning.ErrNoRecord) {
		t.Errorf("the fourth of three: %v", err)
	}
	f.moves(true, func(ctx context.Context, tx learning.Tx) (bool, error) {
		return tx.DeleteDeliveredEvents(ctx, "mail/1", at)
	})
	f.moves(false, func(ctx context.Context, tx learning.Tx) (bool, error) {
		return tx.DeleteDeliveredEvents(ctx, "mail/1", at)
	})
	f.events(learning.EventQuery{}, list[0], list[1], list[4])
}

func courseCompletion(t *testing.T, f *fixture) {
	insert := func(userID, courseID string) func(ctx context.Context, tx learning.Tx) error {
		return func(ctx context.Context, tx learning.Tx) error {
			return tx.InsertCourseCompletion(ctx, userID, courseID, noon)
		}
	}
	f.do(insert("ada", "go"))
	f.fails(learning.ErrDuplicate, insert("ada", "go"))
	f.do(insert("ada", "sql"))
	f.do(insert("bob", "go"))
}

func raceEventPosition(t *testing.T, f *fixture) {
	wins := f.race(20, func(ctx context.Context, tx learning.Tx, i int) (bool, error) {
		last, err := tx.LastEventSeqs(ctx, []string{"mail"}, []string{"user:ada"})
		if err != nil || last["user:ada"] > 0 {
			return false, err
		}
		err = tx.InsertEvents(ctx, []learning.EventDelivery{event(fmt.Sprint(i), "user:ada", 1)})
		return err == nil, err
	})
	if wins != 1 {
		t.Errorf("%d transactions inserted the position", wins)
	}
}
