package learning_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/media"
	"github.com/openlectern/openlectern/learning/store/engines"
)

func TestWithIDs_NewRecordsHaveTheseIDs(t *testing.T) {
	made := 0
	next := func() string { made++; return fmt.Sprint("id-", made) }
	w := roomtest.New(t, "sqlite:"+t.TempDir()+"/learning.db",
		learningtest.WithPlatform(learning.WithIDs(next)))
	ada := w.Person(t, "ada", core.Student)
	course := w.Course(t, "", 499_00)
	a, err := w.Platform.Staff.Apply(ctx(), ada, roomtest.Submitted())
	if err != nil {
		t.Fatal(err)
	}
	o := w.Order(t, ada, course)
	seen := map[string]bool{}
	for what, id := range map[string]string{"course": course, "application": a.ID,
		"purchase": o.PurchaseID} {
		if !strings.HasPrefix(id, "id-") || seen[id] {
			t.Errorf("the id of the %s is %q", what, id)
		}
		seen[id] = true
	}
	if n := w.Count(t, "purchases WHERE id = ?", o.PurchaseID) +
		w.Count(t, "applications WHERE id = ?", a.ID) +
		w.Count(t, "courses WHERE id = ?", course); n != 3 {
		t.Errorf("%d of 3 are stored under these ids", n)
	}
	if orders := w.Sandbox.Gateway().Orders(); len(orders) != 1 ||
		orders[0].Receipt != o.PurchaseID {
		t.Errorf("the gateway has the orders %+v, want the receipt %s", orders, o.PurchaseID)
	}
}

func TestNew_RefusesANilArgument(t *testing.T) {
	st, err := engines.Open(t.Context(), "sqlite:"+t.TempDir()+"/learning.db")
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	for name, opt := range map[string]learning.Option{
		"WithTokens":        learning.WithTokens(nil),
		"WithRoles":         learning.WithRoles(nil),
		"WithWebhooks":      learning.WithWebhooks(nil),
		"WithProvider":      learning.WithProvider(nil),
		"WithMedia":         learning.WithMedia((*media.Disk)(nil)),
		"WithFiles":         learning.WithFiles((*media.PrivateDisk)(nil)),
		"WithAI":            learning.WithAI(nil),
		"WithCertificates":  learning.WithCertificates(nil, "https://api.example.org"),
		"WithCredentials":   learning.WithCredentials(nil),
		"WithEvents":        learning.WithEvents("mail", core.EventHandlerFunc(nil)),
		"WithInTransaction": learning.WithInTransaction(nil),
		"WithLogger":        learning.WithLogger(nil),
		"WithClock":         learning.WithClock(nil),
		"WithObserver":      learning.WithObserver(nil),
		"option":            nil,
	} {
		if _, err := learning.New(st, opt); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
