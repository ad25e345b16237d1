package enginetest

import (
	"context"
	"database/sql"
	"io"
	"net"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"
)

// NodeSwitch leads all connections to one node of a cluster, as ProxySQL and MySQL Router do: to
// the current one, until that is not ready for statements. It then breaks the connections to that
// node and leads new ones to the next node that is ready.
type NodeSwitch struct {
	URL string // of the database, through the switch

	hosts   []string  // the addresses of the nodes
	nodes   []*sql.DB // for checks
	isReady func(ctx context.Context, conn *sql.Conn) bool

	mu      sync.Mutex
	current int        // the index of the current node
	ended   bool       // whether the test has ended
	conns   []net.Conn // of clients, and to nodes
}

// NewNodeSwitch starts a switch between the nodes of a Galera cluster with the given URLs. It ends
// with the test.
func NewNodeSwitch(tb testing.TB, urls ...string) *NodeSwitch {
	tb.Helper()
	return newNodeSwitch(tb, urls, isSynced)
}

// NewPrimarySwitch is NewNodeSwitch for a group of MySQL servers: it leads to the primary.
func NewPrimarySwitch(tb testing.TB, urls ...string) *NodeSwitch {
	tb.Helper()
	return newNodeSwitch(tb, urls, func(ctx context.Context, conn *sql.Conn) bool {
		return conn.QueryRowContext(ctx, groupReady).Scan(new(string)) == nil
	})
}

func newNodeSwitch(
	tb testing.TB, urls []string, isReady func(ctx context.Context, conn *sql.Conn) bool,
) *NodeSwitch {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	// The URLs differ in their hosts only. URL is one of them with the address of the switch.
	s := &NodeSwitch{isReady: isReady}
	for _, nodeURL := range urls {
		u, err := url.Parse(nodeURL)
		if err != nil {
			tb.Fatal(err)
		}
		node, err := sql.Open("mysql", u.User.String()+"@tcp("+u.Host+")"+u.Path)
		if err != nil {
			tb.Fatal(err)
		}
		node.SetMaxIdleConns(-1) // a node that was stopped leaves dead connections
		tb.Cleanup(func() { _ = node.Close() })
		s.hosts = append(s.hosts, u.Host)
		s.nodes = append(s.nodes, node)
		u.Host = l.Addr().String()
		s.URL = u.String()
	}

	// Accept connections, and check the current node at intervals, until the test ends.
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { s.accept(l, &running) })
	running.Go(func() {
		tick := time.NewTicker(200 * time.Millisecond)
		defer tick.Stop()
		for ctx.Err() == nil {
			s.check(ctx)
			select {
			case <-ctx.Done():
			case <-tick.C:
			}
		}
	})
	tb.Cleanup(func() {
		cancel()
		_ = l.Close()
		s.mu.Lock()
		s.ended = true
		s.mu.Unlock()
		s.breakAll()
		running.Wait()
	})
	return s
}

// check moves to the next node that is ready, if the current one is not.
func (s *NodeSwitch) check(ctx context.Context) {
	for i := range s.nodes {
		node := (s.current + i) % len(s.nodes) // only check changes current while the test runs
		if !s.takesStatements(ctx, node) {
			continue
		}
		if i > 0 {
			s.leadTo(node)
		}
		return
	}
}

// takesStatements reports whether a node answers and is ready.
func (s *NodeSwitch) takesStatements(ctx context.Context, node int) bool {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	conn, err := s.nodes[node].Conn(ctx)
	if err != nil {
		return false
	}
	defer conn.Close()
	return s.isReady(ctx, conn)
}

// isSynced reports whether a node is part of its Galera cluster. It does not wait for changes of
// other nodes, because these stop while the cluster finds out which nodes are lost.
func isSynced(ctx context.Context, conn *sql.Conn) bool {
	if _, err := conn.ExecContext(ctx, "SET SESSION wsrep_sync_wait = 0"); err != nil {
		return false
	}
	var name, value string
	err := conn.QueryRowContext(ctx, "SHOW STATUS LIKE 'wsrep_ready'").Scan(&name, &value)
	return err == nil && value == "ON"
}

// leadTo makes a node the current one and breaks all connections.
func (s *NodeSwitch) leadTo(node int) {
	s.mu.Lock()
	s.current = node
	s.mu.Unlock()
	s.breakAll()
}

// breakAll breaks all connections.
func (s *NodeSwitch) breakAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.conns {
		_ = c.Close()
	}
	s.conns = nil
}

// accept forwards each connection of a client until the listener is closed.
func (s *NodeSwitch) accept(l net.Listener, running *sync.WaitGroup) {
	for {
		client, err := l.Accept()
		if err != nil {
			return
		}
		running.Go(func() { s.forward(client, running) })
	}
}

// forward copies between a client and the current node until one of them closes its connection.
func (s *NodeSwitch) forward(client net.Conn, running *sync.WaitGroup) {
	s.mu.Lock()
	current := s.current
	s.mu.Unlock()
	node, err := net.DialTimeout("tcp", s.hosts[current], time.Second)
	if err != nil {
		_ = client.Close()
		return
	}

	// Register the connections, so that breakAll closes them. It may have run just before, for
	// another current node or the end of the test: then close them here.
	both := []net.Conn{client, node}
	s.mu.Lock()
	s.conns = append(s.conns, both...)
	isCurrent := s.current == current && !s.ended
	s.mu.Unlock()
	if !isCurrent {
		_ = client.Close()
		_ = node.Close()
	}
	running.Go(func() { copyAndClose(node, client) }) // returns at once if they are closed
	copyAndClose(client, node)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conns = slices.DeleteFunc(s.conns, func(c net.Conn) bool { return slices.Contains(both, c) })
}

// copyAndClose copies from one connection to another one and closes both at the end.
func copyAndClose(to, from net.Conn) {
	_, _ = io.Copy(to, from)
	_ = to.Close()
	_ = from.Close()
}
