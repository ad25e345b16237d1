package httpapi_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/media"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/store/sqlite"
)

// names is a [people.TokenVerifier] whose tokens are the ids of users. A server uses
// the verifier of package identity.
type names struct{}

func (names) VerifyToken(_ context.Context, token string) (people.Claims, error) {
	return people.Claims{UserID: token, IssuedAt: time.Now()}, nil
}

// newPlatform returns a platform on a new database, and a function that removes it.
func newPlatform() (platform *learning.Platform, remove func()) {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	st, err := sqlite.Open(context.Background(), "sqlite:"+filepath.Join(dir, "learning.db"))
	if err != nil {
		log.Fatal(err)
	}
	if err := st.Migrate(context.Background()); err != nil {
		log.Fatal(err)
	}
	disk, err := media.NewDisk(filepath.Join(dir, "media"), "https://media.example.org")
	if err != nil {
		log.Fatal(err)
	}
	platform, err = learning.New(st, learning.WithTokens(names{}), learning.WithMedia(disk))
	if err != nil {
		log.Fatal(err)
	}
	return platform, func() { st.Close(); disk.Close(); os.RemoveAll(dir) }
}

// printAnswer sends a request to a handler and prints the answer.
func printAnswer(handler http.Handler, path, token string) {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.Header.Set("Authorization", "Bearer "+token)
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	fmt.Println(w.Code, w.Body)
}

func ExampleNew() {
	platform, remove := newPlatform()
	defer remove()

	handler, err := httpapi.New(platform, httpapi.WithOrigin("https://learn.example.org"))
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/", handler)
	printAnswer(mux, "/api/course/all", "")
	// Output: 200 {"success":true,"courses":[]}
}

// A host adds a route for signed-in users, with a rate limit of its own.
func ExampleWithRoutes() {
	platform, remove := newPlatform()
	defer remove()

	note := func(w http.ResponseWriter, r *http.Request) {
		actor := httpapi.ActorFrom(r.Context())
		fmt.Fprintf(w, "note %s of %s, %s left", r.PathValue("id"), actor.UserID,
			w.Header().Get("RateLimit-Remaining"))
	}
	handler, err := httpapi.New(platform,
		httpapi.WithLimits(httpapi.Limit{Name: "notes", Requests: 1, Window: time.Hour,
			Message: "Too many notes."}),
		httpapi.WithRoutes(httpapi.Route{
			ID: "note.get", Method: http.MethodGet, Path: "/api/notes/:id",
			Access: httpapi.SignedIn, Limit: "notes",
			Summary: "Show a note of the caller", Do: httpapi.Handle(http.HandlerFunc(note))}))
	if err != nil {
		log.Fatal(err)
	}
	printAnswer(handler, "/api/notes/7", "ada")
	printAnswer(handler, "/api/notes/7", "ada")
	printAnswer(handler, "/api/notes/7", "")
	// Output:
	// 200 note 7 of ada, 0 left
	// 429 {"success":false,"message":"Too many notes."}
	// 401 {"success":false,"message":"Unauthorized Access"}
}

// A host allows each user 50 payments in an hour.
func ExampleWithLimits() {
	platform, remove := newPlatform()
	defer remove()

	handler, err := httpapi.New(platform,
		httpapi.WithLimits(httpapi.Limit{Name: httpapi.PaymentLimit, Requests: 50,
			Window: time.Hour}))
	if err != nil {
		log.Fatal(err)
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/api/user/purchase", nil))
	fmt.Println(w.Header().Get("RateLimit-Policy"))
	// Output: 50;w=3600
}

// A route of the host greets its caller.
func ExampleActorFrom() {
	platform, remove := newPlatform()
	defer remove()

	greet := func(w http.ResponseWriter, r *http.Request) {
		if actor := httpapi.ActorFrom(r.Context()); actor.SignedIn() {
			fmt.Fprintf(w, "%s is a %s", actor.UserID, actor.Role)
			return
		}
		fmt.Fprint(w, "a visitor")
	}
	handler, err := httpapi.New(platform, httpapi.WithRoutes(httpapi.Route{
		ID: "greet", Method: http.MethodGet, Path: "/greet", Access: httpapi.OptionalAuth,
		Do: httpapi.Handle(http.HandlerFunc(greet))}))
	if err != nil {
		log.Fatal(err)
	}
	printAnswer(handler, "/greet", "ada")
	printAnswer(handler, "/greet", "")
	// Output:
	// 200 ada is a student
	// 200 a visitor
}

// A server has the platform below a prefix.
func ExampleWithPublicURL() {
	platform, remove := newPlatform()
	defer remove()

	handler, err := httpapi.New(platform, httpapi.WithPublicURL("https://example.org/school"))
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/school/", http.StripPrefix("/school", handler))
	printAnswer(mux, "/school/api/course/all", "")
	// Output: 200 {"success":true,"courses":[]}
}
