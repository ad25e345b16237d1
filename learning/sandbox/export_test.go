package sandbox

import "time"

// SetLateTime sets the time after which the action late of the checkout captures.
func (g *Gateway) SetLateTime(d time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.lateAfter = d
}

// SetLateTime sets the time after which a payment that was begun on the page is decided.
func (st *Stripe) SetLateTime(d time.Duration) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.lateAfter = d
}
