package sqldb

import (
	"bytes"
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
)

// proxy forwards the connections of a store to its server, and breaks one of them at a given
// statement.
type proxy struct {
	url    string // of the database, through the proxy
	target string

	mu      sync.Mutex
	text    []byte // the statement at which the connection breaks; nil for none
	deliver bool   // whether the statement still reaches the server
	count   int
	conns   []net.Conn
}

func newProxy(tb testing.TB, databaseURL string) *proxy {
	tb.Helper()
	u, err := url.Parse(databaseURL)
	if err != nil {
		tb.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	p := &proxy{target: u.Host}
	u.Host = l.Addr().String()
	p.url = u.String()
	var all sync.WaitGroup
	all.Go(func() { p.serve(l, &all) })
	tb.Cleanup(func() {
		_ = l.Close()
		p.closeAll()
		all.Wait()
	})
	return p
}

func (p *proxy) cutBefore(text string) { p.cut(text, false) }
func (p *proxy) cutBehind(text string) { p.cut(text, true) }

func (p *proxy) cut(text string, deliver bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text, p.deliver = []byte(text), deliver
}

// cuts returns how many connections were broken.
func (p *proxy) cuts() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.count
}

func (p *proxy) closeAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.conns {
		_ = c.Close()
	}
}

func (p *proxy) serve(l net.Listener, all *sync.WaitGroup) {
	for {
		client, err := l.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", p.target)
		if err != nil {
			_ = client.Close()
			continue
		}
		p.mu.Lock()
		p.conns = append(p.conns, client, server)
		p.mu.Unlock()
		all.Go(func() { p.forward(client, server) })
		all.Go(func() { _, _ = io.Copy(client, server); _ = client.Close() })
	}
}

// forward passes on what the client sends. Each read returns a whole statement, because
// statements are short and written in one call.
func (p *proxy) forward(client, server net.Conn) {
	defer server.Close()
	buf := make([]byte, 1<<16)
	for {
		n, err := client.Read(buf)
		if err != nil {
			return
		}
		hit, deliver := p.hit(buf[:n])
		if hit {
			_ = client.Close()
		}
		if !hit || deliver {
			if _, err := server.Write(buf[:n]); err != nil {
				return
			}
		}
		if hit {
			return
		}
	}
}

// hit reports whether the connection must be broken at this statement. It returns true once.
func (p *proxy) hit(data []byte) (hit, deliver bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.text == nil || !bytes.Contains(data, p.text) {
		return false, false
	}
	p.text = nil
	p.count++
	return true, p.deliver
}
