package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// Operations of the identity provider, for Fault.On and for the counters.
const (
	opKeys    = "keys"      // GET /.well-known/jwks.json
	OpGetUser = "user.get"  // GET /v1/users/{id}
	OpSetRole = "user.role" // PATCH /v1/users/{id}/metadata
)

// Identity is the identity provider: it signs users in and stores their records and roles.
type Identity struct {
	sandbox *Sandbox
	state   *state
	faults  *Faults
	hook    *standardwebhooks.Webhook
}

// newIdentity returns the identity provider, with the keys of the state file or, if that has none,
// with new ones.
func newIdentity(s *Sandbox) (*Identity, error) {
	hook, err := standardwebhooks.NewWebhook(s.cfg.IdentityWebhookSecret)
	if err != nil {
		return nil, errors.New("open sandbox: the identity webhook secret is not whsec_ and " +
			"standard base64")
	}
	i := &Identity{sandbox: s, state: s.state, faults: newFaults(s.done), hook: hook}
	// Keep the keys of the state file, because issued tokens must stay valid.
	if len(i.Keys()) > 0 {
		return i, nil
	}
	private, err := firstRSAKey()
	if err != nil {
		return nil, err
	}
	return i, i.setKeys(private)
}

// Faults makes the provider's API fail. Its pages and sign-in are not affected.
func (i *Identity) Faults() *Faults { return i.faults }

// KeyFetches returns the number of requests for the key set, including those that failed.
func (i *Identity) KeyFetches() int { return i.faults.Calls(opKeys) }

// RoleCalls returns the number of requests to change the metadata of a user, where the role is,
// including those that were rejected or failed.
func (i *Identity) RoleCalls() int { return i.faults.Calls(OpSetRole) }

// routes adds the routes of the provider: those of the API, which can fail, and those of the pages.
func (i *Identity) routes(mux *http.ServeMux) {
	mux.HandleFunc("GET /.well-known/jwks.json", i.faults.wrap(opKeys, i.serveKeys))
	mux.HandleFunc("GET /v1/users/{id}", i.faults.wrap(OpGetUser, i.authorized(i.serveUser)))
	mux.HandleFunc("PATCH /v1/users/{id}/metadata",
		i.faults.wrap(OpSetRole, i.authorized(i.serveMetadata)))
	mux.HandleFunc("GET /v1/people", i.servePeople)
	mux.HandleFunc("POST /v1/sign-in", i.serveSignIn)
	mux.HandleFunc("GET /pictures/{id}", i.servePicture)
}

// authorized requires the API key as a bearer token.
func (i *Identity) authorized(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		key, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !ok || !same(key, i.sandbox.cfg.IdentityAPIKey) {
			w.Header().Set("WWW-Authenticate", "Bearer")
			identityError(w, http.StatusUnauthorized, "authentication_invalid",
				"The API key is missing or wrong.")
			return
		}
		next(w, r)
	}
}

// serveUser answers the record of a user.
func (i *Identity) serveUser(w http.ResponseWriter, r *http.Request) {
	var data *userData
	i.state.read(func(rec *records) {
		if a := rec.users[r.PathValue("id")]; a != nil {
			data = i.data(a)
		}
	})
	if data == nil {
		identityError(w, http.StatusNotFound, "resource_not_found", "There is no such user.")
		return
	}
	writeJSON(w, http.StatusOK, data)
}

// serveMetadata stores the role, the only part of the metadata in tokens. As at real providers, it
// does not change a role that the request does not mention, and null removes the role.
func (i *Identity) serveMetadata(w http.ResponseWriter, r *http.Request) {
	role, err := readRole(r)
	if err != nil {
		identityError(w, http.StatusUnprocessableEntity, "form_param_format_invalid", err.Error())
		return
	}
	data, err := i.setRole(r.PathValue("id"), role)
	switch {
	case errors.Is(err, ErrUnknownUser):
		identityError(w, http.StatusNotFound, "resource_not_found", "There is no such user.")
	case err != nil:
		identityError(w, http.StatusInternalServerError, "internal_error", err.Error())
	default:
		writeJSON(w, http.StatusOK, data)
	}
}

// readRole returns the role in the metadata of a request: nil if there is none, and a pointer to ""
// if the request removes the role.
func readRole(r *http.Request) (*string, error) {
	b, err := readBody(r)
	if err != nil {
		return nil, err
	}
	var body struct {
		PublicMetadata map[string]json.RawMessage `json:"public_metadata"`
	}
	if json.Unmarshal(b, &body) != nil || body.PublicMetadata == nil {
		return nil, errors.New("public_metadata must be an object")
	}
	// A role that is missing differs from one that is null.
	raw, ok := body.PublicMetadata["role"]
	if !ok {
		return nil, nil
	}
	var role string // null leaves it empty
	if json.Unmarshal(raw, &role) != nil {
		return nil, errors.New("public_metadata.role must be a string or null")
	}
	return &role, nil
}

// serveSignIn signs a user in without a password. It answers the form of the home page with a page.
func (i *Identity) serveSignIn(w http.ResponseWriter, r *http.Request) {
	id, ttl, isForm, err := readSignIn(r)
	if err != nil {
		identityError(w, http.StatusUnprocessableEntity, "form_param_missing", err.Error())
		return
	}
	token, err := i.Token(id, WithTTL(ttl))
	switch {
	case errors.Is(err, ErrUnknownUser):
		identityError(w, http.StatusNotFound, "resource_not_found", "There is no such user.")
	case err != nil:
		identityError(w, http.StatusInternalServerError, "internal_error", err.Error())
	case isForm && !wantsJSON(r):
		i.tokenPage(w, id, token)
	default:
		// In whole seconds, as in the token. The token was issued a moment before.
		expires := i.sandbox.cfg.Clock().Add(ttl).UTC().Truncate(time.Second)
		writeJSON(w, http.StatusOK,
			map[string]string{"token": token,
				"expiresAt": expires.Format("2006-01-02T15:04:05.000Z")})
	}
}

// readSignIn reads a form or JSON, and returns the user, the lifetime of the token, and whether it
// was a form. A form asks for the ordinary lifetime. It ignores the content type, because curl
// sends JSON with the type of a form by default. A body that is neither names no user.
func readSignIn(r *http.Request) (userID string, ttl time.Duration, isForm bool, err error) {
	ttl = tokenTTL
	b, err := readBody(r)
	if err != nil {
		return "", 0, false, err
	}
	if bytes.HasPrefix(bytes.TrimSpace(b), []byte("{")) {
		var body struct {
			UserID   string `json:"userId"`
			Remember bool   `json:"remember"`
		}
		if json.Unmarshal(b, &body) == nil {
			userID = body.UserID
		}
		if body.Remember {
			ttl = rememberTTL
		}
	} else if q, err := url.ParseQuery(string(b)); err == nil {
		userID, isForm = q.Get("userId"), true
	}
	if userID == "" {
		return "", 0, isForm, errors.New("userId must be a string that is not empty")
	}
	return userID, ttl, isForm, nil
}

// identityError answers a failure in the format of the provider's API.
func identityError(w http.ResponseWriter, status int, code, message string) {
	type one struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	}
	writeJSON(w, status, map[string][]one{"errors": {{code, message}}})
}
