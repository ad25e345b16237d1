package main

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/learning/media"
	"github.com/openlectern/openlectern/learning/sandbox"
)

func TestMain(m *testing.M) {
	iterations = 1000
	enginetest.Main(m)
}

// host is the running program with its database.
type host struct {
	url string
	db  *sql.DB
	box *sandbox.Sandbox
}

// start runs the routes of the example on a free port.
func start(t *testing.T, database string) host {
	t.Helper()
	db, engine, err := open(database)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	server := httptest.NewUnstartedServer(nil)
	h := host{url: "http://" + server.Listener.Addr().String(), db: db}
	disk, err := media.NewDisk(t.TempDir(), h.url+"/media")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = disk.Close() })
	if h.box, err = sandbox.Listen(sandbox.Config{WebhookURL: h.url}); err != nil {
		t.Fatal(err)
	}
	_, server.Config.Handler, err = routes(t.Context(), db, engine, disk, h.box.Config())
	if err != nil {
		t.Fatal(err)
	}
	server.Start()
	t.Cleanup(func() { server.Close(); h.box.Close() })
	return h
}

// send makes a request, and returns its status and its answer.
func (h host) send(
	t *testing.T, method, path, token, contentType string, body io.Reader,
) (status int, answer map[string]any) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, h.url+path, body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", contentType)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	_ = json.NewDecoder(res.Body).Decode(&answer) // an error of the sign-in is a plain text
	return res.StatusCode, answer
}

// mustSend is send of a request that must succeed.
func (h host) mustSend(
	t *testing.T, method, path, token, contentType string, body io.Reader,
) map[string]any {
	t.Helper()
	status, answer := h.send(t, method, path, token, contentType, body)
	if status != http.StatusOK {
		t.Fatalf("%s answers %d %v", path, status, answer)
	}
	return answer
}

func (h host) sign(t *testing.T, where string, form url.Values) (int, map[string]any) {
	t.Helper()
	return h.send(t, http.MethodPost, "/sign-"+where, "", "application/x-www-form-urlencoded",
		strings.NewReader(form.Encode()))
}

// join signs a user up and in, with a role, and returns a token.
func (h host) join(t *testing.T, name, role string) (token string) {
	t.Helper()
	form := url.Values{"name": {name}, "email": {name + "@example.org"},
		"password": {"a long password"}}
	if status, _ := h.sign(t, "up", form); status != http.StatusOK {
		t.Fatalf("to sign up got %d", status)
	}
	if _, err := h.db.Exec("UPDATE users SET role = $1 WHERE name = $2", role, name); err != nil {
		t.Fatal(err)
	}
	status, answer := h.sign(t, "in", form)
	if status != http.StatusOK {
		t.Fatalf("to sign in got %d", status)
	}
	return answer["token"].(string)
}

// publish uploads a course and returns its id.
func (h host) publish(t *testing.T, educator string) (id string) {
	t.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	data, err := w.CreateFormField("courseData")
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(data, `{"courseTitle": "Engines", "courseDescription": "",
		"coursePrice": 499, "discount": 0, "courseContent": [{"chapterTitle": "One",
		"chapterContent": [{"lectureTitle": "A", "lectureDuration": 5,
		"lectureUrl": "https://v.example.com/a"}]}]}`)
	picture, err := w.CreateFormFile("image", "engines.png")
	if err != nil {
		t.Fatal(err)
	}
	if err := png.Encode(picture, image.NewGray(image.Rect(0, 0, 8, 8))); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return h.mustSend(t, http.MethodPost, "/api/educator/add-course", educator,
		w.FormDataContentType(), &form)["courseId"].(string)
}

// buy buys a course: the proof of the buyer and the webhook of the gateway arrive at the same time.
func (h host) buy(t *testing.T, student, course string) {
	t.Helper()
	order := h.mustSend(t, http.MethodPost, "/api/user/purchase", student, "application/json",
		strings.NewReader(`{"courseId": "`+course+`"}`))["orderId"].(string)
	payment, err := h.box.Gateway().Pay(order)
	if err != nil {
		t.Fatal(err)
	}
	proof, err := json.Marshal(map[string]string{
		"gateway_order_id": order, "gateway_payment_id": payment.ID,
		"gateway_signature": h.box.Gateway().Signature(order, payment.ID)})
	if err != nil {
		t.Fatal(err)
	}
	h.mustSend(t, http.MethodPost, "/api/user/verify-gateway", student, "application/json",
		bytes.NewReader(proof))
}

// rows returns the rows of a query of one text column.
func (h host) rows(t *testing.T, query string) string {
	t.Helper()
	rows, err := h.db.Query(query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var list []string
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			t.Fatal(err)
		}
		list = append(list, text)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return strings.Join(list, "\n")
}

func onEngines(t *testing.T, test func(t *testing.T, h host)) {
	for _, e := range enginetest.Dialects {
		if e.Name != "MariaDB" { // the example has no driver of it
			t.Run(e.Name, func(t *testing.T) { test(t, start(t, e.URL(t))) })
		}
	}
}

func TestHost_InvoiceOfEachPurchase(t *testing.T) {
	onEngines(t, func(t *testing.T, h host) {
		course := h.publish(t, h.join(t, "ada", "educator"))
		const buyers = 4
		var tokens []string
		for i := range buyers {
			tokens = append(tokens, h.join(t, fmt.Sprint("student", i), "student"))
		}
		const allUsers = "SELECT id || email || name || salt || password || role FROM users ORDER BY id"
		before := h.rows(t, allUsers)
		var all sync.WaitGroup
		for _, token := range tokens {
			all.Go(func() { h.buy(t, token, course) })
		}
		all.Wait()
		if err := h.box.Wait(t.Context()); err != nil {
			t.Error(err)
		}

		// Each has one invoice and one enrolment, and the numbers have no gaps.
		const paid = `FROM invoices i JOIN lectern_enrollments e ON e.purchase_id = i.purchase_id
			JOIN users u ON u.id = e.user_id AND u.email = i.email
			WHERE i.amount = 49900 AND i.currency = 'INR' AND i.course = 'Engines'`
		numbers := h.rows(t, "SELECT substr(number, 6) "+paid+" ORDER BY number")
		if numbers != "00001\n00002\n00003\n00004" {
			t.Errorf("the invoices have the numbers\n%s", numbers)
		}
		if h.rows(t, "SELECT number FROM invoices WHERE purchase_id NOT IN "+
			"(SELECT i.purchase_id "+paid+")") != "" {
			t.Error("an invoice is not of a purchase")
		}
		user := h.mustSend(t, http.MethodGet, "/api/user/data", tokens[0], "", nil)["user"]
		enrolled := user.(map[string]any)["enrolledCourses"].([]any)
		if len(enrolled) != 1 || enrolled[0] != course {
			t.Errorf("enrolled in %v", enrolled)
		}
		if after := h.rows(t, allUsers); after != before {
			t.Errorf("the users of the host were\n%s\nand are\n%s", before, after)
		}
	})
}

// The invoice cannot be written: there is no enrolment either, until it can be.
func TestHost_NoInvoiceNoEnrolment(t *testing.T) {
	h := start(t, enginetest.SQLite(t))
	course, ben := h.publish(t, h.join(t, "ada", "educator")), h.join(t, "ben", "student")
	order := h.mustSend(t, http.MethodPost, "/api/user/purchase", ben, "application/json",
		strings.NewReader(`{"courseId": "`+course+`"}`))["orderId"].(string)
	if _, err := h.db.Exec("ALTER TABLE invoices RENAME TO lost"); err != nil {
		t.Fatal(err)
	}
	payment, err := h.box.Gateway().Pay(order, sandbox.WithoutWebhook())
	if err != nil {
		t.Fatal(err)
	}
	proof := fmt.Sprintf(`{"gateway_order_id": %q, "gateway_payment_id": %q,
		"gateway_signature": %q}`, order, payment.ID,
		h.box.Gateway().Signature(order, payment.ID))
	verify := func() int {
		status, _ := h.send(t, http.MethodPost, "/api/user/verify-gateway", ben,
			"application/json", strings.NewReader(proof))
		return status
	}
	if status := verify(); status != http.StatusInternalServerError {
		t.Errorf("without the table the buyer gets %d", status)
	}
	if h.rows(t, "SELECT user_id FROM lectern_enrollments") != "" ||
		h.rows(t, "SELECT CAST(last AS TEXT) FROM invoice_numbers") != "" {
		t.Error("there is an enrolment or a number without an invoice")
	}

	if _, err := h.db.Exec("ALTER TABLE lost RENAME TO invoices"); err != nil {
		t.Fatal(err)
	}
	if status := verify(); status != http.StatusOK {
		t.Errorf("with the table the buyer gets %d", status)
	}
	if n := h.rows(t, "SELECT i.number FROM invoices i JOIN lectern_enrollments e "+
		"ON e.purchase_id = i.purchase_id"); !strings.HasSuffix(n, "-00001") {
		t.Errorf("the invoice has the number %q", n)
	}
}

func TestUsers_SignIn(t *testing.T) {
	h := start(t, enginetest.SQLite(t))
	token := h.join(t, "ben", "student")
	for name, form := range map[string]url.Values{
		"wrong_password": {"email": {"ben@example.org"}, "password": {"another password"}},
		"unknown_user":   {"email": {"ann@example.org"}, "password": {"a long password"}},
		"empty":          {},
	} {
		if status, answer := h.sign(t, "in", form); status != http.StatusUnauthorized ||
			answer != nil {
			t.Errorf("%s: got %d %v", name, status, answer)
		}
	}
	if status, _ := h.sign(t, "up", url.Values{"name": {"Eve"}, "email": {"ben@example.org"},
		"password": {"the password of eve"}}); status != http.StatusConflict {
		t.Errorf("a second account of an address got %d", status)
	}
	for _, wrong := range []string{"", "wrong", hashOfToken(token)} {
		status, _ := h.send(t, http.MethodGet, "/api/user/data", wrong, "", nil)
		if status != http.StatusUnauthorized {
			t.Errorf("the token %q got %d", wrong, status)
		}
	}
}
