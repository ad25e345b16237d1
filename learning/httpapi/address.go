package httpapi

import (
	"net/http"
	"net/netip"
	"strings"
)

// address is the network address of a caller, as far as it can be believed: the
// peer's, unless that is a trusted proxy; then the right-most address of
// X-Forwarded-For that is none. Whatever stands further left, anyone may have
// written.
func (a *api) address(r *http.Request) netip.Addr {
	addr := parseAddress(r.RemoteAddr)
	if len(a.proxies) == 0 || !a.trusted(addr) {
		return addr
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0; i-- {
		hop := parseAddress(strings.TrimSpace(hops[i]))
		if !hop.IsValid() {
			break
		}
		addr = hop
		if !a.trusted(hop) {
			break
		}
	}
	return addr
}

func (a *api) trusted(addr netip.Addr) bool {
	for _, p := range a.proxies {
		if p.Contains(addr) {
			return true
		}
	}
	return false
}

// parseAddress reads an address with or without a port, as proxies write both.
// IPv4 in IPv6 is IPv4.
func parseAddress(s string) netip.Addr {
	if ap, err := netip.ParseAddrPort(s); err == nil {
		return ap.Addr().Unmap().WithZone("")
	}
	addr, err := netip.ParseAddr(strings.Trim(s, "[]"))
	if err != nil {
		return netip.Addr{}
	}
	return addr.Unmap().WithZone("")
}

// network is what counts as one caller: an IPv4 address, or the /64 of an IPv6
// one, within which anybody can change at will.
func network(addr netip.Addr) string {
	if addr.Is6() {
		if p, err := addr.Prefix(64); err == nil {
			return p.String()
		}
	}
	return addr.String()
}
