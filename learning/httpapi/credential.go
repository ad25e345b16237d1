package httpapi

import (
	"fmt"
	"net/http"
	"strconv"

	"github.com/openlectern/openlectern/internal/web"
	"github.com/openlectern/openlectern/learning/certify"
)

// credential answers a certificate as a JWT. It must not be cached by others, because it
// contains a person's name.
func (a *api) credential(w http.ResponseWriter, c *call) error {
	token, err := a.platform.Certify.Credential(c.Context(), c.Param("certificateId"))
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", privateAnswer)
	// the file name of a download
	w.Header().Set("Content-Disposition", `inline; filename="certificate.jwt"`)
	writeToken(w, token)
	return nil
}

// statusList answers which certificates were revoked, as a JWT. Other spellings of a number, such
// as 01, are refused, so that a list has one address.
func (a *api) statusList(w http.ResponseWriter, c *call) error {
	number, err := strconv.ParseInt(c.Param("list"), 10, 64)
	if err != nil || strconv.FormatInt(number, 10) != c.Param("list") {
		// No list has this number. The platform refuses it, after it has checked that credentials
		// are configured, because that failure comes first.
		number = -1
	}
	token, err := a.platform.Certify.StatusList(c.Context(), number)
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", listKept)
	writeToken(w, token)
	return nil
}

var (
	// listKept is the Cache-Control of a status list. It equals the time to live inside the list.
	listKept = fmt.Sprintf("public, max-age=%.0f", certify.StatusListFresh.Seconds())
	// keysKept is the Cache-Control of keys. It is short, so that verifiers soon see a new key.
	keysKept = "public, max-age=300"
)

// writeToken writes an answer of status 200 that is a JWT.
func writeToken(w http.ResponseWriter, token string) {
	w.Header().Set("Content-Type", jwtContent)
	w.Header().Set("Content-Length", strconv.Itoa(len(token)))
	_, _ = w.Write([]byte(token)) // the client may have left
}

// publicKeys answers the JSON Web Key Set (RFC 7517) with the keys that verify credentials.
func (a *api) publicKeys(w http.ResponseWriter, _ *call) error {
	keys, err := a.platform.Certify.PublicKeys()
	if err != nil {
		return err
	}
	// A key is JSON already, so the set is put together as text.
	body := []byte(`{"keys":[`)
	for i, k := range keys {
		if i > 0 {
			body = append(body, ',')
		}
		body = append(body, k.JWK...)
	}
	w.Header().Set("Cache-Control", keysKept)
	web.WriteJSON(w, http.StatusOK, append(body, `]}`...))
	return nil
}

// publicKeyJSON describes a JSON Web Key (RFC 7517). Which fields it has depends on its type.
type publicKeyJSON struct {
	_ struct{} `doc:"A public key that verifies credentials, as a JSON Web Key (RFC 7517). Which fields it has depends on its type."`

	Type      string `json:"kty" doc:"The type of the key: 'OKP', 'EC' or 'RSA'."`
	Curve     string `json:"crv,omitempty" doc:"The curve of a key of type OKP or EC."`
	X         string `json:"x,omitempty" doc:"The x coordinate (OKP and EC), in base64url."`
	Y         string `json:"y,omitempty" doc:"The y coordinate of a key of type EC, in base64url."`
	Modulus   string `json:"n,omitempty" doc:"The modulus of a key of type RSA, in base64url."`
	Exponent  string `json:"e,omitempty" doc:"The exponent of a key of type RSA, in base64url."`
	Use       string `json:"use" doc:"What the key is for: 'sig', signatures."`
	Algorithm string `json:"alg" doc:"The algorithm of its signatures, such as 'EdDSA'."`
	// the URL of the key
	ID string `json:"kid" doc:"The id of the key: the URL that answers it."`
}

type publicKeysJSON struct {
	Keys []publicKeyJSON `json:"keys" doc:"The current key first, then the retired ones."`
}

// publicKey answers one key as a JSON Web Key. The kid of a credential is the URL of this
// route, because Open Badges requires a URL that answers the key alone.
func (a *api) publicKey(w http.ResponseWriter, c *call) error {
	k, err := a.platform.Certify.PublicKey(c.Param("keyId"))
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", keysKept)
	web.WriteJSON(w, http.StatusOK, k.JWK)
	return nil
}
