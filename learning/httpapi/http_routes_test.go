package httpapi_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/openlectern/openlectern/learning/httpapi"
)

func TestWithRoutes_HandlerGetsTheActorAndThePathValues(t *testing.T) {
	show := func(w http.ResponseWriter, r *http.Request) {
		actor := httpapi.ActorFrom(r.Context())
		fmt.Fprintf(w, "%s %s %q %q", actor.UserID, actor.Role, r.PathValue("list"),
			r.PathValue("rest"))
	}
	public, private := route(http.MethodGet, "/lists/:list/files/*rest", show),
		route(http.MethodGet, "/lists/:list", show)
	private.Access = httpapi.Educators
	s := fixtureSite(t, httpapi.WithRoutes(public, private))
	for path, want := range map[string]string{
		"/lists/a%20b/files/c/d": `  "a b" "c/d"`,
		"/lists/a":               `educator educator "a" ""`,
	} {
		if got := s.do(http.MethodGet, path, "", s.as("educator")...); got.Code != http.StatusOK ||
			got.Body.String() != want {
			t.Errorf("%s: %d %s, want %s", path, got.Code, got.Body, want)
		}
	}
}
