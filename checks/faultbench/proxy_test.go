//go:build linux

package faultbench

import (
	"bufio"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"
)

// newEcho returns a proxy in front of a server that repeats each line.
func newEcho(t *testing.T) *Proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				_, _ = io.Copy(c, c)
			}()
		}
	}()
	p, err := NewProxy(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// line is a connection that sends and receives lines.
type line struct {
	net.Conn
	in *bufio.Reader
}

func dial(t *testing.T, p *Proxy) line {
	t.Helper()
	c, err := net.Dial("tcp", p.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return line{c, bufio.NewReader(c)}
}

// echo sends a line and returns the one that it receives within a time.
func (l line) echo(text string, within time.Duration) (string, error) {
	if _, err := io.WriteString(l, text+"\n"); err != nil {
		return "", err
	}
	return l.next(within)
}

func (l line) next(within time.Duration) (string, error) {
	_ = l.SetReadDeadline(time.Now().Add(within))
	got, err := l.in.ReadString('\n')
	return strings.TrimSuffix(got, "\n"), err
}

const (
	longEnough  = time.Minute           // for everything that must happen
	shortEnough = 50 * time.Millisecond // for what must not happen
)

func wantEcho(t *testing.T, l line, text string) {
	t.Helper()
	if got, err := l.echo(text, longEnough); got != text || err != nil {
		t.Fatalf("sent %q, received %q, %v", text, got, err)
	}
}

func TestProxy_ForwardsBothDirections(t *testing.T) {
	t.Parallel()
	wantEcho(t, dial(t, newEcho(t)), "hello")
}

func TestProxy_RefusedConnectionsAreClosed(t *testing.T) {
	t.Parallel()
	p := newEcho(t)
	p.set(proxyMode{refuse: true})
	if got, err := dial(t, p).next(longEnough); err == nil ||
		errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("received %q, %v", got, err)
	}
	p.set(proxyMode{})
	wantEcho(t, dial(t, p), "again")
}

func TestProxy_ResetBreaksConnections(t *testing.T) {
	t.Parallel()
	p := newEcho(t)
	l := dial(t, p)
	wantEcho(t, l, "before")
	p.reset()
	if got, err := l.next(longEnough); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("received %q, %v", got, err)
	}
	wantEcho(t, dial(t, p), "after")
}

func TestProxy_StalledConnectionsContinue(t *testing.T) {
	t.Parallel()
	p := newEcho(t)
	l := dial(t, p)
	p.set(proxyMode{stall: true})
	if got, err := l.echo("late", shortEnough); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("received %q, %v", got, err)
	}
	p.set(proxyMode{})
	if got, err := l.next(longEnough); got != "late" || err != nil {
		t.Errorf("received %q, %v", got, err)
	}
}

func TestProxy_HalfOpenConnectionsLoseWhatIsSent(t *testing.T) {
	t.Parallel()
	p := newEcho(t)
	l := dial(t, p)
	p.set(proxyMode{drop: true})
	if got, err := l.echo("lost", shortEnough); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("received %q, %v", got, err)
	}
	p.set(proxyMode{})
	wantEcho(t, l, "kept")
}

func TestProxy_DelayEndsWithTheFault(t *testing.T) {
	t.Parallel()
	p := newEcho(t)
	l := dial(t, p)
	p.set(proxyMode{delay: time.Hour})
	if got, err := l.echo("late", shortEnough); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("received %q, %v", got, err)
	}
	p.set(proxyMode{rate: 1 << 20})
	if got, err := l.next(longEnough); got != "late" || err != nil {
		t.Errorf("received %q, %v", got, err)
	}
}
