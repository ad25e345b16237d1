package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/learning/sandbox"
)

// review is a deployment with a pending application.
type review struct {
	*deployment
	admin, applicant student
	path             string // of the application, for administrators
}

func newReview(t *testing.T, database string) *review {
	t.Helper()
	r := &review{deployment: newDeployment(t, database)}
	r.applicant = r.students(t, 1)[0]
	err := r.box.Identity().PutUserQuietly(sandbox.User{ID: "chief", Role: "admin"})
	if err != nil {
		t.Fatal(err)
	}
	r.admin = student{"chief", r.token(t, "chief")}
	a := r.request(t.Context(), http.MethodPost, "/api/educator/apply", r.applicant,
		`{"professionalTitle":"Baker","bio":"I bake.","expertise":["Bread"]}`)
	var body struct {
		Application struct {
			ID string `json:"_id"`
		}
	}
	if json.Unmarshal([]byte(a.body), &body) != nil || a.status != http.StatusOK {
		t.Fatalf("to apply got %d: %s", a.status, a.body)
	}
	r.path = "/api/admin/educator-applications/" + body.Application.ID
	return r
}

func (r *review) token(t *testing.T, id string) string {
	t.Helper()
	token, err := r.box.Identity().Token(id)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// decide approves or rejects, and requires an answer.
func (r *review) decide(t *testing.T, what string, want int) {
	t.Helper()
	if a := r.request(t.Context(), http.MethodPatch, r.path+"/"+what, r.admin,
		`{"reason":"Not yet."}`); a.status != want {
		t.Errorf("to %s got %d, want %d: %s", what, a.status, want, a.body)
	}
}

// killWhenGranted approves, and kills the program when the identity provider has stored
// the role. On MariaDB, where lock waits are visible, the program has the answer and waits
// in the transaction that stores it. On SQLite the answer is delayed, which is equivalent,
// because the killed program has stored nothing.
func (r *review) killWhenGranted(t *testing.T) {
	t.Helper()
	release, answered := make(chan struct{}), make(chan answer, 1)
	r.box.Identity().Faults().Next(1,
		sandbox.Fault{Kind: sandbox.FaultHang, On: sandbox.OpSetRole, After: true,
			Release: release})
	go func() {
		answered <- r.request(t.Context(), http.MethodPatch, r.path+"/approve", r.admin,
			"")
	}()
	await(t, "the role to be granted", func() bool { return r.providersRole() == "educator" })
	if strings.HasPrefix(r.database, "mysql:") {
		r.killWhileLocked(t, func() { close(release) })
	} else {
		r.kill()
	}
	if a := <-answered; a.status != 0 {
		t.Errorf("the killed server answered %d: %s", a.status, a.body)
	}
}

// killWhileLocked locks the application, calls release, waits until the program waits for
// the lock, and kills it.
func (r *review) killWhileLocked(t *testing.T, release func()) {
	t.Helper()
	tx, err := r.db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	if _, err := tx.Exec("SELECT id FROM applications FOR UPDATE"); err != nil {
		t.Fatal(err)
	}
	release()
	await(t, "the decision to be stored", func() bool {
		return r.count(t,
			"information_schema.processlist WHERE TRIM(info) LIKE 'UPDATE applications SET "+
				"status%'") == 1
	})
	r.kill()
}

func (r *review) providersRole() string {
	u, _ := r.box.Identity().User(r.applicant.id)
	return u.Role
}

// wantPending checks that the application is still pending for everyone, and that no admin
// can decide while the lease lasts.
func (r *review) wantPending(t *testing.T) {
	t.Helper()
	if a := r.request(t.Context(), http.MethodGet, "/api/educator/application-status", r.applicant,
		""); !strings.Contains(a.body, `"status":"pending"`) {
		t.Errorf("the applicant sees %d: %s", a.status, a.body)
	}
	if a := r.request(t.Context(), http.MethodGet,
		"/api/admin/educator-applications?status=pending", r.admin, ""); !strings.Contains(a.body,
		r.applicant.id) {
		t.Errorf("the admin sees %d: %s", a.status, a.body)
	}
	r.decide(t, "approve", http.StatusConflict)
	r.decide(t, "reject", http.StatusConflict)
}

// wantDecided checks that the provider and the platform agree, for tokens of before and
// after, and that no lease is left.
func (r *review) wantDecided(t *testing.T, status, role string, ofEducators int) {
	t.Helper()
	if err := r.box.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := r.providersRole(); got != role {
		t.Errorf("the provider says %q, want %q", got, role)
	}
	for what, from := range map[string]string{
		"decided applications": "applications WHERE status = '" + status + "' AND holder IS NULL",
		"roles": "roles WHERE user_id = '" + r.applicant.id + "' AND role = '" +
			role + "'",
	} {
		if n := r.count(t, from); n != 1 {
			t.Errorf("%d %s", n, what)
		}
	}
	for when, token := range map[string]string{"old": r.applicant.token,
		"new": r.token(t, r.applicant.id)} {
		if a := r.request(t.Context(), http.MethodGet, "/api/educator/courses",
			student{token: token}, ""); a.status != ofEducators {
			t.Errorf("with an %s token educators' pages answer %d", when, a.status)
		}
	}
}

func TestApproval_KilledBetweenTheProvidersAnswerAndTheCommit(t *testing.T) {
	t.Parallel()
	for _, then := range []struct {
		decide, status, role string
		ofEducators          int
	}{
		{"approve", "approved", "educator", http.StatusOK},
		{"reject", "rejected", "student", http.StatusForbidden},
	} {
		t.Run("then "+then.decide, func(t *testing.T) {
			onEngines(t, func(t *testing.T, database string) {
				r := newReview(t, database)
				r.killWhenGranted(t)
				r.start(t)
				r.wantPending(t)
				// as some seconds would
				r.exec(t, "UPDATE leases SET expires_at = '2000-01-01 00:00:00.000000'")
				r.decide(t, then.decide, http.StatusOK)
				r.wantDecided(t, then.status, then.role, then.ofEducators)
			})
		})
	}
}
