package sqldb

import "context"

// await returns the result of f, or the error of ctx if that is done first. f then continues in its
// goroutine, because a driver may not return when its context is done.
func await(ctx context.Context, f func() error) error {
	result := make(chan error, 1)
	go func() { result <- f() }()
	select {
	case err := <-result:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}
