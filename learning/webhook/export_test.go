package webhook

import "time"

// WithTimeout replaces the 15 seconds that a receiver has for its answer.
func WithTimeout(d time.Duration) Option { return func(s *Sender) { s.http.Timeout = d } }
