package main

import (
	"net/http"
	"net/url"
	"path"
	"strings"
	"testing"

	"github.com/gomodule/redigo/redis"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/internal/till"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// The tests of this file rotate secrets as docs/operations.md ("Secrets and keys") says: a server
// with the old secret and one with the new secret serve, then the old secret is removed.

// withUser returns a URL with another user and password.
func withUser(t *testing.T, text, user, password string) string {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword(user, password)
	return u.String()
}

func TestRotation_DatabaseUser(t *testing.T) {
	t.Parallel()
	root := enginetest.MariaDB(t)
	db, name := openDatabase(t, root), path.Base(root)
	change := func(statement string) {
		t.Helper()
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	box := providers(t)
	started := func(user string) (url string) {
		change("CREATE USER " + user + " IDENTIFIED BY 's3cret'")
		change("GRANT ALL ON " + name + ".* TO " + user)
		env := configured(box, t.TempDir())
		env["LEARNING_DATABASE"] = withUser(t, root, user, "s3cret")
		_, url, _ = process(t, env)
		return url
	}
	old := started("first")
	token := join(t, box, old, sandbox.User{ID: "user_1"})
	renewed := started("second")
	wantRecord := func(server string) {
		t.Helper()
		if status, answer := rawCall(t, http.MethodGet, server+"/api/user/data", token,
			""); status != http.StatusOK {
			t.Errorf("%s answers %d %s", server, status, answer)
		}
	}
	wantRecord(old)
	wantRecord(renewed)
	change("DROP USER first")
	defer change("DROP USER second")
	wantRecord(renewed)
	if status, _ := rawCall(t, http.MethodGet, renewed+"/readyz", "", ""); status != http.StatusOK {
		t.Errorf("/readyz is %d", status)
	}
}

func TestRotation_RedisPassword(t *testing.T) {
	t.Parallel()
	server := enginetest.StartRedis(t)
	admin, err := redis.DialURL(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close()
	set := func(rules ...any) {
		t.Helper()
		if _, err := admin.Do("ACL", append([]any{"SETUSER", "lectern"}, rules...)...); err != nil {
			t.Fatal(err)
		}
	}
	dir, box := shop(t), providers(t)
	started := func(password string) (url string, log *transcript) {
		env := configured(box, dir)
		env["LEARNING_REDIS_URL"] = withUser(t, server.URL(), "lectern", password) + "?timeout=1m"
		_, url, log = process(t, env)
		return url, log
	}
	const limit = 10 // of payments, for each user
	wantRefused := func(server, token string, from, to, want int) {
		t.Helper()
		refused := 0
		for range to - from {
			if status, _ := rawCall(t, http.MethodPost, server+"/api/user/purchase", token,
				`{}`); status == http.StatusTooManyRequests {
				refused++
			}
		}
		if refused != want {
			t.Errorf("%s refused %d of the requests from %d to %d, want %d", server, refused, from,
				to, want)
		}
	}
	set("on", ">old", "~*", "&*", "+@all")
	old, oldLog := started("old")
	token := join(t, box, old, sandbox.User{ID: "user_1"})
	set(">new")
	renewed, newLog := started("new")
	wantRefused(old, token, 0, limit/2, 0)
	wantRefused(renewed, token, limit/2, limit, 0)
	set("<old")
	wantRefused(renewed, token, limit, limit+2, 2)
	for _, log := range []*transcript{oldLog, newLog} {
		if strings.Contains(log.String(), "not shared") {
			t.Errorf("a server has counted alone:\n%s", log)
		}
	}
}

func TestRotation_KeysOfSessionTokens(t *testing.T) {
	t.Parallel()
	dir, box := shop(t), providers(t)
	s := serve(t, configured(box, dir))
	join(t, box, s.url, sandbox.User{ID: "user_1"})
	if err := box.Identity().RotateKeys(); err != nil {
		t.Fatal(err)
	}
	token, err := box.Identity().Token("user_1")
	if err != nil {
		t.Fatal(err)
	}
	await(t, "a token of the new key to be accepted", func() bool {
		status, _ := rawCall(t, http.MethodGet, s.url+"/api/user/data", token, "")
		return status == http.StatusOK
	})
}

func TestRotation_KeyOfTheGateway(t *testing.T) {
	t.Parallel()
	dir, box := shop(t), providers(t)
	env := configured(box, dir)
	s := serve(t, env)
	token := join(t, box, s.url, sandbox.User{ID: "user_1"})
	_, order := call(t, http.MethodPost, s.url+"/api/user/purchase", token, `{"courseId":"paid"}`)
	orderID, _ := order["orderId"].(string)
	s.stop(t)
	env["LEARNING_GATEWAY_KEY_SECRET"] = "another key of the gateway"
	s = serve(t, env)
	box.SetWebhookURL(s.url)
	payment, err := box.Gateway().Pay(orderID, sandbox.WithoutWebhook())
	if err != nil {
		t.Fatal(err)
	}
	proof := proofBody(till.Gateway(box).Proof(orderID, payment.ID))
	if status, answer := rawCall(t, http.MethodPost, s.url+"/api/user/verify-gateway", token,
		proof); status != http.StatusBadRequest {
		t.Errorf("a proof by the old key: %d %s", status, answer)
	}
	event, err := box.Gateway().Event(sandbox.PaymentCapturedEvent, payment)
	if err != nil {
		t.Fatal(err)
	}
	if err := box.Gateway().SendWebhook(t.Context(), event); err != nil {
		t.Fatal(err)
	}
	if got := enrolled(t, s.url, token); !strings.Contains(got, "paid") {
		t.Errorf("the user is enrolled in %s", got)
	}
}
