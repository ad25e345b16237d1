package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/openlectern/openlectern/examples/client/lectern"
)

// signIn returns a session token of a user. The sandbox stands for the identity provider.
func signIn(ctx context.Context, sandbox, user string) (token string, err error) {
	var session struct{ Token string }
	err = post(ctx, sandbox+"/v1/sign-in", map[string]any{"userId": user}, &session)
	return session.Token, err
}

// checkout pays an order and returns the proof. The sandbox stands for the payment gateway.
func checkout(ctx context.Context,
	sandbox, order string) (proof lectern.VerifyPaymentRequest, err error) {
	err = post(ctx, sandbox+"/checkout/"+order, map[string]any{"action": "pay"}, &proof)
	return proof, err
}

// post sends JSON to the sandbox and decodes the answer into answer. A status other than 200 is an
// error.
func post(ctx context.Context, url string, body, answer any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(text))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json") // the checkout answers browsers with a page
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", url, res.Status)
	}
	return json.NewDecoder(res.Body).Decode(answer)
}
