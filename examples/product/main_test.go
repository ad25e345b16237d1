package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
	"go.uber.org/goleak"
	"golang.org/x/crypto/bcrypt"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// serveOnly makes this binary the program itself, for tests that kill it.
const serveOnly = "PRODUCT_TEST_SERVE"

func TestMain(m *testing.M) {
	cost = bcrypt.MinCost
	if os.Getenv(serveOnly) != "" {
		main()
		return
	}
	enginetest.Main(m)
}

func check(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// await waits until a condition holds.
func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// mailServer keeps the mails that it gets.
type mailServer struct {
	addr  string
	mu    sync.Mutex
	mails []string // each with its head
}

// NewSession implements [smtp.Backend].
func (m *mailServer) NewSession(*smtp.Conn) (smtp.Session, error) { return mailSession{m}, nil }

type mailSession struct{ server *mailServer }

func (mailSession) Mail(string, *smtp.MailOptions) error { return nil }
func (mailSession) Rcpt(string, *smtp.RcptOptions) error { return nil }
func (mailSession) Reset()                               {}
func (mailSession) Logout() error                        { return nil }

// Data implements [smtp.Session].
func (s mailSession) Data(r io.Reader) error {
	text, err := io.ReadAll(r)
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.server.mails = append(s.server.mails, string(text))
	return err
}

// count returns how many mails contain a text.
func (m *mailServer) count(text string) (n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, mail := range m.mails {
		if strings.Contains(mail, text) {
			n++
		}
	}
	return n
}

func startMailServer(t *testing.T) *mailServer {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	m := &mailServer{addr: listener.Addr().String()}
	server := smtp.NewServer(m)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	return m
}

// world is what the instances of a product share.
type world struct {
	settings settings
	box      *sandbox.Sandbox
	mails    *mailServer
	db       *sql.DB
}

func newWorld(t *testing.T) *world {
	t.Helper()
	database := enginetest.PostgreSQL(t)
	box, err := sandbox.Listen(sandbox.Config{Retry: []time.Duration{100 * time.Millisecond,
		time.Second, time.Second, 5 * time.Second, 10 * time.Second}})
	check(t, err)
	t.Cleanup(box.Close)
	db, err := sql.Open("pgx", database)
	check(t, err)
	t.Cleanup(func() { _ = db.Close() })
	w := &world{box: box, mails: startMailServer(t), db: db}
	w.settings = settings{database: database, media: t.TempDir(), smtp: w.mails.addr,
		from: "school@example.org", gateway: sandboxGateway(box)}
	return w
}

// instance is a running product.
type instance struct {
	*product
	url string
}

// start runs an instance until the test ends, and returns when it serves. end stops it before.
func (w *world) start(t *testing.T) (i instance, end func()) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	s := w.settings
	s.url = "http://" + listener.Addr().String()
	p, err := open(t.Context(), s)
	check(t, err)
	ctx, stop := context.WithCancel(context.Background())
	var served sync.WaitGroup
	served.Go(func() {
		if err := p.serve(ctx, listener); err != nil {
			t.Error(err)
		}
	})
	end = sync.OnceFunc(func() { stop(); served.Wait(); p.close() })
	t.Cleanup(end)
	return instance{product: p, url: s.url}, end
}

// browser signs a new user up and in at an address, and returns the client with the cookie.
func browser(t *testing.T, base, name string) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	check(t, err)
	client := &http.Client{Jar: jar, Transport: &http.Transport{DisableKeepAlives: true}}
	form := url.Values{"name": {name}, "email": {name + "@example.org"},
		"password": {"a long password"}}
	if status := post(t, client, base+"/sign-up", form); status != http.StatusCreated {
		t.Fatalf("the sign-up answers %d", status)
	}
	if status := post(t, client, base+"/sign-in", form); status != http.StatusOK {
		t.Fatalf("the sign-in answers %d", status)
	}
	return client
}

func post(t *testing.T, client *http.Client, url string, form url.Values) (status int) {
	t.Helper()
	res, err := client.PostForm(url, form)
	check(t, err)
	check(t, res.Body.Close())
	return res.StatusCode
}

// call sends JSON to the school, or a GET for "", and decodes the answer.
func call(client *http.Client, url, body string) (answer map[string]any, header http.Header,
	err error) {
	var res *http.Response
	if body == "" {
		res, err = client.Get(url)
	} else {
		res, err = client.Post(url, "application/json", strings.NewReader(body))
	}
	if err != nil {
		return nil, nil, err
	}
	defer res.Body.Close()
	if err = json.NewDecoder(res.Body).Decode(&answer); err != nil {
		return nil, nil, err
	}
	if answer["success"] != true {
		return answer, res.Header, fmt.Errorf("%s answers %d %v", url, res.StatusCode, answer)
	}
	return answer, res.Header, nil
}

// publish publishes a course of an educator of the product.
func (i instance) publish(t *testing.T, w *world) (courseID string) {
	t.Helper()
	browser(t, i.url, "ada")
	var id string
	check(t, w.db.QueryRow("UPDATE accounts SET role = 'educator' WHERE name = 'ada' "+
		"RETURNING id").Scan(&id))
	courseID, err := i.platform.Catalog.AddCourse(t.Context(),
		core.Actor{UserID: id, Role: core.Educator, Name: "ada"}, catalog.NewCourse{
			Title: "Engines", Price: 499_00, Published: true,
			Content: []catalog.Chapter{{Title: "One", Lectures: []catalog.Lecture{{Title: "A",
				Minutes: 5, URL: "https://videos.example.org/a"}}}}}, learningtest.Thumbnail(t))
	check(t, err)
	return courseID
}

// buy opens an order at an instance and pays it. The webhook completes the purchase.
func (w *world) buy(client *http.Client, base, courseID string) error {
	order, _, err := call(client, base+prefix+"/api/user/purchase",
		`{"courseId":"`+courseID+`"}`)
	if err != nil {
		return err
	}
	_, err = w.box.Gateway().Pay(order["orderId"].(string))
	return err
}

// count returns the number that a query selects.
func (w *world) count(t *testing.T, query string) (n int) {
	t.Helper()
	check(t, w.db.QueryRow(query).Scan(&n))
	return n
}

// wantInvoices checks that each completed purchase has one invoice, and that the numbers have no
// gap.
func (w *world) wantInvoices(t *testing.T, n int) {
	t.Helper()
	sold := w.count(t, "SELECT COUNT(*) FROM lectern_purchases WHERE status = 'completed'")
	invoices := w.count(t, "SELECT COUNT(*) FROM invoices")
	last := w.count(t, "SELECT SUM(last) FROM invoice_numbers")
	if sold != n || invoices != n || last != n {
		t.Errorf("%d purchases, %d invoices and the last number %d, want %d", sold, invoices, last,
			n)
	}
}

// A user buys at one instance, the gateway reports to another, and each of invoice and mail is
// there once.
func TestProduct_SellsAtTwoInstances(t *testing.T) {
	w := newWorld(t)
	one, _ := w.start(t)
	other, _ := w.start(t)
	w.box.SetWebhookURL(other.url + prefix)
	course := one.publish(t, w)
	ben := browser(t, one.url, "ben")
	check(t, w.buy(ben, one.url, course))
	await(t, "the purchase", func() bool {
		return w.count(t, "SELECT COUNT(*) FROM lectern_enrollments") == 1
	})
	w.wantInvoices(t, 1)
	await(t, "the mails", func() bool {
		return w.mails.count("Welcome to Engines") > 0 && w.mails.count("Your purchase of") > 0
	})
	if n := w.mails.count(""); n != 2 {
		t.Errorf("%d mails, want 2", n)
	}

	// A route of the product has the sign-in of the school, and the school the headers of the
	// product.
	list, header, err := call(ben, one.url+prefix+"/api/invoices", "")
	check(t, err)
	if got := fmt.Sprint(list["invoices"]); !strings.Contains(got, "-00001") ||
		!strings.Contains(got, "49900") {
		t.Errorf("the invoices are %s", got)
	}
	if header.Get("Server") != "product" || !strings.Contains(header.Get("X-Request-Id"), "/") {
		t.Errorf("the headers are %v", header)
	}
	if _, _, err := call(http.DefaultClient, one.url+prefix+"/api/invoices", ""); err == nil {
		t.Error("a visitor sees invoices")
	}
	res, err := http.Get(one.url + "/metrics")
	check(t, err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || !strings.Contains(string(text), "lectern_http_requests_total") {
		t.Errorf("the metrics are %.200s, %v", text, err)
	}

	// A session that has ended is none.
	if status := post(t, ben, one.url+"/sign-out", nil); status != http.StatusOK {
		t.Errorf("the sign-out answers %d", status)
	}
	if _, _, err := call(ben, one.url+prefix+"/api/user/data", ""); err == nil {
		t.Error("a user is known after the sign-out")
	}
}

// What is stopped leaves nothing that runs.
func TestProduct_StopsWhole(t *testing.T) {
	w := newWorld(t)
	before := goleak.IgnoreCurrent()
	one, end := w.start(t)
	browser(t, one.url, "ben")
	end()
	goleak.VerifyNone(t, before)
}

// An instance is killed while users buy, and another one goes on: nobody pays in vain.
func TestProduct_KilledWhileUsersBuy(t *testing.T) {
	w := newWorld(t)
	one, _ := w.start(t)
	course := one.publish(t, w)
	const buyers = 12
	clients := make([]*http.Client, buyers)
	for n := range clients {
		clients[n] = browser(t, one.url, fmt.Sprint("buyer", n))
	}
	killed := w.process(t)
	w.box.SetWebhookURL(killed.url + prefix)
	var buying sync.WaitGroup
	for n, client := range clients {
		buying.Go(func() {
			if n == buyers/2 {
				killed.kill(t)
				w.box.SetWebhookURL(one.url + prefix)
			}
			if err := w.buy(client, one.url, course); err != nil {
				t.Error(err)
			}
		})
	}
	buying.Wait()
	check(t, w.reconciled(t, one))
	w.wantInvoices(t, buyers)
}

// reconciled lets an instance ask the gateway about the orders whose webhook was lost.
func (w *world) reconciled(t *testing.T, i instance) error {
	t.Helper()
	await(t, "the webhooks", func() bool { return w.box.Wait(t.Context()) == nil })
	_, err := w.db.Exec("UPDATE lectern_purchases SET created_at = created_at - interval '1 hour'")
	_, failed := i.platform.Sales.System().ReconcilePurchases(t.Context())
	return errors.Join(err, failed)
}

// process is an instance in a process of its own.
type process struct {
	url     string
	command *exec.Cmd
	ended   chan error
}

func (w *world) process(t *testing.T) *process {
	t.Helper()
	addr := enginetest.FreeAddress(t)
	p := &process{url: "http://" + addr, ended: make(chan error, 1)}
	program, err := os.Executable()
	check(t, err)
	p.command = exec.Command(program)
	g := w.settings.gateway
	p.command.Env = append(os.Environ(), serveOnly+"=1", "ADDR="+addr, "PUBLIC_URL="+p.url,
		"DATABASE_URL="+w.settings.database, "MEDIA="+w.settings.media,
		"SMTP_ADDR="+w.settings.smtp, "GATEWAY_URL="+g.url, "GATEWAY_KEY_ID="+g.keyID,
		"GATEWAY_KEY_SECRET="+g.keySecret, "GATEWAY_WEBHOOK_SECRET="+g.webhookSecret)
	check(t, enginetest.Tie(p.command, func(err error) { p.ended <- err }))
	t.Cleanup(func() { p.kill(t) })
	await(t, "the process", func() bool {
		res, err := http.Get(p.url + "/metrics")
		if err == nil {
			err = res.Body.Close()
		}
		return err == nil
	})
	return p
}

// kill ends the process without a warning.
func (p *process) kill(t *testing.T) {
	t.Helper()
	if p.command.Process.Kill() == nil {
		<-p.ended
	}
}

// TestContract_HoldsBehindTheMiddleware runs the contract cases of the platform against it as this
// program serves it: behind the cookies, the prefix and the headers of the product.
func TestContract_HoldsBehindTheMiddleware(t *testing.T) {
	if os.Getenv("PRODUCT_CONTRACT") == "" {
		t.Skip("left out: the contract cases; `make verify` runs them, or PRODUCT_CONTRACT=1")
	}
	learningtest.Contract(t,
		func(platform *learning.Platform, options ...httpapi.Option) (http.Handler, error) {
			api, err := httpapi.New(platform, options...)
			if err != nil {
				return nil, err
			}
			return newRouter(below(api)), nil
		}, prefix)
}
