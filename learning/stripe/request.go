package stripe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/openlectern/openlectern/internal/backoff"
	"github.com/openlectern/openlectern/internal/provider"
)

const (
	maxAnswer = 4 << 20 // bytes: a hundred disputes with their evidence

	// The limits of a list: more objects than that of one payment are an error.
	pageSize = "100"
	maxPages = 20

	// The pauses before a request is sent again whose key is in use: each is twice the one before.
	firstPause = 100 * time.Millisecond
	lastPause  = 1600 * time.Millisecond
)

// errInvalidAnswer reports an invalid answer. It does not contain the answer, which may hold
// personal data.
var errInvalidAnswer = errors.New("the answer of Stripe is invalid")

// failure is an answer of Stripe that is no success.
type failure struct {
	status *provider.StatusError
	kind   string // the type of the error: "" if the answer is not one of Stripe's errors
	code   string // "" if it has none
}

// Error returns a text with the status, the type and the code.
func (f *failure) Error() string {
	text := fmt.Sprintf("Stripe answered status %d", f.status.Status)
	if f.kind != "" {
		text += " (" + strings.TrimSuffix(f.kind+", "+f.code, ", ") + ")"
	}
	if f.status.Status == http.StatusUnauthorized || f.status.Status == http.StatusForbidden {
		text += ": check that the secret key is valid and may do this"
	}
	return text
}

// Unwrap returns the status.
func (f *failure) Unwrap() error { return f.status }

// Types of Stripe's errors.
const (
	idempotencyError = "idempotency_error"
	apiFailure       = "api_error"
)

// keyInUse is the code of an error: a request with the same idempotency key is not answered yet.
const keyInUse = "idempotency_key_in_use"

// isRefusal reports whether Stripe has decided that it does not do what was asked, so that nothing
// was done. All other failures leave that open. A wrong key (401, 403) is none, because the same
// request may succeed when the key is right.
func (f *failure) isRefusal() bool {
	switch f.status.Status {
	case http.StatusBadRequest, http.StatusPaymentRequired, http.StatusNotFound:
		return f.kind != "" && f.kind != idempotencyError && f.kind != apiFailure
	}
	return false
}

// word is what types and codes of errors look like.
var word = regexp.MustCompile(`^[a-z0-9_]{1,64}$`)

// failureOf returns the failure of an answer. Of the body it takes the type and the code of the
// error, if they are such words.
func failureOf(status *provider.StatusError, body []byte) *failure {
	var got struct {
		Error struct {
			Type string `json:"type"`
			Code string `json:"code"`
		} `json:"error"`
	}
	f := &failure{status: status}
	if json.Unmarshal(body, &got) != nil {
		return f
	}
	if word.MatchString(got.Error.Type) {
		f.kind = got.Error.Type
	}
	if word.MatchString(got.Error.Code) {
		f.code = got.Error.Code
	}
	return f
}

// get asks for an object or a list, and decodes it into answer, a pointer.
func (c *Client) get(ctx context.Context, path string, query url.Values, answer any) error {
	u := c.base.JoinPath(path)
	u.RawQuery = query.Encode()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return err
	}
	return c.ask(r, answer)
}

// post sends a form, and decodes the object of the answer into answer, a pointer. Stripe answers a
// repeated request with the same idempotency key as it answered the first. The key is "" for a
// request that may be repeated without one.
//
// If the connection of the first request broke, Stripe may still be at it. Then it refuses the
// repetition, which is sent again until it has the answer of the first one.
func (c *Client) post(ctx context.Context, path string, form url.Values, key string,
	answer any) error {
	for pause := firstPause; ; pause *= 2 {
		err := c.postOnce(ctx, path, form, key, answer)
		f, isFailure := errors.AsType[*failure](err)
		if !isFailure || f.code != keyInUse || pause > lastPause ||
			backoff.Sleep(ctx, pause) != nil {
			return err
		}
	}
}

// postOnce is post without the repetitions.
func (c *Client) postOnce(ctx context.Context, path string, form url.Values, key string,
	answer any) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base.JoinPath(path).String(),
		strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	return c.ask(r, answer)
}

// ask sends a request and decodes the JSON of the answer. A status other than 2xx is a [*failure],
// and an answer that cannot be decoded errInvalidAnswer.
func (c *Client) ask(r *http.Request, answer any) error {
	r.Header.Set("Authorization", "Bearer "+c.key)
	r.Header.Set("Stripe-Version", Version)
	r.Header.Set("Accept", "application/json")
	// Every request may be repeated: it reads, cancels what may be cancelled already, or has a key.
	got, err := provider.AskAgain(c.http, r, maxAnswer)
	if status, ok := errors.AsType[*provider.StatusError](err); ok {
		return failureOf(status, got)
	}
	if err != nil {
		return err
	}
	if json.Unmarshal(got, answer) != nil {
		return fmt.Errorf("%w: it is not the expected JSON", errInvalidAnswer)
	}
	return nil
}

// page is a page of a list.
type page[T any] struct {
	Data    []T  `json:"data"`
	HasMore bool `json:"has_more"`
}

// list returns all objects of a payment, and asks for as many pages as that takes. idOf returns the
// id of an object, after which the next page begins.
func list[T any](ctx context.Context, c *Client, path, paymentID string,
	idOf func(T) string) ([]T, error) {
	if !isPathPart(paymentID) {
		return nil, errors.New("not an id of a payment")
	}
	query := url.Values{"payment_intent": {paymentID}, "limit": {pageSize}}
	var all []T
	for range maxPages {
		var got page[T]
		if err := c.get(ctx, path, query, &got); err != nil {
			return nil, err
		}
		if got.Data == nil {
			return nil, fmt.Errorf("%w: it has no list", errInvalidAnswer)
		}
		for _, one := range got.Data {
			if idOf(one) == "" {
				return nil, fmt.Errorf("%w: an object of the list has no id", errInvalidAnswer)
			}
		}
		all = append(all, got.Data...)
		switch {
		case !got.HasMore:
			return all, nil
		case len(got.Data) == 0:
			return nil, fmt.Errorf("%w: a page of the list is empty", errInvalidAnswer)
		}
		query.Set("starting_after", idOf(got.Data[len(got.Data)-1]))
	}
	return nil, fmt.Errorf("the list of the payment has more than %d pages", maxPages)
}

// isPathPart reports whether an id can be a part of the path of a URL. An empty id and one of dots
// only, such as .., would change the path, and url.PathEscape does not escape dots.
func isPathPart(id string) bool { return strings.Trim(id, ".") != "" }

// reference is the id of another object. Stripe sends the id, or the object if it was asked to
// expand it, or null.
type reference string

// UnmarshalJSON returns no error: what has no id counts as null.
func (r *reference) UnmarshalJSON(b []byte) error {
	var object struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(b, (*string)(r)) != nil && json.Unmarshal(b, &object) == nil {
		*r = reference(object.ID)
	}
	return nil
}
