package web

import (
	"net/http"
	"net/netip"
	"strings"
)

// Address returns the network address of the caller. It is the peer's address, unless the peer is a
// trusted proxy; then it is the right-most address of X-Forwarded-For that is not a trusted proxy,
// or the left-most one if all are. Addresses further left are ignored, because the client may have
// written them. Address returns the zero Addr if the peer has no network address, as on a Unix
// socket.
func (s *Server) Address(r *http.Request) netip.Addr {
	addr := parseAddress(r.RemoteAddr)
	if len(s.Proxies) == 0 || !s.trusts(addr) { // the first part only saves time
		return addr
	}
	// From the right, because each proxy appends the address of its peer.
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0; i-- {
		hop := parseAddress(strings.TrimSpace(hops[i]))
		// The proxy wrote no address, or no header: its own address is the nearest one known.
		if !hop.IsValid() {
			break
		}
		addr = hop
		if !s.trusts(hop) {
			break
		}
	}
	return addr
}

// trusts reports whether addr is the address of a trusted proxy.
func (s *Server) trusts(addr netip.Addr) bool {
	for _, p := range s.Proxies {
		if p.Contains(addr) {
			return true
		}
	}
	return false
}

// parseAddress parses an address with or without a port, because proxies write both. An
// IPv4 address inside IPv6 becomes IPv4. The zone is dropped, because no network contains an
// address with a zone. parseAddress returns the zero Addr if s is not an address.
func parseAddress(s string) netip.Addr {
	if ap, err := netip.ParseAddrPort(s); err == nil {
		return ap.Addr().Unmap().WithZone("")
	}
	addr, err := netip.ParseAddr(strings.Trim(s, "[]")) // IPv6 may have brackets without a port
	if err != nil {
		return netip.Addr{}
	}
	return addr.Unmap().WithZone("")
}

// Network returns the network that counts as one caller: an IPv4 address, or the /64 of
// an IPv6 address, because a client can use any address of its /64. All callers without an address
// count as one.
func Network(addr netip.Addr) string {
	if addr.Is6() {
		if p, err := addr.Prefix(64); err == nil { // never an error for an IPv6 address
			return p.String()
		}
	}
	return addr.String()
}
