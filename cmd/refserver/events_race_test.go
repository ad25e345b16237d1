package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning/sandbox"
)

// Two processes on one database deliver to a receiver that fails in every way. One of them is
// killed while the receiver handles an event, and started again. The receiver gets each event
// at least once, and those of a subject in order.
func TestEvents_ReachAFailingReceiverInOrder(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, database string) {
		r := newEventReceiver(t)
		r.setFault(inRotation("500", "reset", "redirect", "hang"))
		d := &eventDeployment{newDeployment(t, database, r.settings("/hooks?tenant=1")), r}
		people := d.students(t, 12)
		first := d.at()
		d.study(t, first, people[:4])
		await(t, "faults of every kind", func() bool {
			return r.count("500") > 0 && r.count("reset") > 0 && r.count("redirect") > 0 &&
				r.count("hang") > 0
		})

		r.setFault(func(*http.Request) string { return "answer lost" })
		d.study(t, first, people[4:6])
		await(t, "an event to be handled", func() bool { return r.count("answer lost") > 0 })
		killed := d.cmd
		d.start(t)
		second := d.at()
		if err := killed.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = killed.Wait()
		r.setFault(inRotation("500", "reset", "redirect"))
		d.start(t)
		// of the killed process
		d.exec(t,
			"UPDATE leases SET expires_at = '2000-01-01 00:00:00.000000' WHERE name LIKE "+
				"'events:%'")
		failed := r.count("500")
		var both sync.WaitGroup
		both.Go(func() { d.study(t, second, people[6:9]) })
		both.Go(func() { d.study(t, d.at(), people[9:]) })
		both.Wait()
		await(t, "more faults", func() bool { return r.count("500") > failed })

		r.setFault(func(*http.Request) string { return "" })
		d.awaitDelivered(t)
		d.wantEvents(t, people)
	})
}

// eventDeployment is a deployment that sends its events to a receiver.
type eventDeployment struct {
	*deployment
	receiver *eventReceiver
}

// study makes students take the free course, buy the paid one, apply as educators and be
// deleted: two events about purchases and four about the user.
func (d *eventDeployment) study(t *testing.T, url string, people []student) {
	for _, s := range people {
		ask := func(method, path, body string) answer {
			a := requestAt(t.Context(), url, method, path, s, body)
			if a.status != http.StatusOK {
				t.Errorf("%s %s: %d %s", s.id, path, a.status, a.body)
			}
			return a
		}
		ask(http.MethodPost, "/api/user/purchase", `{"courseId":"free"}`)
		var o order
		if err := json.Unmarshal([]byte(ask(http.MethodPost, "/api/user/purchase",
			`{"courseId":"paid"}`).body), &o); err != nil {
			t.Error(err)
			return
		}
		p, err := d.box.Gateway().Pay(o.OrderID, sandbox.WithoutWebhook())
		if err != nil {
			t.Error(err)
			return
		}
		ask(http.MethodPost, "/api/user/verify-gateway",
			fmt.Sprintf(`{"gateway_order_id":%q,"gateway_payment_id":%q,"gateway_signature":%q}`,
				o.OrderID, p.ID, d.box.Gateway().Signature(o.OrderID, p.ID)))
		ask(http.MethodPost, "/api/educator/apply",
			`{"professionalTitle":"Baker","bio":"I bake.","expertise":["Bread"]}`)
		body, err := d.box.Identity().Event(sandbox.UserDeleted, s.id)
		if err == nil {
			err = d.box.Identity().SendWebhook(t.Context(), body)
		}
		if err != nil {
			t.Error(err)
		}
	}
}

// awaitDelivered waits until all events are delivered. It makes those due that wait for their
// next attempt, because the later ones are minutes away.
func (d *eventDeployment) awaitDelivered(t *testing.T) {
	t.Helper()
	var next time.Time
	await(t, "all events to be delivered", func() bool {
		if time.Now().After(next) {
			next = time.Now().Add(time.Second)
			d.exec(t,
				"UPDATE event_deliveries SET status_at = '2000-01-01 00:00:00.000000' WHERE "+
					"status = 'pending'")
			return d.count(t, "event_deliveries WHERE status <> 'delivered'") == 0
		}
		return false
	})
}

// wantEvents checks that the receiver has handled each event that was written, and each event of
// a subject after those before it.
func (d *eventDeployment) wantEvents(t *testing.T, people []student) {
	t.Helper()
	before, counts := d.written(t)
	want := map[string]int{"course.published": 2, "purchase.completed": 2 * len(people),
		"enrollment.created":    2 * len(people),
		"application.submitted": len(people), "user.deleted": len(people)}
	if diff := cmp.Diff(want, counts); diff != "" {
		t.Errorf("events that were written: %s", diff)
	}
	handled, again := map[string]bool{}, 0
	for _, a := range d.receiver.received() {
		if previous := before[a.id]; previous != "" && !handled[previous] {
			t.Errorf("%s of %s arrived before the event %s was handled", a.kind, a.subject,
				previous)
		}
		if handled[a.id] {
			again++
		}
		handled[a.id] = handled[a.id] || a.handled
	}
	for id := range before {
		if !handled[id] {
			t.Errorf("the event %s was not handled", id)
		}
	}
	if again == 0 {
		t.Error("no event arrived again after its answer was lost")
	}
	t.Logf("%d events, %d arrivals, %d of them again; faults: %v", len(before),
		len(d.receiver.received()), again, d.receiver.faults)
}

// written returns the id of the event before each event of a subject, "" for the first one, and
// the number of events by type.
func (d *eventDeployment) written(t *testing.T) (before map[string]string, counts map[string]int) {
	t.Helper()
	rows, err := d.db.Query("SELECT id, subject, type FROM event_deliveries ORDER BY subject, seq")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	before, counts = map[string]string{}, map[string]int{}
	var lastID, lastSubject string
	for rows.Next() {
		var id, subject, kind string
		if err := rows.Scan(&id, &subject, &kind); err != nil {
			t.Fatal(err)
		}
		if before[id] = ""; subject == lastSubject {
			before[id] = lastID
		}
		lastID, lastSubject = id, subject
		counts[kind]++
	}
	return before, counts
}
