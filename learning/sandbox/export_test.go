package sandbox

import "time"

// SetLateTime sets the time after which the action late of the checkout captures.
func (g *Gateway) SetLateTime(d time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.lateAfter = d
}
