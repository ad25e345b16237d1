package main

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

// nodeSwitch leads all connections to one node of a cluster, as ProxySQL and MySQL Router do: to the
// current one, until that is not ready for statements. It then breaks the connections to that node
// and leads new ones to the next node that is ready.
type nodeSwitch struct {
	url   string // of the database, through the switch
	hosts []string
	nodes []*sql.DB // for checks

	mu      sync.Mutex
	current int
	conns   []net.Conn
}

// newNodeSwitch starts a switch between the nodes with the given URLs. It ends with the test.
func newNodeSwitch(t *testing.T, urls ...string) *nodeSwitch {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &nodeSwitch{}
	for _, nodeURL := range urls {
		u, err := url.Parse(nodeURL)
		if err != nil {
			t.Fatal(err)
		}
		s.hosts = append(s.hosts, u.Host)
		s.nodes = append(s.nodes, openDatabase(t, nodeURL))
		u.Host = l.Addr().String()
		s.url = u.String()
	}
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	all.Go(func() { s.accept(l, &all) })
	all.Go(func() { every(ctx, 200*time.Millisecond, func() { s.check(ctx) }) })
	t.Cleanup(func() {
		cancel()
		_ = l.Close()
		s.breakAll()
		all.Wait()
	})
	return s
}

// check moves to the next node that is ready, if the current one is not.
func (s *nodeSwitch) check(ctx context.Context) {
	for i := range s.nodes {
		node := (s.current + i) % len(s.nodes) // only check changes current while the test runs
		if !s.isReady(ctx, node) {
			continue
		}
		if i > 0 {
			s.leadTo(node)
		}
		return
	}
}

// isReady reports whether a node answers and is part of the cluster. It does not wait for changes of
// other nodes, because these stop while the cluster finds out which nodes are lost.
func (s *nodeSwitch) isReady(ctx context.Context, node int) bool {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	conn, err := s.nodes[node].Conn(ctx)
	if err != nil {
		return false
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, "SET SESSION wsrep_sync_wait = 0"); err != nil {
		return false
	}
	var name, value string
	err = conn.QueryRowContext(ctx, "SHOW STATUS LIKE 'wsrep_ready'").Scan(&name, &value)
	return err == nil && value == "ON"
}

// leadTo makes a node the current one and breaks all connections.
func (s *nodeSwitch) leadTo(node int) {
	s.mu.Lock()
	s.current = node
	s.mu.Unlock()
	s.breakAll()
}

// breakAll breaks all connections.
func (s *nodeSwitch) breakAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.conns {
		_ = c.Close()
	}
	s.conns = nil
}

func (s *nodeSwitch) accept(l net.Listener, all *sync.WaitGroup) {
	for {
		client, err := l.Accept()
		if err != nil {
			return
		}
		all.Go(func() { s.forward(client, all) })
	}
}

// forward copies between a client and the current node until one of them closes its connection.
func (s *nodeSwitch) forward(client net.Conn, all *sync.WaitGroup) {
	s.mu.Lock()
	node, err := net.DialTimeout("tcp", s.hosts[s.current], time.Second)
	if err != nil {
		s.mu.Unlock()
		_ = client.Close()
		return
	}
	both := []net.Conn{client, node}
	s.conns = append(s.conns, both...)
	s.mu.Unlock()
	all.Go(func() { copyAndClose(node, client) })
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
