package redislimit

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"strings"

	"github.com/gomodule/redigo/redis"
)

// dial connects to the Redis at a checked address, until ctx is done. It makes the TLS handshake
// itself, because the client bounds it with 10 s and not with ctx.
func dial(ctx context.Context, address string) (redis.Conn, error) {
	connect := new(net.Dialer).DialContext
	// With redis:// in place of rediss:// the client makes no handshake of its own.
	if rest, secure := strings.CutPrefix(address, "rediss://"); secure {
		address, connect = "redis://"+rest, new(tls.Dialer).DialContext
	}
	conn, err := redis.DialURLContext(ctx, address, redis.DialContextFunc(connect))
	if err != nil {
		return nil, fmt.Errorf("connect to Redis: %w", err)
	}
	return conn, nil
}
