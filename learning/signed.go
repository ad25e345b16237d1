package learning

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
)

// maxSigned is how many signatures are kept, of some 3 kB each.
const maxSigned = 1_000

// signed keeps what was signed. The key may be in another machine, slow and paid for
// by the signature, while anybody may ask: so each thing is signed once for all who
// ask for it. The zero signed is empty.
type signed struct {
	making singleflight.Group
	mu     sync.Mutex
	kept   map[string]signature
}

// signature is something signed, and of a status list how old it is.
type signature struct {
	token       string
	at          time.Time
	revocations uint64 // of this process, before the list was read
}

// get returns what is kept under a name when it is good, and has it made otherwise,
// by one of those who ask. No caller's context ends what others wait for.
func (s *signed) get(ctx context.Context, name string, good func(signature) bool, make func() (signature, error)) (signature, error) {
	for {
		if kept, ok := s.find(name); ok && good(kept) {
			return kept, nil
		}
		result := s.making.DoChan(name, func() (any, error) {
			if kept, ok := s.find(name); ok && good(kept) {
				return kept, nil
			}
			return s.keep(name, make)
		})
		select {
		case r := <-result:
			if r.Err != nil {
				return signature{}, r.Err
			}
			if made := r.Val.(signature); good(made) {
				return made, nil // else it was begun by somebody else, too long ago for this caller
			}
		case <-ctx.Done():
			return signature{}, ctx.Err()
		}
	}
}

func (s *signed) find(name string) (signature, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	kept, ok := s.kept[name]
	return kept, ok
}

// keep makes a signature. A panic, which would end the process from here, is an
// error.
func (s *signed) keep(name string, make func() (signature, error)) (made signature, err error) {
	defer func() {
		if value := recover(); value != nil {
			err = fmt.Errorf("panic: %v", value)
		}
	}()
	if made, err = make(); err != nil {
		return signature{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept == nil || len(s.kept) >= maxSigned {
		s.kept = map[string]signature{}
	}
	s.kept[name] = made
	return made, nil
}
