package postgres

import (
	"context"
	"database/sql/driver"
	"errors"
	"net"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// If one of several hosts does not answer, the next one is tried.
const (
	hostHeadStart = 300 * time.Millisecond // for a connection; the attempt goes on
	hostPing      = time.Second            // for an idle connection, which is closed then
)

// hostsConnector connects to the one of several hosts that accepts writes. It tries the host of the
// last connection first. A host that refuses, is a standby, or does not answer for hostHeadStart
// makes it try the next one: the driver alone would wait for connect_timeout, which is as long as
// the whole time for a connection, at each host that is cut off.
type hostsConnector struct {
	connectors []driver.Connector // one for each host
	addresses  []string           // of the hosts, in the form of hostAddress
	current    atomic.Int64       // the index of the host of the last connection
}

// newHosts returns a connector for the hosts of config, which may be one.
func newHosts(config *pgx.ConnConfig) *hostsConnector {
	h := &hostsConnector{}
	for _, host := range splitHosts(config) {
		h.connectors = append(h.connectors,
			stdlib.GetConnector(*host, stdlib.OptionShouldPing(h.shouldPing)))
		h.addresses = append(h.addresses, hostAddress(host))
	}
	return h
}

// splitHosts returns a config for each host of config. The fallbacks of the driver are the other
// hosts, and for each host the connection without TLS, if sslmode allows it.
func splitHosts(config *pgx.ConnConfig) (hosts []*pgx.ConnConfig) {
	fallbacks := config.Fallbacks
	config.Fallbacks = nil
	host := config.Copy()
	hosts = append(hosts, host)
	for _, f := range fallbacks {
		if f.Host == host.Host && f.Port == host.Port {
			host.Fallbacks = append(host.Fallbacks, f)
			continue
		}
		host = config.Copy()
		host.Host, host.Port, host.TLSConfig = f.Host, f.Port, f.TLSConfig
		hosts = append(hosts, host)
	}
	return hosts
}

func hostAddress(c *pgx.ConnConfig) string {
	return net.JoinHostPort(c.Host, strconv.Itoa(int(c.Port)))
}

// Driver implements [driver.Connector].
func (h *hostsConnector) Driver() driver.Driver { return h.connectors[0].Driver() }

// attempt is the result of connecting to one host.
type attempt struct {
	host int
	conn driver.Conn
	err  error
}

// Connect implements [driver.Connector].
func (h *hostsConnector) Connect(ctx context.Context) (driver.Conn, error) {
	if len(h.connectors) == 1 {
		return h.connectors[0].Connect(ctx)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends the attempts that are not needed any more

	// Try the hosts in turn. Each begins when the one before has failed, or has had its head start.
	attempts := make(chan attempt, len(h.connectors))
	first := int(h.current.Load())
	started, failed := 0, 0
	headStart := time.NewTicker(hostHeadStart)
	defer headStart.Stop()
	tryNext := func() {
		if started == len(h.connectors) {
			return
		}
		host := (first + started) % len(h.connectors)
		started++
		headStart.Reset(hostHeadStart)
		go func() {
			conn, err := h.connectors[host].Connect(ctx)
			attempts <- attempt{host, conn, err}
		}()
	}
	tryNext()
	var errs []error
	for failed < len(h.connectors) {
		select {
		case a := <-attempts:
			if a.err == nil {
				h.current.Store(int64(a.host))
				go closeAll(attempts, started-failed-1)
				return a.conn, nil
			}
			errs = append(errs, a.err)
			failed++
			tryNext()
		case <-headStart.C:
			tryNext()
		}
	}
	return nil, errors.Join(errs...)
}

// closeAll closes the connections of the next n attempts that succeed.
func closeAll(attempts <-chan attempt, n int) {
	for range n {
		if a := <-attempts; a.err == nil {
			_ = a.conn.Close()
		}
	}
}

// shouldPing reports whether a connection must answer a ping before its next use: the server may
// have closed it while it was idle, which the driver does not notice. With several hosts it is more
// than that, because a server that is cut off answers no ping, and the former primary must not be
// used any more: shouldPing breaks a connection to another host than that of the last connection,
// and one without an answer in hostPing. The ping of the driver then fails at once.
func (h *hostsConnector) shouldPing(ctx context.Context, p stdlib.ShouldPingParams) bool {
	wasIdle := p.IdleDuration > 100*time.Millisecond
	if len(h.connectors) == 1 {
		return wasIdle
	}
	if hostAddress(p.Conn.Config()) != h.addresses[h.current.Load()] {
		_ = p.Conn.PgConn().Conn().Close()
		return true
	}
	if !wasIdle {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, hostPing)
	defer cancel()
	return p.Conn.PgConn().Ping(ctx) != nil
}
