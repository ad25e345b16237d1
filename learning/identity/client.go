package identity

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/openlectern/openlectern/internal/nilarg"
	"github.com/openlectern/openlectern/internal/provider"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
)

const maxUser = 1 << 20 // bytes of the answer, which is a user record

var _ people.RoleGranter = (*Client)(nil)

// Client is a client of the identity provider's metadata API. It is safe for concurrent
// use. It implements [people.RoleGranter].
type Client struct {
	nilOptions nilarg.Options

	base *url.URL
	key  string
	http *http.Client
}

// ClientOption changes a [Client] from its defaults.
type ClientOption func(*Client)

// WithTimeout bounds one request. The default is 10 seconds.
func WithTimeout(d time.Duration) ClientOption { return func(c *Client) { c.http.Timeout = d } }

// WithTransport sets the transport. The default, also if t is nil, is [http.DefaultTransport].
func WithTransport(t http.RoundTripper) ClientOption {
	return func(c *Client) {
		if t != nil {
			c.http.Transport = nilarg.Given(&c.nilOptions, "WithTransport", t)
		}
	}
}

// NewClient returns a client of the API at a base URL. The secret key is sent as a bearer
// token. It returns an error if either is invalid.
func NewClient(apiURL, apiKey string, opts ...ClientOption) (*Client, error) {
	base, err := provider.URL(apiURL)
	if err != nil {
		return nil, fmt.Errorf("identity: address of the API: %w", err)
	}
	if apiKey == "" || strings.ContainsAny(apiKey, " \t\r\n") {
		return nil,
			errors.New("identity: the API key is empty, or has a space or a line break in it")
	}
	c := &Client{base: base, key: apiKey, http: provider.NewClient(nil, provider.DefaultTimeout)}
	err = nilarg.Apply("identity", c, opts)
	if err == nil {
		err = c.nilOptions.Err("identity")
	}
	if err != nil {
		return nil, err
	}
	if c.http.Timeout <= 0 {
		return nil, errors.New("identity: the time-out must be longer than zero")
	}
	return c, nil
}

// Format writes the type only, so that a client in a log line does not show its key.
func (c *Client) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, "identity.Client") }

// GrantRole implements [people.RoleGranter]: it writes the role into the public
// metadata of a user, as PATCH {API}/v1/users/{id}/metadata. It is safe to
// repeat. The error contains the status of the answer, if there was one. An answer that is
// not a user record, or has another role, is an error.
func (c *Client) GrantRole(ctx context.Context, userID string, role core.Role) error {
	if userID == "" || userID == "." || userID == ".." { // dots would change the path of the URL
		return errors.New("grant a role: not a user id")
	}
	if core.ParseRole(string(role)) != role { // which returns Student for an unknown one
		return errors.New("grant a role: not a role")
	}
	r, err := c.request(ctx, userID, role)
	if err != nil {
		return fmt.Errorf("grant a role: %w", err)
	}
	answer, err := provider.Do(c.http, r, maxUser) // an error unless the status is 2xx
	if err != nil {
		return fmt.Errorf("grant a role: %w", err)
	}
	if err := confirm(answer, role); err != nil {
		return fmt.Errorf("grant a role: %w", err)
	}
	return nil
}

// confirm returns an error if the body of a successful answer is not a user record, because a proxy
// may have sent it, or if the record has another role. An empty body and a record without a role do
// not contradict the status, and are accepted.
func confirm(answer []byte, role core.Role) error {
	if len(answer) == 0 {
		return nil
	}
	user := struct {
		PublicMetadata struct {
			Role *core.Role `json:"role"`
		} `json:"public_metadata"`
	}{}
	if err := json.Unmarshal(answer, &user); err != nil {
		return errors.New("the provider's answer is not a user record")
	}
	if got := user.PublicMetadata.Role; got != nil && *got != role {
		return errors.New("the provider's answer has another role")
	}
	return nil
}

// request returns the request that sets the role of a user.
func (c *Client) request(ctx context.Context, userID string,
	role core.Role) (*http.Request, error) {
	body, err := json.Marshal(
		map[string]map[string]core.Role{"public_metadata": {"role": role}})
	if err != nil {
		return nil, err
	}
	u := c.base.JoinPath("v1/users", url.PathEscape(userID), "metadata")
	r, err := http.NewRequestWithContext(ctx, http.MethodPatch, u.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+c.key)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
	return r, nil
}
