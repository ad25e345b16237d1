package httpapi

import (
	"errors"
	"net/http"

	"github.com/openlectern/openlectern/internal/web"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
)

// identityWebhook passes an event of the identity provider to the platform. A webhook that
// cannot be verified is a 500, and so is every failure of the database (docs/api.md §4).
func (a *api) identityWebhook(w http.ResponseWriter, c *call) error {
	body, err := c.readSigned(w, "hook-signature")
	if err != nil {
		return err
	}
	h := c.Header
	m := people.Webhook{ID: h.Get("hook-id"), Timestamp: h.Get("hook-timestamp"),
		Signature: h.Get("hook-signature"), Body: body}
	err = a.platform.People.ReceiveIdentityWebhook(c.Context(), m)
	if errors.Is(err, core.ErrBusy) {
		// A new error does not wrap ErrBusy, so that the answer is 500 and not 503.
		return errors.New(err.Error())
	}
	if err != nil {
		return err
	}
	web.WriteJSON(w, http.StatusOK, []byte(`{}`))
	return nil
}
