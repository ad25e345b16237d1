// Command oidc is a server whose users sign in at any provider of OpenID Connect, here with the
// claims of Keycloak:
//
//	go run ./examples/oidc -issuer https://id.example.org/realms/school -audience school
//
// The default of the platform is a provider that writes the role into "metadata.role" of its
// tokens and reports new users by webhooks. This program shows the other case. The keys and the
// other addresses come from the discovery document of the issuer. The audience is checked. The
// role comes from the list realm_access.roles (identity.WithRole). The provider sends no
// webhooks, so the first token of a user creates the user on the platform, with the name from
// the provider's userinfo endpoint (newcomers).
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/identity"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/store"
	"github.com/openlectern/openlectern/learning/store/sqlite"
)

func main() {
	issuer := flag.String("issuer", "", "the iss of the tokens, a URL")
	audience := flag.String("audience", "", "what the aud of a token must contain")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	st := must(sqlite.Open(ctx, "sqlite:learning.db"))
	platform, handler := routes(st, *issuer, *audience)
	server := &http.Server{Addr: "localhost:3000", Handler: handler}
	go func() { log.Print(server.ListenAndServe()); stop() }()
	platform.Run(ctx) // events, lost payments and tidying, until a signal
	_ = server.Shutdown(context.Background())
}

// routes returns the platform and its API for the users of an issuer. It ends the program if the
// provider cannot be reached.
func routes(st *store.Store, issuer, audience string) (*learning.Platform, http.Handler) {
	if err := st.Migrate(context.Background()); err != nil {
		log.Fatal(err)
	}
	provider := must(discover(issuer))
	tokens := must(identity.NewVerifier(provider.Keys, identity.WithIssuer(issuer),
		identity.WithAudience(audience), identity.WithRole(role)))
	users := &newcomers{TokenVerifier: tokens, provider: provider}
	users.platform = must(learning.New(st, learning.WithTokens(users)))
	return users.platform, must(httpapi.New(users.platform))
}

// provider is the part of a discovery document that the server needs.
type provider struct {
	Keys     string `json:"jwks_uri"`
	UserInfo string `json:"userinfo_endpoint"`
}

// discover reads the discovery document of an issuer.
func discover(issuer string) (p provider, err error) {
	err = get(context.Background(), issuer+"/.well-known/openid-configuration", "", &p)
	return p, err
}

// role returns the highest role in {"realm_access": {"roles": ["educator", …]}}, and Student if
// there is none.
func role(claims map[string]any) learning.Role {
	// A token without the claim has no roles.
	access, _ := claims["realm_access"].(map[string]any)
	roles, _ := access["roles"].([]any)
	for _, role := range []learning.Role{core.Admin, core.Educator} {
		if slices.Contains(roles, any(string(role))) {
			return role
		}
	}
	return core.Student
}

// newcomers is a TokenVerifier that creates the users whom it sees for the first time since the
// start of the process.
type newcomers struct {
	people.TokenVerifier
	provider provider
	platform *learning.Platform
	seen     sync.Map // ids of users
}

// VerifyToken verifies a token, and creates its user on the platform if it is the first one since
// the start. It fails if the provider does not say who that is.
func (n *newcomers) VerifyToken(ctx context.Context, token string) (people.Claims, error) {
	claims, err := n.TokenVerifier.VerifyToken(ctx, token)
	if err != nil {
		return claims, err
	}
	if _, isKnown := n.seen.Load(claims.UserID); isKnown { // the platform has the user
		return claims, nil
	}
	// Concurrent first requests of a user all go on: to create the user again updates the record.
	// Ask the provider who a new user is.
	var user struct{ Name, Email, Picture string }
	if err := get(ctx, n.provider.UserInfo, token, &user); err != nil {
		return people.Claims{}, fmt.Errorf("%w: %w", people.ErrIdentityUnavailable, err)
	}
	// Create the user, as the provider's webhook would.
	record := people.IdentityUser{ID: claims.UserID, FirstName: user.Name, ImageURL: user.Picture,
		Emails: []people.IdentityEmail{{Address: user.Email}}}
	if err := n.platform.System().ApplyIdentityEvent(ctx,
		people.IdentityEvent{Type: people.UserCreated, User: record}); err != nil {
		return people.Claims{}, err
	}
	n.seen.Store(claims.UserID, true)
	return claims, nil
}

var client = &http.Client{Timeout: 10 * time.Second}

// get decodes the JSON of a URL. token is that of the caller; discovery needs none and passes "".
// An invalid URL ends the program; a status other than 200 is an error.
func get(ctx context.Context, url, token string, into any) error {
	r := must(http.NewRequestWithContext(ctx, http.MethodGet, url, nil))
	r.Header.Set("Authorization", "Bearer "+token)
	answer, err := client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("get %s: %s", url, answer.Status)
	}
	return json.NewDecoder(answer.Body).Decode(into)
}

// must returns v, or ends the program if there is an error.
func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}
