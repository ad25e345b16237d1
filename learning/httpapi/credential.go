package httpapi

import (
	"fmt"
	"net/http"
	"strconv"

	"github.com/openlectern/openlectern/learning"
)

// credential answers a certificate as a JWT. It says a person's name to whoever has
// the id, so nobody keeps it for others.
func (a *api) credential(w http.ResponseWriter, c *call) error {
	token, err := a.platform.Credential(c.Context(), c.param("certificateId"))
	if err != nil {
		return err
	}
	w.Header()["Cache-Control"] = privateAnswer
	w.Header().Set("Content-Disposition", `inline; filename="certificate.jwt"`) // for those who keep it as a file
	writeToken(w, token)
	return nil
}

// statusList answers which certificates were revoked. A number has one form, so
// that a list has one address.
func (a *api) statusList(w http.ResponseWriter, c *call) error {
	number, err := strconv.ParseInt(c.param("list"), 10, 64)
	if err != nil || strconv.FormatInt(number, 10) != c.param("list") {
		number = -1 // no list, but first it is asked whether there are any
	}
	token, err := a.platform.StatusList(c.Context(), number)
	if err != nil {
		return err
	}
	w.Header()["Cache-Control"] = listKept
	writeToken(w, token)
	return nil
}

var (
	// listKept agrees with the time to live that is written in a list.
	listKept = []string{fmt.Sprintf("public, max-age=%.0f", learning.StatusListFresh.Seconds())}
	// keysKept is short: a key that is new must be found soon after it first signs.
	keysKept = []string{"public, max-age=300"}

	tokenType = []string{"application/vc+jwt"}
)

func writeToken(w http.ResponseWriter, token string) {
	w.Header()["Content-Type"] = tokenType
	w.Header().Set("Content-Length", strconv.Itoa(len(token)))
	_, _ = w.Write([]byte(token)) // the client may be gone; there is nobody to tell
}

// publicKeys answers a JSON Web Key Set (RFC 7517), in which credentials find their
// key by its kid.
func (a *api) publicKeys(w http.ResponseWriter, _ *call) error {
	keys, err := a.platform.PublicKeys()
	if err != nil {
		return err
	}
	body := []byte(`{"keys":[`)
	for i, k := range keys {
		if i > 0 {
			body = append(body, ',')
		}
		body = append(body, k.JWK...)
	}
	w.Header()["Cache-Control"] = keysKept
	writeJSON(w, http.StatusOK, append(body, `]}`...))
	return nil
}

// publicKey answers one key by itself: the kid of a credential is its address, which
// Open Badges wants to lead to a bare key.
func (a *api) publicKey(w http.ResponseWriter, c *call) error {
	k, err := a.platform.PublicKey(c.param("keyId"))
	if err != nil {
		return err
	}
	w.Header()["Cache-Control"] = keysKept
	writeJSON(w, http.StatusOK, k.JWK)
	return nil
}
