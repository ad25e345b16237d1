package httpapi_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image"
	"image/png"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/study"
)

// postAnswer sends a request with a body to a handler and prints the answer.
func postAnswer(handler http.Handler, path, signature, body string) {
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	r.Header.Set("X-Shop-Signature", signature)
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	fmt.Println(w.Code, w.Body)
}

// sign returns the signature of a webhook.
func sign(secret []byte, body string) string {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(body))
	return hex.EncodeToString(mac.Sum(nil))
}

// addBuyerAndCourse adds the user ben and the course sailing.
func addBuyerAndCourse(platform *learning.Platform) {
	ctx := context.Background()
	err := platform.System().ApplyIdentityEvent(ctx, people.IdentityEvent{
		Type: people.UserCreated, User: people.IdentityUser{ID: "ben"}})
	if err != nil {
		log.Fatal(err)
	}
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 16, 9))); err != nil {
		log.Fatal(err)
	}
	_, err = platform.Catalog.AddCourse(ctx, learning.Actor{UserID: "ada", Role: core.Educator},
		catalog.NewCourse{ID: "sailing", Title: "Sailing", Content: []catalog.Chapter{{Title: "Knots",
			Lectures: []catalog.Lecture{{Title: "The bowline", URL: "https://v.example.org/1"}}}}},
		picture.Bytes())
	if err != nil {
		log.Fatal(err)
	}
}

// errNoInvoice is a failure of the host.
var errNoInvoice = &core.Error{Kind: core.NotFound, Code: "invoice_not_found",
	Message: "Invoice not found"}

// A route of the host has the sign-in, the limits, the errors and the log of the platform.
func ExampleHandleFunc() {
	platform, remove := newPlatform()
	defer remove()
	invoices := map[string]string{"7": "ada"} // the owners

	show := func(w http.ResponseWriter, r *http.Request) error {
		actor := httpapi.ActorFrom(r.Context())
		if invoices[r.PathValue("id")] != actor.UserID {
			return errNoInvoice // a 404 with its message, in the form of all failures
		}
		fmt.Fprintf(w, "invoice %s of %s", r.PathValue("id"), actor.UserID)
		return nil
	}
	handler, err := httpapi.New(platform,
		httpapi.WithLimits(httpapi.Limit{Name: "invoices", Requests: 60, Window: time.Hour}),
		httpapi.WithRoutes(httpapi.Route{
			ID: "invoice.get", Method: http.MethodGet, Path: "/api/invoices/:id",
			Access: httpapi.SignedIn, Limit: "invoices",
			Summary: "Show an invoice of the caller", Errors: []error{errNoInvoice},
			Do: httpapi.HandleFunc(show)}))
	if err != nil {
		log.Fatal(err)
	}

	printAnswer(handler, "/api/invoices/7", "ada")
	printAnswer(handler, "/api/invoices/7", "ben")
	printAnswer(handler, "/api/invoices/7", "")
	// Output:
	// 200 invoice 7 of ada
	// 404 {"success":false,"message":"Invoice not found"}
	// 401 {"success":false,"message":"Unauthorized Access"}
}

// A route of the host receives the webhooks of a shop, and enrols the buyer.
func ExampleRoute_webhook() {
	platform, remove := newPlatform()
	defer remove()
	addBuyerAndCourse(platform)
	secret := []byte("of the shop")

	sold := func(w http.ResponseWriter, r *http.Request) error {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 64<<10)) // else a 413
		if err != nil {
			return err
		}
		given, _ := hex.DecodeString(r.Header.Get("X-Shop-Signature"))
		mac := hmac.New(sha256.New, secret)
		mac.Write(body)
		if !hmac.Equal(mac.Sum(nil), given) {
			return core.ErrUnauthenticated
		}
		user, course, _ := strings.Cut(string(body), " ")
		shop := platform.System().Actor("shop")
		_, err = platform.Study.GrantEnrollment(r.Context(), shop,
			study.Grant{UserID: user, CourseID: course, Reason: "sold in the shop"})
		if err != nil {
			return err // anything but a 2xx makes the shop send it again
		}
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	handler, err := httpapi.New(platform, httpapi.WithRoutes(httpapi.Route{
		ID: "shop.webhook", Method: http.MethodPost, Path: "/shop",
		Access: httpapi.Signature, // the handler verifies the signature; reads are urgent
		Do:     httpapi.HandleFunc(sold)}))
	if err != nil {
		log.Fatal(err)
	}

	postAnswer(handler, "/shop", "00", "ben sailing")
	postAnswer(handler, "/shop", sign(secret, "ben sailing"), "ben sailing")
	// Output:
	// 401 {"success":false,"message":"Unauthorized Access"}
	// 204
}

// callerKey is the key of the caller in a context of the host.
type callerKey struct{}

// requireSignIn is middleware for routes on the mux of the host: it knows callers as the platform
// does.
func requireSignIn(platform *learning.Platform, next http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		claims, err := platform.People.Authenticate(r.Context(), token)
		if err != nil {
			http.Error(w, "sign in", http.StatusUnauthorized)
			return
		}
		actor, err := platform.People.Identify(r.Context(), claims) // with the role of this moment
		switch {
		case err != nil:
			http.Error(w, "try again", http.StatusServiceUnavailable)
		case !actor.SignedIn(): // the user was deleted
			http.Error(w, "sign in", http.StatusUnauthorized)
		default:
			next(w, r.WithContext(context.WithValue(r.Context(), callerKey{}, actor)))
		}
	})
}

// A page of the host, beside the handler of the platform, knows the same callers.
func Example_ownMux() {
	platform, remove := newPlatform()
	defer remove()
	handler, err := httpapi.New(platform)
	if err != nil {
		log.Fatal(err)
	}

	mux := http.NewServeMux()
	mux.Handle("/api/", handler)
	mux.Handle("GET /account", requireSignIn(platform, func(w http.ResponseWriter, r *http.Request) {
		actor, _ := r.Context().Value(callerKey{}).(learning.Actor)
		fmt.Fprintf(w, "%s is a %s", actor.UserID, actor.Role)
	}))

	printAnswer(mux, "/account", "ada")
	printAnswer(mux, "/account", "")
	// Output:
	// 200 ada is a student
	// 401 sign in
}
