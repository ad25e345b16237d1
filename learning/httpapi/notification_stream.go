package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/openlectern/openlectern/internal/web"
	"github.com/openlectern/openlectern/learning/inbox"
)

// unreadEvents describes the event stream in the API document.
const unreadEvents = "Server-sent events named unread, {\"unread\":3}: at once, when the number " +
	"changes, and every 30 seconds. 99 means that or more."

const (
	// maxStreamTime is the longest and the default time of a stream, in seconds.
	maxStreamTime = 3600
	// repeatEvery is the interval at which the number is sent though it has not changed, so that
	// neither proxies nor the client take the connection for dead.
	repeatEvery = 30 * time.Second
)

// recheckEvery is the interval at which the token of a stream is verified again. Tests change it.
var recheckEvery = 10 * time.Second

// streamNotifications sends the number of the caller's unread notifications whenever it changes.
func (a *api) streamNotifications(w http.ResponseWriter, c *call) error {
	seconds, err := number(c.URL.Query(), "seconds", maxStreamTime, 0, maxStreamTime)
	if err != nil {
		return err
	}
	if c.Method == http.MethodHead { // its answer has no body to wait for
		seconds = 0
	}
	stream, err := a.platform.Inbox.OpenStream(c.Context(), c.actor)
	if err != nil {
		return err
	}
	lasts := time.Duration(seconds) * time.Second

	// A stream that waits gives up what the server keeps for a request.
	if lasts > 0 {
		kept := *c
		kept.Request = c.WithContext(context.WithoutCancel(c.Context()))
		isDetached := c.Server.Detach(w, c.Request, func(out *web.DetachedEvents) {
			defer stream.Close()
			_ = kept.follow(stream, lasts, out.Gone(), out.Send) // the client has left
		})
		if isDetached {
			return nil
		}
	}

	// What cannot be detached is an answer like others.
	defer stream.Close()
	// The time-out for reading the request would end its context. Not every writer has deadlines.
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	return web.WriteEvents(w, &c.Call, func(out *web.EventWriter) error {
		return c.follow(stream, lasts, c.Context().Done(), out.Send)
	})
}

// follow sends the numbers of a stream until it ends, its time is over, the token is not valid any
// more, or the client is gone.
func (c *call) follow(
	stream *inbox.Stream, lasts time.Duration, gone <-chan struct{},
	send func(name string, v any) error,
) error {
	sent := unreadAnswer{<-stream.Unread()}
	if err := send("unread", sent); err != nil {
		return err
	}
	end := time.NewTimer(lasts)
	defer end.Stop()
	recheck := time.NewTicker(recheckEvery)
	defer recheck.Stop()
	sentAt := time.Now()
	for {
		isDue := false
		select {
		case <-gone:
			return web.ErrClientGone
		case <-stream.Ended():
			return nil
		case <-end.C:
			return nil
		case unread := <-stream.Unread():
			sent.Unread, isDue = unread, true
		case <-recheck.C:
			if !c.isStillKnown() {
				return nil
			}
			isDue = time.Since(sentAt) >= repeatEvery
		}
		if !isDue {
			continue
		}
		if err := send("unread", sent); err != nil {
			return err
		}
		sentAt = time.Now()
	}
}

// isStillKnown verifies the token of a long request again. A token that cannot be verified at the
// moment counts.
func (c *call) isStillKnown() bool {
	claims, err := c.authenticate()
	return err != nil || claims.UserID != ""
}
