package learning

import (
	"context"
	"sync"
)

// flights are what is being made in this process, each once, whoever waits for it.
type flights struct {
	mu  sync.Mutex
	all map[string]*flight
}

// flight is one of them. It is over when done is closed, and nobody can join it any
// more when it is not among all.
type flight struct {
	name    string
	waiting int                // those who want it still
	cancel  context.CancelFunc // of the work, once it has begun
	done    chan struct{}

	value any   // once done: of [together]
	err   error // once done
	own   bool  // err is of the first alone
}

// join enters the flight of a name; the first has to see to it that it lands.
func (fs *flights) join(name string) (f *flight, first bool) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	f = fs.all[name]
	if f == nil {
		f, first = &flight{name: name, done: make(chan struct{})}, true
		if fs.all == nil {
			fs.all = map[string]*flight{}
		}
		fs.all[name] = f
	}
	f.waiting++
	return f, first
}

// begin notes how the work is stopped when the last has left.
func (fs *flights) begin(f *flight, cancel context.CancelFunc) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	f.cancel = cancel
}

// land ends a flight.
func (fs *flights) land(f *flight, err error, own bool) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.close(f)
	f.err, f.own = err, own
	close(f.done)
}

func (fs *flights) close(f *flight) {
	if fs.all[f.name] == f {
		delete(fs.all, f.name)
	}
}

// wait returns what a flight ended with, or leaves it when ctx is done. The last to
// leave stops the work.
func (fs *flights) wait(ctx context.Context, f *flight) (err error, own bool) {
	select {
	case <-f.done:
		return f.err, f.own
	case <-ctx.Done():
	}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if f.waiting--; f.waiting == 0 {
		fs.close(f)
		if f.cancel != nil {
			f.cancel()
		}
	}
	return ctx.Err(), false
}
