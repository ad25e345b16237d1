package redislimit

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/gomodule/redigo/redis"
)

// dial connects to the Redis at a checked address, until ctx is done. It makes the TLS handshake
// itself, because the client bounds it with 10 s and not with ctx.
func dial(ctx context.Context, address string) (redis.Conn, error) {
	connect := new(net.Dialer).DialContext
	if rest, secure := strings.CutPrefix(address, "rediss://"); secure {
		address, connect = "redis://"+rest, new(tls.Dialer).DialContext
	}
	conn, err := redis.DialURLContext(ctx, address, redis.DialContextFunc(
		func(ctx context.Context, network, host string) (net.Conn, error) {
			conn, err := connect(ctx, network, host)
			if err != nil {
				return nil, err
			}
			return &shortAnswers{Conn: conn}, nil
		}))
	if err != nil {
		return nil, fmt.Errorf("connect to Redis: %w", err)
	}
	return conn, nil
}

const (
	// maxAnswer is the length of the longest answer, in bytes. The script answers three numbers.
	maxAnswer = 4 << 10
	// maxHeader is the length of the longest line that announces a text or a list, without the
	// line feed.
	maxHeader = len("*-1\r")
)

var errAnswer = errors.New("the answer is not one of Redis, or is too long")

// shortAnswers is a connection that returns errAnswer in place of answers that the commands of
// this package do not have. Without it the client would take as much memory as an answer
// announces, and panic in a goroutine of its own, which would end the process.
type shortAnswers struct {
	net.Conn
	read int  // bytes since the last command
	line int  // bytes of the current line
	kind byte // the first byte of the current line
}

// Write sends a command or a part of one.
func (c *shortAnswers) Write(b []byte) (int, error) {
	c.read, c.line = 0, 0
	return c.Conn.Write(b)
}

// Read reads a part of an answer.
func (c *shortAnswers) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if c.read += n; c.read > maxAnswer {
		return 0, errAnswer
	}
	for _, char := range b[:n] {
		if c.line == 0 {
			c.kind = char
		}
		c.line++
		if char == '\n' {
			c.line = 0
		}
		if (c.kind == '$' || c.kind == '*') && c.line > maxHeader {
			return 0, errAnswer
		}
	}
	return n, err
}
