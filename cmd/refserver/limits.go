package main

import (
	"context"
	"fmt"

	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/httpapi/redislimit"
)

// checkRedis checks the URL of Redis, which is optional, without a connection.
func (s *Settings) checkRedis(p *problems) {
	if s.RedisURL == "" {
		return
	}
	if err := redislimit.CheckURL(s.RedisURL); err != nil {
		p.add("redis-url", "cannot be used: %v", err)
	}
}

// shareLimits returns the option of a handler whose rate limits are in Redis, and a function that
// closes the connections. Without Redis the option changes nothing.
func (p *program) shareLimits(ctx context.Context) (option httpapi.Option, closeLimits func() error,
	err error) {
	if p.RedisURL == "" {
		return httpapi.WithLimiters(httpapi.NewMemoryLimiter), func() error { return nil }, nil
	}
	// A Redis that does not answer is no error: until it does, limits are counted in memory.
	limits, err := redislimit.Open(ctx, p.RedisURL, redislimit.WithLogger(p.log))
	if err != nil {
		return nil, nil, fmt.Errorf("%s (--redis-url) cannot be used: %w", variable("redis-url"),
			err)
	}
	if p.metrics != nil {
		p.metrics.WatchSharedLimits(limits.Shared)
	}
	return httpapi.WithLimiters(limits.Limiter), limits.Close, nil
}
