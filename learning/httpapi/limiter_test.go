package httpapi_test

import (
	"context"
	"time"

	"github.com/openlectern/openlectern/learning/httpapi"
)

// scripted is a limiter whose results a test chooses.
type scripted func(key string) (tokens, remaining, reset uint64, ok bool, err error)

func (s scripted) Take(_ context.Context,
	key string) (tokens, remaining, reset uint64, ok bool, err error) {
	return s(key)
}

// unlimited lets every request pass.
func unlimited(httpapi.Limit) (httpapi.Limiter, error) {
	return scripted(func(string) (uint64, uint64, uint64, bool, error) {
		return 1, 1, uint64(time.Now().Add(time.Minute).UnixNano()), true, nil
	}), nil
}

// exhausted is a limiter that refuses every request.
func exhausted(c httpapi.Limit) (httpapi.Limiter, error) {
	return scripted(func(string) (uint64, uint64, uint64, bool, error) {
		return c.Requests, 0, uint64(time.Now().Add(time.Minute).UnixNano()), false, nil
	}), nil
}
