package learning

import (
	"context"
	"sync"
	"time"

	"github.com/openlectern/openlectern/internal/singleflight"
)

// maxSigned is how many signatures are kept, of some 3 kB each.
const maxSigned = 1_000

// signed keeps what was signed. The key may be in another machine, slow and paid for
// by the signature, while anybody may ask: so each thing is signed once for all callers
// that ask for it at the same time. The zero signed is empty.
type signed struct {
	calls singleflight.Group[string, signature]
	mu    sync.Mutex
	kept  map[string]signature
}

// signature is something signed, and of a status list how old it is.
type signature struct {
	token       string
	at          time.Time
	revocations uint64 // of this process, before the list was read
}

// get returns what is kept under a name if it is good, else what sign returns, which one
// caller runs for all that wait.
func (s *signed) get(ctx context.Context, name string, good func(signature) bool, sign singleflight.Work[signature]) (signature, error) {
	for {
		if kept, ok := s.find(name); ok && good(kept) {
			return kept, nil
		}
		made, err := s.calls.Do(ctx, name, func(ctx context.Context) (signature, error) {
			if kept, ok := s.find(name); ok && good(kept) {
				return kept, nil
			}
			made, err := sign(ctx)
			if err == nil {
				s.keep(name, made)
			}
			return made, err
		})
		if err != nil {
			return signature{}, err
		}
		if good(made) {
			return made, nil // otherwise the call began too long ago for this caller
		}
	}
}

func (s *signed) find(name string) (signature, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	kept, ok := s.kept[name]
	return kept, ok
}

func (s *signed) keep(name string, made signature) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept == nil || len(s.kept) >= maxSigned {
		s.kept = map[string]signature{}
	}
	s.kept[name] = made
}
