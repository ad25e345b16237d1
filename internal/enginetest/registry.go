package enginetest

import (
	"os"
	"sync"
)

// servers are the servers that Main stops.
var servers registry

// registry keeps the servers of this process and the temporary folder that holds their data.
type registry struct {
	mu     sync.Mutex
	opened bool
	dir    string // "" until the first server needs a folder
	all    []*instance
}

// open allows tests to start servers, because Main will stop them.
func (r *registry) open() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.opened = true
}

// isOpen reports whether open was called and close was not called since.
func (r *registry) isOpen() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.opened
}

// newFolder creates an empty folder for the data of a server.
func (r *registry) newFolder() (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.dir == "" {
		dir, err := os.MkdirTemp("", "enginetest-")
		if err != nil {
			return "", err
		}
		r.dir = dir
	}
	return os.MkdirTemp(r.dir, "")
}

// add adds a server to those that close kills.
func (r *registry) add(s *instance) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, s)
}

// close kills the servers and removes their data. It ignores errors, because the process ends after
// it.
func (r *registry) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.all {
		_ = s.kill()
		_ = s.admin.Close()
	}
	if r.dir != "" {
		_ = os.RemoveAll(r.dir)
	}
	r.opened = false
}
