package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"
)

// healthTime is the time limit of the question to the running server. It is longer than the
// server's own limit for its database, so that a database that does not answer is told as such.
const healthTime = readyTime + 2*time.Second

type healthCommand struct{}

// Run asks the server on this machine whether it is ready, and returns an error if it is not. It
// is the health check of a container, which contains no other program that could ask.
func (healthCommand) Run(ctx context.Context, p *program) error {
	if err := p.check((*Settings).checkAddr); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, healthTime)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+p.localAddr()+"/readyz",
		nil)
	if err != nil {
		return fmt.Errorf("ask the server: %w", err)
	}
	var direct http.Transport // which uses no proxy
	defer direct.CloseIdleConnections()
	// Any answer but 200 means that load balancers should not send requests.
	answer, err := direct.RoundTrip(r)
	if err != nil {
		return fmt.Errorf("no server answers at %s, the address of %s (--addr): %w", p.localAddr(),
			variable("addr"), err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("the server is not ready: %s", answer.Status)
	}
	fmt.Fprintln(p.stdout, "ready")
	return nil
}

// localAddr returns the address on which a program of this machine reaches the server.
func (s *Settings) localAddr() string {
	host, port, _ := net.SplitHostPort(s.Addr) // checkAddr has validated it
	if ip := net.ParseIP(host); host == "" || ip.Equal(net.IPv4zero) {
		host = "127.0.0.1"
	} else if ip.Equal(net.IPv6zero) {
		host = "::1"
	}
	return net.JoinHostPort(host, port)
}
