package main

import (
	"net/http"
	"testing"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// TestUpgrade_OldSellsWhileNewManages runs both versions on the migrated database: the old one
// sells and takes payments while the new one refunds what the old one sold, enrols users, edits a
// course, and opens orders with a coupon, which are paid at the old one. Afterwards the books are
// right.
func TestUpgrade_OldSellsWhileNewManages(t *testing.T) {
	t.Parallel()
	enginetest.Need(t, "upgrade", nil)
	v := buildVersions(t)
	enginetest.Each(t, enginetest.All, func(t *testing.T, e enginetest.Engine) {
		u := newUpgrade(t, v, e.URL(t))
		people := u.students(t, 40)
		refunded := people[:10]
		sold := people[10:30]
		granted := people[30:35]
		couponed := people[35:]
		u.startBuyers(t, refunded, u.olderURL).wait(t)
		u.migrate(t)
		u.startNewer(t)
		b := u.startBuyers(t, sold, u.olderURL)
		u.manage(t, refunded, granted, couponed)
		b.wait(t)
		u.stopOlder(t)

		u.wantInvariants(t)
		for rows, want := range map[string]int{
			"purchases WHERE status = 'refunded'":       len(refunded),
			"past_enrollments WHERE ended_by = 'chief'": len(refunded) + 1,
			"refunds WHERE status = 'processed'":        len(refunded),
			"enrollments": len(sold) + len(granted) - 1 +
				len(couponed),
			"coupons WHERE redemptions = 5":  1,
			"courses WHERE title = 'Edited'": 1,
		} {
			if n := u.count(t, rows); n != want {
				t.Errorf("%d %s, want %d", n, rows, want)
			}
		}
	})
}

// manage is the work of an admin and of students at the new version.
func (u *upgrade) manage(t *testing.T, refunded, granted, couponed []student) {
	t.Helper()
	chief := u.admin(t)
	for i, person := range refunded {
		purchase := u.purchaseOf(t, person)
		u.must(t, http.MethodPost, "/api/admin/purchases/"+purchase+"/refund", chief, `{}`)
		if i == 0 {
			u.must(t, http.MethodPatch, "/api/educator/courses/paid", chief,
				`{"version":1,"courseTitle":"Edited"}`)
		}
	}
	for _, person := range granted {
		u.must(t, http.MethodPost, "/api/admin/enrollments", chief,
			`{"userId":"`+person.id+`","courseId":"paid"}`)
	}
	u.must(t, http.MethodDelete, "/api/admin/enrollments/"+granted[0].id+"/paid", chief, "")
	u.must(t, http.MethodPost, "/api/educator/coupons", chief,
		`{"code":"SPRING","percentOff":10,"courseId":"paid","maxRedemptions":5}`)
	for _, person := range couponed {
		a := u.must(t, http.MethodPost, "/api/user/purchase", person,
			`{"courseId":"paid","couponCode":"SPRING"}`)
		o, _ := orderIn(a)
		paid, err := u.box.Gateway().Pay(o.OrderID, sandbox.WithoutWebhook())
		if err != nil {
			t.Fatal(err)
		}
		proof := proofBody(u.till.Proof(o.OrderID, paid.ID))
		if a := requestAt(t.Context(), u.olderURL, http.MethodPost, "/api/user/verify-gateway",
			person, proof); a.status != http.StatusOK {
			t.Errorf("the old version answers a proof with %d: %s", a.status, a.body)
		}
	}
}

// must sends a request to the new version, which must answer 200.
func (u *upgrade) must(t *testing.T, method, path string, s student, body string) answer {
	t.Helper()
	a := u.request(t.Context(), method, path, s, body)
	if a.status != http.StatusOK {
		t.Fatalf("%s %s: %d %s", method, path, a.status, a.body)
	}
	return a
}

// admin returns an admin, who is known to the identity provider only.
func (u *upgrade) admin(t *testing.T) student {
	t.Helper()
	err := u.box.Identity().PutUserQuietly(sandbox.User{ID: "chief", Role: "admin"})
	if err != nil {
		t.Fatal(err)
	}
	token, err := u.box.Identity().Token("chief")
	if err != nil {
		t.Fatal(err)
	}
	return student{"chief", token}
}

func (u *upgrade) purchaseOf(t *testing.T, s student) (id string) {
	t.Helper()
	if err := u.db.QueryRow("SELECT id FROM purchases WHERE user_id = '" + s.id +
		"'").Scan(&id); err != nil {
		t.Fatal(err)
	}
	return id
}
