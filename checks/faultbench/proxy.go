//go:build linux

package faultbench

import (
	"fmt"
	"net"
	"sync"
	"time"
)

// proxyMode is what a proxy does with the bytes of its connections. The zero proxyMode forwards
// them.
type proxyMode struct {
	refuse bool          // close new connections
	drop   bool          // read and forget, as if the other side had lost its power
	stall  bool          // forward nothing until the mode changes
	delay  time.Duration // before each piece
	rate   int           // bytes in a second; 0 for unlimited
}

// pieceSize is the size of the pieces that a proxy forwards, in bytes.
const pieceSize = 16 << 10

// Proxy forwards TCP connections to a target, and can fail as networks do. It is safe for
// concurrent use.
type Proxy struct {
	listener net.Listener
	target   string
	relays   sync.WaitGroup

	mu      sync.Mutex
	mode    proxyMode
	changed chan struct{} // closed when the mode changes
	conns   map[net.Conn]bool
}

// NewProxy returns a proxy that listens on a free port of 127.0.0.1. target is an address with a
// port; nothing has to listen there yet. The caller must close the proxy.
func NewProxy(target string) (*Proxy, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for a proxy: %w", err)
	}
	p := &Proxy{listener: l, target: target, changed: make(chan struct{}),
		conns: map[net.Conn]bool{}}
	p.relays.Go(p.accept)
	return p, nil
}

// Addr returns the address of the proxy.
func (p *Proxy) Addr() string { return p.listener.Addr().String() }

// Close closes all connections and waits for the goroutines of the proxy.
func (p *Proxy) Close() {
	_ = p.listener.Close()
	p.set(proxyMode{refuse: true})
	p.reset()
	p.relays.Wait()
}

// set changes the mode of all connections, also of those that exist.
func (p *Proxy) set(m proxyMode) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mode = m
	close(p.changed)
	p.changed = make(chan struct{})
}

// reset breaks all connections, with a TCP reset in both directions.
func (p *Proxy) reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		_ = c.(*net.TCPConn).SetLinger(0) // so that Close sends a reset
		_ = c.Close()
	}
}

// current returns the mode, and a channel that is closed when the mode changes.
func (p *Proxy) current() (proxyMode, <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.mode, p.changed
}

// accept serves each client in a goroutine of its own, until the listener is closed.
func (p *Proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.relays.Go(func() { p.serve(client) })
	}
}

// serve connects a client with the target until one of them closes.
func (p *Proxy) serve(client net.Conn) {
	if mode, _ := p.current(); mode.refuse {
		_ = client.Close()
		return
	}
	// A server that does not listen looks the same to the client.
	server, err := net.Dial("tcp", p.target)
	if err != nil {
		_ = client.Close()
		return
	}
	if !p.add(client, server) {
		return
	}
	// Forward in both directions.
	p.relays.Go(func() { p.relay(client, server) })
	p.relay(server, client) // whichever ends first closes both
}

// add registers connections, so that reset finds them. If the mode has changed to refuse since
// serve looked, add closes them and returns false.
func (p *Proxy) add(conns ...net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range conns {
		if p.mode.refuse {
			_ = c.Close()
			continue
		}
		p.conns[c] = true
	}
	return !p.mode.refuse
}

// relay forwards from one connection to the other until one of them ends, and then closes both.
func (p *Proxy) relay(from, to net.Conn) {
	defer p.remove(from, to)
	piece := make([]byte, pieceSize)
	for {
		n, err := from.Read(piece)
		// A dropped piece is gone, and the connection stays.
		if n > 0 && p.admit(n) {
			if _, err := to.Write(piece[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// remove closes connections and forgets them. Of two calls for one connection the second does
// nothing.
func (p *Proxy) remove(conns ...net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range conns {
		_ = c.Close()
		delete(p.conns, c)
	}
}

// admit waits as long as the mode demands before n bytes are forwarded. It returns true if they are
// to be forwarded, and false if they are to be dropped.
func (p *Proxy) admit(n int) bool {
	mode, changed := p.current()
	for mode.stall {
		<-changed
		mode, changed = p.current()
	}
	if mode.drop {
		return false
	}
	// Delay each piece, and by its size if the rate is limited.
	wait := mode.delay
	if mode.rate > 0 {
		wait += time.Duration(n) * time.Second / time.Duration(mode.rate)
	}
	if wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-changed: // the fault is over
		}
	}
	return true
}
