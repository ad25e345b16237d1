package main

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/store"
	"github.com/openlectern/openlectern/learning/store/engines"
)

// usedUp is a server whose connections for some reads are all in use.
type usedUp struct {
	*learningtest.Kit
	store  *store.Store
	url    string
	ada    learning.Actor
	course string
}

func newUsedUp(t *testing.T, database string) *usedUp {
	t.Helper()
	u := &usedUp{}
	open := func(learning.Store) learning.Store {
		st, err := engines.Open(t.Context(), database, store.WithDeadlines(time.Second, 0))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = st.Close() })
		u.store = st
		return st
	}
	u.Kit = learningtest.New(t, learningtest.WithDatabase(database), learningtest.WithStore(open))
	probe := httpapi.Route{
		ID: "ready", Method: http.MethodGet, Path: readyPath, Access: httpapi.Public,
		Do: httpapi.Handle(ready(u.Platform, func() bool { return false })),
	}
	handler, err := httpapi.New(u.Platform, httpapi.WithRoutes(probe))
	if err != nil {
		t.Fatal(err)
	}
	u.url = u.Serve(t, handler, "")
	u.ada, u.course = u.Person(t, "ada", core.Student), u.Course(t, "sailing", 499_00)
	if _, err := u.Platform.Community.CreateGroup(t.Context(), u.ada,
		community.NewGroup{Name: "Sailors"}); err != nil {
		t.Fatal(err)
	}
	return u
}

// take reads lists that do not end, until all connections of a pool are in use. On a busy machine a
// connection may take longer to open than a read may take; then the list is read again.
func (u *usedUp) take(t *testing.T, pool string, class core.ReadClass) {
	t.Helper()
	ended := errors.New("ended")
	release := make(chan struct{})
	var all sync.WaitGroup
	t.Cleanup(func() { close(release); all.Wait() })
	most := int64(u.store.PoolStats()[pool].MaxOpenConnections)
	ctx := core.WithReadClass(t.Context(), class)
	var taken atomic.Int64
	list := func(string) error {
		taken.Add(1)
		<-release
		return ended
	}
	for range most {
		all.Go(func() {
			err := u.store.EachGroupID(ctx, list)
			for errors.Is(err, core.ErrBusy) {
				err = u.store.EachGroupID(ctx, list)
			}
			if !errors.Is(err, ended) {
				t.Errorf("a list of %s: %v", pool, err)
			}
		})
	}
	await(t, "the connections of "+pool, func() bool { return taken.Load() == most })
}

func (u *usedUp) get(t *testing.T, path, token string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, u.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	return res
}

// Anonymous callers have used up their connections, then all other readers theirs:
//
//	                            anonymous used up   others too
//	/readyz                     200                 200
//	order of a signed-in user   200                 200
//	webhook of the gateway      completes it        completes it
//	a user's own record         200                 503 with Retry-After
//	a course, without a token   503                 503 with Retry-After
func TestReaders_AllConnectionsInUse_ProbesAndPaymentsGoOn(t *testing.T) {
	t.Parallel()
	enginetest.Each(t, enginetest.All, func(t *testing.T, e enginetest.Engine) {
		t.Parallel()
		u := newUsedUp(t, e.URL(t))
		token := u.Token(t, u.ada.UserID)
		u.take(t, "anonymous", core.AnonymousReads)
		u.wantUrgent(t, "ada")
		u.wantStatus(t, "/api/user/data", token, http.StatusOK)
		u.wantStatus(t, "/api/course/"+u.course, "", http.StatusServiceUnavailable)

		eve := u.Person(t, "eve", core.Student)
		u.take(t, "reading", core.OrdinaryReads)
		u.wantUrgent(t, eve.UserID)
		u.wantStatus(t, "/api/user/data", token, http.StatusServiceUnavailable)
	})
}

func (u *usedUp) wantStatus(t *testing.T, path, token string, status int) {
	t.Helper()
	res := u.get(t, path, token)
	if res.StatusCode != status ||
		(res.Header.Get("Retry-After") != "") != (status != http.StatusOK) {
		t.Errorf("%s: status %d, want %d; Retry-After %q", path, res.StatusCode, status,
			res.Header.Get("Retry-After"))
	}
}

// wantUrgent checks the probe, and that a webhook completes a purchase of a user.
func (u *usedUp) wantUrgent(t *testing.T, userID string) {
	t.Helper()
	u.wantStatus(t, readyPath, "", http.StatusOK)

	order := u.order(t, userID)
	if _, err := u.Sandbox.Gateway().Pay(order); err != nil {
		t.Fatal(err)
	}
	if err := u.Sandbox.Wait(t.Context()); err != nil {
		t.Errorf("the webhook: %v", err)
	}
	o, err := u.Sandbox.Gateway().Order(order)
	if err != nil {
		t.Fatal(err)
	}
	ctx := core.WithReadClass(context.WithoutCancel(t.Context()), core.UrgentReads)
	p, err := u.store.Purchase(ctx, o.Notes["purchaseId"])
	if err != nil || p.Status != purchase.Completed {
		t.Errorf("the purchase of %s is %q (%v)", userID, p.Status, err)
	}
}

// order opens an order over HTTP.
func (u *usedUp) order(t *testing.T, userID string) (id string) {
	t.Helper()
	s := student{userID, u.Token(t, userID)}
	a := requestAt(t.Context(), u.url, http.MethodPost, "/api/user/purchase", s,
		`{"courseId":"`+u.course+`"}`)
	o, ok := orderIn(a)
	if !ok {
		t.Fatalf("open an order: %d %s", a.status, a.body)
	}
	return o.OrderID
}
