package main

import (
	"encoding/json"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/servertest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/gateway"
	"github.com/openlectern/openlectern/learning/sale"
	"github.com/openlectern/openlectern/learning/sandbox"
	"github.com/openlectern/openlectern/learning/store/engines"
)

// providers returns a sandbox in place of providers outside the program.
func providers(t testing.TB) *sandbox.Sandbox {
	t.Helper()
	box, err := sandbox.Listen(sandbox.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(box.Close)
	return box
}

// configured returns the settings of production with these providers. Each secret of a webhook
// stands after an earlier one.
func configured(box *sandbox.Sandbox, dir string) environment {
	env := inProduction(dir)
	maps.Copy(env, servertest.Settings(box.Config()))
	env["LEARNING_IDENTITY_WEBHOOK_SECRET"] = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3," +
		env["LEARNING_IDENTITY_WEBHOOK_SECRET"]
	env["LEARNING_GATEWAY_WEBHOOK_SECRET"] = "0123456789abcdef," +
		env["LEARNING_GATEWAY_WEBHOOK_SECRET"]
	return env
}

// join creates a user at the provider, which sends the event to the server.
func join(t *testing.T, box *sandbox.Sandbox, url string, user sandbox.User) (token string) {
	t.Helper()
	box.SetWebhookURL(url)
	if err := box.Identity().PutUser(user); err != nil {
		t.Fatal(err)
	}
	if err := box.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	token, err := box.Identity().Token(user.ID)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// buy requests an order of the paid course in the background. The channel returns the
// status of the answer, or 0 if there is none.
func buy(t *testing.T, url, token string) (answered chan int) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/api/user/purchase",
		strings.NewReader(`{"courseId":"paid"}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	answered = make(chan int, 1)
	go func() {
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			answered <- 0
			return
		}
		res.Body.Close()
		answered <- res.StatusCode
	}()
	return answered
}

func TestDrain_RunningRequestFinishes(t *testing.T) {
	t.Parallel()
	dir, box := shop(t), providers(t)
	s := serve(t, configured(box, dir))
	token, release := join(t, box, s.url, sandbox.User{ID: "user_1"}), make(chan struct{})
	box.Gateway().Faults().Next(1,
		sandbox.Fault{Kind: sandbox.FaultHang, On: sandbox.OpCreateOrder, Release: release})
	answered := buy(t, s.url, token)
	await(t, "the gateway to be asked",
		func() bool { return box.Gateway().Faults().Calls(sandbox.OpCreateOrder) == 1 })
	s.cancel()
	await(t, "the server to drain",
		func() bool { return strings.Contains(s.stderr.String(), "draining") })
	await(t, "new connections to be refused", func() bool {
		connection, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		if err == nil {
			connection.Close()
		}
		return err != nil
	})
	close(release)
	if got := <-answered; got != http.StatusOK {
		t.Errorf("the running request got %d", got)
	}
	if code := s.stop(t); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestProduction_SellsWithConfiguredProvidersAndNoSandbox(t *testing.T) {
	t.Parallel()
	dir, box := t.TempDir(), providers(t)
	env := configured(box, dir)
	if code, _, stderr := commandWith(t, env, "import",
		write(t, dir, "shop.json", smallCatalogue)); code != 0 {
		t.Fatal(stderr)
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	free.Close()
	s := serve(t, env, "--sandbox-addr="+free.Addr().String())
	token := join(t, box, s.url,
		sandbox.User{ID: "user_1", FirstName: "Ann", Email: "ann@example.com"})

	_, order := call(t, http.MethodPost, s.url+"/api/user/purchase", token, `{"courseId":"paid"}`)
	id, _ := order["orderId"].(string)
	if _, err := box.Gateway().Pay(id); err != nil { // the second webhook secret signs
		t.Fatalf("%v: %v", err, order)
	}
	if err := box.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := enrolled(t, s.url, token); got != "[paid]" {
		t.Errorf("enrolled in %s", got)
	}
	if connection, err := net.Dial("tcp", free.Addr().String()); err == nil {
		connection.Close()
		t.Error("the sandbox listens")
	}
	if code := s.stop(t); code != 0 || s.stdout.String() != "" {
		t.Errorf("exit code %d, stdout %q", code, s.stdout.String())
	}
	checkLog(t, s.stderr.String(), token, box.Config())
}

// checkLog checks that each line is a JSON object without secrets or personal data.
func checkLog(t *testing.T, log, token string, cfg sandbox.Config) {
	t.Helper()
	for line := range strings.Lines(log) {
		if !json.Valid([]byte(line)) {
			t.Errorf("not JSON: %s", line)
		}
	}
	for _, secret := range []string{token, "ann@example.com", cfg.IdentityAPIKey,
		cfg.GatewayKeySecret, cfg.GatewayWebhookSecret, cfg.IdentityWebhookSecret} {
		if strings.Contains(log, secret) {
			t.Errorf("the log has %q", secret)
		}
	}
}

func TestReconcileCommand_CompletesUnreportedPayments(t *testing.T) {
	t.Parallel()
	dir, box := t.TempDir(), providers(t)
	env := configured(box, dir)
	if code, _, stderr := commandWith(t, env, "import",
		write(t, dir, "shop.json", smallCatalogue)); code != 0 {
		t.Fatal(stderr)
	}
	s := serve(t, env)
	token := join(t, box, s.url, sandbox.User{ID: "user_1", FirstName: "Ann"})
	order := orderOfYesterday(t, env, "user_1")
	if _, err := box.Gateway().Pay(order, sandbox.WithoutWebhook()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"1 orders checked, 1 purchases completed\n",
		"0 orders checked, 0 purchases completed\n"} {
		if code, stdout, stderr := commandWith(t, env, "reconcile"); code != 0 || stdout != want {
			t.Errorf("exit code %d, %q, want %q; %s", code, stdout, want, stderr)
		}
	}
	if got := enrolled(t, s.url, token); got != "[paid]" {
		t.Errorf("enrolled in %s", got)
	}
}

type fixedClock time.Time

func (c fixedClock) Now() time.Time { return time.Time(c) }

// orderOfYesterday opens an order on the server's database with a clock of yesterday.
func orderOfYesterday(t *testing.T, env environment, user string) (orderID string) {
	t.Helper()
	st, err := engines.Open(t.Context(), env["LEARNING_DATABASE"])
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	payments, err := gateway.New(env["LEARNING_GATEWAY_URL"], env["LEARNING_GATEWAY_KEY_ID"],
		env["LEARNING_GATEWAY_KEY_SECRET"])
	if err != nil {
		t.Fatal(err)
	}
	platform, err := learning.New(st, learning.WithProvider(payments),
		learning.WithClock(fixedClock(time.Now().Add(-24*time.Hour))))
	if err != nil {
		t.Fatal(err)
	}
	order, err := platform.Sales.OpenOrder(t.Context(),
		learning.Actor{UserID: user, Role: core.Student},
		sale.OrderRequest{CourseID: "paid"})
	if err != nil {
		t.Fatal(err)
	}
	return order.OrderID
}

func TestReconcileCommand_ReportsAnUnreachableGateway(t *testing.T) {
	t.Parallel()
	dir, box := shop(t), providers(t)
	env := configured(box, dir)
	s := serve(t, env)
	join(t, box, s.url, sandbox.User{ID: "user_1"})
	orderOfYesterday(t, env, "user_1")
	s.stop(t)
	box.Close()
	if code, _, stderr := commandWith(t, env, "reconcile"); code != 1 ||
		!strings.Contains(stderr, "ask the provider") {
		t.Errorf("exit code %d and %q", code, stderr)
	}
}

func TestProduction_RefusesDevelopmentCommands(t *testing.T) {
	t.Parallel()
	env := inProduction(t.TempDir())
	write(t, filepath.Dir(strings.TrimPrefix(env["LEARNING_DATABASE"], "sqlite:")),
		"learning.db.sandbox.json", "{}")
	for _, args := range [][]string{{"token", demoAdmin}, {"trigger", "user.created"}} {
		if code, stdout, stderr := commandWith(t, env, args...); code != 1 || stdout != "" ||
			!strings.Contains(stderr, "production") {
			t.Errorf("%v: exit code %d, %q, %q", args, code, stdout, stderr)
		}
	}
}

func TestDevelopment_RealProvidersReplaceTheSandbox(t *testing.T) {
	t.Parallel()
	box := providers(t)
	env := configured(box, "")
	for name := range env {
		if !strings.HasPrefix(name, "LEARNING_GATEWAY") {
			delete(env, name)
		}
	}
	s := serve(t, env, dev(shop(t))...)
	token := s.token(t, demoStudent) // the sandbox still signs users in
	_, order := call(t, http.MethodPost, s.url+"/api/user/purchase", token, `{"courseId":"paid"}`)
	id, _ := order["orderId"].(string)
	if _, err := box.Gateway().Order(id); err != nil {
		t.Errorf("the order %v is not at the configured gateway: %v", order, err)
	}
	if text := s.stdout.String(); strings.Contains(text, "Checkout") ||
		strings.Contains(text, "PAID=") {
		t.Errorf("the text sends people to the sandbox's checkout:\n%s", text)
	}
}

// TestServe_UnusableMediaFolder: the server ends before it listens, and names the setting.
func TestServe_UnusableMediaFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	env := inProduction(dir)
	if err := os.Mkdir(env["LEARNING_MEDIA"], 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, env["LEARNING_MEDIA"], ".incoming", "in the way")
	code, _, stderr := commandWith(t, env)
	if code != 1 || !strings.Contains(stderr, "LEARNING_MEDIA (--media)") ||
		strings.Contains(stderr, "listening") {
		t.Errorf("exit code %d and\n%s", code, stderr)
	}
}
