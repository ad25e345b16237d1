package file

import (
	"context"
	"io"
	"sync"

	"github.com/openlectern/openlectern/learning/core"
)

// storageLimits are how many bytes the files of a user may have together (docs/api.md §18).
type storageLimits struct {
	unused int64 // that nothing uses, unfinished uploads included
	all    int64 // used ones too
}

// storageOf returns the limits of an actor.
func (s *Service) storageOf(actor core.Actor) storageLimits {
	if actor.Role == core.Educator || actor.Role == core.Admin {
		return storageLimits{unused: MaxUnusedFiles, all: s.maxStorage}
	}
	return storageLimits{unused: MaxUnusedFilesOfStudent,
		all: min(s.maxStorage, MaxStorageOfStudent)}
}

// storageReader reads what a user stores.
type storageReader interface {
	// UnusedBytes returns the size of all files of an owner together that no course uses, and of
	// all unfinished uploads.
	UnusedBytes(ctx context.Context, ownerID string) (int64, error)
	// StoredBytes returns the size of all files of an owner together, and of all unfinished
	// uploads.
	StoredBytes(ctx context.Context, ownerID string) (int64, error)
}

// left returns how many bytes a user may store in addition to what is stored. It may be negative.
func (l storageLimits) left(ctx context.Context, r storageReader, userID string) (int64, error) {
	unused, err := r.UnusedBytes(ctx, userID)
	if err != nil {
		return 0, err
	}
	all, err := r.StoredBytes(ctx, userID)
	return min(l.unused-unused, l.all-all), err
}

// check returns [ErrStorageFull] if n bytes more do not fit into the storage of a user.
func (l storageLimits) check(ctx context.Context, r storageReader, userID string, n int64) error {
	left, err := l.left(ctx, r, userID)
	if err == nil && n > left {
		err = ErrStorageFull
	}
	return err
}

// incoming counts the bytes of the contents that this process is receiving, by user, so that many
// contents on the way do not exceed what one of them could not. It is safe for concurrent use.
type incoming struct {
	mu    sync.Mutex
	bytes map[string]int64
}

// add adds n bytes to those of a user, and returns their sum. It adds nothing if the sum would
// exceed most, and reports that.
func (c *incoming) add(userID string, n, most int64) (fits bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	sum := c.bytes[userID] + n
	switch {
	case n > 0 && sum > most:
		return false
	case sum == 0:
		delete(c.bytes, userID)
		return true
	case c.bytes == nil:
		c.bytes = map[string]int64{}
	}
	c.bytes[userID] = sum
	return true
}

// Incoming is a content that a user sends, and that counts to the user's storage until it is
// closed.
type Incoming struct {
	in     io.Reader
	counts *incoming
	userID string
	left   int64 // what the user may store in addition to what is stored
	size   int64 // that was read and counts
}

// Receive returns a reader of a content that the actor sends, such as a package that is imported
// later. What is read of it counts to the storage of the actor, together with what else the actor
// is sending to this process, until it is closed. Its Read returns [ErrStorageFull] when that is
// full, and so does Receive. Other errors: [core.ErrUnauthenticated].
func (s *Service) Receive(
	ctx context.Context, actor core.Actor, content io.Reader,
) (*Incoming, error) {
	if err := actor.Require(); err != nil {
		return nil, err
	}
	left, err := s.storageOf(actor).left(ctx, s.store, actor.UserID)
	if err == nil && left <= 0 {
		err = ErrStorageFull
	}
	if err != nil {
		return nil, core.Wrap("read the size of the files of a user", err)
	}
	return &Incoming{in: content, counts: &s.incoming, userID: actor.UserID, left: left}, nil
}

// Read returns [ErrStorageFull] if what it has read does not fit into the storage of the user.
func (c *Incoming) Read(b []byte) (int, error) {
	n, err := c.in.Read(b)
	if n > 0 && !c.counts.add(c.userID, int64(n), c.left) {
		return 0, ErrStorageFull
	}
	c.size += int64(n)
	return n, err
}

// Close ends the counting. It returns nil.
func (c *Incoming) Close() error {
	c.counts.add(c.userID, -c.size, 0)
	c.size = 0
	return nil
}
